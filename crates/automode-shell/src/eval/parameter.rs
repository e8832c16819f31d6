//! `$name` and `${name…}` to values.

use std::borrow::Cow;

use super::Evaluator;
use super::declare::is_name;
use super::expand::{Expansion, Quotes};
use super::shell_state::ShellState;
use super::variable::{Stored, is_volatile, taint_of_all};
use super::word_list;
use crate::ir::{DynamicSource, GapKind, Span, Taint, Value};
use crate::place::taint_of_variable;
use crate::syntax::{Operation, ParameterExpansion, Quoting, Subscript};

impl Evaluator<'_> {
    pub(super) fn parameter(
        &mut self,
        parameter: &ParameterExpansion,
        quoting: Quoting,
        span: Span,
        shell: &mut ShellState,
    ) -> Expansion {
        let Some(values) = self.values(parameter, span, shell) else {
            return Expansion::One(self.operate(parameter, None, span, shell));
        };
        match values {
            Expansion::One(value) => {
                let value = self.operate(parameter, Some(value), span, shell);
                let all = matches!(parameter.subscript, Some(Subscript::All));
                // Nothing cut out of it is no word, or an empty one.
                match value.literal().as_deref() {
                    Some("") if all => Expansion::One(several(Taint::NONE, span)),
                    Some(_) | None => Expansion::One(value),
                }
            }
            Expansion::Many(values) => self.operate_each(parameter, values, quoting, span, shell),
        }
    }

    /// The value before the operator; `None` where the variable is known to be unset.
    fn values(
        &mut self,
        parameter: &ParameterExpansion,
        span: Span,
        shell: &mut ShellState,
    ) -> Option<Expansion> {
        match parameter.operation {
            Operation::Names => return Some(Expansion::One(several(Taint::NONE, span))),
            Operation::Keys => return Some(keys(&parameter.name, span, shell)),
            Operation::Value
            | Operation::Length
            | Operation::Fallback { .. }
            | Operation::Trim { .. }
            | Operation::Replace { .. }
            | Operation::Case { .. }
            | Operation::Slice { .. }
            | Operation::Transform(_) => {}
        }
        let name = if parameter.indirect {
            match self.pointed(&parameter.name, span, shell) {
                Ok(name) => Cow::Owned(name),
                Err(value) => return Some(Expansion::One(value)),
            }
        } else {
            Cow::Borrowed(parameter.name.as_str())
        };
        if matches!(name.as_ref(), "@" | "*") {
            return Some(arguments(shell, span));
        }
        match &parameter.subscript {
            None => self.scalar(&name, shell, span).map(Expansion::One),
            Some(subscript) => {
                let slices = matches!(parameter.operation, Operation::Slice { .. });
                self.subscripted(&name, subscript, slices, span, shell)
            }
        }
    }

    /// The variable that `${!name}` means, or what is known of its value.
    pub(super) fn pointed(
        &mut self,
        name: &str,
        span: Span,
        shell: &ShellState,
    ) -> Result<String, Value> {
        let binding = shell.variables.get(name);
        if let Some(Stored::Reference(target)) = binding.map(|binding| &binding.value) {
            // Of a name reference it is the name that it stands for.
            return Err(Value::text(target.as_str(), span));
        }
        let pointer = self.variable(name, shell, span);
        if let Some(target) = pointer.literal().filter(|target| is_name(target)) {
            return Ok(target.into_owned());
        }
        self.evaluated_name(&pointer, shell);
        // Where it names nothing the whole line is given up.
        let kind = GapKind::Syntax("an indirect expansion that may fail".to_owned());
        self.gap(kind, span);
        Err(Value::dynamic(
            DynamicSource::Unknown,
            pointer.taint(),
            span,
        ))
    }

    fn subscripted(
        &mut self,
        name: &str,
        subscript: &Subscript,
        slices: bool,
        span: Span,
        shell: &mut ShellState,
    ) -> Option<Expansion> {
        let name = shell.resolved(name).to_owned();
        let key = match subscript {
            Subscript::All | Subscript::Joined => None,
            Subscript::Key(word) => {
                let key = self.expand(word, shell, Quotes::Implied);
                let keyed = shell.nature(&name).keyed;
                let number = self.evaluated_key(&key, keyed, shell);
                Some((key, number))
            }
        };
        let stored = shell.variables.get(&name).map(|binding| &binding.value);
        let hidden = |taint| Value::dynamic(DynamicSource::Unknown, taint, span);
        Some(match (stored, key) {
            (None, _) => Expansion::One(Value::dynamic(
                DynamicSource::Variable(name.clone()),
                taint_of_variable(&name),
                span,
            )),
            (Some(Stored::Unset), None) => Expansion::Many(Vec::new()),
            (Some(Stored::Unset), Some(_)) => return None,
            (Some(Stored::Hidden(taint)), None) => Expansion::One(several(*taint, span)),
            (Some(Stored::Hidden(taint)), Some(_)) => Expansion::One(hidden(*taint)),
            (Some(Stored::Reference(_)), _) => Expansion::One(several(Taint::NONE, span)),
            // Perhaps it is not set at all.
            (Some(Stored::Scalar(value)), None) if value.is_dynamic() => {
                Expansion::One(several(value.taint(), span))
            }
            // A part of it is a part of the text.
            (Some(Stored::Scalar(value)), None) if slices => Expansion::One(value.clone()),
            (Some(Stored::Scalar(value)), None) => Expansion::Many(vec![value.clone()]),
            (Some(Stored::Scalar(value)), Some((_, Some(0)))) => Expansion::One(value.clone()),
            (Some(Stored::Scalar(value)), Some(_)) => Expansion::One(hidden(value.taint())),
            (Some(Stored::List(values)), None) => Expansion::Many(values.clone()),
            (Some(Stored::List(values)), Some((_, Some(at)))) => {
                Expansion::One(element(values, at, span)?)
            }
            (Some(Stored::List(values)), Some((_, None))) => {
                Expansion::One(hidden(taint_of_all(values)))
            }
            (Some(Stored::Map(values)), None) => unordered(values.values(), span),
            (Some(Stored::Map(values)), Some((key, _))) => match key.literal() {
                Some(key) => Expansion::One(values.get(key.as_ref())?.clone()),
                None => Expansion::One(hidden(taint_of_all(values.values()))),
            },
        })
    }

    /// A subscript as a number; of an associative array it is a text.
    fn evaluated_key(&mut self, key: &Value, keyed: bool, shell: &mut ShellState) -> Option<i64> {
        if keyed {
            self.evaluated_name(key, shell);
            return None;
        }
        let number = self.evaluate(key, shell, key.span);
        number.literal().and_then(|text| text.parse::<i64>().ok())
    }

    /// The value of a plain variable; unknown ones keep their name.
    pub(super) fn variable(&self, name: &str, shell: &ShellState, span: Span) -> Value {
        self.scalar(name, shell, span)
            .unwrap_or_else(|| Value::text("", span))
    }

    fn scalar(&self, name: &str, shell: &ShellState, span: Span) -> Option<Value> {
        if let Some(binding) = shell.variables.get(shell.resolved(name)) {
            return without_subscript(&binding.value, span);
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
            // The process that was started last, which is the command's own.
            "!" => DynamicSource::Variable(name.to_owned()),
            "?" | "$" | "LINENO" | "PPID" => DynamicSource::Number,
            // `sh` may leave these empty, and with them a path that ends in one.
            "RANDOM" | "SECONDS" | "UID" | "EUID" | "SHLVL" if !shell.plain => {
                DynamicSource::Number
            }
            "#" => match shell.arguments.as_deref().and_then(word_list::count) {
                Some(count) => return Some(Value::text(count.to_string(), span)),
                None => DynamicSource::Number,
            },
            "0" => {
                return Some(Value {
                    span,
                    ..shell.zero.clone()
                });
            }
            "-" => DynamicSource::Unknown,
            _ if is_volatile(name) => DynamicSource::Unknown,
            _ => match name.parse::<usize>() {
                Ok(at) => match &shell.arguments {
                    Some(arguments) => {
                        let place = at.checked_sub(1)?;
                        let value = word_list::at(arguments, place, span);
                        return value.map(|value| Value { span, ..value });
                    }
                    None => DynamicSource::Argument,
                },
                Err(_) => DynamicSource::Variable(name.to_owned()),
            },
        };
        let taint = if let DynamicSource::Variable(name) = &source {
            taint_of_variable(name)
        } else {
            Taint::NONE
        };
        Some(Value::dynamic(source, taint, span))
    }
}

