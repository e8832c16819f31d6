//! The arguments of a call.

use super::text::constant;
use super::value::PyValue;
use crate::Taint;

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct CallArguments {
    pub(super) positional: Vec<PyValue>,
    pub(super) keywords: Vec<(String, PyValue)>,
    /// Any number of further arguments that are not known one by one.
    pub(super) more: Option<PyValue>,
}

impl CallArguments {
    pub(super) const fn of(positional: Vec<PyValue>) -> Self {
        Self {
            positional,
            keywords: Vec::new(),
            more: None,
        }
    }

    /// Arguments of a call that someone else makes.
    pub(super) const fn any(taint: Taint) -> Self {
        Self {
            positional: Vec::new(),
            keywords: Vec::new(),
            more: Some(PyValue::Data(taint)),
        }
    }

    pub(super) fn keyword(&self, name: &str) -> Option<&PyValue> {
        self.keywords
            .iter()
            .find(|(keyword, _)| keyword == name)
            .map(|(_, value)| value)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &PyValue> {
        self.positional
            .iter()
            .chain(self.keywords.iter().map(|(_, value)| value))
            .chain(&self.more)
    }

    /// With a receiver in front.
    pub(super) fn behind(mut self, receiver: PyValue) -> Self {
        self.positional.insert(0, receiver);
        self
    }
}

/// The constant text of an argument.
pub(super) fn text_of(thing: Option<&PyValue>) -> Option<String> {
    thing.and_then(constant)
}
