//! The agent's own record, read when a judge is about to see the session.
//!
//! The session's record holds the user's words as they were spoken and is trusted
//! first. Only where it has none (the hook for prompts is not installed) the agent's
//! transcript is read: its end, in a bounded number of bytes, whatever its size.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use automode::ports::Recall;
use automode::session::Memory;
use automode::{Session, ToolCall};
use automode_agents::transcript::{Item, Reader};
use automode_agents::{Agent, Event};
use automode_core::judge::Instruction;
use automode_core::transcript::Entry;
use automode_core::{brief, tool};

use crate::setup;

/// How much of a transcript's end is read.
const TAIL: u64 = 16 * 1024 * 1024;
/// A longer line is passed over: it is a tool's result.
const MAX_LINE: u64 = 4 * 1024 * 1024;

pub struct FromTranscript<'a> {
    pub agent: Agent,
    pub event: &'a Event,
    pub memory: &'a Memory,
    /// The call being decided: some clients have it in the transcript already.
    pub pending: &'a ToolCall,
}

impl Recall for FromTranscript<'_> {
    fn instructions(&self, session: &Session) -> Vec<Instruction> {
        automode::judge::instructions(session)
    }

    fn transcript(&self) -> Option<Vec<Entry>> {
        let spoken = |entry: &Entry| matches!(entry, Entry::User(_));
        if self.memory.entries.iter().any(spoken) {
            return None;
        }
        let mut entries = Vec::new();
        let mut last = None;
        self.read(&mut |item| match item {
            Item::User(words) => entries.push(Entry::User(words)),
            Item::Call { call, .. } => {
                let (name, action) = tool::normalize(&call);
                let brief = brief::brief(&action);
                if !brief.is_empty() {
                    entries.push(Entry::Call {
                        tool: name.into_owned(),
                        brief,
                    });
                    last = Some(call);
                }
            }
            Item::Outcome { .. } => {}
        })?;
        let is_pending =
            last.is_some_and(|call| tool::normalize(&call) == tool::normalize(self.pending));
        if is_pending && matches!(entries.last(), Some(Entry::Call { .. })) {
            entries.pop();
        }
        // What is too much is left out where the request is made: old calls first, user words never.
        Some(entries)
    }
}

impl FromTranscript<'_> {
    fn read(&self, each: &mut dyn FnMut(Item)) -> Option<()> {
        let mut file = File::open(self.path()?).ok()?;
        let length = file.metadata().ok()?.len();
        let mut reader = Reader::new(self.agent, &self.event.cwd)?;
        let begin = length.saturating_sub(TAIL);
        file.seek(SeekFrom::Start(begin)).ok()?;
        let mut lines = BufReader::new(file.take(TAIL));
        let mut line = Vec::new();
        let mut whole = begin == 0;
        loop {
            line.clear();
            let read = (&mut lines)
                .take(MAX_LINE)
                .read_until(b'\n', &mut line)
                .ok()?;
            if read == 0 {
                return Some(());
            }
            let ended = line.ends_with(b"\n");
            if whole {
                reader.read(&line).into_iter().for_each(&mut *each);
            }
            // What follows a line cut at its bound is the rest of it.
            whole = ended;
        }
    }

    fn path(&self) -> Option<PathBuf> {
        match (&self.event.transcript, self.agent) {
            (Some(path), _) => Some(PathBuf::from(path)),
            (None, Agent::Copilot) => {
                let session = &self.event.session;
                let plain = session
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
                let home = setup::home().filter(|_| plain)?;
                Some(PathBuf::from(format!(
                    "{home}/.copilot/session-state/{session}/events.jsonl"
                )))
            }
            (
                None,
                Agent::ClaudeCode
                | Agent::Codex
                | Agent::GeminiCli
                | Agent::QwenCode
                | Agent::Opencode
                | Agent::Generic,
            ) => None,
        }
    }
}
