//! The tools of a server as far as they are known: their pins, and what they say of themselves.

use std::collections::{BTreeMap, BTreeSet};

use automode::Verdict;
use serde_json::{Map, Value};

use super::pins::{ServerPins, Why};
use super::{file_tools, hints, tool, words_only};
use crate::decider::DoorDecision;
use crate::meaning::CallMeaning;

/// Pins and definitions of one server's tools.
#[derive(Debug)]
pub(super) struct KnownTools {
    pub pins: ServerPins,
    /// What the server last said of each.
    definitions: BTreeMap<String, Value>,
    /// The server's files are those of this machine.
    here: bool,
}

impl KnownTools {
    pub(super) fn new(pins: ServerPins) -> Self {
        Self {
            pins,
            definitions: BTreeMap::new(),
            here: false,
        }
    }

    /// The same tools, of a server that is started by this command.
    pub(super) fn started_by(self, command: &[String]) -> Self {
        Self {
            here: file_tools::runs_here(command),
            ..self
        }
    }

    /// The tools of a page that may be used. Pins that changed are to be kept by the caller.
    pub(super) fn admit(&mut self, tools: Option<&Value>) -> Vec<Value> {
        let first = !self.pins.seen;
        let page = || tools.and_then(Value::as_array).into_iter().flatten();
        let mut digests = BTreeMap::new();
        for tool in page() {
            let told: &mut BTreeSet<_> = digests.entry(tool::name(tool)).or_default();
            told.insert(tool::digest(tool));
        }
        let mut admitted = Vec::new();
        for tool in page() {
            if let Some(name) = tool::name(tool) {
                self.definitions.insert(name.to_owned(), tool.clone());
            }
            // Two tools of one name: nobody can tell which of them a call is for.
            let one = digests
                .get(&tool::name(tool))
                .is_some_and(|told| told.len() == 1);
            if !one {
                self.pins.quarantine(tool, Why::Changed);
            } else if self.pins.admit(tool, first) {
                admitted.push(tool.clone());
            }
        }
        admitted
    }

    /// What a call of a tool means, where its definition says so.
    pub(super) fn meaning(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        cwd: &str,
    ) -> Option<CallMeaning> {
        let definition = self.definitions.get(tool)?;
        let calls = || file_tools::stands_for(definition, arguments, cwd);
        let words = || words_only::only_words(definition, arguments).then_some(CallMeaning::Words);
        (self.here.then(calls).flatten())
            .map(CallMeaning::Calls)
            .or_else(words)
    }

    /// Why a call of a tool does not go on; nothing where it does.
    pub(super) fn objection(
        &self,
        tool: &str,
        decision: DoorDecision,
        suspicious: bool,
    ) -> Option<String> {
        let annotations = self.definitions.get(tool).map(tool::annotations);
        let decision = hints::tighten(decision, &annotations.unwrap_or_default());
        // It may have changed while it was decided.
        let changed = || (!self.pins.holds(tool)).then(|| self.unpinned(tool));
        objection(decision, suspicious).or_else(changed)
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

/// Why a request does not go on; nothing where it does. A question is a denial: nobody on this
/// way can be asked.
pub(super) fn objection(decision: DoorDecision, suspicious: bool) -> Option<String> {
    let reaches = decision.reaches_out && !decision.by_person;
    match decision.verdict {
        Verdict::Allow if suspicious && reaches => Some("a result of this server spoke to the agent, and this call reaches out (needs a person's yes)".to_owned()),
        Verdict::Allow => None,
        Verdict::Ask => Some(format!("{} (needs a person's yes)", decision.reason)),
        Verdict::Deny => Some(decision.reason),
    }
}
