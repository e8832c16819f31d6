//! The log file: appended under one lock, rotated, never a reason to decide otherwise.
//!
//! The end of the file is all a writer reads. A writer that cannot get the lock in
//! time leaves its line beside the log, and the next one takes it in. A head file
//! remembers how far the chain went, so that a log cut short shows.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::Duration;

use super::answer::PersonAnswer;
use super::chain::{self, ChainLink, LINKS};
use super::entry::Entry;
use crate::state::{Lock, LockError, State, append, open_private};

/// A log that grew past this is put aside.
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Logs put aside that are kept.
const KEPT: u64 = 16;
/// How far back the last whole line is looked for behind a torn one.
const TAIL: u64 = 256 * 1024;
/// How far back lines are looked for that a killed writer may have taken in already.
const WAITING_TAIL: u64 = 4 * 1024 * 1024;
/// Width of the head file, so that it can be overwritten in place on a full disk.
const HEAD: usize = 96;

/// The audit log of a state directory.
#[derive(Clone, Debug)]
pub struct Log {
    state: State,
}

/// How an entry was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendedTo {
    InTheChain,
    /// The lock was not to be had: it lies beside the log until the next writer comes.
    Beside,
}

/// A file beside the log: it shows when it has been written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideLog {
    pub unfinished: PathBuf,
    pub finished: PathBuf,
}

impl Log {
    #[must_use]
    pub fn new(state: &State) -> Self {
        Self {
            state: state.clone(),
        }
    }

    /// Appends one entry.
    ///
    /// # Errors
    /// Where it could be kept nowhere. The verdict stands all the same.
    pub fn append(&self, entry: &Entry, patience: Duration) -> io::Result<AppendedTo> {
        self.keep(&entry.id, serde_json::to_string(entry)?, patience)
    }

    /// Appends what a person answered.
    ///
    /// # Errors
    /// Where it could be kept nowhere.
    pub fn append_answer(
        &self,
        answer: &PersonAnswer,
        patience: Duration,
    ) -> io::Result<AppendedTo> {
        let name = format!("{}-answer", answer.answers);
        self.keep(&name, serde_json::to_string(answer)?, patience)
    }

    fn keep(&self, name: &str, body: String, patience: Duration) -> io::Result<AppendedTo> {
        match Lock::take(&self.state.path("audit.lock"), patience) {
            Ok(_lock) => {
                let mut waiting = self.waiting();
                let mut bodies: Vec<String> = waiting
                    .iter_mut()
                    .map(|(_, body)| std::mem::take(body))
                    .filter(|body| !body.is_empty())
                    .collect();
                bodies.push(body);
                self.write(&bodies)?;
                self.take_in(&waiting)?;
                Ok(AppendedTo::InTheChain)
            }
            Err(LockError::Busy) => {
                self.leave_beside(name, &body)?;
                Ok(AppendedTo::Beside)
            }
            Err(LockError::Io(error)) => Err(error),
        }
    }

