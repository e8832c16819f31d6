//! Words that the user took back.
//!
//! Clients let people go back in a conversation and take another way. The record keeps
//! both ways; only the one that was taken in the end counts. Claude Code links every
//! line to the one before it, so a fork shows; Gemini CLI and Codex write down how far
//! they went back. [`Branches`] is fed the same lines as a reader, before it.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;
use serde_json::Value;

use super::{Format, Item, Reader};
use crate::agent::Agent;

/// Finds the lines of a record whose words no longer count.
#[derive(Clone, Debug)]
pub struct Branches {
    reader: Reader,
    ways: Ways,
}

/// The lines of a record, by the places given with them, whose words were taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenBack(HashSet<u64>);

/// How a format tells of ways not taken.
#[derive(Clone, Debug)]
enum Ways {
    /// Every line names the one before it.
    Linked(Vec<Link>),
    /// The record says to which turn or message it went back.
    Stepped { turns: Vec<Turn>, gone: TakenBack },
}

#[derive(Clone, Debug)]
struct Link {
    line: u64,
    own: u64,
    before: Option<u64>,
    words: bool,
}

/// Lines that belong together and go together.
#[derive(Clone, Debug)]
struct Turn {
    name: u64,
    lines: Vec<u64>,
}

impl TakenBack {
    #[must_use]
    pub fn holds(&self, place: u64) -> bool {
        self.0.contains(&place)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Branches {
    /// Nothing for an agent whose record has no ways that were not taken.
    #[must_use]
    pub fn new(agent: Agent) -> Option<Self> {
        let reader = Reader::new(agent, "/")?;
        let ways = match reader.format {
            Format::ClaudeCode => Ways::Linked(Vec::new()),
            Format::Codex | Format::GeminiCli => Ways::Stepped {
                turns: Vec::new(),
                gone: TakenBack::default(),
            },
            Format::QwenCode | Format::Copilot => return None,
        };
        Some(Self {
            reader: reader.without_outcomes(),
            ways,
        })
    }

    /// Takes one line in, with its place in the record.
    pub fn note(&mut self, at: u64, line: &[u8]) {
        match (&mut self.ways, self.reader.format) {
            (Ways::Linked(links), _) => links.extend(link(at, line, &mut self.reader)),
            (Ways::Stepped { turns, gone }, Format::GeminiCli) => message(at, line, turns, gone),
            (Ways::Stepped { turns, gone }, _) => {
                turn(at, line, &mut self.reader, turns, gone);
            }
        }
    }

    /// What was taken back by the end.
    #[must_use]
    pub fn finish(self) -> TakenBack {
        match self.ways {
            Ways::Linked(links) => abandoned(&links),
            Ways::Stepped { gone, .. } => gone,
        }
    }
}

// --- Claude Code ----------------------------------------------------------------------------------

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Linked {
    uuid: Option<String>,
    parent_uuid: Option<String>,
    /// What a summary stands behind.
    logical_parent_uuid: Option<String>,
    #[serde(default)]
    is_sidechain: bool,
}

fn link(at: u64, line: &[u8], reader: &mut Reader) -> Option<Link> {
    let linked: Linked = serde_json::from_slice(line).ok()?;
    if linked.is_sidechain {
        return None;
    }
    let before = linked.parent_uuid.or(linked.logical_parent_uuid);
    Some(Link {
        line: at,
        own: name(&linked.uuid?),
        before: before.as_deref().map(name),
        words: says(reader, line).is_some(),
    })
}

/// Words that the last line does not go back to.
fn abandoned(links: &[Link]) -> TakenBack {
    let places: HashMap<u64, usize> = links
        .iter()
        .enumerate()
        .map(|(at, link)| (link.own, at))
        .collect();
    let mut taken = HashSet::new();
    let mut end = links.len();
    while let Some(tip) = end.checked_sub(1) {
        let mut at = tip;
        // A line is linked to an earlier one, so this ends.
        let root = loop {
            let Some(link) = links.get(at) else { break at };
            taken.insert(link.line);
            let before = link.before.and_then(|before| places.get(&before));
            match before {
                Some(before) if *before < at => at = *before,
                Some(_) | None => break at,
            }
        };
        // With the user's first words a conversation begins; what stands before it was another
        // try. Anything else begins behind a summary or in the middle of a record.
        let begins = links
            .get(root)
            .is_some_and(|link| link.words && link.before.is_none());
        if begins {
            break;
        }
        end = root;
    }
    let gone = links
        .iter()
        .filter(|link| link.words && !taken.contains(&link.line))
        .map(|link| link.line);
    TakenBack(gone.collect())
}

// --- Gemini CLI -----------------------------------------------------------------------------------

/// `$rewindTo` takes a message and all behind it back; a later line with the same id replaces it.
fn message(at: u64, line: &[u8], turns: &mut Vec<Turn>, gone: &mut TakenBack) {
    let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(line) else {
        return;
    };
    let text = |field: &str| fields.get(field).and_then(Value::as_str).map(name);
    if let Some(back) = text("$rewindTo") {
        let keep = turns.iter().position(|turn| turn.name == back);
        withdraw(turns, keep.unwrap_or_default(), gone);
    } else if let Some(id) = text("id") {
        match turns.iter_mut().find(|turn| turn.name == id) {
            Some(turn) => turn.lines.push(at),
            None => turns.push(Turn {
                name: id,
                lines: vec![at],
            }),
        }
    }
}

// --- Codex ----------------------------------------------------------------------------------------

/// `thread_rolled_back` takes the last turns back. A turn's words may stand there twice, as
/// an event and as a message.
fn turn(at: u64, line: &[u8], reader: &mut Reader, turns: &mut Vec<Turn>, gone: &mut TakenBack) {
    if let Some(count) = rolled_back(line) {
        withdraw(turns, turns.len().saturating_sub(count), gone);
    } else if let Some(words) = says(reader, line) {
        let said = name(&words);
        match turns.last_mut() {
            Some(turn) if turn.name == said && turn.lines.len() == 1 => turn.lines.push(at),
            Some(_) | None => turns.push(Turn {
                name: said,
                lines: vec![at],
            }),
        }
    }
}

fn rolled_back(line: &[u8]) -> Option<usize> {
    const KIND: &[u8] = b"thread_rolled_back";
    line.windows(KIND.len()).find(|part| *part == KIND)?;
    let line: Value = serde_json::from_slice(line).ok()?;
    let payload = line.get("payload")?;
    (payload.get("type")?.as_str()? == "thread_rolled_back").then_some(())?;
    let count = payload.get("num_turns")?.as_u64()?;
    Some(usize::try_from(count).unwrap_or(usize::MAX))
}

// --------------------------------------------------------------------------------------------------

fn withdraw(turns: &mut Vec<Turn>, keep: usize, gone: &mut TakenBack) {
    let back = turns.split_off(keep.min(turns.len()));
    gone.0.extend(back.into_iter().flat_map(|turn| turn.lines));
}

/// The user's words in a line.
fn says(reader: &mut Reader, line: &[u8]) -> Option<String> {
    reader.read(line).into_iter().find_map(|item| match item {
        Item::User(words) => Some(words),
        Item::Call { .. } | Item::Outcome { .. } => None,
    })
}

fn name(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
