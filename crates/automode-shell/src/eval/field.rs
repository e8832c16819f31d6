//! Fields: how an expansion becomes words, by splitting and by patterns.

use crate::ir::{Dynamic, Piece, Span, Value};

/// How much one word may become, in bytes.
pub(super) const MAX_SIZE: usize = 16 * 1024;

/// Words under construction.
pub(super) struct Fields {
    done: Vec<Value>,
    current: Vec<Piece>,
    /// Something is there even if it is empty: quotes, or text.
    present: bool,
    may_split: bool,
    span: Span,
    /// The characters to split at; `None` where they are not known.
    separators: Option<String>,
    /// Bytes and words so far.
    size: usize,
}

impl Fields {
    pub(super) fn new(span: Span, separators: Option<String>) -> Self {
        Self {
            done: Vec::new(),
            current: Vec::new(),
            present: false,
            may_split: false,
            span,
            separators,
            size: 0,
        }
    }

    /// More than is followed.
    pub(super) fn overflows(&self) -> bool {
        self.size > MAX_SIZE
    }

    fn grow(&mut self, pieces: &[Piece]) {
        let sizes = pieces.iter().map(|piece| match piece {
            Piece::Text(text) | Piece::Glob(text) => text.len(),
            Piece::Dynamic(_) => 8,
        });
        self.size = self.size.saturating_add(sizes.sum());
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Text that stands as it is.
    pub(super) fn quoted(&mut self, text: &str) {
        self.present = true;
        push_text(&mut self.current, text);
    }

    /// A value that stands as it is.
    pub(super) fn quoted_value(&mut self, value: Value) {
        self.present = true;
        self.may_split |= value.may_split;
        self.grow(&value.pieces);
        for piece in value.pieces {
            match piece {
                Piece::Text(text) => push_text(&mut self.current, &text),
                // `for f in *; do rm "$f"; done`: quotes keep the name in one word, but
                // it is still whatever the pattern has matched.
                Piece::Glob(_) | Piece::Dynamic(_) => self.current.push(piece),
            }
        }
    }

    /// An expansion to no word at all: quotes around nothing else leave none either.
    pub(super) fn vanish(&mut self) {
        let empty = |piece: &Piece| matches!(piece, Piece::Text(text) if text.is_empty());
        if self.current.iter().all(empty) {
            self.current.clear();
            self.present = false;
        }
    }

    /// Literal text of the script: patterns are active, blanks are not separators.
    pub(super) fn bare_text(&mut self, text: &str) {
        self.present = true;
        self.pattern(text);
    }

    fn pattern(&mut self, text: &str) {
        self.may_split |= push_pattern(&mut self.current, text) == Matches::Files;
    }

    /// The result of an expansion outside quotes: split, then patterns.
    pub(super) fn bare_value(&mut self, value: Value) {
        self.grow(&value.pieces);
        for piece in value.pieces {
            match piece {
                Piece::Text(text) => self.split(&text),
                Piece::Glob(pattern) => {
                    self.present = true;
                    self.may_split = true;
                    self.current.push(Piece::Glob(pattern));
                }
                Piece::Dynamic(dynamic) => self.dynamic(dynamic),
            }
        }
    }

    fn dynamic(&mut self, dynamic: Dynamic) {
        self.present = true;
        let splits = match &dynamic.source {
            crate::ir::DynamicSource::Number | crate::ir::DynamicSource::Name => false,
            crate::ir::DynamicSource::OneOf(texts) => texts
                .iter()
                .any(|text| text.is_empty() || text.contains([' ', '\t', '\n', '*', '?', '['])),
            crate::ir::DynamicSource::Variable(_)
            | crate::ir::DynamicSource::Argument
            | crate::ir::DynamicSource::Output
            | crate::ir::DynamicSource::Item
            | crate::ir::DynamicSource::Unknown => true,
        };
        self.may_split |= splits;
        self.current.push(Piece::Dynamic(dynamic));
    }

    fn split(&mut self, text: &str) {
        let Some(separators) = self.separators.clone() else {
            self.present = true;
            self.may_split = true;
            self.pattern(text);
            return;
        };
        let mut word = String::new();
        for character in text.chars() {
            if !separators.contains(character) {
                word.push(character);
                continue;
            }
            self.take(&mut word);
            // White space only ends a word; any other separator also makes an empty one.
            if self.present || !character.is_whitespace() {
                self.end();
            }
        }
        self.take(&mut word);
    }

    fn take(&mut self, word: &mut String) {
        if !word.is_empty() {
            self.present = true;
            self.pattern(word);
            word.clear();
        }
    }

    /// Ends the current word.
    pub(super) fn end(&mut self) {
        let pieces = std::mem::take(&mut self.current);
        self.done.push(Value {
            pieces,
            span: self.span,
            may_split: self.may_split,
        });
        self.present = false;
        self.may_split = false;
        self.size = self.size.saturating_add(8);
    }

    /// The words, with patterns that match no less than what was written.
    pub(super) fn finish_matching(self) -> Vec<Value> {
        let mut values = self.finish();
        for piece in values.iter_mut().flat_map(|value| &mut value.pieces) {
            if let Piece::Glob(pattern) = piece
                && pattern.contains('(')
            {
                *pattern = without_groups(pattern);
            }
        }
        values
    }

    pub(super) fn finish(mut self) -> Vec<Value> {
        if self.present {
            self.end();
        }
        self.done
    }
}

pub(super) fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(Piece::Text(before)) => before.push_str(text),
        Some(Piece::Glob(_) | Piece::Dynamic(_)) if text.is_empty() => {}
        Some(_) | None => pieces.push(Piece::Text(text.to_owned())),
    }
}

/// What a text outside quotes stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Matches {
    Itself,
    Files,
}

/// Text in which `*`, `?` and `[…]` match files, and extended patterns may.
fn push_pattern(pieces: &mut Vec<Piece>, text: &str) -> Matches {
    let active = |(at, character): (usize, char)| match character {
        '*' | '?' => true,
        '[' => text.get(at..).is_some_and(|rest| rest.contains(']')),
        '@' | '+' | '!' => text.get(at..).is_some_and(opens_group),
        _ => false,
    };
    match text.char_indices().find(|found| active(*found)) {
        None => {
            push_text(pieces, text);
            Matches::Itself
        }
        Some((at, _)) => {
            let (before, pattern) = text.split_at_checked(at).unwrap_or((text, ""));
            if !before.is_empty() {
                push_text(pieces, before);
            }
            pieces.push(Piece::Glob(pattern.to_owned()));
            Matches::Files
        }
    }
}

/// Whether a text begins with the opening of an extended pattern.
fn opens_group(text: &str) -> bool {
    text.as_bytes().get(1) == Some(&b'(')
}

/// The pattern with `*` in place of each extended pattern, which matches no less.
fn without_groups(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut depth = 0_usize;
    for (at, character) in pattern.char_indices() {
        let rest = pattern.get(at..).unwrap_or_default();
        match character {
            '@' | '+' | '!' | '?' | '*' if opens_group(rest) => {
                if depth == 0 && !out.ends_with('*') {
                    out.push('*');
                }
            }
            '(' if depth > 0 || out.ends_with('*') => depth = depth.saturating_add(1),
            ')' if depth > 0 => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ => out.push(character),
        }
    }
    out
}
