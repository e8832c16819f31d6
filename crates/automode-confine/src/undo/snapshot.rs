//! Taking a snapshot, and sealing it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use automode_core::confine::{SnapshotPlan, is_regenerable};

use super::asked_git::AskedGit;
use super::entry::{Entry, EntryKind};
use super::position::Position;

/// Beyond these nothing is kept, and the call asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotLimits {
    pub files: usize,
    pub bytes: u64,
    pub time: Duration,
}

impl Default for SnapshotLimits {
    fn default() -> Self {
        Self {
            files: 2_000,
            bytes: 50_000_000,
            time: Duration::from_millis(300),
        }
    }
}

/// What was kept for a call, and how the call left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    pub id: String,
    /// Seconds since 1970.
    pub taken: u64,
    /// And nanoseconds: calls may follow each other fast.
    #[serde(default)]
    pub taken_nanoseconds: u32,
    pub project: PathBuf,
    /// Trees beside the project that the call could change, too.
    #[serde(default)]
    pub beside: Vec<PathBuf>,
    pub command: String,
    pub before: Vec<Entry>,
    /// The directories whose new files were made by the call.
    pub trees: Vec<PathBuf>,
    pub position: Option<Position>,
    /// The index, where it alone held versions of files that the call could lose.
    #[serde(default)]
    pub index: Option<String>,
    /// The call whose losses were brought back over what this one keeps.
    #[serde(default)]
    pub undoes: Option<String>,
    /// Nobody knew what the call would lose: one that lost nothing leaves nothing to keep.
    #[serde(default)]
    pub unforeseen: bool,
}

impl Snapshot {
    /// Whether a path is the top of a tree that the call could change.
    pub(crate) fn is_top(&self, path: &Path) -> bool {
        path == self.project || self.beside.iter().any(|tree| tree == path)
    }
}

/// How a call left the paths of its snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    pub(crate) after: Vec<Entry>,
    pub(crate) made: Vec<PathBuf>,
    pub(crate) position: Option<Position>,
}

/// Why nothing was kept.
#[derive(Debug, Error)]
pub enum TakeError {
    #[error("more than {0} files")]
    Files(usize),
    #[error("more than {0} bytes")]
    Bytes(u64),
    #[error("it takes longer than {0} ms")]
    Time(u128),
    #[error("git takes too long to say what changed")]
    Slow,
    #[error("`{0}` is no file, link or directory")]
    Kind(PathBuf),
    #[error("`{0}` has a second name, under which it would not return")]
    SecondName(PathBuf),
    #[error("`{0}` lies outside the project")]
    Outside(PathBuf),
    #[error("nothing to keep was named")]
    Nothing,
    #[error("git cannot say what changed in `{0}`")]
    Git(PathBuf),
    #[error("`{0}`: {1}")]
    Io(PathBuf, #[source] io::Error),
}

/// What becomes of a file that has another name, which a write through this one changes too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecondNames {
    /// Nothing is promised for it.
    Refused,
    /// It is only replaced under this name.
    Kept,
}

/// What was copied.
pub(crate) struct Taken {
    pub(crate) entries: Vec<Entry>,
    pub(crate) index: Option<String>,
}

/// What of a tree is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sought {
    Everything,
    /// What no build makes again, and git does not have.
    Unheld,
}

/// Copies what a plan names into `blobs`, or fails without having promised anything.
pub(crate) struct Taking<'a> {
    tops: &'a [PathBuf],
    blobs: &'a Path,
    limits: SnapshotLimits,
    second_names: SecondNames,
    started: Instant,
    bytes: u64,
    seen: BTreeSet<PathBuf>,
    entries: Vec<Entry>,
    /// The project or repository whose tools make things again.
    made_in: PathBuf,
}

impl<'a> Taking<'a> {
    pub(crate) fn new(
        tops: &'a [PathBuf],
        blobs: &'a Path,
        limits: SnapshotLimits,
        second_names: SecondNames,
    ) -> Self {
        Self {
            tops,
            blobs,
            limits,
            second_names,
            started: Instant::now(),
            bytes: 0,
            seen: BTreeSet::new(),
            entries: Vec::new(),
            made_in: PathBuf::new(),
        }
    }

