//! What is known of one session of an agent: where it works, and its calls so far.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value};

use super::tool_call::ToldCall;

/// Calls of a session that are remembered; a forgotten one is opaque.
const MAX_CALLS: usize = 1_024;

#[derive(Debug, Default)]
pub(super) struct AcpSession {
    /// The project, then additional directories.
    pub roots: Vec<String>,
    calls: BTreeMap<String, ToldCall>,
    order: VecDeque<String>,
}

impl AcpSession {
    /// Takes in an update about a call. An id may serve again: what was said about a call that
    /// has ended, or under an id that is announced anew, says nothing about the next one.
    pub(super) fn update(&mut self, id: &str, said: &Map<String, Value>) {
        let word = |field: &str| said.get(field).and_then(Value::as_str);
        let ended = matches!(word("status"), Some("completed" | "failed"));
        if ended || word("sessionUpdate") == Some("tool_call") {
            self.calls.remove(id);
            self.order.retain(|known| known != id);
        }
        if !ended {
            self.told(id).merge(said);
        }
    }

    /// Everything that was said about the call of a request. Without an id there is no before.
    pub(super) fn asked(&mut self, said: &Map<String, Value>) -> ToldCall {
        let mut nameless = ToldCall::default();
        let call = match said.get("toolCallId").and_then(Value::as_str) {
            Some(id) => self.told(id),
            None => &mut nameless,
        };
        call.merge(said);
        call.clone()
    }

    fn told(&mut self, id: &str) -> &mut ToldCall {
        if !self.calls.contains_key(id) {
            self.order.push_back(id.to_owned());
            if self.order.len() > MAX_CALLS
                && let Some(oldest) = self.order.pop_front()
            {
                self.calls.remove(&oldest);
            }
        }
        self.calls.entry(id.to_owned()).or_default()
    }
}
