//! The canonical form of a path that may not exist.
//!
//! Every link on the way is resolved, also one that points at nothing. What does
//! not exist is appended as it stands; a `..` after it cannot be resolved.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use automode_core::PathKind;

/// As many links as the system itself follows.
const MOST_LINKS: u8 = 40;

/// Resolves paths that have directories in common, each directory once.
#[derive(Debug, Default)]
pub(super) struct Resolver {
    directories: HashMap<PathBuf, Option<PathBuf>>,
    /// Directories in which a file with one name was not found under another case of it.
    pub(super) minds_case: HashSet<PathBuf>,
    /// Whether a path that is there is found under another case of its name, where it has one.
    pub(super) cases: HashMap<PathBuf, Option<bool>>,
}

impl Resolver {
    /// The canonical form of a path whose kind is known.
    pub(super) fn resolve(&mut self, path: &Path, kind: PathKind) -> Option<PathBuf> {
        let (Some(above), Some(name), true) = (path.parent(), path.file_name(), is_plain(path))
        else {
            return resolve(path);
        };
        match kind {
            // What is no link itself lies in its directory under its own name.
            PathKind::File | PathKind::Directory | PathKind::Other => {
                self.directory(above).map(|above| above.join(name))
            }
            // So does what is not there, where its directory is.
            PathKind::Absent => self.absent(path, above).map(|above| above.join(name)),
            PathKind::Link | PathKind::Unreadable => resolve(path),
        }
    }

    /// The directory of what is not there, which need not be there either.
    fn absent(&mut self, path: &Path, above: &Path) -> Option<PathBuf> {
        if let Some(known) = self.directory(above) {
            return Some(known);
        }
        let missing = match fs::symlink_metadata(above) {
            Ok(_) => false,
            Err(error) => error.kind() == ErrorKind::NotFound,
        };
        let (true, Some(further), Some(name)) = (missing, above.parent(), above.file_name()) else {
            return resolve(path)?.parent().map(Path::to_owned);
        };
        let found = self.absent(above, further)?.join(name);
        Some(found)
    }

    /// The canonical form of a directory that is there.
    pub(super) fn existing(&mut self, path: &Path) -> Option<PathBuf> {
        if is_plain(path) {
            self.directory(path)
        } else {
            fs::canonicalize(path).ok()
        }
    }

    fn directory(&mut self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.directories.get(path) {
            return known.clone();
        }
        let found = match (path.parent(), path.file_name()) {
            (Some(above), Some(name)) => {
                let within = self.directory(above)?.join(name);
                match fs::symlink_metadata(&within) {
                    Ok(about) if about.is_dir() => Some(within),
                    Err(error) if error.kind() == ErrorKind::NotFound => None,
                    Ok(_) | Err(_) => fs::canonicalize(&within).ok(),
                }
            }
            _ => fs::canonicalize(path).ok(),
        };
        self.directories.insert(path.to_owned(), found.clone());
        found
    }
}

/// Absolute, without `..`, and without a slash at the end, which would follow a link.
fn is_plain(path: &Path) -> bool {
    path.is_absolute()
        && !path.as_os_str().as_bytes().ends_with(b"/")
        && path
            .components()
            .all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
}

fn resolve(path: &Path) -> Option<PathBuf> {
    match fs::canonicalize(path) {
        Ok(canonical) => Some(canonical),
        Err(error) if error.kind() == ErrorKind::NotFound => walk(path),
        Err(_) => None,
    }
}

fn walk(path: &Path) -> Option<PathBuf> {
    let mut ahead: VecDeque<OsString> = names(path)?;
    let mut done = PathBuf::from("/");
    let mut links = 0_u8;
    let mut missing = false;
    while let Some(name) = ahead.pop_front() {
        if name == ".." {
            if missing {
                return None;
            }
            done.pop();
            continue;
        }
        done.push(&name);
        if missing {
            continue;
        }
        match fs::symlink_metadata(&done) {
            Ok(found) if found.is_symlink() => {
                links = links.checked_add(1).filter(|links| *links <= MOST_LINKS)?;
                let target = fs::read_link(&done).ok()?;
                done.pop();
                if target.is_absolute() {
                    done = PathBuf::from("/");
                }
                for name in names(&target)?.into_iter().rev() {
                    ahead.push_front(name);
                }
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => missing = true,
            Err(_) => return None,
        }
    }
    Some(done)
}

fn names(path: &Path) -> Option<VecDeque<OsString>> {
    path.components()
        .filter_map(|part| match part {
            Component::RootDir | Component::CurDir => None,
            Component::ParentDir => Some(Some(OsString::from(".."))),
            Component::Normal(name) => Some(Some(name.to_owned())),
            Component::Prefix(_) => Some(None),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_resolved_also_on_the_way_to_nothing() {
        let tree = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(tree.path()).expect("canonical");
        fs::create_dir_all(root.join("app/src")).expect("directories");
        fs::create_dir_all(root.join("elsewhere")).expect("directories");
        symlink(root.join("elsewhere"), root.join("app/out")).expect("a link");
        symlink("../elsewhere/new", root.join("app/dangling")).expect("a link");
        symlink("loop", root.join("app/loop")).expect("a link");
        let check = |path: &str, expected: Option<&str>| {
            let expected = expected.map(|path| root.join(path));
            let path = root.join(path);
            assert_eq!(resolve(&path), expected, "{}", path.display());
            let kind = crate::observe::path::look(&path, &mut Resolver::default()).kind;
            let once = Resolver::default().resolve(&path, kind);
            assert_eq!(once, expected, "{}", path.display());
        };
        check("app/src", Some("app/src"));
        check("app/src/new/deep.rs", Some("app/src/new/deep.rs"));
        check("app/out/x", Some("elsewhere/x"));
        check("app/out/../x", Some("x"));
        check("app/dangling", Some("elsewhere/new"));
        check("app/dangling/x", Some("elsewhere/new/x"));
        check("app/nothing/../../x", None);
        check("app/loop", None);
        check("app/loop/x", None);
    }
}