    pub(crate) fn take(mut self, plan: &SnapshotPlan) -> Result<Taken, TakeError> {
        for path in &plan.paths {
            self.add(path, Sought::Everything)?;
        }
        for tree in &plan.unheld_in {
            let tree =
                fs::canonicalize(tree).map_err(|error| TakeError::Io(tree.clone(), error))?;
            self.add_unheld(&tree)?;
        }
        let mut index = None;
        for tree in &plan.changed_in {
            let git = AskedGit {
                tree,
                until: self.started + self.limits.time,
            };
            let changes = git.changes(&plan.taken_from)?;
            for path in &changes.paths {
                self.add(path, Sought::Everything)?;
            }
            if let Some(staged) = changes.staged_only
                && let EntryKind::File { content, .. } = self.keep(&staged)?
            {
                index = Some(content);
            }
        }
        if self.entries.is_empty() {
            return Err(TakeError::Nothing);
        }
        Ok(Taken {
            entries: self.entries,
            index,
        })
    }

    /// Keeps what a tree holds that git does not have as it is and that no build makes again.
    fn add_unheld(&mut self, tree: &Path) -> Result<(), TakeError> {
        let around = std::mem::replace(&mut self.made_in, tree.to_owned());
        let added = self.add_unheld_in(tree);
        self.made_in = around;
        added
    }

    fn add_unheld_in(&mut self, tree: &Path) -> Result<(), TakeError> {
        let git = AskedGit {
            tree,
            until: self.started + self.limits.time,
        };
        let Some(changes) = git.unheld()? else {
            return self.add_below(tree, Sought::Unheld);
        };
        for path in &changes.tracked {
            if path.join(".git").symlink_metadata().is_ok() {
                // A repository of its own below this one, whatever it is called.
                let repository = self.contained(path)?;
                self.add_unheld(&repository)?;
            } else {
                self.add(path, Sought::Everything)?;
            }
        }
        for path in &changes.unknown {
            self.add(path, Sought::Unheld)?;
        }
        Ok(())
    }

    fn add(&mut self, path: &Path, sought: Sought) -> Result<(), TakeError> {
        let path = self.contained(path)?;
        if sought == Sought::Unheld && self.is_passed_over(&path) {
            return Ok(());
        }
        if !self.seen.insert(path.clone()) {
            return Ok(());
        }
        if self.seen.len() > self.limits.files {
            return Err(TakeError::Files(self.limits.files));
        }
        if self.started.elapsed() > self.limits.time {
            return Err(TakeError::Time(self.limits.time.as_millis()));
        }
        let kind = self.keep(&path)?;
        if let EntryKind::File { size, .. } = &kind {
            self.bytes += size;
        }
        if self.bytes > self.limits.bytes {
            return Err(TakeError::Bytes(self.limits.bytes));
        }
        let is_directory = matches!(kind, EntryKind::Directory { .. });
        self.entries.push(Entry {
            path: path.clone(),
            kind,
        });
        match (is_directory, sought) {
            (false, _) => Ok(()),
            (true, Sought::Unheld) if path.join(".git").symlink_metadata().is_ok() => {
                self.add_unheld(&path)
            }
            (true, _) => self.add_below(&path, sought),
        }
    }

