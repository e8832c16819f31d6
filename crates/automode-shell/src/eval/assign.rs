//! Assignments.

use std::collections::BTreeMap;

use super::Evaluator;
use super::expand::Quotes;
use super::field::MAX_SIZE;
use super::output::size;
use super::shell_state::ShellState;
use super::variable::{Stored, taint_of_all};
use super::word_list;
use crate::ir::{Act, Certainty, DynamicSource, GapKind, Span, Taint, Value};
use crate::syntax::{Assignment, AssignmentValue, Element};

/// Tables in which bash looks commands up.
const TABLES: &[&str] = &["BASH_ALIASES", "BASH_CMDS"];

impl Evaluator<'_> {
    /// Evaluates an assignment and makes it.
    pub(super) fn assign(&mut self, assignment: &Assignment, shell: &mut ShellState) {
        let name = assignment.name.as_str();
        if let Some(key) = &assignment.subscript {
            let key = self.expand(key, shell, Quotes::Implied);
            let value = self.assigned(assignment, shell);
            self.note_variable(shell.resolved(name).to_owned().as_str(), assignment.span);
            self.assign_element(assignment, &key, value, shell);
            return;
        }
        let stored = self.assigned(assignment, shell);
        let before = shell.variables.get(shell.resolved(name));
        let before = before.map(|binding| binding.value.clone());
        let stored = match (assignment.append, &stored) {
            // `n+=1` adds, and `a+=x` changes the first element.
            (true, Stored::Scalar(_)) if shell.nature(name).integer => Stored::Scalar(
                Value::dynamic(DynamicSource::Number, stored.taint(), assignment.span),
            ),
            (true, _) => appended(before.as_ref(), stored),
            (false, _) => stored,
        };
        let stored = self.bounded(stored, assignment.span);
        self.store(name, stored, assignment.span, shell);
    }

    /// Gives a variable a value, changed as the variable changes it.
    pub(super) fn store(&mut self, name: &str, stored: Stored, span: Span, shell: &mut ShellState) {
        let nature = shell.nature(name);
        if nature.fixed {
            // It fails, and what stands behind it on the line may not run.
            let kind = GapKind::Syntax("an assignment to a fixed variable".to_owned());
            self.gap(kind, span);
        }
        let stored = match stored {
            Stored::Scalar(value) if nature.integer => {
                let number = self.evaluate(&value, shell, span);
                first_of(number, name, shell)
            }
            Stored::Scalar(value) => first_of(nature.cased(value), name, shell),
            Stored::List(_) | Stored::Map(_) if nature.integer || nature.casing.is_some() => {
                if nature.integer {
                    self.gap(evaluated(), span);
                }
                Stored::Hidden(stored.taint())
            }
            Stored::List(_)
            | Stored::Map(_)
            | Stored::Hidden(_)
            | Stored::Reference(_)
            | Stored::Unset => stored,
        };
        self.note_variable(shell.resolved(name).to_owned().as_str(), span);
        shell.set(name, stored);
    }

    /// Gives a value to a variable that a builtin names, perhaps with a subscript.
    pub(super) fn store_named(&mut self, name: &Value, stored: Stored, shell: &mut ShellState) {
        let Some(text) = name.literal() else {
            self.forget_all(name.span, shell);
            return;
        };
        let Some((array, _)) = text.split_once('[') else {
            self.store(&text, stored, name.span, shell);
            return;
        };
        self.evaluated_name(name, shell);
        let before = shell.variables.get(shell.resolved(array));
        let taint = before.map_or(Taint::NONE, |before| before.value.taint());
        let hidden = Stored::Hidden(taint.with(stored.taint()));
        self.store(array, hidden, name.span, shell);
    }

    /// Gives up what has grown beyond what is followed.
    fn bounded(&mut self, stored: Stored, span: Span) -> Stored {
        let size = match &stored {
            Stored::Scalar(value) => size(value),
            Stored::List(values) => values.iter().map(|value| size(value) + 8).sum(),
            Stored::Map(values) => values.values().map(|value| size(value) + 8).sum(),
            Stored::Hidden(_) | Stored::Reference(_) | Stored::Unset => 0,
        };
        if size <= MAX_SIZE {
            return stored;
        }
        self.gap(GapKind::Budget, span);
        Stored::Hidden(stored.taint())
    }

    /// A variable that steers the shell's record, or automode, counts by itself:
    /// no program has to see it.
    pub(super) fn note_variable(&mut self, name: &str, span: Span) {
        const RECORD: &[&str] = &[
            "HISTFILE",
            "HISTSIZE",
            "HISTFILESIZE",
            "HISTCONTROL",
            "HISTIGNORE",
            // Expanded and run by the shell itself.
            "PS4",
            "PROMPT_COMMAND",
        ];
        if TABLES.contains(&name) {
            self.gap(
                GapKind::Unseen(format!("what {name} makes of commands")),
                span,
            );
        }
        if RECORD.contains(&name) || name.starts_with("AUTOMODE_") {
            let act = Act::Environment {
                name: name.to_owned(),
            };
            self.effect(act, usize::MAX, span, Certainty::Always);
        }
    }

    /// The value that would be assigned.
    fn assigned(&mut self, assignment: &Assignment, shell: &mut ShellState) -> Stored {
        match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let mut value = self.assigned_word(word, shell);
                value.span = assignment.span;
                if assignment.name == "PS4" {
                    self.prompt(&value, shell);
                }
                Stored::Scalar(value)
            }
            AssignmentValue::Array(elements) if shell.nature(&assignment.name).keyed => {
                self.map(elements, shell)
            }
            AssignmentValue::Array(elements) => self.array(elements, shell),
        }
    }

    fn array(&mut self, elements: &[Element], shell: &mut ShellState) -> Stored {
        let mut values = Vec::new();
        let mut known = true;
        for element in elements {
            let Some(key) = &element.key else {
                values.extend(self.elements(&element.value, shell));
                continue;
            };
            let key = self.expand(key, shell, Quotes::Implied);
            let at = self.evaluate(&key, shell, key.span);
            let at = at.literal().and_then(|text| text.parse::<usize>().ok());
            known &= at.is_some() && at == word_list::count(&values);
            values.push(self.single(&element.value, shell));
        }
        let taint = taint_of_all(&values);
        match word_list::followed(values).filter(|_| known) {
            Some(values) => Stored::List(values),
            None => Stored::Hidden(taint),
        }
    }

    /// The elements of an associative array: with keys, or keys and values in turn.
    fn map(&mut self, elements: &[Element], shell: &mut ShellState) -> Stored {
        let mut values = Vec::new();
        let mut map = BTreeMap::new();
        let mut known = true;
        let mut waiting: Option<Value> = None;
        for element in elements {
            let value = self.single(&element.value, shell);
            values.push(value.clone());
            let key = match (&element.key, waiting.take()) {
                (Some(key), _) => self.expand(key, shell, Quotes::Implied),
                (None, Some(key)) => key,
                (None, None) => {
                    waiting = Some(value);
                    continue;
                }
            };
            match key.literal() {
                Some(key) => {
                    map.insert(key.into_owned(), value);
                }
                None => known = false,
            }
        }
        if !known || waiting.is_some() {
            return Stored::Hidden(taint_of_all(&values));
        }
        Stored::Map(map)
    }

    fn assign_element(
        &mut self,
        assignment: &Assignment,
        key: &Value,
        value: Stored,
        shell: &mut ShellState,
    ) {
        let name = shell.resolved(&assignment.name).to_owned();
        let nature = shell.nature(&name);
        let before = shell
            .variables
            .get(&name)
            .map(|binding| binding.value.clone());
        let taint = value
            .taint()
            .with(before.as_ref().map_or(Taint::NONE, Stored::taint));
        if nature.integer || nature.casing.is_some() || assignment.append {
            if nature.integer {
                self.gap(evaluated(), assignment.span);
            }
            self.evaluated_name(key, shell);
            shell.set(&name, Stored::Hidden(taint));
            return;
        }
        let Stored::Scalar(value) = value else {
            shell.set(&name, Stored::Hidden(taint));
            return;
        };
        let stored = match (before, key.literal()) {
            (Some(Stored::Map(mut map)), Some(key)) => {
                map.insert(key.into_owned(), value);
                self.bounded(Stored::Map(map), assignment.span)
            }
            (Some(Stored::Map(_)), None) => Stored::Hidden(taint),
            (before, _) => {
                let at = self.evaluate(key, shell, key.span);
                let at = at.literal().and_then(|text| text.parse::<usize>().ok());
                let values = match before {
                    None | Some(Stored::Unset) => Some(Vec::new()),
                    Some(Stored::List(values)) => Some(values),
                    Some(Stored::Scalar(value)) => Some(vec![value]),
                    Some(Stored::Map(_) | Stored::Hidden(_) | Stored::Reference(_)) => None,
                };
                let placed = values
                    .zip(at)
                    .and_then(|(values, at)| placed(values, at, value));
                let stored = placed.map_or(Stored::Hidden(taint), Stored::List);
                self.bounded(stored, assignment.span)
            }
        };
        shell.set(&name, stored);
    }
}

