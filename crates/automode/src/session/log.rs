//! The file of one session: lines appended by any number of processes.
//!
//! A line is written under the file's lock, so lines never mix; a killed writer
//! costs its own line. When the file outgrows its bound, the one who notices folds
//! the older part into one line and puts the new file in the place of the old.
//! A project has a record too, of files with a mark: what was downloaded in one
//! session is still downloaded in the next.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use automode_core::redact::redact;
use automode_core::{Ledger, WrittenFile};
use serde::de::IgnoredAny;

use super::memory::Memory;
use super::note::{Cost, Note};
use super::roll::Roll;
use super::seal::{Seals, SessionSeal};
use super::summary::SessionSummary;
use crate::ports::Store;
use crate::state::{Lock, LockError, State, append, open_private};

/// A file that grew past this is folded.
const MAX_BYTES: u64 = 256 * 1024;
/// What a folded file keeps of calls and words, in bytes of their lines.
const KEPT_CALLS: usize = 48 * 1024;
const KEPT_WORDS: usize = 64 * 1024;
/// What a folded file keeps of lines that another version wrote.
const KEPT_UNKNOWN: usize = 64 * 1024;
/// Files without a mark whose writing is remembered. Marks are never forgotten.
const KEPT_FILES: usize = 256;
/// A record longer than this is not read: it is no record of ours.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Room for what a writer may add meanwhile.
const ROOM: usize = 1024;
/// Longest line that is written.
const MAX_LINE: usize = 48 * 1024;
/// A session that nobody touched for this long is forgotten.
const EXPIRY: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long a store waits for its lock.
const PATIENCE: Duration = Duration::from_secs(3);
/// Sessions that are kept at most.
const MAX_SESSIONS: usize = 4_096;

/// The record of one session.
#[derive(Clone, Debug)]
pub struct Log {
    path: PathBuf,
    lock: PathBuf,
    /// Who was there before, and the name that this one has there.
    roll: Roll,
    name: String,
}

impl Log {
    /// The record of an agent's session. Its name on disk tells nothing and cannot lead elsewhere.
    ///
    /// # Errors
    /// Where the directory cannot be made.
    pub fn open(state: &State, agent: &str, session: &str) -> io::Result<Self> {
        let directory = state.directory("sessions")?;
        Ok(Self::named(
            state,
            &directory,
            &format!("{agent}\0{session}"),
        ))
    }

    /// The record of a project: the marked files of all its sessions, whoever ran them.
    ///
    /// # Errors
    /// Where the directory cannot be made.
    pub fn of_project(state: &State, root: &str) -> io::Result<Self> {
        let directory = state.directory("projects")?;
        Ok(Self::named(state, &directory, root))
    }

    fn named(state: &State, directory: &Path, name: &str) -> Self {
        let digest = automode_core::digest(name);
        let name = digest.get(..32).unwrap_or_default();
        Self {
            path: directory.join(format!("{name}.jsonl")),
            lock: directory.join(format!("{name}.lock")),
            roll: Roll::of(state),
            name: name.to_owned(),
        }
    }

    /// What is remembered. A session without a record is an empty one.
    ///
    /// # Errors
    /// Where there is a record that cannot be read.
    pub fn read(&self) -> io::Result<Memory> {
        let (text, lost) = self.text()?;
        let mut memory = Memory::fold(&text);
        memory.standing.lost |= lost;
        Ok(memory)
    }

    /// What decides before a judge is asked.
    ///
    /// # Errors
    /// Where there is a record that cannot be read.
    pub fn glance(&self) -> io::Result<SessionSummary> {
        let (text, lost) = self.text()?;
        let mut standing = SessionSummary::glance(text);
        standing.lost |= lost;
        Ok(standing)
    }

    /// The record, and whether something of it was lost. Writers may be at work: what does not
    /// fit together at first sight is looked at again while they wait.
    fn text(&self) -> io::Result<(String, bool)> {
        let (bytes, whole) = self.look(None)?;
        if whole {
            return Ok((text_of(bytes), false));
        }
        let lock = Lock::take(&self.lock, PATIENCE).map_err(io::Error::other)?;
        let (bytes, whole) = self.look(Some(lock.file()))?;
        Ok((text_of(bytes), !whole))
    }

    /// The bytes of the record and whether they hold. The seal is read first: a record only
    /// grows behind it.
    fn look(&self, lock: Option<&File>) -> io::Result<(Vec<u8>, bool)> {
        let own;
        let lock = match lock {
            Some(lock) => Some(lock),
            None => {
                own = absent(File::open(&self.lock))?;
                own.as_ref()
            }
        };
        let seals = lock.map_or_else(|| Ok(Seals::default()), Seals::read);
        let found = absent(read_bounded(&self.path))?;
        // Without a record and without a seal it is new, or both are gone.
        let missed = found.is_none() && self.roll.holds(&self.name);
        let bytes = found.unwrap_or_default();
        let whole = match seals {
            Ok(seals) => seals.hold(&bytes) && (seals.now.is_some() || reads(&bytes)) && !missed,
            Err(_) => false,
        };
        Ok((bytes, whole))
    }

