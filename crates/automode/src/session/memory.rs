//! A session's lines folded into what the engine wants to know.

use std::collections::BTreeMap;

use automode_core::transcript::Entry;
use automode_core::{CallRecord, Mode, Outcome, Presence, Session, Verdict, WrittenFile};

use super::note::{CallNote, Note, Phase};
use super::summary::SessionSummary;

/// Everything that is remembered of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    pub standing: SessionSummary,
    /// User words and calls in their order.
    pub entries: Vec<Entry>,
    pub calls: Vec<Remembered>,
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
        text.lines().for_each(|line| memory.read(line));
        memory
    }

    pub(super) fn read(&mut self, line: &str) {
        match Note::read(line) {
            Ok(note) => self.take(note),
            Err(_) if line.is_empty() => {}
            Err(_) => self.unreadable = self.unreadable.saturating_add(1),
        }
    }

    /// Takes one note in.
    pub fn take(&mut self, note: Note) {
        match note {
            Note::Start { cwd, repo, .. } => {
                if self.standing.cwd.is_none() {
                    self.standing.cwd = Some(cwd);
                    self.standing.repo = repo;
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
            Note::Ledger(moved) => self.standing.ledger = moved.apply(self.standing.ledger),
            Note::Subagent { id, kind, phase } => {
                let line = self.subagents.entry(id).or_default();
                line.stopped = phase == Phase::Stopped;
                if !kind.is_empty() {
                    line.kind = kind;
                }
            }
            Note::Suspicious(result) => self.standing.suspect(result),
            Note::Base { commit } => self.standing.leave(commit),
            Note::Cost(cost) => self.standing.cost = self.standing.cost.plus(cost),
            Note::Folded {
                ledger,
                cost,
                written,
                lost,
                suspicious,
                base,
                ..
            } => {
                self.standing.base = base;
                suspicious
                    .into_iter()
                    .for_each(|result| self.standing.suspect(result));
                self.standing.lost |= lost;
                self.standing.ledger = ledger;
                self.standing.cost = cost;
                written
                    .into_iter()
                    .for_each(|file| self.standing.wrote(file));
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
                // It is not known yet whether it runs: what it would make is not the session's
                // before it has succeeded. Marks count at once, and a content that is found
                // there later proves itself.
                for file in &note.writes {
                    self.standing.wrote(WrittenFile {
                        created: false,
                        ..file.clone()
                    });
                }
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
            match outcome {
                // What it said it would write, it may have written, and so may one that failed.
                Outcome::Succeeded | Outcome::Failed => {
                    files.extend(call.note.writes.iter().cloned());
                }
                Outcome::Denied | Outcome::Pending => {}
            }
        }
        for mut file in files.into_iter().rev() {
            // Only what succeeded makes a file the session's own; marks stay in any case.
            if outcome != Outcome::Succeeded {
                file.created = false;
                file.digest.clear();
            }
            self.standing.wrote(file);
        }
    }

    /// The session as the engine reads it.
    #[must_use]
    pub fn session(&self, mode: Mode, presence: Presence) -> Session {
        Session {
            transcript: self.entries.clone(),
            calls: self.records(),
            ..self.standing.session(mode, presence)
        }
    }

    /// The calls as the engine reads them.
    #[must_use]
    pub fn records(&self) -> Vec<CallRecord> {
        self.calls
            .iter()
            .map(|call| CallRecord {
                tool: call.note.tool.clone(),
                brief: call.note.brief.clone(),
                outcome: call.outcome,
            })
            .collect()
    }
}
