//! Files that git does not follow and that a checkout of another commit writes over.
//!
//! Git keeps its hands off files that are new, and takes ignored ones for worth nothing. The
//! trees of the other commits are held against the index; folders that both have are not opened.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::difference::{COMMIT, DIRECTORY, joined};
use super::index::{CachedTree, Index, Wanted};
use super::object::{Id, Objects};
use super::{blob_id, revision};
use crate::observe::repo::ObservedRepository;

/// Larger files are not compared with what comes.
const COMPARED: u64 = 1024 * 1024;
/// The most folders of commits that are opened.
const MOST_TREES: usize = 4000;

/// The files that are there, are not followed, and have another content in a commit that the
/// revision stands for. `None`: that could not be told.
pub(in super::super) fn replaced(
    repository: &ObservedRepository,
    typed: &str,
) -> Option<Vec<String>> {
    repository.is_plain().then_some(())?;
    let objects = Objects::of(repository.common());
    let commits = revision::commits(repository, &objects, typed)?;
    if commits.is_empty() {
        return Some(Vec::new());
    }
    let index = Index::read(&repository.index(), &Wanted::everything())?;
    let mut coming = Coming {
        root: &repository.root,
        objects: &objects,
        index: &index,
        opened: HashSet::new(),
        in_way: Vec::new(),
    };
    for commit in commits {
        coming.folder(commit.tree, b"")?;
    }
    Some(coming.in_way)
}

/// What other commits would bring.
struct Coming<'a> {
    root: &'a Path,
    objects: &'a Objects,
    index: &'a Index,
    opened: HashSet<(Vec<u8>, Id)>,
    in_way: Vec<String>,
}

impl Coming<'_> {
    /// Goes through a folder of a commit. `None`: not all of it could be seen.
    fn folder(&mut self, tree: Id, directory: &[u8]) -> Option<()> {
        let same = self.index.tree(directory) == CachedTree::Is(tree);
        if same || !self.opened.insert((directory.to_vec(), tree)) {
            return Some(());
        }
        (self.opened.len() <= MOST_TREES).then_some(())?;
        for (mode, name, id) in self.objects.list(&tree)? {
            let path = joined(directory, &name);
            match mode {
                DIRECTORY => self.folder(id, &path)?,
                COMMIT => {}
                _ => {
                    let found = self.in_the_way(&path, &id);
                    self.in_way.extend(found);
                }
            }
        }
        Some(())
    }

    fn is_followed(&self, path: &[u8]) -> bool {
        let entries = &self.index.entries;
        let found = entries.binary_search_by(|entry| entry.path.as_slice().cmp(path));
        found.is_ok()
    }

    /// What stands where a file comes to lie: the file itself, or one in place of a folder
    /// above it.
    fn in_the_way(&self, path: &[u8], id: &Id) -> Option<String> {
        if self.is_followed(path) {
            return None;
        }
        let place = |name: &[u8]| self.root.join(OsStr::from_bytes(name));
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for (at, _) in slashes {
            let above = path.get(..at)?;
            let Ok(found) = fs::symlink_metadata(place(above)) else {
                return None;
            };
            if !found.is_dir() {
                // A file that is followed is git's own to take away.
                let lost = !self.is_followed(above);
                return lost.then(|| place(above).to_string_lossy().into_owned());
            }
        }
        let file = place(path);
        let found = fs::symlink_metadata(&file).ok()?;
        let same = found.is_file()
            && found.len() <= COMPARED
            && fs::read(&file).is_ok_and(|content| blob_id(&content) == *id);
        (!same).then(|| file.to_string_lossy().into_owned())
    }
}