    /// Appends notes as one write.
    ///
    /// # Errors
    /// Where the lock is not to be had in time or the disk refuses.
    pub fn append(&self, notes: &[Note], patience: Duration) -> Result<(), LockError> {
        let text: String = notes.iter().filter_map(line).collect();
        if text.is_empty() {
            return Ok(());
        }
        let lock = Lock::take(&self.lock, patience)?;
        let text = if self.path.exists() {
            text
        } else {
            self.beginning(&text)?
        };
        let mut file = open_private(&self.path)?;
        let before = file.metadata()?.size();
        // A seal that cannot be read stays, so that the damage goes on to show.
        let seals = Seals::read(lock.file()).ok();
        append(&mut file, &text)?;
        if let Some(seals) = seals {
            let sealed = seals.now.unwrap_or_default();
            let from = sealed.length.min(before);
            let mut behind = Vec::with_capacity(ROOM);
            file.seek(SeekFrom::Start(from))?;
            (&file).take(MOST_BYTES).read_to_end(&mut behind)?;
            Seals::only(sealed.with(&behind)).write(lock.file())?;
        }
        if file.metadata()?.size() > MAX_BYTES {
            self.fold(&lock)?;
        }
        Ok(())
    }

    /// The first lines of a record. One that takes the place of another says so: what the other
    /// knew is lost.
    fn beginning(&self, text: &str) -> io::Result<String> {
        if self.roll.holds(&self.name) {
            let lost = Note::Folded {
                ledger: Ledger::default(),
                cost: Cost::default(),
                written: Vec::new(),
                left_out: 0,
                lost: true,
                suspicious: Vec::new(),
                base: None,
            };
            return Ok(line_of(&lost) + text);
        }
        self.roll.add(&self.name)?;
        Ok(text.to_owned())
    }

    /// Rewrites a record within its bounds: the youngest calls, the first and the youngest words,
    /// every file with a mark. A kill at any point leaves the old record or the new one.
    fn fold(&self, lock: &Lock) -> io::Result<()> {
        let (bytes, whole) = self.look(Some(lock.file()))?;
        let first = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0) as u64;
        // What is kept for good may itself be long: then it waits until as much again has come.
        if (bytes.len() as u64) < first.saturating_mul(2) {
            return Ok(());
        }
        let folded = folded(&text_of(bytes), !whole);
        let beside = self.path.with_extension("new");
        let _ = fs::remove_file(&beside);
        let mut file = open_private(&beside)?;
        append(&mut file, &folded)?;
        file.sync_all()?;
        let seal = SessionSeal::of(folded.as_bytes());
        let seals = Seals::read(lock.file()).unwrap_or_default();
        seals.before(seal).write(lock.file())?;
        fs::rename(&beside, &self.path)?;
        Seals::only(seal).write(lock.file())
    }
}

