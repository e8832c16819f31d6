//! What is looked at after a run, and set right.
//!
//! A mount keeps a file from being changed, but not a directory above it from being renamed
//! and replaced. So every kept name is pinned by what it is, together with the directories
//! on its way, and returns if something else stands there. What appeared is moved aside.
//! The list is written down before the run: one that is killed is mended by the next.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::kept::KeptFiles;
use crate::layout::private;
use crate::protected::{Mended, ProtectedFiles, check_way, set_aside};
use crate::repository::nested;

/// One run's list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Mending {
    /// The trees that the command may write.
    roots: Vec<PathBuf>,
    pins: Vec<Pin>,
    absent: Vec<PathBuf>,
    /// Where a new repository may not appear, and those that were there.
    repositories: Option<Vec<PathBuf>>,
    pub(crate) kept: Option<KeptFiles>,
    aside: PathBuf,
}

/// A path and what stood there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Pin {
    path: PathBuf,
    device: u64,
    number: u64,
    /// The target, of a link.
    link: Option<PathBuf>,
}

/// How many entries are looked at for something that was renamed.
const SEARCHED: usize = 20_000;

impl Mending {
    pub(crate) fn of(
        roots: &[PathBuf],
        protected: &ProtectedFiles,
        aside: PathBuf,
        repositories: Option<Vec<PathBuf>>,
    ) -> Self {
        let mut pins: Vec<Pin> = Vec::new();
        for name in &protected.present {
            let Some(root) = roots.iter().find(|root| name.starts_with(root)) else {
                continue;
            };
            let mut way: Vec<&Path> = name
                .ancestors()
                .take_while(|above| *above != root.as_path())
                .collect();
            way.reverse();
            for path in way {
                if !pins.iter().any(|known| known.path == path) {
                    pins.extend(Pin::of(path));
                }
            }
        }
        pins.sort_by_key(|pin| pin.path.components().count());
        Self {
            roots: roots.to_vec(),
            pins,
            absent: protected.absent.clone(),
            repositories,
            kept: None,
            aside,
        }
    }

    /// Sets right what differs, the nearest to the root first.
    pub(crate) fn finish(&self) -> Vec<Mended> {
        let mut mended = Vec::new();
        for pin in self.pins.iter().filter(|pin| !pin.stands()) {
            let original = self.find(pin);
            if original.is_none() && pin.link.is_none() && self.kept.is_some() {
                // It was changed rather than renamed: there is a copy.
                continue;
            }
            mended.push(match self.return_pin(pin, original) {
                Ok(()) => Mended::PutBack(pin.path.clone()),
                Err(_) => Mended::Left(pin.path.clone()),
            });
        }
        if let Some(kept) = &self.kept {
            mended.extend(kept.put_back(&self.aside));
        }
        let mut appeared = self.absent.clone();
        if let Some(known) = &self.repositories {
            let found = self.roots.iter().flat_map(|root| nested(root));
            appeared.extend(found.filter(|entry| !known.contains(entry)));
        }
        appeared.retain(|name| name.symlink_metadata().is_ok());
        appeared.dedup();
        mended.extend(
            appeared
                .into_iter()
                .map(|name| match set_aside(&name, &self.aside) {
                    Ok(place) => Mended::MovedAside(name, place),
                    Err(_) => Mended::Left(name),
                }),
        );
        mended
    }

    /// Moves what stands there aside, and the original back from wherever it went.
    fn return_pin(&self, pin: &Pin, original: Option<PathBuf>) -> io::Result<()> {
        check_way(&pin.path)?;
        if pin.path.symlink_metadata().is_ok() {
            set_aside(&pin.path, &self.aside)?;
        }
        match (&pin.link, original) {
            (Some(target), _) => std::os::unix::fs::symlink(target, &pin.path),
            (None, Some(original)) => fs::rename(original, &pin.path),
            (None, None) => Err(io::Error::other("it is gone")),
        }
    }

    fn find(&self, pin: &Pin) -> Option<PathBuf> {
        let root = self.roots.iter().find(|root| pin.path.starts_with(root))?;
        let mut waiting = VecDeque::from([root.clone()]);
        let mut looked = 0;
        while let Some(directory) = waiting.pop_front() {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                let Ok(found) = entry.metadata() else {
                    continue;
                };
                if (found.dev(), found.ino()) == (pin.device, pin.number) {
                    return Some(entry.path());
                }
                looked += 1;
                if looked > SEARCHED {
                    return None;
                }
                if found.is_dir() {
                    waiting.push_back(entry.path());
                }
            }
        }
        None
    }
}

impl Pin {
    fn of(path: &Path) -> Option<Self> {
        let found = path.symlink_metadata().ok()?;
        Some(Self {
            path: path.to_owned(),
            device: found.dev(),
            number: found.ino(),
            link: fs::read_link(path).ok(),
        })
    }

