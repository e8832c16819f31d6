//! What a path is.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path;

use automode_core::{GitState, PathFact, PathKind};

use super::canonical::Resolver;
use super::second_name;

pub(super) fn look(path: &Path, resolver: &mut Resolver) -> PathFact {
    let found = fs::symlink_metadata(path);
    let kind = match &found {
        Ok(found) => kind(found),
        Err(error) if error.kind() == ErrorKind::NotFound => PathKind::Absent,
        Err(_) => PathKind::Unreadable,
    };
    let file = match kind {
        PathKind::File => found.ok(),
        PathKind::Link => fs::metadata(path).ok().filter(Metadata::is_file),
        PathKind::Absent | PathKind::Directory | PathKind::Other | PathKind::Unreadable => None,
    };
    let canonical = match kind {
        PathKind::Unreadable => None,
        PathKind::Absent
        | PathKind::File
        | PathKind::Directory
        | PathKind::Link
        | PathKind::Other => resolver.resolve(path, kind),
    };
    let other_names = file.as_ref().is_some_and(second_name::is_shared);
    // Another name of a secret is the secret.
    let canonical = match &file {
        Some(file) if other_names => second_name::secret(file).or(canonical),
        Some(_) | None => canonical,
    };
    let canonical = canonical.and_then(|path| path.into_os_string().into_string().ok());
    let named = match kind {
        PathKind::File | PathKind::Link if file.is_some() && !other_names => Named::Once,
        PathKind::Absent => Named::Never,
        PathKind::File
        | PathKind::Link
        | PathKind::Directory
        | PathKind::Other
        | PathKind::Unreadable => Named::Maybe,
    };
    PathFact {
        kind,
        ignores_case: canonical
            .as_deref()
            .is_some_and(|path| ignores_case(Path::new(path), named, resolver)),
        canonical,
        git: GitState::None,
        size: file.as_ref().map(Metadata::len),
        other_names,
    }
}

fn kind(found: &Metadata) -> PathKind {
    let kind = found.file_type();
    if kind.is_symlink() {
        PathKind::Link
    } else if kind.is_file() {
        PathKind::File
    } else if kind.is_dir() {
        PathKind::Directory
    } else {
        PathKind::Other
    }
}

/// Under how many names something is found, as far as that is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Never,
    Once,
    Maybe,
}

/// Whether another case of the name leads to the same file. What holds for one file that has no
/// second name holds for all such files of its directory, and for what is not there the nearest
/// directory speaks.
fn ignores_case(path: &Path, named: Named, resolver: &mut Resolver) -> bool {
    let directory = path.parent().filter(|_| named == Named::Once);
    if directory.is_some_and(|directory| resolver.minds_case.contains(directory)) {
        return false;
    }
    let mut above = path.ancestors().skip(usize::from(named == Named::Never));
    let known = above.find_map(|at| match resolver.cases.get(at) {
        Some(known) => Some(*known),
        None => {
            let found = fs::symlink_metadata(at).ok()?;
            let ignores = other_case_is_same(at, &found);
            resolver.cases.insert(at.to_owned(), ignores);
            Some(ignores)
        }
    });
    let Some(ignores) = known.flatten() else {
        return false;
    };
    if let (Some(directory), false) = (directory, ignores) {
        resolver.minds_case.insert(directory.to_owned());
    }
    ignores
}

/// Nothing where the name has no other case.
fn other_case_is_same(path: &Path, found: &Metadata) -> Option<bool> {
    let name = path.file_name().and_then(|name| name.to_str())?;
    let swapped: String = name.chars().map(swap_case).collect();
    let other = (swapped != name).then(|| path.with_file_name(swapped))?;
    Some(fs::symlink_metadata(other).is_ok_and(|other| same_file(found, &other)))
}

fn swap_case(letter: char) -> char {
    if letter.is_ascii_lowercase() {
        letter.to_ascii_uppercase()
    } else {
        letter.to_ascii_lowercase()
    }
}

#[cfg(unix)]
fn same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same_file(_one: &Metadata, _other: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_name_of_a_file_is_seen_also_through_a_link() {
        let tree = tempfile::tempdir().expect("a directory");
        let at = |name: &str| tree.path().join(name);
        fs::create_dir(at("directory")).expect("a directory");
        fs::write(at("alone"), "x").expect("written");
        fs::write(at("one"), "x").expect("written");
        fs::hard_link(at("one"), at("other")).expect("a second name");
        std::os::unix::fs::symlink("one", at("link")).expect("a link");
        let check = |name: &str, expected: bool| {
            assert_eq!(
                look(&at(name), &mut Resolver::default()).other_names,
                expected,
                "{name}"
            );
        };
        check("alone", false);
        check("directory", false);
        check("nothing", false);
        check("one", true);
        check("other", true);
        check("link", true);
    }
}
