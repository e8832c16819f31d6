//! Every file below a directory that is about to go.
//!
//! Bounded in number and in bytes: of a folder that holds more, nothing is said, and what was
//! not said is not the session's. Links are passed over, because they go and what they lead to
//! stays; what is neither a file nor a directory is nobody's to judge.

use std::fs;
use std::path::{Path, PathBuf};

use automode_core::{FolderFile, digest};

use super::file::first_bytes;

/// The most entries that are looked at.
const ENTRIES: usize = 1_024;
/// The most bytes that are read of all files together.
const BYTES: u64 = 4 * 1024 * 1024;

/// The files below a directory with their digests; nothing where they are too many.
#[must_use]
pub fn look(directory: &Path) -> Option<Vec<FolderFile>> {
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = vec![directory.to_owned()];
    let (mut entries, mut bytes) = (ENTRIES, BYTES);
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).ok()? {
            entries = entries.checked_sub(1)?;
            let entry = entry.ok()?;
            let kind = entry.file_type().ok()?;
            let path = entry.path();
            if kind.is_symlink() {
                continue;
            }
            if kind.is_dir() {
                waiting.push(path);
                continue;
            }
            if !kind.is_file() {
                return None;
            }
            bytes = bytes.checked_sub(entry.metadata().ok()?.len())?;
            let body = first_bytes(&path, BYTES)?;
            found.push(FolderFile {
                path: path.into_os_string().into_string().ok()?,
                digest: digest(body),
            });
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_with_their_digests_and_links_are_not() {
        let tree = tempfile::tempdir().unwrap();
        let at = |name: &str| tree.path().join(name);
        fs::create_dir(at("in")).unwrap();
        fs::write(at("in/a"), "x").unwrap();
        std::os::unix::fs::symlink("/etc", at("link")).unwrap();
        let file = FolderFile {
            path: at("in/a").to_str().unwrap().to_owned(),
            digest: digest("x"),
        };
        assert_eq!(look(tree.path()), Some(vec![file]));
        assert_eq!(look(&at("none")), None);
        for number in 0..ENTRIES {
            fs::write(at(&number.to_string()), "").unwrap();
        }
        assert_eq!(look(tree.path()), None);
    }
}
