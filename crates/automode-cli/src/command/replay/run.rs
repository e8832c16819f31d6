//! One recorded session, call by call.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};

use automode::ports::NoRecall;
use automode::{Gate, Session, ToolCall};
use automode_agents::transcript::{Item, Reader};
use automode_core::transcript::Entry;

use super::find::{RecordForm, Recording};
use super::tally::ReplayTally;
use crate::setup;

/// A longer line is passed over: it is a tool's result.
const MAX_LINE: u64 = 16 * 1024 * 1024;
/// A document is read as a whole, so its size is bounded.
const MAX_DOCUMENT: u64 = 64 * 1024 * 1024;
/// What is kept of a session while it is replayed.
const MAX_REMEMBERED: usize = 200;

pub fn replay(recording: &Recording, tally: &mut ReplayTally, read: &AtomicU64) {
    let (Ok(file), Some(mut reader)) = (
        File::open(&recording.path),
        Reader::new(recording.agent, &recording.cwd),
    ) else {
        tally.unreadable = tally.unreadable.saturating_add(1);
        return;
    };
    let mut play = Play::default();
    if recording.form == RecordForm::Document {
        if recording.bytes > MAX_DOCUMENT {
            tally.unreadable = tally.unreadable.saturating_add(1);
            return;
        }
        tally.sessions = tally.sessions.saturating_add(1);
        let mut document = Vec::new();
        if file.take(MAX_DOCUMENT).read_to_end(&mut document).is_ok() {
            for item in reader.read_document(&document) {
                play.take(item, tally);
            }
        }
        read.fetch_add(recording.bytes, Ordering::Relaxed);
        return;
    }
    tally.sessions = tally.sessions.saturating_add(1);
    let mut lines = BufReader::with_capacity(1 << 16, file);
    let mut line = Vec::new();
    let mut whole = true;
    loop {
        line.clear();
        let Ok(bytes) = (&mut lines).take(MAX_LINE).read_until(b'\n', &mut line) else {
            return;
        };
        if bytes == 0 {
            return;
        }
        read.fetch_add(bytes as u64, Ordering::Relaxed);
        if whole {
            for item in reader.read(&line) {
                play.take(item, tally);
            }
        }
        // What follows a line cut at its bound is the rest of it.
        whole = line.ends_with(b"\n");
    }
}

/// A session as it is replayed.
#[derive(Default)]
struct Play {
    session: Session,
    gate: Option<(String, Gate)>,
}

impl Play {
    fn take(&mut self, item: Item, tally: &mut ReplayTally) {
        match item {
            Item::User(words) => self.session.transcript.push(Entry::User(words)),
            Item::Call { call, .. } => self.call(&call, tally),
            Item::Outcome { .. } => {}
        }
        let Session {
            transcript,
            calls,
            written,
            ..
        } = &mut self.session;
        keep_last(transcript);
        keep_last(calls);
        keep_last(written);
    }

    fn call(&mut self, call: &ToolCall, tally: &mut ReplayTally) {
        if self.session.roots.is_empty() {
            self.session.roots = vec![call.cwd.clone()];
            self.session.home = setup::home();
        }
        // The settings of the directory that the session began in hold for all of it.
        let root = self.session.roots.first().cloned().unwrap_or_default();
        if self.gate.as_ref().is_none_or(|(own, _)| *own != root) {
            self.gate = Some((root.clone(), setup::judgeless_gate(&root, None)));
        }
        let Some((_, gate)) = &self.gate else {
            tally.failed = tally.failed.saturating_add(1);
            return;
        };
        let settlement = gate.decide(call, &self.session, &NoRecall);
        settlement.record(&mut self.session);
        tally.count(&settlement, &self.session);
    }
}

fn keep_last<T>(items: &mut Vec<T>) {
    if items.len() > MAX_REMEMBERED.saturating_mul(2) {
        items.drain(..items.len().saturating_sub(MAX_REMEMBERED));
    }
}
