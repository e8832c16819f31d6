//! A run whose changes can still be dropped.
//!
//! The command runs confined on a copy of the project that stands at the project's own
//! path. What differs afterwards is shown; keeping it is refused where the project itself
//! has changed in the meantime.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::protected::copy_tree;

/// A copy of a project, and how the project was when it was made.
#[derive(Debug)]
pub struct ConfinedTrial {
    project: PathBuf,
    copy: PathBuf,
    before: BTreeMap<PathBuf, FileMark>,
}

/// What the trial did to one path of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Difference {
    Made,
    Changed,
    Removed,
}

/// Why a trial cannot be made or kept.
#[derive(Debug, Error)]
pub enum TrialError {
    #[error("the project has more than {0} files")]
    TooLarge(usize),
    #[error("`{0}` was changed in the project meanwhile; nothing was kept")]
    Concurrent(PathBuf),
    #[error(transparent)]
    Io(#[from] io::Error),
}

const MOST_FILES: usize = 100_000;

/// Enough to see that a path was touched.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileMark {
    kind: u32,
    size: u64,
    changed: (i64, i64),
    number: u64,
}

impl ConfinedTrial {
    /// Copies a project to `copy`, which must not exist yet.
    pub fn begin(project: &Path, copy: &Path) -> Result<Self, TrialError> {
        let project = fs::canonicalize(project)?;
        let before = marks(&project)?;
        copy_tree(&project, copy)?;
        Ok(Self {
            project,
            copy: copy.to_owned(),
            before,
        })
    }

    #[must_use]
    pub fn copy(&self) -> &Path {
        &self.copy
    }

    /// What differs, by its path inside the project.
    pub fn differences(&self) -> Result<BTreeMap<PathBuf, Difference>, TrialError> {
        let after = marks(&self.copy)?;
        let mut found = BTreeMap::new();
        for path in after.keys().filter(|path| !self.before.contains_key(*path)) {
            found.insert(path.clone(), Difference::Made);
        }
        for path in self.before.keys() {
            if !after.contains_key(path) {
                found.insert(path.clone(), Difference::Removed);
            } else if !is_same(&self.project.join(path), &self.copy.join(path)) {
                found.insert(path.clone(), Difference::Changed);
            }
        }
        Ok(found)
    }

    /// Puts the differences into the project, or nothing at all.
    pub fn keep(&self, differences: &BTreeMap<PathBuf, Difference>) -> Result<(), TrialError> {
        let now = marks(&self.project)?;
        for path in differences.keys() {
            if now.get(path) != self.before.get(path) {
                return Err(TrialError::Concurrent(path.clone()));
            }
        }
        let removed: Vec<&PathBuf> = differences
            .iter()
            .filter(|(path, difference)| match difference {
                Difference::Removed => true,
                // A directory that became a file or a link, or the other way round.
                Difference::Changed => self.is_other_kind(path),
                Difference::Made => false,
            })
            .map(|(path, _)| path)
            .collect();
        // A directory goes only with all that it held; what came to lie in it is newer work.
        let newer = now.keys().find(|path| {
            let below = |above: &&PathBuf| path.starts_with(above) && *path != *above;
            !self.before.contains_key(*path) && removed.iter().any(below)
        });
        if let Some(path) = newer {
            return Err(TrialError::Concurrent(path.clone()));
        }
        // What lies in a directory goes before the directory.
        for path in removed.into_iter().rev() {
            let mine = self.project.join(path);
            if mine.symlink_metadata()?.is_dir() {
                fs::remove_dir(&mine)?
            } else {
                fs::remove_file(&mine)?
            }
        }
        for (path, difference) in differences {
            let (mine, theirs) = (self.project.join(path), self.copy.join(path));
            match difference {
                Difference::Made | Difference::Changed => take_over(&theirs, &mine)?,
                Difference::Removed => {}
            }
        }
        Ok(())
    }

    fn is_other_kind(&self, path: &Path) -> bool {
        let is_directory = |top: &Path| {
            top.join(path)
                .symlink_metadata()
                .is_ok_and(|found| found.is_dir())
        };
        is_directory(&self.project) != is_directory(&self.copy)
    }
}

impl Drop for ConfinedTrial {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.copy);
    }
}

fn take_over(theirs: &Path, mine: &Path) -> io::Result<()> {
    let found = theirs.symlink_metadata()?;
    if found.is_dir() {
        if !mine.is_dir() {
            fs::create_dir(mine)?;
        }
        return fs::set_permissions(mine, found.permissions());
    }
    let name = mine.file_name().unwrap_or_default().to_string_lossy();
    let temporary = mine.with_file_name(format!(".{name}.automode-try"));
    copy_tree(theirs, &temporary)?;
    fs::rename(temporary, mine)
}

