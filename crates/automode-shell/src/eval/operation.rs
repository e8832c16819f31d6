//! The operators of `${name…}` on what a variable holds.
//!
//! Operands are expanded in any case, as what is in them may run. A text that
//! cannot be followed to the letter is given up, with its marks kept.

use std::borrow::Cow;

use super::Evaluator;
use super::expand::{Expansion, Quotes};
use super::field::{MAX_SIZE, push_text};
use super::output::unknown;
use super::parameter::splitting;
use super::pattern::Pattern;
use super::shell_state::ShellState;
use super::variable::{Stored, either, taint_of_all};
use super::word_list;
use crate::ir::{DynamicSource, GapKind, Piece, Span, Taint, Value};
use crate::syntax::{
    End, Fold, Operation, ParameterExpansion, ParameterFallback, Quoting, ReplaceScope, Subscript,
    Word,
};

/// The longest text from which a pattern with wildcards is trimmed.
const MAX_TRIMMED: usize = 128;

impl Evaluator<'_> {
    pub(super) fn operate_each(
        &mut self,
        parameter: &ParameterExpansion,
        values: Vec<Value>,
        quoting: Quoting,
        span: Span,
        shell: &mut ShellState,
    ) -> Expansion {
        let values = match &parameter.operation {
            Operation::Length => {
                return Expansion::One(match word_list::count(&values) {
                    Some(count) => Value::text(count.to_string(), span),
                    None => Value::dynamic(DynamicSource::Number, Taint::NONE, span),
                });
            }
            Operation::Fallback { kind, or_empty, .. } => {
                let null = nothing(&values, *or_empty);
                let value = match null {
                    Some(true) => None,
                    Some(false) => Some(Value::text("x", span)),
                    None => Some(Value::dynamic(DynamicSource::Unknown, Taint::NONE, span)),
                };
                // The word may run commands and is looked at in any case.
                let chosen = self.operate(parameter, value, span, shell);
                match (kind, null) {
                    (ParameterFallback::Alternative, Some(true)) => Vec::new(),
                    (ParameterFallback::Alternative, Some(false)) => return Expansion::One(chosen),
                    (
                        ParameterFallback::Use
                        | ParameterFallback::Assign
                        | ParameterFallback::Fail,
                        Some(false),
                    ) => values,
                    (
                        ParameterFallback::Use
                        | ParameterFallback::Assign
                        | ParameterFallback::Fail,
                        Some(true),
                    ) => {
                        return Expansion::One(chosen);
                    }
                    (_, None) => {
                        let taint = taint_of_all(&values).with(chosen.taint());
                        let unknown = Value::dynamic(DynamicSource::Unknown, taint, span);
                        return Expansion::One(splitting(unknown));
                    }
                }
            }
            Operation::Slice { offset, length } => {
                let bounds = self.bounds(offset, length.as_ref(), shell);
                let Some((offset, length)) = bounds else {
                    let taint = taint_of_all(&values);
                    let unknown = Value::dynamic(DynamicSource::Unknown, taint, span);
                    return Expansion::One(splitting(unknown));
                };
                // The name of the shell stands in front of its arguments.
                let zero = parameter.subscript.is_none().then(|| shell.zero.clone());
                let all = zero.into_iter().chain(values).collect();
                word_list::part(all, offset, length, span)
            }
            Operation::Value | Operation::Names | Operation::Keys => values,
            Operation::Trim { .. }
            | Operation::Replace { .. }
            | Operation::Case { .. }
            | Operation::Transform(_) => values
                .into_iter()
                .map(|value| self.operate(parameter, Some(value), span, shell))
                .collect(),
        };
        let joins = parameter.name == "*" || matches!(parameter.subscript, Some(Subscript::Joined));
        if joins && quoting == Quoting::Quoted {
            return Expansion::One(self.joined(&values, span, shell));
        }
        Expansion::Many(values)
    }

    /// Values with the first separator between them: `"$*"`.
    fn joined(&self, values: &[Value], span: Span, shell: &ShellState) -> Value {
        let Some(separators) = self.separators(shell) else {
            return Value::dynamic(DynamicSource::Unknown, taint_of_all(values), span);
        };
        let separator: String = separators.chars().take(1).collect();
        let mut joined = Value::text("", span);
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                push_text(&mut joined.pieces, &separator);
            }
            joined.pieces.extend(value.pieces.iter().cloned());
        }
        joined
    }

    /// Applies the operator. The operand is expanded in any case: what is in it may run.
    pub(super) fn operate(
        &mut self,
        parameter: &ParameterExpansion,
        value: Option<Value>,
        span: Span,
        shell: &mut ShellState,
    ) -> Value {
        match &parameter.operation {
            Operation::Value | Operation::Names | Operation::Keys => {
                value.unwrap_or_else(|| Value::text("", span))
            }
            Operation::Length => {
                let text = value
                    .as_ref()
                    .map_or(Some(Cow::Borrowed("")), Value::literal);
                // What counts as one character depends on the locale.
                match text.filter(|text| text.is_ascii()) {
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
                match (value.literal().filter(|text| text.is_ascii()), every) {
                    (Some(text), true) => Value::text(folded(&text, *fold, *all), span),
                    _ => Value::dynamic(DynamicSource::Unknown, value.taint(), span),
                }
            }
            Operation::Slice { offset, length } => {
                let bounds = self.bounds(offset, length.as_ref(), shell);
                let value = value.unwrap_or_else(|| Value::text("", span));
                match (value.literal().filter(|text| text.is_ascii()), bounds) {
                    (Some(text), Some((offset, length))) => {
                        let taken = text.chars().skip(offset).take(length.unwrap_or(usize::MAX));
                        Value::text(taken.collect::<String>(), span)
                    }
                    _ => Value::dynamic(DynamicSource::Unknown, value.taint(), span),
                }
            }
            Operation::Transform(letter) => {
                let value = value.unwrap_or_else(|| Value::text("", span));
                let text = value.literal().filter(|text| text.is_ascii());
                match (letter, text) {
                    ('P', _) => self.prompt(&value, shell),
                    ('U', Some(text)) => Value::text(text.to_uppercase(), span),
                    ('L', Some(text)) => Value::text(text.to_lowercase(), span),
                    ('u', Some(text)) => Value::text(folded(&text, Fold::Upper, false), span),
                    _ => Value::dynamic(DynamicSource::Unknown, value.taint(), span),
                }
            }
        }
    }

    /// A text that bash expands once more, as it does a prompt.
    pub(super) fn prompt(&mut self, value: &Value, shell: &mut ShellState) -> Value {
        let unknown = Value::dynamic(DynamicSource::Unknown, value.taint(), value.span);
        let text = value.literal();
        if let Some(text) = text
            .as_deref()
            .filter(|text| !text.contains(['$', '`', '\\']))
        {
            return Value::text(text, value.span);
        }
        let kind = GapKind::Syntax("text that is expanded once more".to_owned());
        self.gap(kind, value.span);
        if let Some(text) = text {
            self.expanded_again(&text, "prompt", value.span, shell);
        }
        unknown
    }

    /// Runs what is substituted in a text that bash expands once more.
    pub(super) fn expanded_again(
        &mut self,
        text: &str,
        name: &str,
        span: Span,
        shell: &ShellState,
    ) {
        let script = format!(": \"{}\"", text.replace('"', "\\\""));
        let mut child = shell.child();
        self.text_here(&Value::text(script, span), name, &mut child);
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one operator")]
    fn fallback(
        &mut self,
        parameter: &ParameterExpansion,
        kind: ParameterFallback,
        or_empty: bool,
        word: &Word,
        value: Option<Value>,
        shell: &mut ShellState,
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
        if kind == ParameterFallback::Fail && missing != Some(false) && operand.is_dynamic() {
            // `${x?$TOKEN}` shows the word in its complaint.
            let what = "what the complaint about a parameter shows".to_owned();
            self.gap(GapKind::Unseen(what), span);
        }
        let empty = || Value::text("", span);
        let chosen = match (kind, missing) {
            (ParameterFallback::Use | ParameterFallback::Assign, Some(true)) => operand.clone(),
            (ParameterFallback::Use | ParameterFallback::Assign, Some(false)) => {
                value.clone().unwrap_or_else(empty)
            }
            (ParameterFallback::Use | ParameterFallback::Assign, None) => {
                let value = value.clone().unwrap_or_else(empty);
                either(&operand, &value)
            }
            (ParameterFallback::Alternative, Some(true)) => empty(),
            (ParameterFallback::Alternative, Some(false)) => operand,
            (ParameterFallback::Alternative, None) => either(&operand, &empty()),
            (ParameterFallback::Fail, _) => value.clone().unwrap_or_else(empty),
        };
        if kind == ParameterFallback::Assign && missing != Some(false) {
            let name = if parameter.indirect {
                self.pointed(&parameter.name, span, shell).ok()
            } else {
                Some(parameter.name.clone())
            };
            match (name, &parameter.subscript) {
                (Some(name), None) => {
                    self.store(&name, Stored::Scalar(chosen.clone()), span, shell);
                }
                (Some(name), Some(_)) => {
                    self.store(&name, Stored::Hidden(chosen.taint()), span, shell);
                }
                (None, _) => self.forget_all(span, shell),
            }
        }
        Value { span, ..chosen }
    }

    fn pattern(&mut self, word: &Word, shell: &mut ShellState) -> Option<Pattern> {
        let value = self.expand(word, shell, Quotes::Written);
        Pattern::of(&value)
    }

    /// Offset and length as numbers that do not count from the end.
    fn bounds(
        &mut self,
        offset: &Word,
        length: Option<&Word>,
        shell: &mut ShellState,
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

/// Whether there is nothing in a list, or with a colon nothing but an empty text.
fn nothing(values: &[Value], or_empty: bool) -> Option<bool> {
    match values {
        [] => Some(true),
        _ if !or_empty => Some(false),
        [only] => only.literal().map(|text| text.is_empty()),
        [..] => {
            let filled = |value: &Value| value.literal().is_some_and(|text| !text.is_empty());
            values.iter().any(filled).then_some(false)
        }
    }
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
    // Every cut is tried: only short texts are worth it, and plain ones, as what
    // `?` stands for depends on the locale.
    if !text.is_ascii() || text.len() > MAX_TRIMMED || pattern.len() > MAX_TRIMMED {
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
    // An ampersand may stand for what was matched.
    let to = with.literal().filter(|to| !to.contains('&'));
    let (Some(text), Some(from), Some(to)) = (value.literal(), literal, to) else {
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
