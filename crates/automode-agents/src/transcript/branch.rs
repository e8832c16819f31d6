//! Words that the user took back.
//!
//! Clients let people go back in a conversation and take another way. The record keeps
//! both ways; only the one that was taken in the end counts. Some link every line to
//! the one before it, so a fork shows; others write down how far they went back.
//! [`Branches`] is fed the same lines as a reader, before it.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Item, Reader};
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
#[derive(Clone, Copy, Debug)]
pub(crate) enum BranchStyle {
    /// Every line names the one before it.
    Linked(fn(&[u8]) -> Option<BranchLink>),
    /// The record says to which turn or message it went back: from a line, where it stands and
    /// the user's words in it.
    Stepped(fn(&[u8], u64, &mut Reader, &mut Turns)),
}

/// A line by its own name and that of the line before it.
#[derive(Clone, Debug)]
pub(crate) struct BranchLink {
    pub(crate) own: String,
    pub(crate) before: Option<String>,
}

#[derive(Clone, Debug)]
enum Ways {
    Linked(fn(&[u8]) -> Option<BranchLink>, Vec<LinkedLine>),
    Stepped(fn(&[u8], u64, &mut Reader, &mut Turns), Turns),
}

#[derive(Clone, Debug)]
struct LinkedLine {
    line: u64,
    own: u64,
    before: Option<u64>,
    words: bool,
}

/// The turns of a record that still count, and the lines that no longer do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns {
    turns: Vec<BranchTurn>,
    gone: TakenBack,
}

/// Lines that belong together and go together.
#[derive(Clone, Debug)]
struct BranchTurn {
    name: u64,
    lines: Vec<u64>,
}

impl Turns {
    /// A line of the turn of this name, wherever that began.
    pub(crate) fn add(&mut self, turn: &str, at: u64) {
        let name = name(turn);
        match self.turns.iter_mut().find(|turn| turn.name == name) {
            Some(turn) => turn.lines.push(at),
            None => self.begin(name, at),
        }
    }

    /// Words of the user, which may stand there twice, one behind the other.
    pub(crate) fn say(&mut self, words: &str, at: u64) {
        let said = name(words);
        match self.turns.last_mut() {
            Some(turn) if turn.name == said && turn.lines.len() == 1 => turn.lines.push(at),
            Some(_) | None => self.begin(said, at),
        }
    }

    /// Takes a turn and all behind it back.
    pub(crate) fn back_to(&mut self, turn: &str) {
        let back = name(turn);
        let keep = self.turns.iter().position(|turn| turn.name == back);
        self.withdraw(keep.unwrap_or_default());
    }

    /// Takes the last turns back.
    pub(crate) fn back_by(&mut self, count: usize) {
        self.withdraw(self.turns.len().saturating_sub(count));
    }

    fn begin(&mut self, name: u64, at: u64) {
        self.turns.push(BranchTurn {
            name,
            lines: vec![at],
        });
    }

    fn withdraw(&mut self, keep: usize) {
        let back = self.turns.split_off(keep.min(self.turns.len()));
        let lines = back.into_iter().flat_map(|turn| turn.lines);
        self.gone.0.extend(lines);
    }
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
        let ways = match reader.format.branches? {
            BranchStyle::Linked(link) => Ways::Linked(link, Vec::new()),
            BranchStyle::Stepped(step) => Ways::Stepped(step, Turns::default()),
        };
        Some(Self {
            reader: reader.without_outcomes(),
            ways,
        })
    }

    /// Takes one line in, with its place in the record.
    pub fn note(&mut self, at: u64, line: &[u8]) {
        match &mut self.ways {
            Ways::Linked(link, links) => {
                let words = |reader: &mut Reader| says(reader, line).is_some();
                links.extend(link(line).map(|link| LinkedLine {
                    line: at,
                    own: name(&link.own),
                    before: link.before.as_deref().map(name),
                    words: words(&mut self.reader),
                }));
            }
            Ways::Stepped(step, turns) => step(line, at, &mut self.reader, turns),
        }
    }

    /// What was taken back by the end.
    #[must_use]
    pub fn finish(self) -> TakenBack {
        match self.ways {
            Ways::Linked(_, links) => abandoned(&links),
            Ways::Stepped(_, turns) => turns.gone,
        }
    }
}

/// Words that the last line does not go back to.
fn abandoned(links: &[LinkedLine]) -> TakenBack {
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

/// The user's words in a line.
pub(crate) fn says(reader: &mut Reader, line: &[u8]) -> Option<String> {
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
