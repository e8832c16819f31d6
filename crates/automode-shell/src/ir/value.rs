//! A word of the shell after expansion, as far as it is known.
//!
//! A [`Value`] is a row of pieces. Where every piece is text the value is known
//! to the letter; otherwise the known parts and the origin of the unknown ones
//! remain, so that `rm -rf "$DIR/build"` still shows its suffix.

use std::borrow::Cow;

use super::{Span, Taint};

/// One word after expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    pub pieces: Vec<Piece>,
    pub span: Span,
    /// It stands for any number of words: an unquoted expansion or pattern.
    pub may_split: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Known text, quotes removed.
    Text(String),
    /// A name that a pattern (`*`, `?`, `[a-z]`, extglob) matches. Where the word
    /// may split it is all of them, otherwise one of which nothing more is known:
    /// quotes do not make it known.
    Glob(String),
    Dynamic(Dynamic),
}

/// A part that is only known when the command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dynamic {
    pub source: DynamicSource,
    pub taint: Taint,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DynamicSource {
    /// A variable that nothing in the command sets.
    Variable(String),
    /// A positional parameter of a script or function.
    Argument,
    /// The output of a command.
    Output,
    /// One of these texts: branches and loops assigned differently.
    OneOf(Vec<String>),
    /// A line or file name that a producer hands on (`read`, `xargs`, `find -exec`).
    Item,
    /// A number.
    Number,
    /// One word that cannot lead anywhere by itself: it begins with a letter or a digit
    /// and holds no slash, blank, quote or pattern (`date +%F`, `whoami`, a commit).
    Name,
    Unknown,
}

impl DynamicSource {
    /// A part of a name that cannot lead out of a directory.
    #[must_use]
    pub const fn stays_in_place(&self) -> bool {
        match self {
            Self::Number | Self::Name => true,
            Self::Variable(_)
            | Self::Argument
            | Self::Output
            | Self::OneOf(_)
            | Self::Item
            | Self::Unknown => false,
        }
    }
}

impl Value {
    #[must_use]
    pub fn text(text: impl Into<String>, span: Span) -> Self {
        Self {
            pieces: vec![Piece::Text(text.into())],
            span,
            may_split: false,
        }
    }

    #[must_use]
    pub fn dynamic(source: DynamicSource, taint: Taint, span: Span) -> Self {
        Self {
            pieces: vec![Piece::Dynamic(Dynamic { source, taint })],
            span,
            may_split: false,
        }
    }

