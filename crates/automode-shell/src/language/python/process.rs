//! Deeds that start programs, and what they hand them.

use super::super::library::Argument;
use super::PyProgram;
use super::arguments::CallArguments;
use super::value::{HeapObject, PyValue};
use crate::program::steers;
use crate::{Act, NestedStdin, Taint, Value};

impl PyProgram<'_, '_> {
    pub(super) fn process(
        &mut self,
        at: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> Taint {
        let command = self.argument(at, receiver, given);
        let stdin = match given.keyword("input") {
            Some(input) => NestedStdin::Data(self.taint(input)),
            None => match given.keyword("stdin") {
                Some(PyValue::Object(object)) => NestedStdin::Data(object.taint),
                Some(_) | None => NestedStdin::Same,
            },
        };
        let cwd = given
            .keyword("cwd")
            .filter(|cwd| !matches!(cwd, PyValue::None))
            .map(|cwd| self.word(cwd));
        let shell = given.keyword("shell").or(given.more.as_ref()).is_some();
        if shell {
            let text = match &command {
                Some(thing @ PyValue::Heap(_)) => {
                    let first = self.items(thing).and_then(|items| items.first().cloned());
                    first.map(|first| self.word(&first))
                }
                Some(thing) => Some(self.word(thing)),
                None => None,
            };
            let text = text.unwrap_or_else(|| self.reading.unknown_word(Taint::UNKNOWN));
            self.reading.runs(crate::Nested::Shell {
                text,
                arguments: Vec::new(),
                cwd,
                stdin,
                layer: self.reading.source.layer.clone(),
            });
        } else {
            let argv = self.argv(command);
            let env = self.variables(given.keyword("env"));
            self.reading.command(argv, env, cwd, stdin);
        }
        self.ran()
    }

    /// The words of a command from a list or a single text.
    pub(super) fn argv(&self, command: Option<PyValue>) -> Vec<Value> {
        let Some(command) = command else {
            return vec![self.reading.unknown_word(Taint::UNKNOWN)];
        };
        let held = command.as_heap().and_then(|at| self.state.heap.get(at));
        match held {
            Some(HeapObject::List { items, rest }) => {
                let mut argv: Vec<Value> = items
                    .iter()
                    .map(|item| self.word(&self.settle(item)))
                    .collect();
                if let Some(rest) = rest {
                    let mut word = self.word(rest);
                    word.may_split = true;
                    argv.push(word);
                }
                if argv.is_empty() {
                    argv.push(self.reading.unknown_word(Taint::UNKNOWN));
                }
                argv
            }
            Some(HeapObject::Dict { .. } | HeapObject::Instance { .. }) | None => {
                let mut word = self.word(&command);
                word.may_split = !matches!(command, PyValue::Text(_));
                vec![word]
            }
        }
    }

    pub(super) fn variables(&self, env: Option<&PyValue>) -> Vec<(String, Value)> {
        let Some(PyValue::Heap(at)) = env else {
            return Vec::new();
        };
        match self.state.heap.get(at) {
            Some(HeapObject::Dict { entries, .. }) => entries
                .iter()
                .map(|(name, value)| (name.clone(), self.word(value)))
                .collect(),
            Some(HeapObject::List { .. } | HeapObject::Instance { .. }) | None => Vec::new(),
        }
    }

    /// `os.environ[name] = …`: matters where the name decides what other programs run.
    pub(super) fn set_variable(&mut self, name: Option<&str>) {
        let powerful = name.is_none_or(steers);
        if powerful {
            self.reading.act(Act::Environment {
                name: name.unwrap_or("…").to_owned(),
            });
        }
    }
}
