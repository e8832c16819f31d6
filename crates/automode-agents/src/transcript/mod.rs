//! Recorded sessions, read line by line.
//!
//! A [`Reader`] is fed the lines of an agent's own record and says what counts:
//! the user's words, tool calls, how calls ended. Assistant prose, tool results,
//! summaries, reminders and notifications yield nothing. It keeps a few bytes a call
//! and never the text, so a session of any length can stream through it. A line it
//! cannot read is skipped: formats are the vendors' own and change.

mod branch;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use automode_core::{Outcome, ToolCall};
use memchr::memmem;
use serde_json::{Map, Value};

use crate::agent::Agent;

pub(crate) use branch::{BranchLink, BranchStyle, Turns, says};
pub use branch::{Branches, TakenBack};

/// Something in a recorded session that counts.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    User(String),
    Call {
        id: String,
        call: ToolCall,
        /// Made by a subagent.
        delegated: bool,
    },
    /// How the call of this id ended.
    Outcome {
        id: String,
        outcome: Outcome,
    },
}

impl Item {
    /// A call as Gemini's models write it: `id`, `name` and `args`.
    pub(crate) fn function_call(call: &Value, cwd: &str) -> Option<Self> {
        Some(Self::Call {
            id: call.get("id")?.as_str()?.to_owned(),
            call: ToolCall {
                tool: call.get("name")?.as_str()?.to_owned(),
                input: input(call.get("args")),
                cwd: cwd.to_owned(),
            },
            delegated: false,
        })
    }
}

/// Reads one recorded session.
#[derive(Clone, Debug)]
pub struct Reader {
    format: &'static RecordFormat,
    interest: Interest,
    place: RecordPlace,
    seen: HashSet<u64>,
}

/// What a record's lines tell beside what happened.
#[derive(Clone, Debug)]
pub(crate) struct RecordPlace {
    /// Where the session works; the fallback until a line says so.
    pub(crate) cwd: String,
    /// The model that speaks for the agent.
    pub(crate) model: Option<String>,
}

/// What a reader is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interest {
    Everything,
    /// Not how calls ended: lines that only tell that are not taken apart.
    WordsAndCalls,
}

/// Reads a session that is one object.
type DocumentReader = fn(&[u8], &RecordPlace, &mut Vec<Item>);

/// How a client records its sessions.
#[derive(Debug)]
pub struct RecordFormat {
    /// Where the recordings are, under the home directory; nothing where nobody looks by itself.
    pub folder: Option<&'static str>,
    /// The path of a session's record under the home directory, for a client whose hooks do not say it.
    pub path: Option<fn(&str) -> Option<String>>,
    /// Whether a line, taken apart, is one of this client's.
    pub is_line: fn(&Value) -> bool,
    /// Whether a file is a whole document of this client's, by its name and its first bytes.
    pub is_document: Option<fn(&str, &str) -> bool>,
    /// What stands only in a line of tool output, and what only in one with a call. A quote inside
    /// a JSON string is escaped, so no words can look like this; the input of a call can, and a
    /// call must not hide itself.
    pub(crate) output_marks: &'static [&'static str],
    pub(crate) call_mark: &'static str,
    pub(crate) read: fn(&[u8], &mut RecordPlace, &mut Vec<Item>),
    pub(crate) read_document: Option<DocumentReader>,
    /// How it tells of ways that were not taken.
    pub(crate) branches: Option<BranchStyle>,
}

impl RecordFormat {
    fn is_noise(&self, line: &[u8]) -> bool {
        let has = |mark: &str| memmem::find(line, mark.as_bytes()).is_some();
        self.output_marks.iter().any(|mark| has(mark)) && !has(self.call_mark)
    }
}

/// Past this many calls the oldest ids are forgotten; a repeated one would be read twice.
const MAX_SEEN: usize = 1 << 20;

impl Reader {
    /// A reader for an agent's record, or nothing for an agent that keeps none in a file.
    #[must_use]
    pub fn new(agent: Agent, cwd: &str) -> Option<Self> {
        let format = agent.client().record?;
        Some(Self {
            format,
            interest: Interest::Everything,
            place: RecordPlace {
                cwd: cwd.to_owned(),
                model: None,
            },
            seen: HashSet::new(),
        })
    }

    /// Without how calls ended, for whoever wants the user's words and the calls alone.
    #[must_use]
    pub fn without_outcomes(mut self) -> Self {
        self.interest = Interest::WordsAndCalls;
        self
    }

    /// Whether a line, or the beginning of one, shows that it holds neither words nor a call.
    #[must_use]
    pub fn is_noise(&self, line: &[u8]) -> bool {
        self.format.is_noise(line)
    }

    /// The model that last spoke for the agent, where the record says so.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.place.model.as_deref()
    }

    /// What one line says.
    pub fn read(&mut self, line: &[u8]) -> Vec<Item> {
        let mut items = Vec::new();
        if self.interest == Interest::WordsAndCalls && self.is_noise(line) {
            return items;
        }
        (self.format.read)(line, &mut self.place, &mut items);
        if self.interest == Interest::WordsAndCalls {
            items.retain(|item| !matches!(item, Item::Outcome { .. }));
        }
        items.retain(|item| self.is_new(item));
        items
    }

    /// What a whole document says, for a client that kept a session as one object.
    pub fn read_document(&mut self, document: &[u8]) -> Vec<Item> {
        let mut items = Vec::new();
        if let Some(read) = self.format.read_document {
            read(document, &self.place, &mut items);
        }
        items.retain(|item| self.is_new(item));
        items
    }

    /// Records repeat a call when they rewrite a message; it counts once.
    fn is_new(&mut self, item: &Item) -> bool {
        let mut hasher = DefaultHasher::new();
        match item {
            Item::User(_) => return true,
            Item::Call { id, .. } => (0_u8, id).hash(&mut hasher),
            Item::Outcome { id, .. } => (1_u8, id).hash(&mut hasher),
        }
        if self.seen.len() >= MAX_SEEN {
            self.seen.clear();
        }
        self.seen.insert(hasher.finish())
    }
}

/// The text of all `{"text": …}` parts; nothing if any part is something else.
pub(crate) fn plain_parts(parts: &[Value]) -> Option<String> {
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| {
            let part = part.as_object()?;
            part.get("text")
                .and_then(Value::as_str)
                .filter(|_| part.len() == 1)
        })
        .collect();
    texts
        .filter(|texts| !texts.is_empty())
        .map(|texts| texts.join("\n"))
}

/// An input that is an object, or an object as JSON text.
pub(crate) fn input(value: Option<&Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(map)) => map.clone(),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(map)) => map,
            Ok(_) | Err(_) => Map::new(),
        },
        Some(_) | None => Map::new(),
    }
}
