//! A run whose changes can still be dropped.
//!
//! The command runs confined at the project's own path, on an overlay that takes its changes,
//! or where the kernel refuses one to this person, on a copy. What differs afterwards is shown;
//! keeping it is refused where the project itself has changed in the meantime.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::machine::Machine;
use crate::protected::copy_tree;

/// A stand-in for a project, and how the project was when it was made.
#[derive(Debug)]
pub struct ConfinedTrial {
    project: PathBuf,
    place: PathBuf,
    stand_in: StandIn,
    before: BTreeMap<PathBuf, FileMark>,
}

/// What stands at a project's place during a trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StandIn {
    /// All of its files once more.
    Copy(PathBuf),
    /// Itself, under a layer that takes every change.
    Overlay(OverlayPlaces),
}

/// The directories of an overlay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlayPlaces {
    pub(crate) lower: PathBuf,
    /// Holds what was changed, and afterwards is all that is left of it.
    pub(crate) upper: PathBuf,
    pub(crate) work: PathBuf,
    pub(crate) merged: PathBuf,
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

impl FileMark {
    /// Nothing of a pipe or a socket: it is not copied, so its absence says nothing.
    fn of(about: &fs::Metadata) -> Option<Self> {
        let kind = about.file_type();
        // The time of a directory says nothing that its entries do not.
        if kind.is_dir() {
            return Some(Self {
                kind: about.mode(),
                size: 0,
                changed: (0, 0),
                number: 0,
            });
        }
        (kind.is_file() || kind.is_symlink()).then(|| Self {
            kind: about.mode(),
            size: about.size(),
            changed: (about.mtime(), about.mtime_nsec()),
            number: about.ino(),
        })
    }
}

/// How an upper layer says that a path is gone.
fn is_whiteout(about: &fs::Metadata) -> bool {
    about.file_type().is_char_device() && about.rdev() == 0
}

/// Whether a directory of an upper layer hides all of the one below it.
fn is_opaque(directory: &Path) -> bool {
    let mut value = [0_u8; 8];
    let found = rustix::fs::lgetxattr(directory, "user.overlay.opaque", &mut value);
    found.is_ok_and(|length| length > 0) && value.first() == Some(&b'y')
}

impl ConfinedTrial {
    /// Prepares a trial of a project at `place`, which must not exist yet.
    pub fn begin(project: &Path, place: &Path, machine: &Machine) -> Result<Self, TrialError> {
        let project = fs::canonicalize(project)?;
        let before = marks(&project)?;
        let places = OverlayPlaces {
            lower: project.clone(),
            upper: place.join("upper"),
            work: place.join("work"),
            merged: place.join("merged"),
        };
        for directory in [&places.upper, &places.work, &places.merged] {
            fs::create_dir_all(directory)?;
        }
        let stand_in = if places.can_be_mounted(machine) {
            StandIn::Overlay(places)
        } else {
            return Self::of_copy(project, place, before);
        };
        Ok(Self {
            project,
            place: place.to_owned(),
            stand_in,
            before,
        })
    }

    fn of_copy(
        project: PathBuf,
        place: &Path,
        before: BTreeMap<PathBuf, FileMark>,
    ) -> Result<Self, TrialError> {
        let copy = place.join("copy");
        fs::create_dir_all(place)?;
        copy_tree(&project, &copy)?;
        Ok(Self {
            project,
            place: place.to_owned(),
            stand_in: StandIn::Copy(copy),
            before,
        })
    }

    #[must_use]
    pub fn stand_in(&self) -> &StandIn {
        &self.stand_in
    }

    /// Where the trial's version of a path lies that it made or changed.
    #[must_use]
    pub fn version(&self, path: &Path) -> PathBuf {
        self.layer().join(path)
    }

    fn layer(&self) -> &Path {
        match &self.stand_in {
            StandIn::Copy(copy) => copy,
            StandIn::Overlay(places) => &places.upper,
        }
    }

    /// How the paths are after the trial.
    fn after(&self) -> Result<BTreeMap<PathBuf, FileMark>, TrialError> {
        match &self.stand_in {
            StandIn::Copy(copy) => marks(copy),
            StandIn::Overlay(places) => self.merged(&places.upper),
        }
    }

