//! Shell patterns against known text.
//!
//! Only what is matched to the letter: `*`, `?` and plain characters. A bracket
//! expression, what may be an extended pattern, or an unknown part makes no
//! pattern, so that its user gives up.

use crate::ir::{Piece, Value};

pub(super) struct Pattern(Vec<PatternToken>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternToken {
    Exactly(char),
    Any,
    Many,
}

impl Pattern {
    pub(super) fn of(value: &Value) -> Option<Self> {
        let mut tokens = Vec::new();
        for piece in &value.pieces {
            match piece {
                // Where it came out of an expansion a backslash is no character of its own.
                Piece::Text(text) | Piece::Glob(text) if text.contains('\\') => return None,
                Piece::Text(text) | Piece::Glob(text) if has_group(text) => return None,
                Piece::Text(text) => tokens.extend(text.chars().map(PatternToken::Exactly)),
                Piece::Glob(text) if text.contains('[') => return None,
                Piece::Glob(text) => tokens.extend(text.chars().map(|character| match character {
                    '*' => PatternToken::Many,
                    '?' => PatternToken::Any,
                    other => PatternToken::Exactly(other),
                })),
                Piece::Dynamic(_) => return None,
            }
        }
        Some(Self(tokens))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The text where there is no wildcard.
    pub(super) fn literal(&self) -> Option<String> {
        self.0
            .iter()
            .map(|token| match token {
                PatternToken::Exactly(character) => Some(*character),
                PatternToken::Any | PatternToken::Many => None,
            })
            .collect()
    }

    /// Whether the whole text matches. Linear in the product of the lengths.
    pub(super) fn matches(&self, text: &str) -> bool {
        let mut states = vec![false; self.0.len() + 1];
        if let Some(first) = states.first_mut() {
            *first = true;
        }
        self.spread(&mut states);
        for character in text.chars() {
            let mut next = vec![false; states.len()];
            for (at, token) in self.0.iter().enumerate() {
                if !states.get(at).copied().unwrap_or(false) {
                    continue;
                }
                let to = match token {
                    PatternToken::Exactly(wanted) if *wanted == character => at + 1,
                    PatternToken::Any => at + 1,
                    PatternToken::Many => at,
                    PatternToken::Exactly(_) => continue,
                };
                if let Some(state) = next.get_mut(to) {
                    *state = true;
                }
            }
            self.spread(&mut next);
            states = next;
        }
        states.last().copied().unwrap_or(false)
    }

    /// `*` also stands for nothing.
    fn spread(&self, states: &mut [bool]) {
        for (at, token) in self.0.iter().enumerate() {
            if *token == PatternToken::Many
                && states.get(at).copied().unwrap_or(false)
                && let Some(state) = states.get_mut(at + 1)
            {
                *state = true;
            }
        }
    }

    /// Whether any part of the text matches.
    pub(super) fn matches_within(&self, text: &str) -> bool {
        let mut tokens = vec![PatternToken::Many];
        tokens.extend(&self.0);
        tokens.push(PatternToken::Many);
        Self(tokens).matches(text)
    }
}

/// Whether a text may hold an extended pattern such as `+(a|b)`.
fn has_group(text: &str) -> bool {
    ["?(", "*(", "+(", "@(", "!("]
        .iter()
        .any(|open| text.contains(open))
}
