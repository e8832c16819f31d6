//! The tools of a server as far as they are known: their pins, and what they say of themselves.

use std::collections::BTreeMap;

use automode::Verdict;
use serde_json::{Map, Value};

use super::hints;
use super::pins::ServerPins;
use super::tool;
use crate::decider::DoorDecision;

/// Pins and annotations of one server.
#[derive(Debug)]
pub(super) struct KnownTools {
    pub pins: ServerPins,
    annotations: BTreeMap<String, Map<String, Value>>,
}

impl KnownTools {
    pub(super) fn new(pins: ServerPins) -> Self {
        Self {
            pins,
            annotations: BTreeMap::new(),
        }
    }

    /// The tools of a page that may be used. Pins that changed are to be kept by the caller.
    pub(super) fn admit(&mut self, tools: Option<&Value>) -> Vec<Value> {
        let first = !self.pins.seen;
        let mut admitted = Vec::new();
        for tool in tools.and_then(Value::as_array).into_iter().flatten() {
            if let Some(name) = tool::name(tool) {
                self.annotations
                    .insert(name.to_owned(), tool::annotations(tool));
            }
            if self.pins.admit(tool, first) {
                admitted.push(tool.clone());
            }
        }
        admitted
    }

    /// Why a call does not go on; nothing where it does. A question is a denial: nobody on this
    /// way can be asked.
    pub(super) fn objection(
        &self,
        tool: &str,
        decision: DoorDecision,
        suspicious: bool,
    ) -> Option<String> {
        let nothing = Map::new();
        let annotations = self.annotations.get(tool).unwrap_or(&nothing);
        let decision = hints::tighten(decision, annotations);
        let reaches = decision.reaches_out && !decision.by_person;
        match decision.verdict {
            Verdict::Allow if suspicious && reaches => Some("a result of this server spoke to the agent, and this call reaches out (needs a person's yes)".to_owned()),
            // It may have changed while it was decided.
            Verdict::Allow => (!self.pins.holds(tool)).then(|| self.unpinned(tool)),
            Verdict::Ask => Some(format!("{} (needs a person's yes)", decision.reason)),
            Verdict::Deny => Some(decision.reason),
        }
    }

    /// Why a tool that nobody has looked at cannot be called.
    pub(super) fn unpinned(&self, tool: &str) -> String {
        match self.pins.quarantined.get(tool) {
            Some(quarantined) => format!(
                "the tool `{tool}` is {} since a person last looked at this server; until they do (`automode mcp pins`), it cannot be called",
                quarantined.why.name()
            ),
            None => format!("the server has no tool `{tool}` that anybody has looked at"),
        }
    }
}