    /// The project's paths with those of the upper layer laid over them.
    fn merged(&self, upper: &Path) -> Result<BTreeMap<PathBuf, FileMark>, TrialError> {
        let mut after = self.before.clone();
        let mut waiting = vec![PathBuf::new()];
        while let Some(below) = waiting.pop() {
            for entry in fs::read_dir(upper.join(&below))? {
                let entry = entry?;
                let about = entry.metadata()?;
                let path = below.join(entry.file_name());
                let hides = !about.is_dir() || is_opaque(&entry.path());
                if hides {
                    after.retain(|known, _| !known.starts_with(&path) || *known == path);
                }
                if is_whiteout(&about) {
                    after.remove(&path);
                    continue;
                }
                let Some(mark) = FileMark::of(&about) else {
                    continue;
                };
                if about.is_dir() {
                    waiting.push(path.clone());
                }
                after.insert(path, mark);
            }
        }
        Ok(after)
    }

    /// What differs, by its path inside the project.
    pub fn differences(&self) -> Result<BTreeMap<PathBuf, Difference>, TrialError> {
        let after = self.after()?;
        let untouched = |path: &Path| match &self.stand_in {
            StandIn::Copy(_) => false,
            StandIn::Overlay(_) => self.version(path).symlink_metadata().is_err(),
        };
        let mut found = BTreeMap::new();
        for path in after.keys().filter(|path| !self.before.contains_key(*path)) {
            found.insert(path.clone(), Difference::Made);
        }
        for path in self.before.keys() {
            if !after.contains_key(path) {
                found.insert(path.clone(), Difference::Removed);
            } else if !untouched(path) && !is_same(&self.project.join(path), &self.version(path)) {
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
            let (mine, theirs) = (self.project.join(path), self.version(path));
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
        is_directory(&self.project) != is_directory(self.layer())
    }
}

impl Drop for ConfinedTrial {
    fn drop(&mut self) {
        // The kernel's own directory has no rights at all.
        if let StandIn::Overlay(places) = &self.stand_in {
            use std::os::unix::fs::PermissionsExt;
            let _ = fs::set_permissions(places.work.join("work"), Permissions::from_mode(0o700));
        }
        let _ = fs::remove_dir_all(&self.place);
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
            let Some(mark) = FileMark::of(&about) else {
                continue;
            };
            if about.is_dir() {
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

    fn copied(project: &Path, temp: &Path) -> ConfinedTrial {
        let project = fs::canonicalize(project).unwrap();
        let before = marks(&project).unwrap();
        ConfinedTrial::of_copy(project, &temp.join("trial"), before).unwrap()
    }

    #[test]
    fn differences_are_kept_or_dropped_whole() {
        let temp = tempfile::tempdir().unwrap();
        let project = temp.path().join("app");
        fs::create_dir_all(project.join("old")).unwrap();
        for name in ["same", "changed", "gone", "old/x"] {
            fs::write(project.join(name), name).unwrap();
        }
        let trial = copied(&project, temp.path());
        assert_eq!(trial.differences().unwrap(), BTreeMap::new());
        fs::write(trial.layer().join("changed"), "other").unwrap();
        fs::write(trial.layer().join("made"), "new").unwrap();
        fs::remove_file(trial.layer().join("gone")).unwrap();
        fs::remove_dir_all(trial.layer().join("old")).unwrap();
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
        let trial = copied(&project, temp.path());
        fs::write(trial.layer().join("a"), "trial").unwrap();
        fs::write(trial.layer().join("b"), "trial").unwrap();
        fs::write(trial.layer().join("c"), "trial").unwrap();
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
        let trial = copied(&project, temp.path());
        fs::remove_dir_all(trial.layer().join("libs")).unwrap();
        std::os::unix::fs::symlink(&other, trial.layer().join("libs")).unwrap();
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
        let trial = copied(&project, temp.path());
        fs::remove_dir_all(trial.layer().join("old")).unwrap();
        fs::write(project.join("old/new"), "a person's").unwrap();
        let found = trial.differences().unwrap();
        assert!(matches!(trial.keep(&found), Err(TrialError::Concurrent(_))));
        assert!(project.join("old/x").exists() && project.join("old/new").exists());
    }
}
