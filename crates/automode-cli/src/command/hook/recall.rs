//! The agent's own record, read when a judge is about to see the session.
//!
//! The session's record holds the user's words as they were spoken and is trusted
//! first. Only where it has none (the hook for prompts is not installed) the agent's
//! transcript is read. It streams by once, from the beginning, because what the user
//! forbade first still holds; memory is bounded by the judge's window and time by a
//! deadline. What cannot be read whole is too long, never quietly cut. Words that the
//! user took back by going back in the conversation do not count, recorded or not.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use automode::ports::{Recall, SessionRecord};
use automode::session::{Log, Memory};
use automode::state::State;
use automode::{Failure, Session, ToolCall, permit};
use automode_agents::transcript::{Branches, Item, Reader, TakenBack};
use automode_agents::{Agent, Event};
use automode_core::transcript::Instruction;
use automode_core::transcript::{self, Entry, Kept};
use automode_core::{CallRecord, brief, tool};

use crate::setup;

/// How long reading may take, so that there is time left to ask.
const PATIENCE: Duration = Duration::from_secs(8);
/// No line of words or of a call is longer, not even one with a picture.
const MAX_LINE: u64 = 12 * 1024 * 1024;
const BUFFER: usize = 256 * 1024;
/// How much of a transcript's end names the model that spoke last.
const TAIL: u64 = 256 * 1024;

/// How far back in a record it is looked for ways that were not taken.
const BACK: u64 = 32 * 1024 * 1024;

pub struct FromTranscript<'a> {
    pub agent: Agent,
    pub event: &'a Event,
    /// The session's own record.
    pub log: Option<&'a Log>,
    /// What is in it, once it was read.
    pub memory: OnceCell<Memory>,
    /// The call being decided: some clients have it in the transcript already.
    pub pending: &'a ToolCall,
    /// What is left of the session's own record.
    pub record: SessionRecord,
    /// Where permits for such lie.
    pub permits: Option<&'a State>,
    /// What the judge will be shown.
    pub window: &'a transcript::Settings,
}

impl Recall for FromTranscript<'_> {
    fn record(&self) -> SessionRecord {
        self.record
    }

    fn permit(&self) -> Option<String> {
        let state = self.permits.filter(|state| permit::are_given(state))?;
        permit::redeem(state, &permit::bound(self.pending), SystemTime::now())
    }

    fn instructions(&self, session: &Session) -> Vec<Instruction> {
        automode::judge::instructions(session)
    }

    fn calls(&self) -> Option<Vec<CallRecord>> {
        Some(self.memory().records())
    }

    fn transcript(&self) -> Result<Option<Vec<Entry>>, Failure> {
        let spoken = |entry: &Entry| matches!(entry, Entry::User(_));
        let recorded = &self.memory().entries;
        let back = self.taken_back().unwrap_or_default();
        if recorded.iter().any(spoken) {
            return Ok(Some(self.recorded_without(&back)));
        }
        let Some((file, reader)) = self.open() else {
            return Ok(Some(recorded.clone()));
        };
        let mut kept = Kept::new(self.window);
        // The newest call is held back: it may be the one being decided.
        let mut newest: Option<(ToolCall, Entry)> = None;
        stream(file, reader.without_outcomes(), &mut |at, item| {
            let (entry, call) = match item {
                Item::User(_) if back.lines.holds(at) => return Ok(()),
                Item::User(words) => (Entry::User(words), None),
                Item::Call { call, .. } => match entry(&call) {
                    Some(entry) => (entry, Some(call)),
                    None => return Ok(()),
                },
                Item::Outcome { .. } => return Ok(()),
            };
            if let Some((_, before)) = newest.take() {
                kept.push(before);
            }
            match call {
                Some(call) => newest = Some((call, entry)),
                None => kept.push(entry),
            }
            // Nothing that follows makes it shorter.
            if kept.is_overlong() {
                Err(Failure::Overlong)
            } else {
                Ok(())
            }
        })?;
        if let Some((call, entry)) = newest
            && tool::normalize(&call) != tool::normalize(self.pending)
        {
            kept.push(entry);
        }
        kept.into_entries().map(Some)
    }
}

/// What the user took back by going back in the conversation.
#[derive(Default)]
struct Back {
    lines: TakenBack,
    /// Words that stand on such lines and on no other.
    words: Vec<String>,
}

