//! Bringing back what a call lost.
//!
//! Each path is decided by three states: before the call, as the call left it, and now.
//! Only where the last two agree is the first put in place. Every step is one rename that
//! the kernel does whole, so a process that dies between two steps has lost nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde::Serialize;

use super::entry::{Entry, EntryKind};
use super::snapshot::{Seal, Snapshot, private_file};

/// A snapshot that is being brought back.
#[derive(Debug)]
pub struct Restoring {
    pub(crate) snapshot: Snapshot,
    pub(crate) seal: Option<Seal>,
    pub(crate) blobs: PathBuf,
}

/// What becomes of one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It is as it was before the call.
    Unchanged(PathBuf),
    /// It is as the call left it, and becomes as it was.
    Restored(PathBuf),
    /// It has newer work, or nobody knows how the call left it: the old version goes here.
    Beside(PathBuf, PathBuf),
    /// The call made it; it stays.
    Made(PathBuf),
    /// It cannot be brought back, and why.
    Failed(PathBuf, String),
    /// A branch or the head moved; it is told, not moved.
    Told(String),
}

impl Restoring {
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.seal.is_some()
    }

    /// What would be done now; nothing is touched.
    #[must_use]
    pub fn preview(&self) -> Vec<Change> {
        self.each(|entry, wanted| match wanted {
            WantedEntry::Nothing => Change::Unchanged(entry.path.clone()),
            WantedEntry::InPlace(_) => Change::Restored(entry.path.clone()),
            WantedEntry::Beside => Change::Beside(entry.path.clone(), self.beside(&entry.path)),
        })
    }

    /// Does it.
    #[must_use]
    pub fn restore(&self) -> Vec<Change> {
        let changes = self.put_back();
        // What a directory holds was put into it first: its rights may forbid that.
        for entry in self.snapshot.before.iter().rev() {
            if let EntryKind::Directory { mode } = &entry.kind
                && changes.contains(&Change::Restored(entry.path.clone()))
            {
                // It stands with the rights of its owner, which is less strict and no loss.
                let _ = set_mode(&entry.path, *mode);
            }
        }
        changes
    }

    fn put_back(&self) -> Vec<Change> {
        self.each(|entry, wanted| {
            let failed = |error: io::Error| Change::Failed(entry.path.clone(), error.to_string());
            match wanted {
                WantedEntry::Nothing => {
                    self.sweep(&entry.path);
                    Change::Unchanged(entry.path.clone())
                }
                WantedEntry::InPlace(left) => self.in_place(entry, &left).unwrap_or_else(failed),
                WantedEntry::Beside => self.put_beside(entry).unwrap_or_else(failed),
            }
        })
    }

    fn each(&self, act: impl Fn(&Entry, WantedEntry) -> Change) -> Vec<Change> {
        let after: BTreeMap<&Path, &EntryKind> = self
            .seal
            .iter()
            .flat_map(|seal| {
                seal.after
                    .iter()
                    .map(|entry| (entry.path.as_path(), &entry.kind))
            })
            .collect();
        let mut changes = Vec::new();
        // Directories come before what they hold, as they were listed.
        for entry in &self.snapshot.before {
            changes.push(
                match wanted(entry, after.get(entry.path.as_path()).copied()) {
                    Ok(wanted) => act(entry, wanted),
                    Err(error) => Change::Failed(entry.path.clone(), error.to_string()),
                },
            );
        }
        if let Some(index) = &self.snapshot.index {
            let index = self.blobs.join(index);
            let index = index.display();
            changes.push(Change::Told(format!(
                "the index held versions that are in no file; it is kept as it was (hint: GIT_INDEX_FILE='{index}' git diff --cached)"
            )));
        }
        if let Some(seal) = &self.seal {
            changes.extend(seal.made.iter().cloned().map(Change::Made));
            if let (Some(before), Some(after)) = (&self.snapshot.position, &seal.position) {
                changes.extend(before.told(after).into_iter().map(Change::Told));
            }
        }
        changes
    }

    fn in_place(&self, entry: &Entry, left: &EntryKind) -> io::Result<Change> {
        let path = &entry.path;
        self.check_parent(path)?;
        if self.blocked(path) != *path {
            return self.put_beside(entry);
        }
        if let EntryKind::Directory { mode } = &entry.kind {
            if *left != EntryKind::Absent {
                // Its rights alone differ, or something else stands there by now.
                return self.put_beside(entry);
            }
            fs::create_dir(path)?;
            set_mode(path, *mode | 0o700)?;
            return Ok(Change::Restored(path.clone()));
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let temporary = self.temporary(path);
        self.materialize(entry, &temporary)?;
        if *left == EntryKind::Absent {
            // Refused by the kernel if something has come to stand there.
            return match renameat_with(CWD, &temporary, CWD, path, RenameFlags::NOREPLACE) {
                Ok(()) => Ok(Change::Restored(path.clone())),
                Err(_) => self.set_beside(&temporary, path),
            };
        }
        renameat_with(CWD, &temporary, CWD, path, RenameFlags::EXCHANGE)?;
        // What stood there is now the temporary one. Was it really what the call left?
        if EntryKind::of(&temporary)? == *left {
            remove_left(&temporary, left)?;
            return Ok(Change::Restored(path.clone()));
        }
        renameat_with(CWD, &temporary, CWD, path, RenameFlags::EXCHANGE)?;
        self.set_beside(&temporary, path)
    }

    fn put_beside(&self, entry: &Entry) -> io::Result<Change> {
        let temporary = self.temporary(&self.blocked(&entry.path));
        match &entry.kind {
            EntryKind::File { .. } | EntryKind::Link { .. } => {}
            // A directory has no content of its own, and its files go beside by themselves.
            EntryKind::Directory { .. } | EntryKind::Absent | EntryKind::Other => {
                return Ok(Change::Unchanged(entry.path.clone()));
            }
        }
        self.check_parent(&entry.path)?;
        if let Some(parent) = temporary.parent() {
            fs::create_dir_all(parent)?;
        }
        self.materialize(entry, &temporary)?;
        self.set_beside(&temporary, &entry.path)
    }

    /// Under the first name that is free, or that already holds the same.
    fn set_beside(&self, temporary: &Path, path: &Path) -> io::Result<Change> {
        let first = self.beside(path);
        let kept = EntryKind::of(temporary)?;
        for number in 1..1_000_u32 {
            let place = if number == 1 {
                first.clone()
            } else {
                with_ending(&first, &format!(".{number}"))
            };
            if EntryKind::of(&place)? == kept {
                fs::remove_file(temporary)?;
                return Ok(Change::Beside(path.to_owned(), place));
            }
            if renameat_with(CWD, temporary, CWD, &place, RenameFlags::NOREPLACE).is_ok() {
                return Ok(Change::Beside(path.to_owned(), place));
            }
        }
        Err(io::Error::other("no name is free beside it"))
    }

    fn beside(&self, path: &Path) -> PathBuf {
        with_ending(&self.blocked(path), &format!(".undo-{}", self.snapshot.id))
    }

    /// Where a file has come to stand in place of a directory: a directory beside that file.
    fn blocked(&self, path: &Path) -> PathBuf {
        for above in path.ancestors().skip(1) {
            if self.snapshot.is_top(above) {
                break;
            }
            let in_the_way = above.symlink_metadata().is_ok_and(|found| !found.is_dir());
            if in_the_way && let Ok(rest) = path.strip_prefix(above) {
                return with_ending(above, &format!(".undo-{}", self.snapshot.id)).join(rest);
            }
        }
        path.to_owned()
    }

    /// A copy from the store, with its mode, under a name that nobody else uses.
    fn materialize(&self, entry: &Entry, temporary: &Path) -> io::Result<()> {
        if temporary.symlink_metadata().is_ok() {
            // Left by one that died here: a copy of ours, or what the call left.
            self.rescue(temporary)?;
        }
        match &entry.kind {
            EntryKind::File { mode, content, .. } => {
                let mut file = private_file(temporary)?;
                io::copy(&mut fs::File::open(self.blobs.join(content))?, &mut file)?;
                set_mode(temporary, *mode)
            }
            EntryKind::Link { to } => std::os::unix::fs::symlink(to, temporary),
            EntryKind::Absent | EntryKind::Directory { .. } | EntryKind::Other => {
                Err(io::Error::other("there is no content to bring back"))
            }
        }
    }

    /// A half-made copy is dropped; anything else is kept under another name.
    fn rescue(&self, temporary: &Path) -> io::Result<()> {
        let found = EntryKind::of(temporary)?;
        let known = match &found {
            EntryKind::File { content, .. } => {
                self.blobs.join(content).exists() || self.is_part_of_a_copy(temporary)
            }
            EntryKind::Link { .. } => {
                let of_ours = |entry: &Entry| entry.kind == found;
                self.snapshot.before.iter().any(of_ours)
                    || self.seal.iter().flat_map(|seal| &seal.after).any(of_ours)
            }
            EntryKind::Absent | EntryKind::Directory { .. } | EntryKind::Other => false,
        };
        let left_by_the_call = self
            .seal
            .iter()
            .flat_map(|seal| &seal.after)
            .any(|entry| entry.kind == found);
        if known || left_by_the_call {
            return fs::remove_file(temporary);
        }
        for number in 1..1_000_u32 {
            let place = with_ending(temporary, &format!(".kept.{number}"));
            if renameat_with(CWD, temporary, CWD, &place, RenameFlags::NOREPLACE).is_ok() {
                return Ok(());
            }
        }
        Err(io::Error::other(
            "a file of an earlier attempt is in the way",
        ))
    }

    fn is_part_of_a_copy(&self, temporary: &Path) -> bool {
        let Ok(part) = fs::read(temporary) else {
            return false;
        };
        self.snapshot.before.iter().any(|entry| match &entry.kind {
            EntryKind::File { content, .. } => {
                fs::read(self.blobs.join(content)).is_ok_and(|whole| whole.starts_with(&part))
            }
            EntryKind::Absent
            | EntryKind::Link { .. }
            | EntryKind::Directory { .. }
            | EntryKind::Other => false,
        })
    }

    /// What an attempt that died has left beside a path that is as it should be.
    fn sweep(&self, path: &Path) {
        let temporary = self.temporary(path);
        if temporary.symlink_metadata().is_ok() {
            // Unswept it is only in the way of the eye.
            let _ = self.rescue(&temporary);
        }
    }

    fn temporary(&self, path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!(".{name}.automode-undo-{}", self.snapshot.id))
    }

    /// A link that now stands on the way would lead somewhere else.
    fn check_parent(&self, path: &Path) -> io::Result<()> {
        for above in path.ancestors().skip(1) {
            match above.symlink_metadata() {
                Ok(found) if found.is_symlink() => {
                    return Err(io::Error::other("a link stands on the way to it"));
                }
                Ok(_) | Err(_) => {}
            }
            if self.snapshot.is_top(above) {
                return Ok(());
            }
        }
        Err(io::Error::other("it lies outside the project"))
    }
}

/// What one path needs.
enum WantedEntry {
    Nothing,
    /// It is as the call left it, which is this.
    InPlace(EntryKind),
    Beside,
}

fn wanted(entry: &Entry, after: Option<&EntryKind>) -> io::Result<WantedEntry> {
    let now = EntryKind::of(&entry.path)?;
    if now == entry.kind || entry.kind == EntryKind::Absent {
        return Ok(WantedEntry::Nothing);
    }
    Ok(match after {
        Some(after) if *after == now => WantedEntry::InPlace(now),
        Some(_) | None => WantedEntry::Beside,
    })
}

/// What the call left is replaced by what was there; a directory it made stays, under its name.
fn remove_left(temporary: &Path, left: &EntryKind) -> io::Result<()> {
    match left {
        EntryKind::File { .. } | EntryKind::Link { .. } => fs::remove_file(temporary),
        EntryKind::Directory { .. } | EntryKind::Other | EntryKind::Absent => {
            let name = with_ending(temporary, ".kept");
            fs::rename(temporary, name)
        }
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}
