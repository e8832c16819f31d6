//! Copies of what must not change, for a backend that cannot keep it from changing.
//!
//! Path rules cannot take a part out of a tree that they grant. So hooks, settings and refs
//! are copied before the run, compared after it, and put back. Objects are too many for
//! that: their destruction is the hole that remains, and is named in the documentation.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::protected::{Mended, Protected, copy_tree, set_aside};
use crate::repository::Repository;
use automode_core::confine::{Confinement, Git};

/// Parts of a repository that say where its branches stand.
const POSITIONS: [&str; 5] = ["HEAD", "packed-refs", "refs", "index", "logs"];
/// More than this is no set of hooks and settings.
const MOST_FILES: usize = 5_000;

/// The copies, and which directory each repository was.
pub(crate) struct Kept {
    copies: Vec<(PathBuf, PathBuf)>,
    repositories: Vec<(PathBuf, u64)>,
    project: PathBuf,
    protected: Protected,
}

impl Kept {
    /// Copies into `store`, which is private to this run.
    pub(crate) fn of(confinement: &Confinement, store: &Path) -> io::Result<Self> {
        let project = fs::canonicalize(&confinement.project)?;
        let repository = Repository::of(&project);
        let protected = Protected::of(&project, &repository, Git::Commit);
        let mut names = protected.present.clone();
        let inside = repository
            .directories
            .iter()
            .filter(|found| found.starts_with(&project));
        for directory in inside.clone() {
            if confinement.git == Git::ReadOnly {
                names.extend(POSITIONS.iter().map(|name| directory.join(name)));
            }
        }
        names.retain(|name| name.starts_with(&project) && name.symlink_metadata().is_ok());
        fs::create_dir_all(store)?;
        let mut copies = Vec::new();
        let mut budget = MOST_FILES;
        for (index, name) in names.into_iter().enumerate() {
            count(&name, &mut budget)?;
            let copy = store.join(index.to_string());
            copy_tree(&name, &copy)?;
            copies.push((name, copy));
        }
        let repositories = inside
            .filter_map(|directory| Some((directory.clone(), directory.metadata().ok()?.ino())))
            .collect();
        Ok(Self {
            copies,
            repositories,
            project,
            protected,
        })
    }

    /// Whatever changed is moved to `aside`, and the copy takes its place.
    pub(crate) fn put_back(&self, aside: &Path) -> Vec<Mended> {
        let mut mended = Vec::new();
        for (directory, number) in &self.repositories {
            if directory
                .metadata()
                .is_ok_and(|found| found.ino() == *number)
            {
                continue;
            }
            mended.push(match self.return_repository(directory, *number, aside) {
                Ok(()) => Mended::PutBack(directory.clone()),
                Err(_) => Mended::Left(directory.clone()),
            });
        }
        for (name, copy) in &self.copies {
            if is_same(name, copy) {
                continue;
            }
            let moved = match name.symlink_metadata() {
                Ok(_) => set_aside(name, aside).map(|_| ()),
                Err(_) => Ok(()),
            };
            mended.push(match moved.and_then(|()| copy_tree(copy, name)) {
                Ok(()) => Mended::PutBack(name.clone()),
                Err(_) => Mended::Left(name.clone()),
            });
        }
        mended.extend(self.protected.move_aside(aside));
        mended
    }

    /// Finds a repository that was renamed, by what it is rather than by its name.
    fn return_repository(&self, directory: &Path, number: u64, aside: &Path) -> io::Result<()> {
        let mut places = vec![self.project.clone()];
        places.extend(
            fs::read_dir(&self.project)?
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.is_dir()),
        );
        let moved = places
            .iter()
            .filter_map(|place| fs::read_dir(place).ok())
            .flat_map(|entries| entries.flatten())
            .find(|entry| {
                entry
                    .metadata()
                    .is_ok_and(|found| found.ino() == number && found.is_dir())
            })
            .ok_or_else(|| io::Error::other("not found"))?;
        if directory.symlink_metadata().is_ok() {
            set_aside(directory, aside)?;
        }
        fs::rename(moved.path(), directory)
    }
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
        let kept = Kept::of(&Confinement::of_project(&project), &top.join("store")).unwrap();
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
    fn a_repository_that_was_replaced_returns() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let project = project(&top);
        let kept = Kept::of(&Confinement::of_project(&project), &top.join("store")).unwrap();
        fs::rename(project.join(".git"), project.join("old")).unwrap();
        fs::create_dir(project.join(".git")).unwrap();
        fs::write(project.join(".git/config"), "evil").unwrap();
        assert_eq!(
            kept.put_back(&top.join("aside")),
            [Mended::PutBack(project.join(".git"))]
        );
        assert_eq!(
            fs::read_to_string(project.join(".git/config")).unwrap(),
            "[core]\n"
        );
    }
}
