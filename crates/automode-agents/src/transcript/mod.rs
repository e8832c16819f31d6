//! Recorded sessions, read line by line.
//!
//! A [`Reader`] is fed the lines of an agent's own record and says what counts:
//! the user's words, tool calls, how calls ended. Assistant prose, tool results,
//! summaries, reminders and notifications yield nothing. It keeps a few bytes a call
//! and never the text, so a session of any length can stream through it. A line it
//! cannot read is skipped: formats are the vendors' own and change.

mod branch;
mod claude_code;
mod codex;
mod copilot;
mod gemini_cli;
mod qwen_code;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use automode_core::{Outcome, ToolCall};
use memchr::memmem;
use serde_json::{Map, Value};

use crate::agent::Agent;

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

/// Reads one recorded session.
#[derive(Clone, Debug)]
pub struct Reader {
    format: Format,
    interest: Interest,
    place: Place,
    seen: HashSet<u64>,
}

/// What a record's lines tell beside what happened.
#[derive(Clone, Debug)]
struct Place {
    /// Where the session works; the fallback until a line says so.
    cwd: String,
    /// The model that speaks for the agent.
    model: Option<String>,
}

/// What a reader is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interest {
    Everything,
    /// Not how calls ended: lines that only tell that are not taken apart.
    WordsAndCalls,
}

#[derive(Clone, Copy, Debug)]
enum Format {
    ClaudeCode,
    Codex,
    GeminiCli,
    QwenCode,
    Copilot,
}

impl Format {
    /// What stands only in a line of tool output, and what only in one with a call. A quote inside
    /// a JSON string is escaped, so no words can look like this; the input of a call can, and a
    /// call must not hide itself.
    const fn marks(self) -> (&'static [&'static str], &'static str) {
        match self {
            Self::ClaudeCode => (
                &[r#""type":"tool_result""#, r#""type": "tool_result""#],
                r#""tool_use""#,
            ),
            Self::Codex => (
                &[
                    r#""type":"function_call_output""#,
                    r#""type":"custom_tool_call_output""#,
                    r#""type":"reasoning""#,
                ],
                r#""arguments""#,
            ),
            Self::GeminiCli => (&[], ""),
            Self::QwenCode => (&[r#""provenance":"tool_result""#], r#""functionCall""#),
            Self::Copilot => (
                &[r#""type":"tool.execution_complete""#],
                r#""toolRequests""#,
            ),
        }
    }

    fn is_noise(self, line: &[u8]) -> bool {
        let (output, call) = self.marks();
        let has = |mark: &str| memmem::find(line, mark.as_bytes()).is_some();
        output.iter().any(|mark| has(mark)) && !has(call)
    }
}

/// Past this many calls the oldest ids are forgotten; a repeated one would be read twice.
const MAX_SEEN: usize = 1 << 20;

impl Reader {
    /// A reader for an agent's record, or nothing for an agent that keeps none in a file.
    #[must_use]
    pub fn new(agent: Agent, cwd: &str) -> Option<Self> {
        let format = match agent {
            Agent::ClaudeCode => Format::ClaudeCode,
            Agent::Codex => Format::Codex,
            Agent::GeminiCli => Format::GeminiCli,
            Agent::QwenCode => Format::QwenCode,
            Agent::Copilot => Format::Copilot,
            Agent::Opencode | Agent::Generic => return None,
        };
        Some(Self {
            format,
            interest: Interest::Everything,
            place: Place {
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
        let cwd = &mut self.place.cwd;
        match self.format {
            Format::ClaudeCode => claude_code::read(line, &mut self.place, &mut items),
            Format::Codex => codex::read(line, cwd, &mut items),
            Format::GeminiCli => gemini_cli::read(line, cwd, &mut items),
            Format::QwenCode => qwen_code::read(line, cwd, &mut items),
            Format::Copilot => copilot::read(line, cwd, &mut items),
        }
        if self.interest == Interest::WordsAndCalls {
            items.retain(|item| !matches!(item, Item::Outcome { .. }));
        }
        items.retain(|item| self.is_new(item));
        items
    }

    /// What a whole document says: before it wrote lines, Gemini CLI kept a session as one object.
    pub fn read_document(&mut self, document: &[u8]) -> Vec<Item> {
        let mut items = Vec::new();
        match self.format {
            Format::GeminiCli => gemini_cli::read_document(document, &self.place.cwd, &mut items),
            Format::ClaudeCode | Format::Codex | Format::QwenCode | Format::Copilot => {}
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
fn plain_parts(parts: &[Value]) -> Option<String> {
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
fn input(value: Option<&Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(map)) => map.clone(),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(map)) => map,
            Ok(_) | Err(_) => Map::new(),
        },
        Some(_) | None => Map::new(),
    }
}
