//! Deeds that run code or reach other machines and databases.

use super::super::library::Argument;
use super::super::reading::{host_of, named};
use super::PyProgram;
use super::arguments::{CallArguments, text_of};
use super::value::PyValue;
use crate::{Code, Direction, Host, Taint};

impl PyProgram<'_, '_> {
    pub(super) fn run_code(&mut self, code: Option<PyValue>) {
        match code {
            Some(PyValue::Text(text)) if text.literal().is_some() => {
                self.depth = self.depth.saturating_add(10);
                self.run_text(&text.literal().unwrap_or_default());
                self.depth = self.depth.saturating_sub(10);
            }
            other => {
                let taint = other
                    .as_ref()
                    .map_or(Taint::UNKNOWN, |thing| self.taint(thing));
                self.reading.hidden_code(
                    Code::Inline { language: "python" },
                    "code that the program makes",
                    taint,
                );
            }
        }
    }

    pub(super) fn connect(
        &mut self,
        direction: Direction,
        at: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> Taint {
        let host = self.host(at, receiver, given);
        let data = self.given_taint(given);
        let (direction, sent) = match direction {
            Direction::Receive if data.is_none() && !has_body(given) => (Direction::Receive, data),
            // What the address, the query and the headers carry goes out.
            Direction::Receive => (Direction::Send, data),
            Direction::Send => {
                let sent = receiver.map_or(data, |receiver| data.with(self.taint(receiver)));
                (Direction::Send, sent)
            }
        };
        self.reading.connects(host, direction, sent);
        self.reading.saw(Taint::NETWORK);
        Taint::NETWORK
    }

    pub(super) fn host(
        &self,
        at: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> Host {
        match self.argument(at, receiver, given) {
            Some(thing @ PyValue::Heap(_)) => {
                let first = self.items(&thing).and_then(|items| items.first().cloned());
                text_of(first.as_ref()).map_or(Host::Unknown, |host| named(&host))
            }
            Some(PyValue::Object(object)) => {
                object.origin.as_ref().map_or(Host::Unknown, |origin| {
                    host_of(&self.word(&PyValue::Text((**origin).clone())))
                })
            }
            Some(thing @ PyValue::Text(_)) => host_of(&self.word(&thing)),
            Some(_) | None => Host::Unknown,
        }
    }

    pub(super) fn sql(&mut self, at: Argument, receiver: Option<&PyValue>, given: &CallArguments) {
        match self
            .argument(at, receiver, given)
            .as_ref()
            .and_then(super::text::constant)
        {
            Some(statement) => super::super::sql::read(&statement, self.reading),
            None => self.reading.unknown_call("SQL that the program makes"),
        }
    }
}

/// Whether a request is given a body, which makes it more than a question: `urlopen(url, data=x)`.
fn has_body(given: &CallArguments) -> bool {
    const BODIES: &[&str] = &["data", "json", "files", "content", "body"];
    given
        .keywords
        .iter()
        .any(|(name, value)| BODIES.contains(&name.as_str()) && !matches!(value, PyValue::None))
}