    /// The logs, oldest first; the last one is written to.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let mut aside: Vec<(u64, PathBuf)> = fs::read_dir(self.state.root())
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| Some((number(entry.file_name().to_str()?)?, entry.path())))
            .collect();
        aside.sort();
        let mut files: Vec<PathBuf> = aside.into_iter().map(|(_, path)| path).collect();
        files.push(self.current());
        files
    }

    /// Old logs have been dropped, or may have been: the chain need not begin at its first line.
    pub(super) fn is_full(&self) -> bool {
        self.files().len() as u64 > KEPT
    }

    pub(super) fn head(&self) -> Option<ChainLink> {
        let text = fs::read_to_string(self.state.path("audit.head")).ok()?;
        let (seq, hash) = text.trim_end().split_once(' ')?;
        Some(ChainLink {
            seq: seq.parse().ok()?,
            hash: hash.to_owned(),
        })
    }

    fn current(&self) -> PathBuf {
        self.state.path("audit.jsonl")
    }

    fn write(&self, bodies: &[String]) -> io::Result<()> {
        let mut file = open_private(&self.current())?;
        let length = file.metadata()?.len();
        let (mut last, torn) = self.end_of(&mut file, length)?;
        if length > MAX_BYTES {
            self.put_aside(last.seq)?;
            file = open_private(&self.current())?;
        }
        let mut text = String::new();
        for (at, body) in bodies.iter().enumerate() {
            let (line, link) = chain::seal(body, &last, if at == 0 { torn } else { 0 });
            text.push_str(&line);
            last = link;
        }
        append(&mut file, &text)?;
        // The head only tells of a log cut short; a failure here loses nothing.
        let _ = self.set_head(&last);
        Ok(())
    }

    /// The last link of the chain, and how many bytes stand torn behind it.
    fn end_of(&self, file: &mut File, length: u64) -> io::Result<(ChainLink, u64)> {
        if length == 0 {
            return Ok((self.end_put_aside(), 0));
        }
        let near = tail(file, length, LINKS as u64)?;
        let whole = near
            .strip_suffix('\n')
            .and_then(|text| chain::link(last_line(text)));
        if let Some(link) = whole {
            return Ok((link, 0));
        }
        let far = tail(file, length, TAIL)?;
        let mut torn = 0_u64;
        for line in far.rsplit('\n') {
            if let Some(link) = chain::link(line) {
                return Ok((link, torn.saturating_sub(1)));
            }
            torn = torn.saturating_add(line.len() as u64).saturating_add(1);
        }
        // Nothing here is a line of ours: the chain goes on from what the head remembers.
        Ok((self.head().unwrap_or_else(ChainLink::genesis), length))
    }

    /// Where a fresh log takes up the chain.
    fn end_put_aside(&self) -> ChainLink {
        let files = self.files();
        let newest = files.iter().rev().nth(1);
        newest
            .and_then(|path| {
                let mut file = File::open(path).ok()?;
                let length = file.metadata().ok()?.len();
                let text = tail(&mut file, length, TAIL).ok()?;
                text.lines().rev().find_map(chain::link)
            })
            .or_else(|| self.head())
            .unwrap_or_else(ChainLink::genesis)
    }

    fn put_aside(&self, seq: u64) -> io::Result<()> {
        fs::rename(
            self.current(),
            self.state.path(&format!("audit.{seq}.jsonl")),
        )?;
        let aside = self.files();
        let surplus = aside.len().saturating_sub(1).saturating_sub(KEPT as usize);
        for old in aside.iter().take(surplus) {
            let _ = fs::remove_file(old);
        }
        Ok(())
    }

    fn set_head(&self, link: &ChainLink) -> io::Result<()> {
        use std::os::unix::fs::FileExt;
        let text = format!("{} {}", link.seq, link.hash);
        let file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.state.path("audit.head"))?;
        file.write_all_at(format!("{text:<HEAD$}\n").as_bytes(), 0)
    }

    /// Where an entry lies that cannot be put into the chain yet.
    #[must_use]
    pub fn beside(&self, id: &str) -> SideLog {
        let directory = self.state.path("waiting");
        let name = format!("{}-{id}", std::process::id());
        SideLog {
            unfinished: directory.join(format!(".{name}")),
            finished: directory.join(name),
        }
    }

    fn leave_beside(&self, id: &str, body: &str) -> io::Result<()> {
        self.state.directory("waiting")?;
        let SideLog {
            unfinished,
            finished,
        } = self.beside(id);
        let mut file = open_private(&unfinished)?;
        file.write_all(body.as_bytes())?;
        fs::rename(unfinished, finished)
    }

    /// Lines that others left beside the log, each with its file; an empty one stands in the
    /// log already. The lock is held.
    pub(super) fn waiting(&self) -> Vec<(PathBuf, String)> {
        let Ok(entries) = fs::read_dir(self.state.path("waiting")) else {
            return Vec::new();
        };
        let mut waiting = Vec::new();
        let mut end = None;
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let Ok(body) = fs::read_to_string(entry.path()) else {
                continue;
            };
            let Ok(known) = serde_json::from_str::<Entry>(&body) else {
                continue;
            };
            // A writer that was killed after it took lines in has left them here too.
            let end = end.get_or_insert_with(|| self.end_of_log());
            let is_in = end.contains(&format!("\"id\":\"{}\"", known.id));
            waiting.push((entry.path(), if is_in { String::new() } else { body }));
        }
        waiting
    }

    /// The lines have been taken in, for good: what waited may go.
    fn take_in(&self, waiting: &[(PathBuf, String)]) -> io::Result<()> {
        if waiting.is_empty() {
            return Ok(());
        }
        File::open(self.current())?.sync_data()?;
        for (path, _) in waiting {
            // One that stays is known the next time.
            let _ = fs::remove_file(path);
        }
        Ok(())
    }

    /// The last lines of the log, over the last rotation.
    fn end_of_log(&self) -> String {
        let files = self.files();
        let last = files.iter().rev().take(2).rev();
        last.filter_map(|path| {
            let mut file = File::open(path).ok()?;
            let length = file.metadata().ok()?.len();
            tail(&mut file, length, WAITING_TAIL).ok()
        })
        .collect()
    }
}

fn number(name: &str) -> Option<u64> {
    name.strip_prefix("audit.")?
        .strip_suffix(".jsonl")?
        .parse()
        .ok()
}

fn last_line(text: &str) -> &str {
    text.rsplit_once('\n').map_or(text, |(_, line)| line)
}

fn tail(file: &mut File, length: u64, bytes: u64) -> io::Result<String> {
    file.seek(SeekFrom::Start(length.saturating_sub(bytes)))?;
    let mut tail = Vec::with_capacity(usize::try_from(bytes.min(length)).unwrap_or_default());
    file.take(bytes).read_to_end(&mut tail)?;
    Ok(String::from_utf8_lossy(&tail).into_owned())
}