fn without_subscript(stored: &Stored, span: Span) -> Option<Value> {
    match stored {
        Stored::Scalar(value) => Some(Value {
            span,
            ..value.clone()
        }),
        Stored::List(values) => word_list::at(values, 0, span),
        // Without a subscript it is the element with the key 0.
        Stored::Map(values) => values.get("0").cloned(),
        Stored::Hidden(taint) => Some(Value::dynamic(DynamicSource::Unknown, *taint, span)),
        Stored::Reference(_) => Some(Value::dynamic(DynamicSource::Unknown, Taint::NONE, span)),
        Stored::Unset => None,
    }
}

fn arguments(shell: &ShellState, span: Span) -> Expansion {
    match &shell.arguments {
        Some(arguments) => Expansion::Many(arguments.clone()),
        None => Expansion::One(splitting(Value::dynamic(
            DynamicSource::Argument,
            Taint::NONE,
            span,
        ))),
    }
}

/// The subscripts of an array.
fn keys(name: &str, span: Span, shell: &ShellState) -> Expansion {
    let binding = shell.variables.get(shell.resolved(name));
    match binding.map(|binding| &binding.value) {
        Some(Stored::List(values)) if word_list::count(values).is_none() => {
            Expansion::One(several(Taint::NONE, span))
        }
        Some(Stored::List(values)) => {
            let numbers = (0..values.len()).map(|at| Value::text(at.to_string(), span));
            Expansion::Many(numbers.collect())
        }
        Some(Stored::Map(values)) => {
            let keys: Vec<Value> = values.keys().map(|key| Value::text(key, span)).collect();
            unordered(&keys, span)
        }
        Some(Stored::Scalar(value)) if value.is_dynamic() => {
            Expansion::One(several(Taint::NONE, span))
        }
        Some(Stored::Scalar(_)) => Expansion::Many(vec![Value::text("0", span)]),
        Some(Stored::Unset) => Expansion::Many(Vec::new()),
        Some(Stored::Hidden(_) | Stored::Reference(_)) | None => {
            Expansion::One(several(Taint::NONE, span))
        }
    }
}

/// Values in an order that only bash knows.
fn unordered<'v>(values: impl IntoIterator<Item = &'v Value>, span: Span) -> Expansion {
    let values: Vec<Value> = values.into_iter().cloned().collect();
    if values.len() < 2 {
        return Expansion::Many(values);
    }
    Expansion::One(several(taint_of_all(&values), span))
}

/// Any number of words of which only the marks are known.
pub(super) fn several(taint: Taint, span: Span) -> Value {
    splitting(Value::dynamic(DynamicSource::Unknown, taint, span))
}

pub(super) fn splitting(value: Value) -> Value {
    Value {
        may_split: true,
        ..value
    }
}

fn element(values: &[Value], at: i64, span: Span) -> Option<Value> {
    match usize::try_from(at) {
        Ok(at) => word_list::at(values, at, span),
        Err(_) => {
            let place = usize::try_from(at.unsigned_abs()).ok()?;
            word_list::from_end(values, place, span)
        }
    }
}