/// What a variable holds after a text is assigned to it: of an array the first
/// element changes.
fn first_of(value: Value, name: &str, shell: &ShellState) -> Stored {
    let binding = shell.variables.get(shell.resolved(name));
    match binding.map(|binding| &binding.value) {
        Some(Stored::List(values)) if values.is_empty() => Stored::Hidden(value.taint()),
        Some(Stored::List(values)) => {
            let taint = taint_of_all(values).with(value.taint());
            placed(values.clone(), 0, value).map_or(Stored::Hidden(taint), Stored::List)
        }
        Some(Stored::Map(values)) => {
            let mut values = values.clone();
            values.insert("0".to_owned(), value);
            Stored::Map(values)
        }
        Some(Stored::Hidden(taint)) => Stored::Hidden(taint.with(value.taint())),
        Some(Stored::Scalar(_) | Stored::Reference(_) | Stored::Unset) | None => {
            Stored::Scalar(value)
        }
    }
}

/// A list with one element changed or added at its end.
fn placed(mut values: Vec<Value>, at: usize, value: Value) -> Option<Vec<Value>> {
    word_list::count(&values)?;
    if at == values.len() {
        values.push(value);
        return Some(values);
    }
    *values.get_mut(at)? = value;
    Some(values)
}

fn evaluated() -> GapKind {
    GapKind::Syntax("elements that are evaluated as expressions".to_owned())
}

fn appended(before: Option<&Stored>, more: Stored) -> Stored {
    let taint = before.map_or(Taint::NONE, Stored::taint).with(more.taint());
    match (before, more) {
        (Some(Stored::Scalar(before)), Stored::Scalar(more)) => {
            let mut value = before.clone();
            value.pieces.extend(more.pieces);
            value.span = more.span;
            Stored::Scalar(value)
        }
        (Some(Stored::List(before)), Stored::List(more)) => {
            Stored::List(before.iter().cloned().chain(more).collect())
        }
        (Some(Stored::Scalar(before)), Stored::List(more)) => {
            Stored::List(std::iter::once(before.clone()).chain(more).collect())
        }
        (Some(Stored::Map(before)), Stored::Map(more)) => {
            let mut map = before.clone();
            map.extend(more);
            Stored::Map(map)
        }
        (Some(Stored::Unset), more) => more,
        (None, Stored::Scalar(more)) => Stored::Scalar(Value::dynamic(
            crate::ir::DynamicSource::Unknown,
            taint,
            more.span,
        )),
        _ => Stored::Hidden(taint),
    }
}