    fn add_below(&mut self, path: &Path, sought: Sought) -> Result<(), TakeError> {
        let failed = |error| TakeError::Io(path.to_owned(), error);
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            self.add(&entry.path(), sought)?;
        }
        Ok(())
    }

    /// What is made again, by its name or by the mark that its maker left; and what holds no
    /// content: a pipe or a socket is not lost with its name.
    fn is_passed_over(&self, path: &Path) -> bool {
        let named = path.to_str().zip(self.made_in.to_str());
        named.is_some_and(|(path, top)| is_regenerable(path, top))
            || path.symlink_metadata().is_ok_and(|found| {
                let kind = found.file_type();
                let marked = kind.is_dir() && is_marked(path);
                marked || kind.is_fifo() || kind.is_socket()
            })
    }

    /// By its real directory: a link on the way must not lead out of the project.
    fn contained(&self, path: &Path) -> Result<PathBuf, TakeError> {
        let outside = || TakeError::Outside(path.to_owned());
        let (parent, name) = (
            path.parent().ok_or_else(outside)?,
            path.file_name().ok_or_else(outside)?,
        );
        let real = match fs::canonicalize(parent) {
            Ok(real) => real.join(name),
            // Nothing stands there, so there is nothing to lose below it.
            Err(_) => path.to_owned(),
        };
        if self.tops.iter().any(|top| real.starts_with(top)) {
            Ok(real)
        } else {
            Err(outside())
        }
    }

    fn keep(&self, path: &Path) -> Result<EntryKind, TakeError> {
        let failed = |error| TakeError::Io(path.to_owned(), error);
        let shared = path
            .symlink_metadata()
            .is_ok_and(|found| found.is_file() && found.nlink() > 1);
        if shared && self.second_names == SecondNames::Refused {
            return Err(TakeError::SecondName(path.to_owned()));
        }
        let large = path.symlink_metadata().is_ok_and(|found| {
            found.is_file() && self.bytes.saturating_add(found.len()) > self.limits.bytes
        });
        if large {
            return Err(TakeError::Bytes(self.limits.bytes));
        }
        let temporary = self.blobs.join("incoming");
        let mut copy = private_file(&temporary).map_err(failed)?;
        let kind = EntryKind::read(path, &mut copy).map_err(failed)?;
        match &kind {
            EntryKind::File { content, .. } => {
                fs::rename(&temporary, self.blobs.join(content)).map_err(failed)?;
            }
            EntryKind::Other => return Err(TakeError::Kind(path.to_owned())),
            EntryKind::Absent | EntryKind::Link { .. } | EntryKind::Directory { .. } => {}
        }
        Ok(kind)
    }
}

/// A cache that says so, or an environment of Python whatever it is called.
fn is_marked(directory: &Path) -> bool {
    const SIGNATURE: &str = "Signature: 8a477f597d28d172789f06886806bc55";
    let (tag, settings) = (directory.join("CACHEDIR.TAG"), directory.join("pyvenv.cfg"));
    let is_cache = fs::read_to_string(&tag).is_ok_and(|text| text.starts_with(SIGNATURE));
    let is_environment = settings.is_file() && directory.join("bin/python").exists();
    let born = |path: &Path| path.metadata().and_then(|found| found.created()).ok();
    let born_with = |mark: &Path| is_born_with(born(directory), born(mark));
    (is_cache && born_with(&tag)) || (is_environment && born_with(&settings))
}

/// Whether a mark is as old as what it marks. One that came later may have been put there to
/// have a person's files passed over.
fn is_born_with(directory: Option<SystemTime>, mark: Option<SystemTime>) -> bool {
    const SOON: Duration = Duration::from_secs(60);
    let Some((directory, mark)) = directory.zip(mark) else {
        return false;
    };
    mark.duration_since(directory).is_ok_and(|age| age <= SOON)
}

pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

impl Seal {
    /// How the paths are now.
    pub(crate) fn of(snapshot: &Snapshot) -> io::Result<Self> {
        let mut after = Vec::new();
        for entry in &snapshot.before {
            after.push(Entry {
                path: entry.path.clone(),
                kind: EntryKind::of(&entry.path)?,
            });
        }
        let known: BTreeSet<&Path> = snapshot
            .before
            .iter()
            .map(|entry| entry.path.as_path())
            .collect();
        let mut made = Vec::new();
        for tree in &snapshot.trees {
            let entries = fs::read_dir(tree).into_iter().flatten().flatten();
            made.extend(
                entries
                    .map(|entry| entry.path())
                    .filter(|path| !known.contains(path.as_path())),
            );
        }
        Ok(Self {
            after,
            made,
            position: Position::of(&snapshot.project),
        })
    }

    /// Whether the call left everything as it was, and made nothing beside it.
    pub(crate) fn shows_nothing(&self, snapshot: &Snapshot) -> bool {
        self.after == snapshot.before && self.made.is_empty() && self.position == snapshot.position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_that_came_later_marks_nothing() {
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let after = |seconds| Some(then + Duration::from_secs(seconds));
        assert!(is_born_with(Some(then), after(0)));
        assert!(is_born_with(Some(then), after(30)));
        assert!(!is_born_with(Some(then), after(3_600)));
        assert!(
            !is_born_with(after(3_600), Some(then)),
            "it was moved there"
        );
        assert!(!is_born_with(Some(then), None));
        assert!(!is_born_with(None, Some(then)));
    }
}
