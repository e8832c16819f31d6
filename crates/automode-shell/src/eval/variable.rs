//! What a variable holds, and how it takes what it is given.
//!
//! Attributes change what an assignment leaves behind: numbers are evaluated,
//! letters folded, a fixed variable keeps its value. Joining two ways that a
//! script may have taken never forgets a possibility.

use std::collections::BTreeMap;

use crate::ir::{Dynamic, DynamicSource, Piece, Taint, Value};

/// How many texts a variable may have at once.
const MAX_CHOICES: usize = 16;

/// Variables that bash sets by itself: what a script assigns to them does not last.
const VOLATILE: &[&str] = &[
    "BASHOPTS",
    "BASHPID",
    "BASH_ARGC",
    "BASH_ARGV",
    "BASH_COMMAND",
    "BASH_LINENO",
    "BASH_REMATCH",
    "BASH_SOURCE",
    "BASH_SUBSHELL",
    "BASH_VERSINFO",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "LINENO",
    "PIPESTATUS",
    "PPID",
    "RANDOM",
    "SECONDS",
    "SHELLOPTS",
    "SRANDOM",
    "UID",
    "_",
];

#[derive(Clone, Debug, PartialEq)]
pub(super) struct VariableBinding {
    pub(super) value: Stored,
    pub(super) exported: bool,
    pub(super) nature: VariableNature,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stored {
    Scalar(Value),
    List(Vec<Value>),
    /// An associative array.
    Map(BTreeMap<String, Value>),
    /// An array of which only the marks are known.
    Hidden(Taint),
    /// Another variable under this name: `declare -n`.
    Reference(String),
    Unset,
}

/// What `declare` has made of a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct VariableNature {
    /// What is assigned is evaluated.
    pub(super) integer: bool,
    pub(super) casing: Option<Casing>,
    /// Assignments fail.
    pub(super) fixed: bool,
    /// Subscripts are texts.
    pub(super) keyed: bool,
}

/// How letters are changed on the way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Casing {
    Upper,
    Lower,
    /// Only the first letter, or one way and the other.
    Unsure,
}

impl VariableBinding {
    pub(super) fn scalar(value: Value) -> Self {
        Self {
            value: Stored::Scalar(value),
            exported: false,
            nature: VariableNature::default(),
        }
    }

    /// This or the other, by the way that was taken.
    pub(super) fn joined(mine: Option<&Self>, theirs: Option<&Self>) -> Self {
        let exported =
            mine.is_some_and(|one| one.exported) || theirs.is_some_and(|one| one.exported);
        let nature = |one: Option<&Self>| one.map_or(VariableNature::default(), |one| one.nature);
        Self {
            value: Stored::joined(mine.map(|one| &one.value), theirs.map(|one| &one.value)),
            exported,
            nature: nature(mine).joined(nature(theirs)),
        }
    }
}

impl VariableNature {
    fn joined(self, other: Self) -> Self {
        Self {
            integer: self.integer || other.integer,
            casing: if self.casing == other.casing {
                self.casing
            } else {
                Some(Casing::Unsure)
            },
            fixed: self.fixed || other.fixed,
            keyed: self.keyed || other.keyed,
        }
    }

    /// Folds the letters of a value as the variable does.
    pub(super) fn cased(self, value: Value) -> Value {
        let (Some(casing), span) = (self.casing, value.span) else {
            return value;
        };
        let text = value.literal().filter(|text| text.is_ascii());
        match (casing, text) {
            (Casing::Upper, Some(text)) => Value::text(text.to_ascii_uppercase(), span),
            (Casing::Lower, Some(text)) => Value::text(text.to_ascii_lowercase(), span),
            (Casing::Upper | Casing::Lower | Casing::Unsure, _) => {
                Value::dynamic(DynamicSource::Unknown, value.taint(), span)
            }
        }
    }
}

impl Stored {
    pub(super) fn taint(&self) -> Taint {
        match self {
            Self::Scalar(value) => value.taint(),
            Self::List(values) => taint_of_all(values),
            Self::Map(values) => taint_of_all(values.values()),
            Self::Hidden(taint) => *taint,
            Self::Reference(_) | Self::Unset => Taint::NONE,
        }
    }

    /// The one value of a plain variable.
    pub(super) const fn scalar(&self) -> Option<&Value> {
        match self {
            Self::Scalar(value) => Some(value),
            Self::List(_) | Self::Map(_) | Self::Hidden(_) | Self::Reference(_) | Self::Unset => {
                None
            }
        }
    }

    /// Forgets all but the marks.
    pub(super) fn give_up(&mut self) {
        let taint = self.taint();
        *self = match self {
            Self::Scalar(value) => {
                Self::Scalar(Value::dynamic(DynamicSource::Unknown, taint, value.span))
            }
            Self::List(_) | Self::Map(_) | Self::Hidden(_) | Self::Reference(_) | Self::Unset => {
                Self::Hidden(taint)
            }
        };
    }

    /// One or the other.
    pub(super) fn joined(mine: Option<&Self>, theirs: Option<&Self>) -> Self {
        if let (Some(mine), Some(theirs)) = (mine, theirs)
            && mine == theirs
        {
            return mine.clone();
        }
        let taint = |stored: Option<&Self>| stored.map_or(Taint::NONE, Self::taint);
        let taint = taint(mine).with(taint(theirs));
        match (mine, theirs) {
            (Some(Self::Scalar(mine)), Some(Self::Scalar(theirs))) => {
                Self::Scalar(either(mine, theirs))
            }
            (Some(Self::List(_) | Self::Map(_) | Self::Hidden(_) | Self::Reference(_)), _)
            | (_, Some(Self::List(_) | Self::Map(_) | Self::Hidden(_) | Self::Reference(_))) => {
                Self::Hidden(taint)
            }
            (Some(Self::Scalar(value)), _) | (_, Some(Self::Scalar(value))) => {
                Self::Scalar(Value::dynamic(DynamicSource::Unknown, taint, value.span))
            }
            (Some(Self::Unset) | None, Some(Self::Unset) | None) => Self::Unset,
        }
    }
}

/// Whether bash itself decides what the variable holds.
pub(super) fn is_volatile(name: &str) -> bool {
    VOLATILE.contains(&name)
}

/// All marks of some values together.
pub(super) fn taint_of_all<'v>(values: impl IntoIterator<Item = &'v Value>) -> Taint {
    let taints = values.into_iter().map(Value::taint);
    taints.fold(Taint::NONE, Taint::with)
}

/// One value or the other.
pub(super) fn either(mine: &Value, theirs: &Value) -> Value {
    if mine.pieces == theirs.pieces {
        return mine.clone();
    }
    let taint = mine.taint().with(theirs.taint());
    let mut texts = Vec::new();
    for value in [mine, theirs] {
        match (value.literal(), value.pieces.as_slice()) {
            (Some(text), _) => texts.push(text.into_owned()),
            (
                None,
                [
                    Piece::Dynamic(Dynamic {
                        source: DynamicSource::OneOf(more),
                        ..
                    }),
                ],
            ) => texts.extend(more.iter().cloned()),
            (None, _) => return Value::dynamic(DynamicSource::Unknown, taint, mine.span),
        }
    }
    texts.sort();
    texts.dedup();
    if texts.len() > MAX_CHOICES {
        return Value::dynamic(DynamicSource::Unknown, taint, mine.span);
    }
    Value::dynamic(DynamicSource::OneOf(texts), taint, mine.span)
}
