//! A row of tokens with its brackets paired, and the parts it is cut into.

use super::scan::{NESTING, STATEMENT};
use super::{Lexeme, ScriptToken};
use crate::{Language, Piece};
use std::collections::BTreeSet;

pub(super) struct TokenRow<'t> {
    pub(super) tokens: &'t [Lexeme],
    /// For each bracket the place of its other half.
    pub(super) pairs: Vec<usize>,
    /// Names that only bind something here: a pattern or an import.
    pub(super) binds: BTreeSet<usize>,
}

impl<'t> TokenRow<'t> {
    pub(super) fn new(tokens: &'t [Lexeme]) -> Option<Self> {
        let mut pairs = vec![usize::MAX; tokens.len()];
        let mut open = Vec::new();
        for (at, lexeme) in tokens.iter().enumerate() {
            match lexeme.token.mark() {
                "(" | "[" | "{" => {
                    open.push(at);
                    if open.len() > NESTING {
                        return None;
                    }
                }
                ")" | "]" | "}" => {
                    if let Some(start) = open.pop() {
                        if let Some(pair) = pairs.get_mut(start) {
                            *pair = at;
                        }
                        if let Some(pair) = pairs.get_mut(at) {
                            *pair = start;
                        }
                    }
                }
                _ => {}
            }
        }
        Some(Self {
            tokens,
            pairs,
            binds: BTreeSet::new(),
        })
    }

    pub(super) fn get(&self, at: usize) -> Option<&'t Lexeme> {
        self.tokens.get(at)
    }

    pub(super) fn token(&self, at: usize) -> Option<&'t ScriptToken> {
        self.tokens.get(at).map(|lexeme| &lexeme.token)
    }

    pub(super) fn before(&self, at: usize) -> Option<&'t ScriptToken> {
        self.token(at.checked_sub(1)?)
    }

    /// The place of the bracket that closes the one here.
    pub(super) fn closing(&self, open: usize) -> usize {
        self.pairs
            .get(open)
            .copied()
            .filter(|pair| *pair != usize::MAX && *pair > open)
            .unwrap_or(self.tokens.len())
    }

    pub(super) fn opening(&self, close: usize) -> usize {
        self.pairs
            .get(close)
            .copied()
            .filter(|pair| *pair < close)
            .unwrap_or(0)
    }

    pub(super) fn between(&self, open: usize, close: usize) -> &'t [Lexeme] {
        self.tokens
            .get(open.saturating_add(1)..close)
            .unwrap_or_default()
    }
}

pub(super) fn plain(pieces: &[Piece]) -> Option<String> {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Glob(_) | Piece::Dynamic(_) => None,
        })
        .collect()
}

/// Arguments at the commas between them.
pub(super) fn split(tokens: &[Lexeme]) -> Vec<&[Lexeme]> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, lexeme) in tokens.iter().enumerate() {
        match lexeme.token.mark() {
            "(" | "[" | "{" => depth = depth.saturating_add(1),
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                parts.push(tokens.get(start..at).unwrap_or_default());
                start = at.saturating_add(1);
            }
            _ => {}
        }
    }
    parts.push(tokens.get(start..).unwrap_or_default());
    parts.retain(|part| part.iter().any(|lexeme| lexeme.token != ScriptToken::Line));
    parts
}

/// How many tokens belong to a call without parentheses; nothing past the bound.
pub(super) fn statement_end(tokens: &[Lexeme], language: Language) -> Option<usize> {
    let mut depth = 0_usize;
    let mut previous: Option<&ScriptToken> = None;
    for (at, lexeme) in tokens.iter().take(STATEMENT).enumerate() {
        match lexeme.token.mark() {
            "(" | "[" => depth = depth.saturating_add(1),
            "{" if depth == 0 && language == Language::Ruby && at > 0 => return Some(at),
            "{" => depth = depth.saturating_add(1),
            ")" | "]" | "}" => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some(at),
            },
            ";" if depth == 0 => return Some(at),
            _ if depth == 0 && ends_statement(&lexeme.token, previous, language) => {
                return Some(at);
            }
            _ => {}
        }
        previous = Some(&lexeme.token);
    }
    (tokens.len() <= STATEMENT).then_some(tokens.len())
}

/// A word behind which another command or its condition stands, or the end of a line.
fn ends_statement(token: &ScriptToken, previous: Option<&ScriptToken>, language: Language) -> bool {
    const WORDS: &[&str] = &[
        "if", "unless", "while", "until", "for", "foreach", "do", "and", "or", "rescue",
    ];
    if *token == ScriptToken::Line {
        let goes_on = previous
            .is_some_and(|previous| matches!(previous.mark(), "," | "." | "+" | "&&" | "||"));
        return language == Language::Ruby && !goes_on;
    }
    token.name().is_some_and(|word| WORDS.contains(&word))
}