    /// Whether the same thing stands there. A link is what it says.
    fn stands(&self) -> bool {
        Self::of(&self.path).is_some_and(|now| match &self.link {
            Some(_) => now.link == self.link,
            None => now == *self,
        })
    }
}

/// A list on disk, locked for as long as its run lives.
pub(crate) struct Journal {
    path: PathBuf,
    _locked: File,
}

const PLACE: &str = "confine-running";

impl Journal {
    /// Written before the command starts.
    pub(crate) fn write(state: &Path, name: &str, mending: &Mending) -> io::Result<Self> {
        let directory = private(&state.join(PLACE)).map_err(io::Error::other)?;
        let path = directory.join(format!("{name}.json"));
        let temporary = directory.join(format!("{name}.incoming"));
        let mut file = File::create(&temporary)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        file.write_all(&serde_json::to_vec(mending)?)?;
        fs::rename(&temporary, &path)?;
        Ok(Self {
            path,
            _locked: file,
        })
    }

    /// The run was mended.
    pub(crate) fn done(self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Mends after runs that were killed before they could.
#[must_use]
pub fn mend_left_behind(state: &Path) -> Vec<Mended> {
    let mut mended = Vec::new();
    for entry in fs::read_dir(state.join(PLACE))
        .into_iter()
        .flatten()
        .flatten()
    {
        let path = entry.path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let Ok(file) = File::open(&path) else {
            continue;
        };
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            continue;
        }
        if let Some(left) = fs::read(&path)
            .ok()
            .and_then(|text| serde_json::from_slice::<Mending>(&text).ok())
        {
            mended.extend(left.finish());
        }
        let _ = fs::remove_file(&path);
    }
    mended
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::Repository;
    use automode_core::confine::Git;

    fn mending(project: &Path, aside: &Path) -> Mending {
        let repository = Repository::of(project);
        let mut protected = ProtectedFiles::default();
        protected.add(project, &repository, Git::ReadOnly);
        Mending::of(
            &[project.to_owned()],
            &protected,
            aside.to_owned(),
            Some(repository.entries),
        )
    }

    fn project(top: &Path) -> PathBuf {
        let project = top.join("app");
        fs::create_dir_all(project.join("libs/inner/.git/hooks")).unwrap();
        fs::create_dir_all(project.join(".vscode")).unwrap();
        project
    }

    #[test]
    fn what_appears_is_moved_aside_and_nothing_else_is_touched() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let project = project(&top);
        let list = mending(&project, &top.join("aside"));
        assert_eq!(list.finish(), []);
        fs::write(project.join(".envrc"), "evil").unwrap();
        fs::write(project.join("made.txt"), "fine").unwrap();
        fs::create_dir_all(project.join("new/.git")).unwrap();
        let mended = list.finish();
        let names: Vec<&Path> = mended
            .iter()
            .filter_map(|mended| match mended {
                Mended::MovedAside(name, _) => name.strip_prefix(&project).ok(),
                Mended::PutBack(_) | Mended::Left(_) => None,
            })
            .collect();
        assert_eq!(names, [Path::new(".envrc"), Path::new("new/.git")]);
        assert!(!project.join(".envrc").exists() && !project.join("new/.git").exists());
        assert!(project.join("made.txt").exists());
    }

    #[test]
    fn what_was_renamed_away_returns() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let project = project(&top);
        let list = mending(&project, &top.join("aside"));
        fs::rename(project.join("libs"), project.join("old")).unwrap();
        fs::create_dir_all(project.join("libs/inner/.git/hooks")).unwrap();
        fs::write(project.join("libs/inner/.git/hooks/pre-commit"), "evil").unwrap();
        assert_eq!(list.finish(), [Mended::PutBack(project.join("libs"))]);
        assert!(!project.join("libs/inner/.git/hooks/pre-commit").exists());
        assert!(!project.join("old").exists());
    }

    #[test]
    fn a_link_on_the_way_is_not_followed() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let project = project(&top);
        let list = mending(&project, &top.join("aside"));
        fs::create_dir_all(top.join("other/inner/.git")).unwrap();
        fs::remove_dir_all(project.join("libs")).unwrap();
        std::os::unix::fs::symlink(top.join("other"), project.join("libs")).unwrap();
        let mended = list.finish();
        assert!(
            mended.contains(&Mended::Left(project.join("libs"))),
            "{mended:?}"
        );
        assert!(top.join("other/inner/.git").exists());
    }

    #[test]
    fn a_run_that_was_killed_is_mended_by_the_next() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let project = project(&top);
        let journal = Journal::write(
            &top.join("state"),
            "1",
            &mending(&project, &top.join("aside")),
        )
        .unwrap();
        fs::write(project.join(".envrc"), "evil").unwrap();
        assert_eq!(mend_left_behind(&top.join("state")), [], "it still runs");
        drop(journal);
        assert_eq!(mend_left_behind(&top.join("state")).len(), 1);
        assert!(!project.join(".envrc").exists());
        assert_eq!(mend_left_behind(&top.join("state")), []);
    }
}
