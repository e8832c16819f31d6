//! Builtins that set and unset variables.

use super::Evaluator;
use super::outcome::{Outcome, stdin_taint};
use super::shell::{Shell, Stored};
use crate::program::steers_with;
use crate::{Act, Certainty, DynamicSource, GapKind, Piece, Span, Stdin, Taint, Value};

/// What a declaration does beside assigning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declaration {
    Plain,
    Export,
    Local,
}

impl Evaluator<'_> {
    /// `export`, `declare`, `local`, `readonly`.
    pub(super) fn declare(
        &mut self,
        arguments: &[Value],
        kind: Declaration,
        shell: &mut Shell,
    ) -> Outcome {
        let mut kind = kind;
        for argument in arguments {
            let Some((name, value)) = split_assignment(argument) else {
                match argument.literal() {
                    Some(flag) if flag.starts_with(['-', '+']) => {
                        if flag.starts_with('-') && flag.contains('x') {
                            kind = Declaration::Export;
                        }
                        // A name reference makes one variable stand for another.
                        if flag.contains('n') && kind != Declaration::Export {
                            self.gap(
                                GapKind::Syntax("a name reference".to_owned()),
                                argument.span,
                            );
                        }
                    }
                    Some(name) => self.declare_name(&name, kind, shell),
                    None => self.gap(
                        GapKind::DynamicWord {
                            program: "declare".to_owned(),
                            word: argument.shown(),
                        },
                        argument.span,
                    ),
                }
                continue;
            };
            let append = name.ends_with('+');
            let name = name.trim_end_matches('+').to_owned();
            if name.contains('[') {
                self.evaluated_name(argument);
                let array = name.split('[').next().unwrap_or_default().to_owned();
                shell.set(&array, Stored::Hidden(value.taint()));
                continue;
            }
            self.hide_local(&name, kind, shell);
            self.note_variable(&name, argument.span);
            let value = if append {
                Value::dynamic(DynamicSource::Unknown, value.taint(), value.span)
            } else {
                value
            };
            // What is exported reaches every later command of this shell.
            if kind == Declaration::Export && steers_with(&name, &value) {
                let act = Act::Environment { name: name.clone() };
                self.effect(act, usize::MAX, argument.span, Certainty::Always);
            }
            shell.set(&name, Stored::Scalar(value));
            if kind == Declaration::Export {
                shell.export(&name);
            }
        }
        Outcome::unknown(Taint::NONE)
    }

    fn declare_name(&mut self, name: &str, kind: Declaration, shell: &mut Shell) {
        if name.contains('[') {
            self.evaluated_name(&Value::text(name, Span::default()));
        }
        self.hide_local(name, kind, shell);
        match kind {
            Declaration::Export => shell.export(name),
            Declaration::Local => shell.set(name, Stored::Unset),
            Declaration::Plain => {}
        }
    }

    fn hide_local(&self, name: &str, kind: Declaration, shell: &mut Shell) {
        let binding = shell.variables.get(name).cloned();
        if kind == Declaration::Local
            && let Some(hidden) = shell.locals.last_mut()
            && !hidden.iter().any(|(known, _)| known == name)
        {
            hidden.push((name.to_owned(), binding));
        }
    }

    pub(super) fn unset(&mut self, arguments: &[Value], shell: &mut Shell) -> Outcome {
        for argument in arguments {
            self.evaluated_name(argument);
            match argument.literal() {
                Some(flag) if flag.starts_with('-') => {}
                Some(name) => {
                    self.note_variable(&name, argument.span);
                    shell.set(&name, Stored::Unset);
                    shell.functions.remove(name.as_ref());
                }
                None => self.forget_all(argument.span, shell),
            }
        }
        Outcome::default()
    }

    /// A variable of unknown name changed: none is sure any more.
    pub(super) fn forget_all(&mut self, span: Span, shell: &mut Shell) {
        let kind = GapKind::DynamicWord {
            program: "shell".to_owned(),
            word: "a variable name".to_owned(),
        };
        self.gap(kind, span);
        for binding in shell.variables.values_mut() {
            binding.value = Stored::Hidden(binding.value.taint());
        }
    }

    /// `set -- a b`, `set -e`.
    pub(super) fn set_options(&mut self, arguments: &[Value], shell: &mut Shell) -> Outcome {
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let Some(text) = argument.literal() else {
                shell.arguments = None;
                return Outcome::default();
            };
            match text.as_ref() {
                "--" | "-" => {
                    let values: Vec<Value> = rest.cloned().collect();
                    let known = !values.iter().any(|value| value.may_split);
                    shell.arguments = known.then_some(values);
                    return Outcome::default();
                }
                "-o" | "+o" => {
                    let option = rest.next().and_then(Value::literal);
                    if option.as_deref() == Some("history") && text == "+o" {
                        self.note_variable("HISTFILE", argument.span);
                    }
                    if option.as_deref() == Some("errexit") {
                        shell.stops_on_error = text == "-o";
                    }
                }
                flags if flags.starts_with('-') || flags.starts_with('+') => {
                    if flags.contains('e') {
                        shell.stops_on_error = flags.starts_with('-');
                    }
                    if flags.ends_with('o') {
                        rest.next();
                    }
                }
                _ => {
                    let values: Vec<Value> =
                        std::iter::once(argument).chain(rest).cloned().collect();
                    shell.arguments = Some(values);
                    return Outcome::default();
                }
            }
        }
        if arguments.is_empty() {
            return Outcome::unknown(Taint::UNKNOWN);
        }
        Outcome::default()
    }

    pub(super) fn shift(&mut self, arguments: &[Value], shell: &mut Shell) -> Outcome {
        let count = match arguments.first() {
            None => Some(1),
            Some(count) => count.literal().and_then(|text| text.parse::<usize>().ok()),
        };
        shell.arguments = match (count, shell.arguments.take()) {
            (Some(count), Some(values)) => Some(values.into_iter().skip(count).collect()),
            _ => None,
        };
        Outcome::default()
    }

    /// `read`: a line of the input, of which only the marks may be known.
    pub(super) fn read(&mut self, arguments: &[Value], span: Span, shell: &mut Shell) -> Outcome {
        const TAKES_VALUE: &[&str] = &["-a", "-d", "-i", "-n", "-N", "-p", "-t", "-u"];
        let mut names = Vec::new();
        let mut plain = true;
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let Some(text) = argument.literal() else {
                self.forget_all(argument.span, shell);
                continue;
            };
            if text.starts_with('-') {
                plain &= text == "-r";
                if TAKES_VALUE.contains(&text.as_ref())
                    || TAKES_VALUE
                        .iter()
                        .any(|flag| text.ends_with(flag.trim_start_matches('-')))
                {
                    let value = rest.next();
                    if text.ends_with('a')
                        && let Some(array) = value.and_then(Value::literal)
                    {
                        shell.set(&array, Stored::Hidden(stdin_taint(&shell.stdin)));
                    }
                }
                continue;
            }
            self.evaluated_name(argument);
            names.push(text.into_owned());
        }
        if names.is_empty() {
            names.push("REPLY".to_owned());
        }
        let line = line(&shell.stdin, span).filter(|_| plain && names.len() == 1);
        for name in names {
            let name = name.split('[').next().unwrap_or_default().to_owned();
            let value = line.clone().unwrap_or_else(|| {
                Value::dynamic(DynamicSource::Item, stdin_taint(&shell.stdin), span)
            });
            shell.set(&name, Stored::Scalar(value));
        }
        Outcome::default()
    }

    /// `mapfile`, `readarray`.
    pub(super) fn read_array(
        &mut self,
        arguments: &[Value],
        span: Span,
        shell: &mut Shell,
    ) -> Outcome {
        let runs = arguments.iter().any(|argument| {
            argument
                .literal()
                .is_some_and(|text| text.starts_with("-C"))
        });
        if runs {
            self.gap(GapKind::Unseen("a callback of mapfile".to_owned()), span);
        }
        let name = arguments
            .last()
            .and_then(Value::literal)
            .filter(|text| !text.starts_with('-'));
        let name = name.map_or_else(|| "MAPFILE".to_owned(), std::borrow::Cow::into_owned);
        shell.set(&name, Stored::Hidden(stdin_taint(&shell.stdin)));
        Outcome::default()
    }
}

/// `name=value` as its two halves.
fn split_assignment(argument: &Value) -> Option<(String, Value)> {
    let Some(Piece::Text(first)) = argument.pieces.first() else {
        return None;
    };
    let (name, rest) = first.split_once('=')?;
    if name.is_empty() || name.starts_with(['-', '+']) {
        return None;
    }
    let mut pieces = vec![Piece::Text(rest.to_owned())];
    pieces.extend(argument.pieces.iter().skip(1).cloned());
    Some((
        name.to_owned(),
        Value {
            pieces,
            span: argument.span,
            may_split: false,
        },
    ))
}

/// The line that a `read` gets, or the lines it may get in a loop.
fn line(stdin: &Stdin, span: Span) -> Option<Value> {
    let Stdin::Text(text) = stdin else {
        return None;
    };
    let text = text.literal()?;
    let mut lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
    lines.dedup();
    match lines.as_slice() {
        [only] => Some(Value::text(only.as_str(), span)),
        [] => None,
        _ if lines.len() <= 16 => Some(Value::dynamic(
            DynamicSource::OneOf(lines),
            Taint::NONE,
            span,
        )),
        _ => None,
    }
}
