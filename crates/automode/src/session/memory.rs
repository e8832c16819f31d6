//! A session's lines folded into what the engine wants to know.

use std::collections::BTreeMap;

use automode_core::transcript::Entry;
use automode_core::{
    CallRecord, Ledger, Mode, Outcome, Presence, RepoFact, Session, Verdict, WrittenFile,
};

use super::note::{CallNote, Cost, Note, Phase};

/// Everything that is remembered of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Where it began; `None`: nothing is known of this session yet.
    pub cwd: Option<String>,
    pub repo: Option<RepoFact>,
    /// User words and calls in their order.
    pub entries: Vec<Entry>,
    pub calls: Vec<Remembered>,
    pub written: Vec<WrittenFile>,
    pub ledger: Ledger,
    pub cost: Cost,
    pub subagents: BTreeMap<String, Delegate>,
    /// Lines that could not be read.
    pub unreadable: usize,
}

/// A call that was decided, with its end where it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    pub note: CallNote,
    pub outcome: Outcome,
}

/// A subagent's own line in the record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delegate {
    pub kind: String,
    pub calls: u32,
    pub denied: u32,
    pub stopped: bool,
}

impl Memory {
    /// Folds a record, line by line. A line that cannot be read costs itself.
    #[must_use]
    pub fn fold(text: &str) -> Self {
        let mut memory = Self::default();
        for line in text.lines().filter(|line| !line.is_empty()) {
            match serde_json::from_str(line) {
                Ok(note) => memory.take(note),
                Err(_) => memory.unreadable = memory.unreadable.saturating_add(1),
            }
        }
        memory
    }

    /// Takes one note in.
    pub fn take(&mut self, note: Note) {
        match note {
            Note::Start { cwd, repo, .. } => {
                if self.cwd.is_none() {
                    self.cwd = Some(cwd);
                    self.repo = repo;
                }
            }
            Note::User { text } => self.entries.push(Entry::User(text)),
            Note::Call(note) => self.call(note),
            Note::Done {
                id,
                print,
                outcome,
                files,
            } => self.done(id.as_deref(), &print, outcome, files),
            Note::Ledger(moved) => self.ledger = moved.apply(self.ledger),
            Note::Subagent { id, kind, phase } => {
                let line = self.subagents.entry(id).or_default();
                line.stopped = phase == Phase::Stopped;
                if !kind.is_empty() {
                    line.kind = kind;
                }
            }
            Note::Cost(cost) => self.cost = self.cost.plus(cost),
            Note::Folded {
                ledger,
                cost,
                written,
                ..
            } => {
                self.ledger = ledger;
                self.cost = cost;
                written.into_iter().for_each(|file| self.wrote(file));
            }
            Note::End | Note::Unknown => {}
        }
    }

    fn call(&mut self, note: CallNote) {
        if !note.brief.is_empty() {
            self.entries.push(Entry::Call {
                tool: note.tool.clone(),
                brief: note.brief.clone(),
            });
        }
        let outcome = match note.verdict {
            Verdict::Allow => {
                note.writes
                    .iter()
                    .cloned()
                    .for_each(|file| self.wrote(file));
                Outcome::Pending
            }
            Verdict::Ask => Outcome::Pending,
            Verdict::Deny => Outcome::Denied,
        };
        if let Some(by) = &note.by {
            let line = self.subagents.entry(by.clone()).or_default();
            line.calls = line.calls.saturating_add(1);
            line.denied = line
                .denied
                .saturating_add(u32::from(outcome == Outcome::Denied));
        }
        self.calls.push(Remembered { note, outcome });
    }

    fn done(&mut self, id: Option<&str>, print: &str, outcome: Outcome, files: Vec<WrittenFile>) {
        let is_it = |call: &&mut Remembered| match (id, call.note.id.as_deref()) {
            (Some(id), Some(own)) => id == own,
            (None, _) | (_, None) => call.note.print == print && call.outcome == Outcome::Pending,
        };
        let mut files = files;
        if let Some(call) = self.calls.iter_mut().rev().find(is_it) {
            call.outcome = outcome;
            // A call that a person let through writes what it said it would.
            match outcome {
                Outcome::Succeeded | Outcome::Failed => {
                    files.extend(call.note.writes.iter().cloned());
                }
                Outcome::Denied | Outcome::Pending => {}
            }
        }
        files.into_iter().rev().for_each(|file| self.wrote(file));
    }

    /// The latest word about a file, with everything that was ever found in it.
    fn wrote(&mut self, mut file: WrittenFile) {
        if let Some(at) = self.written.iter().position(|own| own.path == file.path) {
            let before = self.written.remove(at);
            file.created |= before.created;
            for (own, old) in [
                (&mut file.findings, before.findings),
                (&mut file.taint, before.taint),
            ] {
                own.extend(old);
                own.sort();
                own.dedup();
            }
            if file.digest.is_empty() {
                file.digest = before.digest;
            }
        }
        self.written.push(file);
    }

    /// The session as the engine reads it.
    #[must_use]
    pub fn session(&self, mode: Mode, presence: Presence) -> Session {
        Session {
            mode,
            presence,
            roots: self.cwd.iter().cloned().collect(),
            transcript: self.entries.clone(),
            calls: self
                .calls
                .iter()
                .map(|call| CallRecord {
                    tool: call.note.tool.clone(),
                    brief: call.note.brief.clone(),
                    outcome: call.outcome,
                })
                .collect(),
            written: self.written.clone(),
            repo: self.repo.clone(),
            ledger: self.ledger,
            ..Session::default()
        }
    }
}