fn marks(top: &Path) -> Result<BTreeMap<PathBuf, FileMark>, TrialError> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(below) = waiting.pop() {
        for entry in fs::read_dir(top.join(&below))? {
            let entry = entry?;
            let about = entry.metadata()?;
            let path = below.join(entry.file_name());
            let kind = about.file_type();
            if !(kind.is_dir() || kind.is_file() || kind.is_symlink()) {
                // A pipe or a socket is not copied, so its absence says nothing.
                continue;
            }
            // The time of a directory says nothing that its entries do not.
            let is_directory = about.is_dir();
            let mark = FileMark {
                kind: about.mode(),
                size: if is_directory { 0 } else { about.size() },
                changed: if is_directory {
                    (0, 0)
                } else {
                    (about.mtime(), about.mtime_nsec())
                },
                number: if is_directory { 0 } else { about.ino() },
            };
            if is_directory {
                waiting.push(path.clone());
            }
            found.insert(path, mark);
            if found.len() > MOST_FILES {
                return Err(TrialError::TooLarge(MOST_FILES));
            }
        }
    }
    Ok(found)
}

fn is_same(first: &Path, second: &Path) -> bool {
    let (Ok(mine), Ok(theirs)) = (first.symlink_metadata(), second.symlink_metadata()) else {
        return false;
    };
    if mine.mode() != theirs.mode() {
        return false;
    }
    if mine.is_symlink() {
        return fs::read_link(first).ok() == fs::read_link(second).ok();
    }
    mine.is_dir() || (mine.len() == theirs.len() && fs::read(first).ok() == fs::read(second).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_kept_or_dropped_whole() {
        let temp = tempfile::tempdir().unwrap();
        let project = temp.path().join("app");
        fs::create_dir_all(project.join("old")).unwrap();
        for name in ["same", "changed", "gone", "old/x"] {
            fs::write(project.join(name), name).unwrap();
        }
        let trial = ConfinedTrial::begin(&project, &temp.path().join("copy")).unwrap();
        assert_eq!(trial.differences().unwrap(), BTreeMap::new());
        fs::write(trial.copy().join("changed"), "other").unwrap();
        fs::write(trial.copy().join("made"), "new").unwrap();
        fs::remove_file(trial.copy().join("gone")).unwrap();
        fs::remove_dir_all(trial.copy().join("old")).unwrap();
        let found = trial.differences().unwrap();
        let expected = [
            ("changed", Difference::Changed),
            ("gone", Difference::Removed),
            ("made", Difference::Made),
            ("old", Difference::Removed),
            ("old/x", Difference::Removed),
        ];
        assert_eq!(
            found,
            expected
                .into_iter()
                .map(|(path, what)| (PathBuf::from(path), what))
                .collect()
        );
        assert!(project.join("gone").exists());
        trial.keep(&found).unwrap();
        assert!(!project.join("gone").exists() && !project.join("old").exists());
        assert_eq!(
            fs::read_to_string(project.join("changed")).unwrap(),
            "other"
        );
        assert_eq!(fs::read_to_string(project.join("same")).unwrap(), "same");
    }

    #[test]
    fn newer_work_in_the_project_is_never_kept_over() {
        let temp = tempfile::tempdir().unwrap();
        let project = temp.path().join("app");
        fs::create_dir(&project).unwrap();
        fs::write(project.join("a"), "a").unwrap();
        fs::write(project.join("b"), "b").unwrap();
        let trial = ConfinedTrial::begin(&project, &temp.path().join("copy")).unwrap();
        fs::write(trial.copy().join("a"), "trial").unwrap();
        fs::write(trial.copy().join("b"), "trial").unwrap();
        fs::write(trial.copy().join("c"), "trial").unwrap();
        fs::write(project.join("b"), "a person's").unwrap();
        let found = trial.differences().unwrap();
        assert!(matches!(trial.keep(&found), Err(TrialError::Concurrent(_))));
        assert_eq!(fs::read_to_string(project.join("a")).unwrap(), "a");
        assert!(!project.join("c").exists());
    }

    #[test]
    fn a_directory_that_became_a_link_takes_nothing_outside_with_it() {
        let temp = tempfile::tempdir().unwrap();
        let project = temp.path().join("app");
        let other = temp.path().join("other");
        for directory in [&project.join("libs"), &other] {
            fs::create_dir_all(directory).unwrap();
            fs::write(directory.join("x"), "mine").unwrap();
        }
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            project.join("pipe"),
            rustix::fs::Mode::RWXU,
        )
        .unwrap();
        let trial = ConfinedTrial::begin(&project, &temp.path().join("copy")).unwrap();
        fs::remove_dir_all(trial.copy().join("libs")).unwrap();
        std::os::unix::fs::symlink(&other, trial.copy().join("libs")).unwrap();
        let found = trial.differences().unwrap();
        trial.keep(&found).unwrap();
        assert_eq!(fs::read_to_string(other.join("x")).unwrap(), "mine");
        assert_eq!(fs::read_link(project.join("libs")).unwrap(), other);
        assert!(project.join("pipe").symlink_metadata().is_ok());
    }

    #[test]
    fn what_came_into_a_removed_directory_meanwhile_stays() {
        let temp = tempfile::tempdir().unwrap();
        let project = temp.path().join("app");
        fs::create_dir_all(project.join("old")).unwrap();
        fs::write(project.join("old/x"), "x").unwrap();
        let trial = ConfinedTrial::begin(&project, &temp.path().join("copy")).unwrap();
        fs::remove_dir_all(trial.copy().join("old")).unwrap();
        fs::write(project.join("old/new"), "a person's").unwrap();
        let found = trial.differences().unwrap();
        assert!(matches!(trial.keep(&found), Err(TrialError::Concurrent(_))));
        assert!(project.join("old/x").exists() && project.join("old/new").exists());
    }
}