/// Nothing where there is no such file.
fn absent<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether every line of a record that nobody sealed can be read.
fn reads(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    lines.all(|line| line.is_empty() || serde_json::from_slice::<IgnoredAny>(line).is_ok())
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

impl Store for Log {
    fn read(&self) -> io::Result<Memory> {
        Self::read(self)
    }

    fn append(&self, notes: &[Note]) -> io::Result<()> {
        Self::append(self, notes, PATIENCE).map_err(io::Error::other)
    }
}

/// Removes sessions long untouched. Age counts from the youngest of them or from now,
/// whichever is less, so that a clock that jumps ahead and back forgets nothing.
///
/// # Errors
/// Where the directory cannot be read.
pub fn expire(state: &State, now: SystemTime) -> io::Result<usize> {
    let directory = state.directory("sessions")?;
    let mut files: Vec<(SystemTime, PathBuf)> = fs::read_dir(directory)?
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|kind| kind == "jsonl"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    let Some(youngest) = files.last().map(|(touched, _)| *touched) else {
        return Ok(0);
    };
    let surplus = files.len().saturating_sub(MAX_SESSIONS);
    let mut removed = 0_usize;
    for (at, (touched, path)) in files.iter().enumerate() {
        let since = |time: SystemTime| time.duration_since(*touched).unwrap_or_default();
        let age = since(youngest).min(since(now));
        if age > EXPIRY || at < surplus {
            fs::remove_file(path)?;
            let _ = fs::remove_file(path.with_extension("lock"));
            removed = removed.saturating_add(1);
        }
    }
    Ok(removed)
}

fn line(note: &Note) -> Option<String> {
    let note = &without_secrets(note);
    let mut text = serde_json::to_string(note).ok()?;
    if text.len() > MAX_LINE {
        text = serde_json::to_string(&shortened(note)).ok()?;
    }
    text.push('\n');
    Some(text)
}

/// A note as it may lie on a disk: words and calls without the secrets in them.
fn without_secrets(note: &Note) -> Note {
    match note.clone() {
        Note::User { text } => Note::User {
            text: redact(&text).into_owned(),
        },
        Note::Call(mut call) => {
            call.brief = redact(&call.brief).into_owned();
            Note::Call(call)
        }
        other => other,
    }
}

/// A note whose long texts are cut.
fn shortened(note: &Note) -> Note {
    let cut = |text: &str| {
        let end = text.floor_char_boundary(MAX_LINE / 4);
        format!("{}…", text.get(..end).unwrap_or_default())
    };
    match note.clone() {
        Note::User { text } => Note::User { text: cut(&text) },
        Note::Call(mut call) => {
            call.brief = cut(&call.brief);
            shorten(&mut call.writes);
            Note::Call(call)
        }
        Note::Done {
            id,
            print,
            outcome,
            mut files,
        } => {
            shorten(&mut files);
            Note::Done {
                id,
                print,
                outcome,
                files,
            }
        }
        other => other,
    }
}

/// Fewer files, but every one that has a mark.
fn shorten(files: &mut Vec<WrittenFile>) {
    let mut room = KEPT_FILES / 4;
    files.retain(|file| {
        let plain = !file.is_marked();
        room = room.saturating_sub(usize::from(plain));
        !plain || room > 0
    });
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let size = file.metadata()?.size().min(MOST_BYTES);
    // A little more, so that the end shows at once.
    let room = usize::try_from(size)
        .unwrap_or_default()
        .saturating_add(ROOM);
    let mut bytes = Vec::with_capacity(room);
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == MOST_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// Of the files without a mark only the youngest are kept.
fn keep_youngest(written: &mut Vec<WrittenFile>) {
    let plain = written.iter().filter(|file| !file.is_marked()).count();
    let mut surplus = plain.saturating_sub(KEPT_FILES);
    written.retain(|file| {
        let goes = surplus > 0 && !file.is_marked();
        surplus = surplus.saturating_sub(usize::from(goes));
        !goes
    });
}

fn folded(text: &str, lost: bool) -> String {
    let mut memory = Memory::fold(text).standing;
    keep_youngest(&mut memory.written);
    let mut kept: Vec<(usize, &str)> = Vec::new();
    let (mut calls, mut words, mut unknown) = (KEPT_CALLS, KEPT_WORDS, KEPT_UNKNOWN);
    let mut left_out = 0_u64;
    let mut first_words = None;
    let lines: Vec<(usize, &str)> = text.lines().enumerate().collect();
    for (at, line) in lines.iter().rev() {
        let budget = match serde_json::from_str::<Note>(line) {
            Ok(Note::User { .. }) => {
                first_words = Some((*at, *line));
                &mut words
            }
            Ok(Note::Call(_) | Note::Done { .. } | Note::Subagent { .. }) => &mut calls,
            Ok(Note::Start { .. }) => {
                kept.push((*at, line));
                continue;
            }
            Ok(
                Note::Ledger(_)
                | Note::Cost(_)
                | Note::Base { .. }
                | Note::Suspicious(_)
                | Note::Folded { .. }
                | Note::End,
            ) => continue,
            Ok(Note::Unknown) => &mut unknown,
            // Another version may read what this one cannot, if it is a line at all.
            Err(_) if serde_json::from_str::<IgnoredAny>(line).is_ok() => &mut unknown,
            Err(_) => continue,
        };
        match budget.checked_sub(line.len()) {
            Some(rest) => {
                *budget = rest;
                kept.push((*at, line));
            }
            None => left_out = left_out.saturating_add(1),
        }
    }
    // What the user said first sets the task; it outlives everything.
    kept.extend(first_words);
    kept.sort_unstable();
    kept.dedup();
    let summary = Note::Folded {
        ledger: memory.ledger,
        cost: memory.cost,
        written: memory.written.to_vec(),
        left_out,
        lost: lost || memory.lost,
        suspicious: memory.suspicious,
        base: memory.base,
    };
    let mut folded = line_of(&summary);
    for (_, line) in kept {
        folded.push_str(line);
        folded.push('\n');
    }
    folded
}

fn line_of(note: &Note) -> String {
    serde_json::to_string(note).map_or_else(|_| String::new(), |text| format!("{text}\n"))
}
