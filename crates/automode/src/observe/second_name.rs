//! Whether a file with several names is one of the user's secrets.
//!
//! A hard link says nothing about its other names, so the places where secrets lie are
//! looked through for the same file. It is done for files with several names alone, and
//! for a bounded number of places: what is not in them is not found here.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// Folders of the home directory whose files are secrets, and files that are.
const PLACES: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".gnupg/private-keys-v1.d",
    ".aws",
    ".aws/sso/cache",
    ".azure",
    ".kube",
    ".docker",
    ".config/gh",
    ".config/gcloud",
    ".config/hub",
    ".config/op",
    ".config/doctl",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".vault-token",
    ".terraform.d/credentials.tfrc.json",
    ".local/share/keyrings",
    ".password-store",
    ".bash_history",
    ".zsh_history",
    ".bashrc",
    ".profile",
    ".bash_profile",
    ".zshrc",
];
/// The most names of one folder that are looked at.
const MOST: usize = 256;

/// The name under which the file is a secret.
pub(super) fn secret(file: &Metadata) -> Option<PathBuf> {
    among(Path::new(&std::env::var_os("HOME")?), file)
}

fn among(home: &Path, file: &Metadata) -> Option<PathBuf> {
    let mut found = None;
    for_each_secret(home, |path, about| {
        if found.is_none() && same(file, about) {
            found = Some(path);
        }
    });
    found
}

/// The secrets that have more names than the one under which they are known.
pub(super) fn with_second_names() -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Some(home) = std::env::var_os("HOME") {
        for_each_secret(Path::new(&home), |path, about| {
            found.extend(is_shared(about).then_some(path));
        });
    }
    found
}

/// Whether a path is a file that is known by what was found out about it.
pub(super) fn is(path: &Path, file: &Metadata) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| same(&about, file))
}

/// Goes through the files in the places of secrets.
fn for_each_secret(home: &Path, mut each: impl FnMut(PathBuf, &Metadata)) {
    let Ok(home) = fs::canonicalize(home) else {
        return;
    };
    for place in PLACES {
        let place = home.join(place);
        let Ok(about) = fs::symlink_metadata(&place) else {
            continue;
        };
        if !about.is_dir() {
            each(place, &about);
            continue;
        }
        for name in fs::read_dir(&place).into_iter().flatten().take(MOST) {
            let known = name.and_then(|name| Ok((name.path(), name.metadata()?)));
            if let Ok((path, about)) = known
                && about.is_file()
            {
                each(path, &about);
            }
        }
    }
}

/// Whether a file is found under another name as well.
#[cfg(unix)]
pub(super) fn is_shared(file: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.nlink() > 1
}

#[cfg(not(unix))]
pub(super) fn is_shared(_file: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same(_one: &Metadata, _other: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_name_of_a_secret_is_found() {
        let tree = tempfile::tempdir().expect("a directory");
        let home = fs::canonicalize(tree.path()).expect("canonical");
        let at = |name: &str| home.join(name);
        fs::create_dir(at(".ssh")).expect("a directory");
        for name in [".ssh/id_rsa", ".netrc", "notes"] {
            fs::write(at(name), name).expect("written");
        }
        let check = |name: &str, expected: Option<&str>| {
            fs::hard_link(at(name), at("other")).expect("a second name");
            let found = among(&home, &fs::metadata(at("other")).expect("there"));
            assert_eq!(found, expected.map(at), "{name}");
            fs::remove_file(at("other")).expect("removed");
        };
        check(".ssh/id_rsa", Some(".ssh/id_rsa"));
        check(".netrc", Some(".netrc"));
        check("notes", None);
    }
}