impl FromTranscript<'_> {
    /// What was taken back, as the end of the agent's record tells.
    fn taken_back(&self) -> Option<Back> {
        let mut branches = Branches::new(self.agent)?;
        let file = || self.open().map(|(file, _)| file);
        ends(file()?, &mut |at, line| branches.note(at, line))?;
        let lines = branches.finish();
        if lines.is_empty() {
            return None;
        }
        let mut reader = self.open()?.1.without_outcomes();
        let (mut words, mut held) = (Vec::new(), HashSet::new());
        ends(file()?, &mut |at, line| {
            for item in reader.read(line) {
                match item {
                    Item::User(said) if lines.holds(at) => words.push(said),
                    Item::User(said) => {
                        held.insert(said);
                    }
                    Item::Call { .. } | Item::Outcome { .. } => {}
                }
            }
        })?;
        words.retain(|said| !held.contains(said));
        Some(Back { lines, words })
    }

    /// The recorded session without words that were taken back.
    fn recorded_without(&self, back: &Back) -> Vec<Entry> {
        let holds = |entry: &&Entry| match entry {
            Entry::User(words) => !back.words.contains(words),
            Entry::Call { .. } => true,
        };
        self.memory()
            .entries
            .iter()
            .filter(holds)
            .cloned()
            .collect()
    }

    fn memory(&self) -> &Memory {
        self.memory
            .get_or_init(|| self.log.and_then(|log| log.read().ok()).unwrap_or_default())
    }

    fn open(&self) -> Option<(File, Reader)> {
        let reader = Reader::new(self.agent, &self.event.cwd)?;
        Some((open(&path(self.agent, self.event)?)?, reader))
    }
}

/// The model that spoke last for the agent, as its record says; looked up when it is needed.
pub fn model(agent: Agent, event: &Event) -> impl Fn() -> Option<String> + Send + Sync + 'static {
    let told = event.model.clone();
    let (path, cwd) = (path(agent, event), event.cwd.clone());
    move || {
        told.clone().or_else(|| {
            let mut file = open(path.as_deref()?)?;
            let length = file.metadata().ok()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))
                .ok()?;
            let mut reader = Reader::new(agent, &cwd)?;
            for line in BufReader::new(file.take(TAIL)).split(b'\n') {
                reader.read(&line.ok()?);
            }
            reader.model().map(str::to_owned)
        })
    }
}

/// A call as the judge sees it; `None` for one that is of no interest.
fn entry(call: &ToolCall) -> Option<Entry> {
    let (name, action) = tool::normalize(call);
    let brief = brief::brief(&action);
    (!brief.is_empty()).then(|| Entry::Call {
        tool: name.into_owned(),
        brief,
    })
}

/// A regular file: anything else could keep its reader waiting.
fn open(path: &std::path::Path) -> Option<File> {
    path.metadata().ok()?.is_file().then_some(())?;
    File::open(path).ok()
}

/// Reads a record from its beginning to its end, line by line.
fn stream(
    file: File,
    mut reader: Reader,
    each: &mut dyn FnMut(u64, Item) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut at = 0_u64;
    let end = Instant::now() + PATIENCE;
    let mut lines = BufReader::with_capacity(BUFFER, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut lines)
            .take(MAX_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|_| Failure::Store)?;
        if read == 0 {
            return Ok(());
        }
        if !line.ends_with(b"\n") && line.len() as u64 == MAX_LINE {
            // What a tool brought back may be of any length; words may not be lost.
            if !reader.is_noise(&line) {
                return Err(Failure::Overlong);
            }
            let rest = lines.skip_until(b'\n').map_err(|_| Failure::Store)?;
            at = at.saturating_add(rest as u64);
        } else {
            let mut items = reader.read(&line).into_iter();
            items.try_for_each(|item| each(at, item))?;
        }
        at = at.saturating_add(read as u64);
        if Instant::now() > end {
            return Err(Failure::Overlong);
        }
    }
}

/// The whole lines at the end of a record, each with where it begins.
fn ends(mut file: File, each: &mut dyn FnMut(u64, &[u8])) -> Option<()> {
    let length = file.metadata().ok()?.len();
    let mut at = length.saturating_sub(BACK);
    file.seek(SeekFrom::Start(at)).ok()?;
    let mut lines = BufReader::with_capacity(BUFFER, file.take(BACK));
    if at > 0 {
        at = at.saturating_add(lines.skip_until(b'\n').ok()? as u64);
    }
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = lines.read_until(b'\n', &mut line).ok()?;
        if read == 0 {
            return Some(());
        }
        each(at, &line);
        at = at.saturating_add(read as u64);
    }
}

/// Where the agent keeps its record of the session: as the event says, or as its format does.
fn path(agent: Agent, event: &Event) -> Option<PathBuf> {
    if let Some(path) = &event.transcript {
        return Some(PathBuf::from(path));
    }
    let below = (agent.client().record?.path?)(&event.session)?;
    Some(PathBuf::from(setup::home()?).join(below))
}
