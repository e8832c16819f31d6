//! What a path is.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path;

use automode_core::{GitState, PathFact, PathKind};

use super::canonical;

pub(super) fn look(path: &Path) -> PathFact {
    let found = fs::symlink_metadata(path);
    let kind = match &found {
        Ok(found) => kind(found),
        Err(error) if error.kind() == ErrorKind::NotFound => PathKind::Absent,
        Err(_) => PathKind::Unreadable,
    };
    let size = found
        .ok()
        .filter(Metadata::is_file)
        .map(|found| found.len());
    let canonical = match kind {
        PathKind::Unreadable => None,
        PathKind::Absent
        | PathKind::File
        | PathKind::Directory
        | PathKind::Link
        | PathKind::Other => canonical::resolve(path),
    };
    let canonical = canonical.and_then(|path| path.into_os_string().into_string().ok());
    PathFact {
        kind,
        ignores_case: canonical
            .as_deref()
            .is_some_and(|path| ignores_case(Path::new(path))),
        canonical,
        git: GitState::None,
        size,
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

/// Whether another case of the name leads to the same file.
fn ignores_case(path: &Path) -> bool {
    let existing = path
        .ancestors()
        .find_map(|at| Some((at, fs::symlink_metadata(at).ok()?)));
    let Some((path, found)) = existing else {
        return false;
    };
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let swapped: String = name.chars().map(swap_case).collect();
    if swapped == name {
        return false;
    }
    fs::symlink_metadata(path.with_file_name(swapped)).is_ok_and(|other| same_file(&found, &other))
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
