//! The private store of snapshots, one directory each.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::entry::EntryKind;
use super::position::Position;
use super::restore::{Change, Restoring};
use super::snapshot::{
    Seal, SecondNames, Snapshot, SnapshotLimits, TakeError, Taking, private_file,
};
use crate::layout::{plain, private};
use automode_core::confine::SnapshotPlan;

/// Snapshots below automode's state.
#[derive(Debug, Clone)]
pub struct UndoStore {
    root: PathBuf,
}

/// Why a snapshot cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    #[error("no snapshot `{0}` (hint: automode undo --list)")]
    Unknown(String),
    #[error("the store of snapshots: {0}")]
    Io(#[from] io::Error),
    #[error("a snapshot that cannot be read: {0}")]
    Broken(#[from] serde_json::Error),
    #[error("what stands there now cannot be kept, so nothing was brought back: {0}")]
    Replaced(String),
}

const MANIFEST: &str = "before.json";
const SEAL: &str = "after.json";
const BLOBS: &str = "blobs";
/// How long and how much is kept.
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const KEPT_BYTES: u64 = 1_000_000_000;

/// For what a person asks for, and waits for.
pub const WIDE: SnapshotLimits = SnapshotLimits {
    files: 100_000,
    bytes: KEPT_BYTES,
    time: Duration::from_secs(60),
};

impl UndoStore {
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self {
            root: state.join("undo"),
        }
    }

    /// Keeps what a plan names, before the call `id` runs. All of it, or nothing.
    pub fn take(
        &self,
        id: &str,
        project: &Path,
        command: &str,
        plan: &SnapshotPlan,
        limits: SnapshotLimits,
    ) -> Result<Snapshot, TakeError> {
        self.take_for(id, project, command, plan, limits, None)
    }

    fn take_for(
        &self,
        id: &str,
        project: &Path,
        command: &str,
        plan: &SnapshotPlan,
        limits: SnapshotLimits,
        undoes: Option<String>,
    ) -> Result<Snapshot, TakeError> {
        let failed = |error| TakeError::Io(self.root.clone(), error);
        let made = |error: crate::layout::LayoutError| failed(io::Error::other(error));
        let directory = private(&self.root.join(plain(id))).map_err(made)?;
        let blobs = private(&directory.join(BLOBS)).map_err(made)?;
        let project = fs::canonicalize(project).map_err(failed)?;
        let mut tops = vec![project.clone()];
        for tree in &plan.unheld_in {
            let tree = fs::canonicalize(tree).map_err(failed)?;
            if !tops.contains(&tree) {
                tops.push(tree);
            }
        }
        let second_names = match &undoes {
            None => SecondNames::Refused,
            Some(_) => SecondNames::Kept,
        };
        let taken = Taking::new(&tops, &blobs, limits, second_names)
            .take(plan)
            .inspect_err(|_| {
                let _ = fs::remove_dir_all(&directory);
            })?;
        let trees = taken
            .entries
            .iter()
            .filter(|entry| matches!(entry.kind, EntryKind::Directory { .. }))
            .map(|entry| entry.path.clone())
            .collect();
        let taken_at = now();
        let snapshot = Snapshot {
            id: plain(id),
            taken: taken_at.as_secs(),
            taken_nanoseconds: taken_at.subsec_nanos(),
            command: command.to_owned(),
            before: taken.entries,
            trees,
            position: Position::of(&project),
            project,
            beside: tops.split_off(1),
            index: taken.index,
            undoes,
            unforeseen: !plan.unheld_in.is_empty(),
        };
        write(&directory.join(MANIFEST), &snapshot)
            .inspect_err(|_| {
                let _ = fs::remove_dir_all(&directory);
            })
            .map_err(failed)?;
        Ok(snapshot)
    }

    /// Brings back a call's losses. What stands in their place is kept first, under the name
    /// that is returned: it may be newer work that the seal came too late to tell apart.
    pub fn restore(&self, id: &str) -> Result<(Vec<Change>, Option<String>), StoreError> {
        let restoring = self.restoring(id)?;
        let replaced: Vec<PathBuf> = restoring
            .preview()
            .into_iter()
            .filter_map(|change| match change {
                Change::Restored(path) => Some(path),
                Change::Unchanged(_)
                | Change::Beside(..)
                | Change::Made(_)
                | Change::Failed(..)
                | Change::Told(_) => None,
            })
            .filter(|path| path.symlink_metadata().is_ok())
            .collect();
        let kept = if replaced.is_empty() {
            None
        } else {
            Some(self.keep_replaced(&restoring, replaced)?)
        };
        let changes = restoring.restore();
        if let Some(kept) = &kept {
            self.seal(kept)?;
        }
        Ok((changes, kept))
    }

    fn keep_replaced(
        &self,
        restoring: &Restoring,
        paths: Vec<PathBuf>,
    ) -> Result<String, StoreError> {
        let snapshot = restoring.snapshot();
        let name = (1..1_000_u32)
            .map(|number| format!("{}-undone-{number}", snapshot.id))
            .find(|name| !self.root.join(name).exists())
            .ok_or_else(|| StoreError::Replaced("no name is free".to_owned()))?;
        let plan = SnapshotPlan {
            paths,
            ..SnapshotPlan::default()
        };
        let command = format!("automode undo {}", snapshot.id);
        let undoes = Some(snapshot.id.clone());
        self.take_for(&name, &snapshot.project, &command, &plan, WIDE, undoes)
            .map_err(|error| StoreError::Replaced(error.to_string()))?;
        Ok(name)
    }

    /// Notes how the call left what was kept for it. A call without a snapshot has none.
    pub fn seal(&self, id: &str) -> Result<bool, StoreError> {
        let directory = self.root.join(plain(id));
        if !directory.join(MANIFEST).exists() || directory.join(SEAL).exists() {
            return Ok(false);
        }
        let snapshot = self.get(id)?;
        let seal = Seal::of(&snapshot)?;
        if snapshot.unforeseen && seal.shows_nothing(&snapshot) {
            self.forget(id)?;
            return Ok(false);
        }
        write(&directory.join(SEAL), &seal)?;
        Ok(true)
    }

    pub fn get(&self, id: &str) -> Result<Snapshot, StoreError> {
        let manifest = self.root.join(plain(id)).join(MANIFEST);
        if !manifest.exists() {
            return Err(StoreError::Unknown(id.to_owned()));
        }
        read(&manifest)
    }

    /// Newest first.
    pub fn list(&self) -> Result<Vec<Snapshot>, StoreError> {
        let mut found = Vec::new();
        for id in self.ids()? {
            // One that is being taken has no manifest yet.
            if let Ok(snapshot) = self.get(&id) {
                found.push(snapshot);
            }
        }
        let age = |snapshot: &Snapshot| (snapshot.taken, snapshot.taken_nanoseconds);
        found.sort_by(|first, second| {
            let newest_first = age(second).cmp(&age(first));
            newest_first.then(second.id.cmp(&first.id))
        });
        Ok(found)
    }

    /// Prepares bringing back a call's losses: what would be done, and the doing of it.
    pub fn restoring(&self, id: &str) -> Result<Restoring, StoreError> {
        let directory = self.root.join(plain(id));
        let snapshot = self.get(id)?;
        let seal = directory.join(SEAL);
        let seal: Option<Seal> = if seal.exists() {
            Some(read(&seal)?)
        } else {
            None
        };
        Ok(Restoring {
            snapshot,
            seal,
            blobs: directory.join(BLOBS),
        })
    }

    /// Removes one snapshot; what it held is then gone for good.
    pub fn forget(&self, id: &str) -> Result<(), StoreError> {
        let directory = self.root.join(plain(id));
        if !directory.exists() {
            return Err(StoreError::Unknown(id.to_owned()));
        }
        Ok(fs::remove_dir_all(directory)?)
    }

    /// Removes what is too old, and the oldest of what is too much.
    pub fn expire(&self) -> Result<usize, StoreError> {
        let limit = now().saturating_sub(KEPT_FOR).as_secs();
        let mut bytes = 0_u64;
        let mut removed = 0;
        for snapshot in self.list()? {
            bytes = bytes.saturating_add(size_of(&snapshot));
            if snapshot.taken < limit || bytes > KEPT_BYTES {
                self.forget(&snapshot.id)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    fn ids(&self) -> Result<Vec<String>, StoreError> {
        if !self.root.exists() {
            return Ok(Vec::new());
        }
        let mut ids = Vec::new();
        for entry in fs::read_dir(&self.root)? {
            if let Ok(id) = entry?.file_name().into_string() {
                ids.push(id);
            }
        }
        Ok(ids)
    }
}

fn size_of(snapshot: &Snapshot) -> u64 {
    let sizes = snapshot.before.iter().map(|entry| match &entry.kind {
        EntryKind::File { size, .. } => *size,
        EntryKind::Absent
        | EntryKind::Link { .. }
        | EntryKind::Directory { .. }
        | EntryKind::Other => 0,
    });
    sizes.fold(0, u64::saturating_add)
}

fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// Whole or not at all.
fn write(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let temporary = path.with_extension("incoming");
    let mut file = private_file(&temporary)?;
    file.write_all(&serde_json::to_vec(value)?)?;
    file.sync_all()?;
    fs::rename(temporary, path)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, StoreError> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}
