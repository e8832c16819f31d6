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
    /// Takes in what was said about a call, and tells all of it.
    pub(super) fn told(&mut self, id: &str, said: &Map<String, Value>) -> &ToldCall {
        if !self.calls.contains_key(id) {
            self.order.push_back(id.to_owned());
            if self.order.len() > MAX_CALLS
                && let Some(oldest) = self.order.pop_front()
            {
                self.calls.remove(&oldest);
            }
        }
        let call = self.calls.entry(id.to_owned()).or_default();
        call.merge(said);
        call
    }
}
