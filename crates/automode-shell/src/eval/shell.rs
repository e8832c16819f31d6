//! The state of a running shell: variables, functions, directory, streams.
//!
//! Subshells, branches and loops work on copies. [`Shell::join`] merges two ways
//! that a script may have taken; it never forgets a possibility.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::file::Files;
use super::outcome::Outcome;
use super::shared::Shared;
use crate::syntax::Command;
use crate::{
    Certainty, Context, Dynamic, DynamicSource, Host, Layer, Piece, Span, Stdin, Stdout, Taint,
    Value,
};

/// How many texts a variable may have at once.
const MAX_CHOICES: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Shell {
    pub(super) variables: Shared<BTreeMap<String, Binding>>,
    /// Several bodies where branches define a function differently.
    pub(super) functions: Shared<BTreeMap<String, Vec<Arc<Command>>>>,
    pub(super) aliases: Shared<BTreeMap<String, Value>>,
    pub(super) traps: Vec<Value>,
    /// `$1`, `$2` …; `None` where not even their number is known.
    pub(super) arguments: Option<Vec<Value>>,
    pub(super) zero: Value,
    pub(super) cwd: Option<String>,
    /// The directory before the last `cd`.
    pub(super) old_cwd: Option<String>,
    /// A `cd` that may have failed, with no `&&` behind it.
    pub(super) doubt: Option<Span>,
    /// Behind an `&&`: a failed `cd` would not get here.
    pub(super) guarded: bool,
    pub(super) stdin: Stdin,
    pub(super) stdout: Stdout,
    /// Descriptors that `exec` has connected to another machine.
    pub(super) connected: Vec<(u32, Host)>,
    pub(super) certainty: Certainty,
    pub(super) layers: Vec<Layer>,
    /// Bodies of functions that are being run, innermost last.
    pub(super) running: Vec<Arc<Command>>,
    /// The way ended: `exit`, `return`, `break`.
    pub(super) ended: bool,
    /// `set -e`.
    pub(super) stops_on_error: bool,
    /// Not this machine: paths and variables of here mean nothing.
    pub(super) remote: bool,
    pub(super) files: Files,
    /// What process substitutions write, by the place of the word.
    pub(super) streams: Shared<Vec<(Span, Outcome)>>,
    /// What `local` has hidden, innermost function last.
    pub(super) locals: Vec<Vec<(String, Option<Binding>)>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Binding {
    pub(super) value: Stored,
    pub(super) exported: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stored {
    Scalar(Value),
    List(Vec<Value>),
    /// An array of which only the marks are known.
    Hidden(Taint),
    Unset,
}

impl Shell {
    pub(super) fn new(context: &Context) -> Self {
        let mut variables = BTreeMap::new();
        for (name, text) in &context.variables {
            variables.insert(
                name.clone(),
                Binding::scalar(Value::text(text.as_str(), Span::default())),
            );
        }
        Self {
            variables: Shared::new(variables),
            functions: Shared::default(),
            aliases: Shared::default(),
            traps: Vec::new(),
            arguments: Some(Vec::new()),
            zero: Value::text("bash", Span::default()),
            cwd: Some(context.cwd.clone()).filter(|cwd| cwd.starts_with('/')),
            old_cwd: None,
            doubt: None,
            guarded: false,
            stdin: Stdin::Inherited,
            stdout: Stdout::Shown,
            connected: Vec::new(),
            certainty: Certainty::Always,
            layers: Vec::new(),
            running: Vec::new(),
            ended: false,
            stops_on_error: false,
            remote: false,
            files: Files::default(),
            streams: Shared::default(),
            locals: Vec::new(),
        }
    }

    /// A copy that a substitution, a pipe or a branch works on. Traps are not inherited.
    pub(super) fn child(&self) -> Self {
        Self {
            traps: Vec::new(),
            ..self.clone()
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Stored) {
        let exported = self
            .variables
            .get(name)
            .is_some_and(|binding| binding.exported);
        self.variables
            .insert(name.to_owned(), Binding { value, exported });
    }

    /// The variables that programs started now would see and that this command has set.
    pub(super) fn environment(&self) -> Vec<(String, Value)> {
        let visible = |name: &str, binding: &Binding| {
            binding.exported
                || name
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
        };
        self.variables
            .iter()
            .filter(|(name, binding)| visible(name, binding))
            .filter_map(|(name, binding)| match &binding.value {
                Stored::Scalar(value) if value.span != Span::default() => {
                    Some((name.clone(), value.clone()))
                }
                Stored::Scalar(_) | Stored::List(_) | Stored::Hidden(_) | Stored::Unset => None,
            })
            .collect()
    }

    /// Merges another way that the script may have taken to this point.
    pub(super) fn join(&mut self, other: Self) {
        if other.ended && !self.ended {
            self.remember(other);
            return;
        }
        if self.ended && !other.ended {
            let before = std::mem::replace(self, other);
            self.remember(before);
            return;
        }
        self.join_variables(&other);
        self.join_functions(&other);
        if self.cwd != other.cwd {
            self.cwd = None;
        }
        if self.arguments != other.arguments {
            self.arguments = None;
        }
        self.doubt = self.doubt.or(other.doubt);
        self.stops_on_error &= other.stops_on_error;
        self.remember(other);
    }

    /// Keeps what outlives a way that ended: files, aliases and traps.
    fn remember(&mut self, other: Self) {
        self.files.join(&other.files);
        if !self.aliases.is(&other.aliases) {
            let more = other
                .aliases
                .iter()
                .map(|(name, value)| (name.clone(), value.clone()));
            self.aliases.extend(more);
        }
        for trap in other.traps {
            if !self.traps.contains(&trap) {
                self.traps.push(trap);
            }
        }
    }

    fn join_functions(&mut self, other: &Self) {
        if self.functions.is(&other.functions) {
            return;
        }
        for (name, bodies) in other.functions.iter() {
            let known = self.functions.entry(name.clone()).or_default();
            for body in bodies {
                if !known.iter().any(|one| Arc::ptr_eq(one, body)) {
                    known.push(Arc::clone(body));
                }
            }
        }
    }

    fn join_variables(&mut self, other: &Self) {
        if self.variables.is(&other.variables) {
            return;
        }
        let names: Vec<String> = self
            .variables
            .keys()
            .chain(other.variables.keys())
            .cloned()
            .collect();
        for name in names {
            let (mine, theirs) = (self.variables.get(&name), other.variables.get(&name));
            if mine == theirs {
                continue;
            }
            let exported =
                mine.is_some_and(|one| one.exported) || theirs.is_some_and(|one| one.exported);
            let value = joined(mine.map(|one| &one.value), theirs.map(|one| &one.value));
            self.variables.insert(name, Binding { value, exported });
        }
    }
}

impl Binding {
    pub(super) fn scalar(value: Value) -> Self {
        Self {
            value: Stored::Scalar(value),
            exported: false,
        }
    }
}

impl Stored {
    pub(super) fn taint(&self) -> Taint {
        match self {
            Self::Scalar(value) => value.taint(),
            Self::List(values) => values
                .iter()
                .fold(Taint::NONE, |taint, value| taint.with(value.taint())),
            Self::Hidden(taint) => *taint,
            Self::Unset => Taint::NONE,
        }
    }
}

fn joined(mine: Option<&Stored>, theirs: Option<&Stored>) -> Stored {
    let taint = |stored: Option<&Stored>| stored.map_or(Taint::NONE, Stored::taint);
    let taint = taint(mine).with(taint(theirs));
    match (mine, theirs) {
        (Some(Stored::Scalar(mine)), Some(Stored::Scalar(theirs))) => {
            Stored::Scalar(either(mine, theirs))
        }
        (Some(Stored::List(_) | Stored::Hidden(_)), _)
        | (_, Some(Stored::List(_) | Stored::Hidden(_))) => Stored::Hidden(taint),
        (Some(Stored::Scalar(value)), _) | (_, Some(Stored::Scalar(value))) => {
            Stored::Scalar(Value::dynamic(DynamicSource::Unknown, taint, value.span))
        }
        (Some(Stored::Unset) | None, Some(Stored::Unset) | None) => Stored::Unset,
    }
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
