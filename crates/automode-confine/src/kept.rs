//! Copies of what must not change, for a backend that cannot keep it from changing.
//!
//! Path rules cannot take a part out of a tree that they grant. So hooks, settings and refs
//! are copied before the run, compared after it, and put back. Objects are too many for
//! that: their destruction is the hole that remains, and is named in the documentation.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::protected::{Mended, check_way, copy_tree, set_aside};

/// Parts of a repository that say where its branches stand.
pub(crate) const POSITIONS: [&str; 5] = ["HEAD", "packed-refs", "refs", "index", "logs"];
/// More than this is no set of hooks and settings.
const MOST_FILES: usize = 5_000;

/// Each name with the place of its copy.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KeptFiles {
    copies: Vec<(PathBuf, PathBuf)>,
}

impl KeptFiles {
    /// Copies what is there into `store`, which is private to this run.
    pub(crate) fn of(names: Vec<PathBuf>, store: &Path) -> io::Result<Self> {
        fs::create_dir_all(store)?;
        let mut copies = Vec::new();
        let mut budget = MOST_FILES;
        let present = names
            .into_iter()
            .filter(|name| name.symlink_metadata().is_ok());
        for (index, name) in present.enumerate() {
            count(&name, &mut budget)?;
            let copy = store.join(index.to_string());
            copy_tree(&name, &copy)?;
            copies.push((name, copy));
        }
        Ok(Self { copies })
    }

    /// Whatever changed is moved to `aside`, and the copy takes its place.
    pub(crate) fn put_back(&self, aside: &Path) -> Vec<Mended> {
        let mut mended = Vec::new();
        for (name, copy) in &self.copies {
            if check_way(name).is_ok() && is_same(name, copy) {
                continue;
            }
            mended.push(match replace(name, copy, aside) {
                Ok(()) => Mended::PutBack(name.clone()),
                Err(_) => Mended::Left(name.clone()),
            });
        }
        mended
    }
}

fn replace(name: &Path, copy: &Path, aside: &Path) -> io::Result<()> {
    check_way(name)?;
    if name.symlink_metadata().is_ok() {
        set_aside(name, aside)?;
    }
    copy_tree(copy, name)
}

fn count(path: &Path, budget: &mut usize) -> io::Result<()> {
    *budget = budget
        .checked_sub(1)
        .ok_or_else(|| io::Error::other("too many files to keep"))?;
    if path.symlink_metadata()?.is_dir() {
        for entry in fs::read_dir(path)? {
            count(&entry?.path(), budget)?;
        }
    }
    Ok(())
}

/// The same kind, mode and content, all the way down.
fn is_same(first: &Path, second: &Path) -> bool {
    let (Ok(mine), Ok(theirs)) = (first.symlink_metadata(), second.symlink_metadata()) else {
        return false;
    };
    if mine.file_type() != theirs.file_type() {
        return false;
    }
    if mine.is_symlink() {
        return fs::read_link(first).ok() == fs::read_link(second).ok();
    }
    if mine.mode() != theirs.mode() {
        return false;
    }
    if mine.is_dir() {
        return entries(first) == entries(second)
            && entries(first)
                .iter()
                .all(|name| is_same(&first.join(name), &second.join(name)));
    }
    mine.len() == theirs.len() && fs::read(first).ok() == fs::read(second).ok()
}

fn entries(directory: &Path) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(top: &Path) -> PathBuf {
        let project = top.join("app");
        fs::create_dir_all(project.join(".git/hooks")).unwrap();
        fs::create_dir_all(project.join(".git/refs/heads")).unwrap();
        fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(project.join(".git/config"), "[core]\n").unwrap();
        fs::write(project.join(".git/refs/heads/main"), "1234\n").unwrap();
        project
    }

    #[test]
    fn changes_to_hooks_settings_and_refs_are_undone() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let project = project(&top);
        let names = ["hooks", "config", "refs"].map(|name| project.join(".git").join(name));
        let kept = KeptFiles::of(names.to_vec(), &top.join("store")).unwrap();
        fs::write(project.join(".git/hooks/pre-commit"), "evil").unwrap();
        fs::write(project.join(".git/config"), "[core]\nfsmonitor = evil\n").unwrap();
        fs::remove_file(project.join(".git/refs/heads/main")).unwrap();
        assert_eq!(kept.put_back(&top.join("aside")).len(), 3);
        assert!(!project.join(".git/hooks/pre-commit").exists());
        assert_eq!(
            fs::read_to_string(project.join(".git/config")).unwrap(),
            "[core]\n"
        );
        assert_eq!(
            fs::read_to_string(project.join(".git/refs/heads/main")).unwrap(),
            "1234\n"
        );
        assert_eq!(kept.put_back(&top.join("aside")), []);
    }

    #[test]
    fn a_link_on_the_way_is_not_written_through() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let project = project(&top);
        let kept = KeptFiles::of(vec![project.join(".git/config")], &top.join("store")).unwrap();
        fs::create_dir(top.join("other")).unwrap();
        fs::write(top.join("other/config"), "mine").unwrap();
        fs::rename(project.join(".git"), project.join("old")).unwrap();
        std::os::unix::fs::symlink(top.join("other"), project.join(".git")).unwrap();
        assert_eq!(
            kept.put_back(&top.join("aside")),
            [Mended::Left(project.join(".git/config"))]
        );
        assert_eq!(
            fs::read_to_string(top.join("other/config")).unwrap(),
            "mine"
        );
    }
}
