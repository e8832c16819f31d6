//! Assignments.

use super::Evaluator;
use super::expand::Quotes;
use super::field::MAX_SIZE;
use super::outcome::size;
use super::shell::{Shell, Stored};
use crate::syntax::{Assignment, AssignmentValue, Element};
use crate::{Act, Certainty, GapKind, Span, Taint, Value};

impl Evaluator<'_> {
    /// Evaluates an assignment and makes it.
    pub(super) fn assign(&mut self, assignment: &Assignment, shell: &mut Shell) {
        if let Some(key) = &assignment.subscript {
            let key = self.expand(key, shell, Quotes::Implied);
            self.evaluated_name(&key);
            let value = self.assigned(assignment, shell);
            self.assign_element(&assignment.name, &key, value, shell);
            return;
        }
        let stored = self.assigned(assignment, shell);
        let stored = if assignment.append {
            let before = shell.variables.get(&assignment.name);
            appended(before.map(|binding| &binding.value), stored)
        } else {
            stored
        };
        let stored = self.bounded(stored, assignment.span);
        self.note_variable(&assignment.name, assignment.span);
        shell.set(&assignment.name, stored);
    }

    /// Gives up what has grown beyond what is followed.
    fn bounded(&mut self, stored: Stored, span: Span) -> Stored {
        let size = match &stored {
            Stored::Scalar(value) => size(value),
            Stored::List(values) => values.iter().map(|value| size(value) + 8).sum(),
            Stored::Hidden(_) | Stored::Unset => 0,
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
        if RECORD.contains(&name) || name.starts_with("AUTOMODE_") {
            let act = Act::Environment {
                name: name.to_owned(),
            };
            self.effect(act, usize::MAX, span, Certainty::Always);
        }
    }

    /// The value that would be assigned.
    pub(super) fn assigned(&mut self, assignment: &Assignment, shell: &mut Shell) -> Stored {
        match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let mut value = self.expand(word, shell, Quotes::Implied);
                value.span = assignment.span;
                Stored::Scalar(value)
            }
            AssignmentValue::Array(elements) => self.array(elements, shell),
        }
    }

    fn array(&mut self, elements: &[Element], shell: &mut Shell) -> Stored {
        let mut values = Vec::new();
        let mut keyed = false;
        for element in elements {
            if let Some(key) = &element.key {
                keyed = true;
                let key = self.expand(key, shell, Quotes::Implied);
                self.evaluated_name(&key);
            }
            values.extend(self.fields(&element.value, shell));
        }
        let uncertain = keyed || values.iter().any(|value| value.may_split);
        if uncertain {
            return Stored::Hidden(
                values
                    .iter()
                    .fold(Taint::NONE, |taint, value| taint.with(value.taint())),
            );
        }
        Stored::List(values)
    }

    fn assign_element(&mut self, name: &str, key: &Value, value: Stored, shell: &mut Shell) {
        let at = key.literal().and_then(|text| text.parse::<usize>().ok());
        let mut values = match shell.variables.get(name).map(|binding| &binding.value) {
            None | Some(Stored::Unset) => Vec::new(),
            Some(Stored::List(values)) => values.clone(),
            Some(Stored::Scalar(value)) => vec![value.clone()],
            Some(Stored::Hidden(taint)) => {
                let taint = taint.with(value.taint());
                shell.set(name, Stored::Hidden(taint));
                return;
            }
        };
        let taint = values
            .iter()
            .fold(value.taint(), |taint, value| taint.with(value.taint()));
        let stored = match (at, value) {
            (Some(at), Stored::Scalar(value)) if at == values.len() => {
                values.push(value);
                Stored::List(values)
            }
            (Some(at), Stored::Scalar(value)) if at < values.len() => {
                if let Some(slot) = values.get_mut(at) {
                    *slot = value;
                }
                Stored::List(values)
            }
            _ => Stored::Hidden(taint),
        };
        shell.set(name, stored);
    }
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
        (Some(Stored::Unset), more) => more,
        (None, Stored::Scalar(more)) => Stored::Scalar(Value::dynamic(
            crate::DynamicSource::Unknown,
            taint,
            more.span,
        )),
        _ => Stored::Hidden(taint),
    }
}
