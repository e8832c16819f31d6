//! `$name` and `${name…}` to values.

use std::borrow::Cow;

use super::Evaluator;
use super::expand::{Expansion, Quotes};
use super::field::{MAX_SIZE, push_text};
use super::outcome::unknown;
use super::pattern::Pattern;
use super::shell::{Shell, Stored};
use crate::place::taint_of_variable;
use crate::syntax::{End, Fallback, Fold, Operation, Parameter, ReplaceScope, Subscript, Word};
use crate::{DynamicSource, Piece, Span, Taint, Value};

/// The longest text from which a pattern with wildcards is trimmed.
const MAX_TRIMMED: usize = 128;

impl Evaluator<'_> {
    pub(super) fn parameter(
        &mut self,
        parameter: &Parameter,
        span: Span,
        shell: &mut Shell,
    ) -> Expansion {
        let Some(values) = self.values(parameter, span, shell) else {
            return Expansion::One(self.operate(parameter, None, span, shell));
        };
        match values {
            Expansion::One(value) => {
                Expansion::One(self.operate(parameter, Some(value), span, shell))
            }
            Expansion::Many(values) => self.operate_each(parameter, values, span, shell),
        }
    }

    /// The value before the operator; `None` where the variable is known to be unset.
    fn values(
        &mut self,
        parameter: &Parameter,
        span: Span,
        shell: &mut Shell,
    ) -> Option<Expansion> {
        if matches!(parameter.operation, Operation::Names | Operation::Keys) {
            return Some(Expansion::One(splitting(Value::dynamic(
                DynamicSource::Unknown,
                Taint::NONE,
                span,
            ))));
        }
        let mut name = Cow::Borrowed(parameter.name.as_str());
        if parameter.indirect {
            let pointer = self.variable(&name, shell, span);
            match pointer.literal() {
                Some(target) if is_name(&target) => name = Cow::Owned(target.into_owned()),
                _ => {
                    self.evaluated_name(&pointer);
                    return Some(Expansion::One(Value::dynamic(
                        DynamicSource::Unknown,
                        pointer.taint(),
                        span,
                    )));
                }
            }
        }
        if matches!(name.as_ref(), "@" | "*") {
            return Some(arguments(shell, &name, span));
        }
        match &parameter.subscript {
            None => self.scalar(&name, shell, span).map(Expansion::One),
            Some(subscript) => self.subscripted(&name, subscript, span, shell),
        }
    }

    fn subscripted(
        &mut self,
        name: &str,
        subscript: &Subscript,
        span: Span,
        shell: &mut Shell,
    ) -> Option<Expansion> {
        let key = match subscript {
            Subscript::All | Subscript::Joined => None,
            Subscript::Key(word) => {
                let key = self.expand(word, shell, Quotes::Implied);
                self.evaluated_name(&key);
                Some(key)
            }
        };
        let stored = shell.variables.get(name).map(|binding| &binding.value);
        let hidden = |taint| Value::dynamic(DynamicSource::Unknown, taint, span);
        match (stored, key) {
            (None, _) => Some(Expansion::One(Value::dynamic(
                DynamicSource::Variable(name.to_owned()),
                taint_of_variable(name),
                span,
            ))),
            (Some(Stored::Unset), _) => None,
            (Some(Stored::Hidden(taint)), _) => Some(Expansion::One(hidden(*taint))),
            (Some(Stored::Scalar(value)), None) => Some(Expansion::One(value.clone())),
            (Some(Stored::Scalar(value)), Some(key)) => match key.literal().as_deref() {
                Some("0") => Some(Expansion::One(value.clone())),
                _ => Some(Expansion::One(hidden(value.taint()))),
            },
            (Some(Stored::List(values)), None) => Some(Expansion::Many(values.clone())),
            (Some(Stored::List(values)), Some(key)) => {
                let at = key
                    .literal()
                    .and_then(|text| text.trim().parse::<i64>().ok());
                match at {
                    Some(at) => element(values, at).map(|value| Expansion::One(value.clone())),
                    None => Some(Expansion::One(hidden(stored_taint(values)))),
                }
            }
        }
    }

    /// The value of a plain variable; unknown ones keep their name.
    pub(super) fn variable(&self, name: &str, shell: &Shell, span: Span) -> Value {
        self.scalar(name, shell, span)
            .unwrap_or_else(|| Value::text("", span))
    }

    fn scalar(&self, name: &str, shell: &Shell, span: Span) -> Option<Value> {
        if let Some(binding) = shell.variables.get(name) {
            return match &binding.value {
                Stored::Scalar(value) => Some(Value {
                    span,
                    ..value.clone()
                }),
                Stored::List(values) => values.first().cloned(),
                Stored::Hidden(taint) => Some(Value::dynamic(DynamicSource::Unknown, *taint, span)),
                Stored::Unset => None,
            };
        }
        let here = !shell.remote;
        let known = match name {
            "HOME" if here => self.context.home.clone(),
            "PWD" if here => shell.cwd.clone(),
            "OLDPWD" if here => shell.old_cwd.clone(),
            "IFS" => Some(" \t\n".to_owned()),
            _ => None,
        };
        if let Some(text) = known {
            return Some(Value::text(text, span));
        }
        let source = match name {
            "?" | "$" | "!" | "RANDOM" | "SRANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID"
            | "PPID" | "BASHPID" | "EPOCHSECONDS" | "COLUMNS" | "LINES" | "SHLVL" => {
                DynamicSource::Number
            }
            "#" => match &shell.arguments {
                Some(arguments) => return Some(Value::text(arguments.len().to_string(), span)),
                None => DynamicSource::Number,
            },
            "0" => {
                return Some(Value {
                    span,
                    ..shell.zero.clone()
                });
            }
            "-" | "_" => DynamicSource::Unknown,
            _ => match name.parse::<usize>() {
                Ok(at) => match &shell.arguments {
                    Some(arguments) => {
                        let value = at.checked_sub(1).and_then(|at| arguments.get(at));
                        return value.map(|value| Value {
                            span,
                            ..value.clone()
                        });
                    }
                    None => DynamicSource::Argument,
                },
                Err(_) => DynamicSource::Variable(name.to_owned()),
            },
        };
        let taint = match &source {
            DynamicSource::Variable(name) => taint_of_variable(name),
            _ => Taint::NONE,
        };
        Some(Value::dynamic(source, taint, span))
    }

    fn operate_each(
        &mut self,
        parameter: &Parameter,
        values: Vec<Value>,
        span: Span,
        shell: &mut Shell,
    ) -> Expansion {
        let joined =
            parameter.name == "*" || matches!(parameter.subscript, Some(Subscript::Joined));
        match &parameter.operation {
            Operation::Length => Expansion::One(Value::text(values.len().to_string(), span)),
            Operation::Fallback { .. } => {
                if values.is_empty() {
                    return Expansion::One(self.operate(parameter, None, span, shell));
                }
                // The word may run commands and is looked at in any case.
                self.operate(parameter, values.first().cloned(), span, shell);
                Expansion::Many(values)
            }
            Operation::Slice { offset, length } => {
                let bounds = self.bounds(offset, length.as_ref(), shell);
                match bounds {
                    Some((offset, length)) => {
                        // `$@` counts from one.
                        let skip = if parameter.subscript.is_none() {
                            offset.saturating_sub(1)
                        } else {
                            offset
                        };
                        let taken = values
                            .into_iter()
                            .skip(skip)
                            .take(length.unwrap_or(usize::MAX));
                        Expansion::Many(taken.collect())
                    }
                    None => Expansion::One(splitting(Value::dynamic(
                        DynamicSource::Unknown,
                        stored_taint(&values),
                        span,
                    ))),
                }
            }
            Operation::Value if joined => {
                let mut value = Value::text("", span);
                for (at, next) in values.into_iter().enumerate() {
                    if at > 0 {
                        push_text(&mut value.pieces, " ");
                    }
                    value.pieces.extend(next.pieces);
                }
                Expansion::One(value)
            }
            Operation::Value => Expansion::Many(values),
            Operation::Names
            | Operation::Keys
            | Operation::Trim { .. }
            | Operation::Replace { .. }
            | Operation::Case { .. }
            | Operation::Transform(_) => {
                let values = values
                    .into_iter()
                    .map(|value| self.operate(parameter, Some(value), span, shell));
                Expansion::Many(values.collect())
            }
        }
    }

    /// Applies the operator. The operand is expanded in any case: what is in it may run.
    fn operate(
        &mut self,
        parameter: &Parameter,
        value: Option<Value>,
        span: Span,
        shell: &mut Shell,
    ) -> Value {
        match &parameter.operation {
            Operation::Value | Operation::Names | Operation::Keys => {
                value.unwrap_or_else(|| Value::text("", span))
            }
            Operation::Length => {
                let text = value
                    .as_ref()
                    .map_or(Some(Cow::Borrowed("")), Value::literal);
                match text {
                    Some(text) => Value::text(text.chars().count().to_string(), span),
                    None => Value::dynamic(DynamicSource::Number, Taint::NONE, span),
                }
            }
            Operation::Fallback {
                kind,
                or_empty,
                word,
            } => self.fallback(parameter, *kind, *or_empty, word, value, shell, span),
            Operation::Trim {
                end,
                greedy,
                pattern,
            } => {
                let pattern = self.pattern(pattern, shell);
                let value = value.unwrap_or_else(|| Value::text("", span));
                trimmed(value, pattern.as_ref(), *end, *greedy)
            }
            Operation::Replace {
                scope,
                pattern,
                with,
            } => {
                let pattern = self.pattern(pattern, shell);
                let with = self.expand(with, shell, Quotes::Implied);
                let value = value.unwrap_or_else(|| Value::text("", span));
                replaced(&value, pattern.as_ref(), *scope, &with)
            }
            Operation::Case { fold, all, pattern } => {
                let every = pattern.parts.is_empty();
                self.expand(pattern, shell, Quotes::Implied);
                let value = value.unwrap_or_else(|| Value::text("", span));
                match (value.literal(), every) {
                    (Some(text), true) => Value::text(folded(&text, *fold, *all), span),
                    _ => Value::dynamic(DynamicSource::Unknown, value.taint(), span),
                }
            }
            Operation::Slice { offset, length } => {
                let bounds = self.bounds(offset, length.as_ref(), shell);
                let value = value.unwrap_or_else(|| Value::text("", span));
                match (value.literal(), bounds) {
                    (Some(text), Some((offset, length))) => {
                        let taken = text.chars().skip(offset).take(length.unwrap_or(usize::MAX));
                        Value::text(taken.collect::<String>(), span)
                    }
                    _ => Value::dynamic(DynamicSource::Unknown, value.taint(), span),
                }
            }
            Operation::Transform(letter) => {
                let value = value.unwrap_or_else(|| Value::text("", span));
                match (letter, value.literal()) {
                    ('U', Some(text)) => Value::text(text.to_uppercase(), span),
                    ('L', Some(text)) => Value::text(text.to_lowercase(), span),
                    _ => Value::dynamic(DynamicSource::Unknown, value.taint(), span),
                }
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one operator")]
    fn fallback(
        &mut self,
        parameter: &Parameter,
        kind: Fallback,
        or_empty: bool,
        word: &Word,
        value: Option<Value>,
        shell: &mut Shell,
        span: Span,
    ) -> Value {
        let operand = self.expand(word, shell, Quotes::Implied);
        let missing = match &value {
            None => Some(true),
            Some(value) => match value.literal() {
                Some(text) => Some(or_empty && text.is_empty()),
                None => value.is_dynamic().then_some(()).and(None),
            },
        };
        let empty = || Value::text("", span);
        let chosen = match (kind, missing) {
            (Fallback::Use | Fallback::Assign, Some(true)) => operand.clone(),
            (Fallback::Use | Fallback::Assign, Some(false)) => value.clone().unwrap_or_else(empty),
            (Fallback::Use | Fallback::Assign, None) => {
                let value = value.clone().unwrap_or_else(empty);
                super::shell::either(&operand, &value)
            }
            (Fallback::Alternative, Some(true)) => empty(),
            (Fallback::Alternative, Some(false)) => operand,
            (Fallback::Alternative, None) => super::shell::either(&operand, &empty()),
            (Fallback::Fail, _) => value.clone().unwrap_or_else(empty),
        };
        if kind == Fallback::Assign && missing != Some(false) {
            shell.set(&parameter.name, Stored::Scalar(chosen.clone()));
        }
        Value { span, ..chosen }
    }

    fn pattern(&mut self, word: &Word, shell: &mut Shell) -> Option<Pattern> {
        let value = self.expand(word, shell, Quotes::Written);
        Pattern::of(&value)
    }

    /// Offset and length as numbers that do not count from the end.
    fn bounds(
        &mut self,
        offset: &Word,
        length: Option<&Word>,
        shell: &mut Shell,
    ) -> Option<(usize, Option<usize>)> {
        let number = |value: Value| value.literal().and_then(|text| text.parse::<usize>().ok());
        let offset = number(self.arithmetic(offset, shell));
        let length = match length {
            Some(length) => Some(number(self.arithmetic(length, shell))?),
            None => None,
        };
        Some((offset?, length))
    }
}

fn arguments(shell: &Shell, name: &str, span: Span) -> Expansion {
    match &shell.arguments {
        Some(arguments) if name == "@" => Expansion::Many(arguments.clone()),
        Some(arguments) => Expansion::Many(arguments.clone()),
        None => Expansion::One(splitting(Value::dynamic(
            DynamicSource::Argument,
            Taint::NONE,
            span,
        ))),
    }
}

fn splitting(value: Value) -> Value {
    Value {
        may_split: true,
        ..value
    }
}

fn element(values: &[Value], at: i64) -> Option<&Value> {
    match usize::try_from(at) {
        Ok(at) => values.get(at),
        Err(_) => values
            .len()
            .checked_sub(usize::try_from(at.unsigned_abs()).ok()?)
            .and_then(|at| values.get(at)),
    }
}

fn stored_taint(values: &[Value]) -> Taint {
    values
        .iter()
        .fold(Taint::NONE, |taint, value| taint.with(value.taint()))
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Removes what a pattern matches at one end.
fn trimmed(value: Value, pattern: Option<&Pattern>, end: End, greedy: bool) -> Value {
    let Some(pattern) = pattern else {
        return Value::dynamic(DynamicSource::Unknown, value.taint(), value.span);
    };
    let Some(text) = value.literal() else {
        return Value::dynamic(DynamicSource::Unknown, value.taint(), value.span);
    };
    if let Some(known) = pattern.literal() {
        let rest = match end {
            End::Prefix => text.strip_prefix(known.as_str()),
            End::Suffix => text.strip_suffix(known.as_str()),
        };
        return Value::text(rest.unwrap_or(&text), value.span);
    }
    // Every cut is tried: only short texts are worth it.
    if text.len() > MAX_TRIMMED || pattern.len() > MAX_TRIMMED {
        return Value::dynamic(DynamicSource::Unknown, value.taint(), value.span);
    }
    let mut cuts: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let longest_first = greedy == (end == End::Prefix);
    if longest_first {
        cuts.reverse();
    }
    for cut in cuts {
        let (before, after) = text.split_at_checked(cut).unwrap_or((&text, ""));
        let (candidate, rest) = match end {
            End::Prefix => (before, after),
            End::Suffix => (after, before),
        };
        if pattern.matches(candidate) {
            return Value::text(rest, value.span);
        }
    }
    value.clone()
}

/// Replaces what a pattern without wildcards matches; others give up the text.
fn replaced(value: &Value, pattern: Option<&Pattern>, scope: ReplaceScope, with: &Value) -> Value {
    let taint = value.taint().with(with.taint());
    let literal = pattern.and_then(Pattern::literal);
    let (Some(text), Some(from), Some(to)) = (value.literal(), literal, with.literal()) else {
        let mut pieces = vec![unknown(taint)];
        if let (Some(text), Some(pattern)) = (value.literal(), pattern)
            && text.len().saturating_mul(pattern.len()) < MAX_SIZE
            && !pattern.matches_within(&text)
        {
            pieces = vec![Piece::Text(text.into_owned())];
        }
        return Value {
            pieces,
            span: value.span,
            may_split: false,
        };
    };
    if text.len().saturating_mul(to.len().max(1)) > 16 * MAX_SIZE {
        return Value::dynamic(DynamicSource::Unknown, taint, value.span);
    }
    let result = match scope {
        ReplaceScope::First => text.replacen(&from, &to, 1),
        ReplaceScope::All if from.is_empty() => text.into_owned(),
        ReplaceScope::All => text.replace(&from, &to),
        ReplaceScope::Prefix => match text.strip_prefix(from.as_str()) {
            Some(rest) => format!("{to}{rest}"),
            None => text.into_owned(),
        },
        ReplaceScope::Suffix => match text.strip_suffix(from.as_str()) {
            Some(rest) => format!("{rest}{to}"),
            None => text.into_owned(),
        },
    };
    Value::text(result, value.span)
}

fn folded(text: &str, fold: Fold, all: bool) -> String {
    let change = |character: char| -> String {
        match fold {
            Fold::Upper => character.to_uppercase().collect(),
            Fold::Lower => character.to_lowercase().collect(),
            Fold::Toggle if character.is_uppercase() => character.to_lowercase().collect(),
            Fold::Toggle => character.to_uppercase().collect(),
        }
    };
    let mut characters = text.chars();
    if all {
        return characters.map(change).collect();
    }
    let first = characters.next().map(change).unwrap_or_default();
    first + characters.as_str()
}
