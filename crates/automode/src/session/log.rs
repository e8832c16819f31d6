//! The file of one session: lines appended by any number of processes.
//!
//! A line is written under the file's lock, so lines never mix; a killed writer
//! costs its own line. When the file outgrows its bound, the one who notices folds
//! the older part into one line and puts the new file in the place of the old.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::memory::Memory;
use super::note::Note;
use super::standing::Standing;
use crate::ports::Store;
use crate::state::{Lock, LockError, State, append, open_private};

/// A file that grew past this is folded.
const MAX_BYTES: u64 = 256 * 1024;
/// What a folded file keeps of calls and words, in bytes of their lines.
const KEPT_CALLS: usize = 48 * 1024;
const KEPT_WORDS: usize = 64 * 1024;
/// Files whose writing is remembered.
const KEPT_FILES: usize = 256;
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
}

impl Log {
    /// The record of an agent's session. Its name on disk tells nothing and cannot lead elsewhere.
    ///
    /// # Errors
    /// Where the directory cannot be made.
    pub fn open(state: &State, agent: &str, session: &str) -> io::Result<Self> {
        let name: String = Sha256::digest(format!("{agent}\0{session}"))
            .iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let directory = state.directory("sessions")?;
        Ok(Self {
            path: directory.join(format!("{name}.jsonl")),
            lock: directory.join(format!("{name}.lock")),
        })
    }

    /// What is remembered. A session without a record is an empty one.
    ///
    /// # Errors
    /// Where there is a record that cannot be read.
    pub fn read(&self) -> io::Result<Memory> {
        Ok(Memory::fold(&self.text()?))
    }

    /// What decides before a judge is asked.
    ///
    /// # Errors
    /// Where there is a record that cannot be read.
    pub fn glance(&self) -> io::Result<Standing> {
        Ok(Standing::glance(&self.text()?))
    }

    fn text(&self) -> io::Result<String> {
        match read_bounded(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            read => read,
        }
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
        let _lock = Lock::take(&self.lock, patience)?;
        let mut file = open_private(&self.path)?;
        append(&mut file, &text)?;
        if file.metadata()?.size() > MAX_BYTES {
            fold(&self.path)?;
        }
        Ok(())
    }
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
    let mut text = serde_json::to_string(note).ok()?;
    if text.len() > MAX_LINE {
        text = serde_json::to_string(&shortened(note)).ok()?;
    }
    text.push('\n');
    Some(text)
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
            call.writes.truncate(KEPT_FILES / 4);
            Note::Call(call)
        }
        Note::Done {
            id,
            print,
            outcome,
            mut files,
        } => {
            files.truncate(KEPT_FILES / 4);
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

fn read_bounded(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(MAX_BYTES.saturating_mul(4))
        .read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Rewrites a record within its bounds: the youngest calls, the first and the youngest words, every file.
fn fold(path: &Path) -> io::Result<()> {
    let text = read_bounded(path)?;
    let folded = folded(&text);
    let beside = path.with_extension("new");
    let _ = fs::remove_file(&beside);
    let mut file = open_private(&beside)?;
    append(&mut file, &folded)?;
    fs::rename(&beside, path)
}

fn folded(text: &str) -> String {
    let memory = Memory::fold(text).standing;
    let skip = memory.written.len().saturating_sub(KEPT_FILES);
    let mut kept: Vec<(usize, &str)> = Vec::new();
    let (mut calls, mut words) = (KEPT_CALLS, KEPT_WORDS);
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
            Ok(Note::Start { .. } | Note::Unknown) => {
                kept.push((*at, line));
                continue;
            }
            Ok(Note::Ledger(_) | Note::Cost(_) | Note::Folded { .. } | Note::End) | Err(_) => {
                continue;
            }
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
        written: memory.written.into_iter().skip(skip).collect(),
        left_out,
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