    /// The whole text where every piece is known and none is a pattern.
    #[must_use]
    pub fn literal(&self) -> Option<Cow<'_, str>> {
        match self.pieces.as_slice() {
            [] => Some(Cow::Borrowed("")),
            [Piece::Text(text)] => Some(Cow::Borrowed(text)),
            pieces => pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => Some(text.as_str()),
                    Piece::Glob(_) | Piece::Dynamic(_) => None,
                })
                .collect::<Option<String>>()
                .map(Cow::Owned),
        }
    }

    /// The known text in front of the first piece that is not plain text.
    #[must_use]
    pub fn prefix(&self) -> Cow<'_, str> {
        let mut known = self.pieces.iter().map_while(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Glob(_) | Piece::Dynamic(_) => None,
        });
        match (known.next(), known.next()) {
            (None, _) => Cow::Borrowed(""),
            (Some(only), None) => Cow::Borrowed(only),
            (Some(first), Some(second)) => {
                let mut text = format!("{first}{second}");
                text.extend(known);
                Cow::Owned(text)
            }
        }
    }

    /// All marks of the pieces together.
    #[must_use]
    pub fn taint(&self) -> Taint {
        self.pieces
            .iter()
            .fold(Taint::NONE, |taint, piece| match piece {
                Piece::Dynamic(dynamic) => taint.with(dynamic.taint),
                // Names that a listing printed tell what is on this machine.
                Piece::Glob(pattern) if pattern.contains("**") => taint.with(Taint::LOCAL),
                Piece::Text(_) | Piece::Glob(_) => taint,
            })
    }

    /// What every line of a text matches, where it is names and nothing else.
    #[must_use]
    pub fn lines_match(&self) -> Option<Self> {
        let mut pieces = self.pieces.clone();
        if matches!(pieces.last(), Some(Piece::Text(text)) if text == "\n") {
            pieces.pop();
        }
        let plain = |text: &str| !text.contains([' ', '\t', '\n', '"', '\'', '\\']);
        let names = match pieces.as_slice() {
            [Piece::Glob(_)] => true,
            [Piece::Text(folder), Piece::Glob(_)] => plain(folder),
            _ => false,
        };
        names.then_some(Self {
            pieces,
            span: self.span,
            may_split: true,
        })
    }

    /// One of the words that it stands for.
    #[must_use]
    pub fn member(mut self) -> Self {
        self.may_split = false;
        self
    }

    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Dynamic(_)))
    }

    /// The word for people: patterns as typed, unknown parts as `$NAME` or `…`.
    #[must_use]
    pub fn shown(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Glob(text) => Cow::Borrowed(text.as_str()),
                Piece::Dynamic(Dynamic {
                    source: DynamicSource::Variable(name),
                    ..
                }) => Cow::Owned(format!("${name}")),
                Piece::Dynamic(_) => Cow::Borrowed("…"),
            })
            .collect()
    }

    /// The values it may have where parts are one of several texts, or nothing past `limit` of them.
    #[must_use]
    pub fn choices(&self, limit: usize) -> Option<Vec<Self>> {
        let mut choices = vec![Self {
            pieces: Vec::new(),
            ..self.clone()
        }];
        for piece in &self.pieces {
            match piece {
                Piece::Dynamic(Dynamic {
                    source: DynamicSource::OneOf(texts),
                    ..
                }) => {
                    if choices.len().saturating_mul(texts.len()) > limit {
                        return None;
                    }
                    choices = choices
                        .iter()
                        .flat_map(|choice| {
                            texts.iter().map(|text| {
                                let mut choice = choice.clone();
                                choice.pieces.push(Piece::Text(text.clone()));
                                choice
                            })
                        })
                        .collect();
                }
                Piece::Text(_) | Piece::Glob(_) | Piece::Dynamic(_) => {
                    for choice in &mut choices {
                        choice.pieces.push(piece.clone());
                    }
                }
            }
        }
        Some(choices)
    }

    /// The word without its first bytes, which must be plain text.
    #[must_use]
    pub fn after(&self, bytes: usize) -> Self {
        let mut left = bytes;
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) if left > 0 => {
                    match text.get(left..) {
                        Some("") | None => {}
                        Some(rest) => pieces.push(Piece::Text(rest.to_owned())),
                    }
                    left = left.saturating_sub(text.len());
                }
                Piece::Text(_) | Piece::Glob(_) | Piece::Dynamic(_) => pieces.push(piece.clone()),
            }
        }
        Self {
            pieces,
            span: self.span,
            may_split: self.may_split,
        }
    }

    /// Cuts the word at the first `mark` within its known beginning.
    #[must_use]
    pub fn split_once(&self, mark: char) -> Option<(String, Self)> {
        let prefix = self.prefix();
        let (before, _) = prefix.split_once(mark)?;
        let rest = self.after(before.len().saturating_add(mark.len_utf8()));
        Some((before.to_owned(), rest))
    }

    /// The words with a space between each two.
    #[must_use]
    pub fn join(words: &[Self]) -> Self {
        let mut joined = Self::default();
        for (index, word) in words.iter().enumerate() {
            if index == 0 {
                joined.span = word.span;
            } else {
                joined.pieces.push(Piece::Text(" ".to_owned()));
            }
            joined.pieces.extend(word.pieces.iter().cloned());
            joined.span = joined.span.to(word.span);
            joined.may_split |= word.may_split;
        }
        joined
    }

    /// Nothing is known about how the word begins.
    #[must_use]
    pub fn begins_unknown(&self) -> bool {
        let first = self
            .pieces
            .iter()
            .find(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        matches!(first, Some(Piece::Dynamic(dynamic)) if dynamic.source != DynamicSource::Name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed() -> Value {
        Value {
            pieces: vec![
                Piece::Text("--out=".to_owned()),
                Piece::Text("a".to_owned()),
                Piece::Glob("*".to_owned()),
            ],
            ..Value::default()
        }
    }

    #[test]
    fn a_word_is_cut_within_its_known_text() {
        let cut = |bytes| mixed().after(bytes).shown();
        assert_eq!(cut(0), "--out=a*");
        assert_eq!(cut(2), "out=a*");
        assert_eq!(cut(6), "a*");
        assert_eq!(cut(7), "*");
        let (name, value) = mixed().split_once('=').unwrap();
        assert_eq!((name.as_str(), value.shown().as_str()), ("--out", "a*"));
        assert_eq!(mixed().split_once('*'), None);
    }

    #[test]
    fn words_join_with_spaces() {
        let words = ["a", "", "b c"].map(|text| Value::text(text, Span::default()));
        assert_eq!(Value::join(&words).literal().as_deref(), Some("a  b c"));
        assert_eq!(Value::join(&[]).literal().as_deref(), Some(""));
    }

    #[test]
    fn an_empty_beginning_hides_nothing() {
        let mut word = Value::dynamic(DynamicSource::Unknown, Taint::NONE, Span::default());
        assert!(word.begins_unknown());
        word.pieces.insert(0, Piece::Text(String::new()));
        assert!(word.begins_unknown());
        word.pieces.insert(0, Piece::Text("a".to_owned()));
        assert!(!word.begins_unknown());
    }
}
