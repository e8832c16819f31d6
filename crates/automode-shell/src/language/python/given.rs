//! The arguments of a call.

use super::text::constant;
use super::value::Thing;
use crate::Taint;

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) positional: Vec<Thing>,
    pub(super) keywords: Vec<(String, Thing)>,
    /// Any number of further arguments that are not known one by one.
    pub(super) more: Option<Thing>,
}

impl Given {
    pub(super) const fn of(positional: Vec<Thing>) -> Self {
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
            more: Some(Thing::Data(taint)),
        }
    }

    pub(super) fn keyword(&self, name: &str) -> Option<&Thing> {
        self.keywords
            .iter()
            .find(|(keyword, _)| keyword == name)
            .map(|(_, value)| value)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Thing> {
        self.positional
            .iter()
            .chain(self.keywords.iter().map(|(_, value)| value))
            .chain(&self.more)
    }

    /// With a receiver in front.
    pub(super) fn behind(mut self, receiver: Thing) -> Self {
        self.positional.insert(0, receiver);
        self
    }
}

/// The constant text of an argument.
pub(super) fn text_of(thing: Option<&Thing>) -> Option<String> {
    thing.and_then(constant)
}
