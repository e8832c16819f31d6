//! The protocol without IO: a message from one side, and what is to be done about it.
//!
//! A call waits until the list of tools is known to be fresh: the door asks the server
//! for it itself, at the first call and whenever the server says that it changed.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use automode::{ToolCall, Verdict};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::hints;
use super::pins::ServerPins;
use super::tool;
use crate::decider::{DoorDecision, DoorRequest, DoorSession};
use crate::json_rpc::{self, Envelope};
use crate::probe;

/// Ids of requests of our own begin like this; nobody else's do.
const OWN_ID: &str = "\"automode-list-";
const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;
/// Calls that wait for a list at once.
const MAX_WAITING: usize = 256;
/// Pages of one list.
const MAX_PAGES: u32 = 100;

/// What is to be done about a message.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// It goes on as it came.
    Pass,
    ToClient(Vec<u8>),
    ToServer(Vec<u8>),
    /// A call is to be decided; the answer goes to [`Wire::decided`].
    Decide(Box<Pending>),
    /// The pins have changed and are to be kept.
    Keep,
}

/// A call that waits for its decision.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pending {
    /// The id as the client wrote it.
    pub id: String,
    pub request: DoorRequest,
}

/// Everything that is known of the talk between a client and a server.
#[derive(Debug)]
pub(super) struct Wire {
    /// The server's name in rules.
    server: String,
    session: DoorSession,
    cwd: String,
    pub pins: ServerPins,
    /// What the tools say of themselves.
    annotations: BTreeMap<String, Map<String, Value>>,
    list: List,
    /// Requests of the client for a list, and whether they are for its first page.
    listing: BTreeSet<String>,
    /// Calls that wait for a fresh list.
    waiting: Vec<Call>,
    /// Requests that bring something in, by id.
    bringing: BTreeSet<String>,
    /// A result spoke to the agent: what reaches out needs a person's yes from then on.
    suspicious: bool,
    /// Calls that are being decided, by id.
    deciding: BTreeMap<String, Call>,
    /// How many requests of our own were made.
    asked: u64,
}

/// How fresh the list of tools is.
#[derive(Debug, PartialEq, Eq)]
enum List {
    Stale,
    /// Our own request for it is under way.
    Asked {
        id: String,
        pages: u32,
        /// It has changed again meanwhile.
        again: bool,
    },
    Fresh,
}

/// A call as it came.
#[derive(Clone, Debug)]
struct Call {
    id: String,
    tool: String,
    arguments: Map<String, Value>,
    line: Vec<u8>,
}

#[derive(Deserialize)]
struct CallParams {
    name: String,
    #[serde(default)]
    arguments: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelParams {
    request_id: Value,
}

impl Wire {
    pub(super) fn new(server: &str, session: DoorSession, cwd: &str, pins: ServerPins) -> Self {
        Self {
            server: server.to_owned(),
            session,
            cwd: cwd.to_owned(),
            pins,
            annotations: BTreeMap::new(),
            list: List::Stale,
            listing: BTreeSet::new(),
            waiting: Vec::new(),
            bringing: BTreeSet::new(),
            suspicious: false,
            deciding: BTreeMap::new(),
            asked: 0,
        }
    }

    /// A message of the client.
    pub(super) fn client_says(&mut self, line: &[u8]) -> Vec<Step> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Vec::new();
        }
        let Some(message) = Envelope::read(line) else {
            return vec![Step::ToClient(unreadable(line))];
        };
        match (message.method.as_deref(), message.id()) {
            (Some("tools/call"), Some(id)) => self.call(&message, id, line),
            // A call that wants no answer cannot be told no.
            (Some("tools/call"), None) => Vec::new(),
            (Some("tools/list"), Some(id)) => {
                self.listing.insert(id.to_owned());
                vec![Step::Pass]
            }
            (Some("resources/read" | "prompts/get"), Some(id)) => {
                self.bringing.insert(id.to_owned());
                vec![Step::Pass]
            }
            (Some("notifications/cancelled"), _) => {
                self.cancel(&message);
                vec![Step::Pass]
            }
            (_, Some(id)) if id.starts_with(OWN_ID) => {
                let why = "ids that begin with `automode-list-` are taken";
                vec![Step::ToClient(json_rpc::error(id, INVALID_REQUEST, why))]
            }
            (_, _) => vec![Step::Pass],
        }
    }

    /// A message of the server. What cannot be read may hold a list that nobody has looked at.
    pub(super) fn server_says(&mut self, line: &[u8]) -> Vec<Step> {
        let Some(message) = Envelope::read(line) else {
            return Vec::new();
        };
        match (message.method.as_deref(), message.id()) {
            (Some("notifications/tools/list_changed"), _) => {
                self.changed();
                vec![Step::Pass]
            }
            (Some(_), _) | (None, None) => vec![Step::Pass],
            (None, Some(id)) if id.starts_with(OWN_ID) => self.own_list(&message, id),
            (None, Some(id)) if self.listing.remove(id) => self.list(&message, id),
            (None, Some(id)) if self.bringing.remove(id) => self.brought(&message, id),
            (None, Some(_)) => vec![Step::Pass],
        }
    }

    /// A decision is there. A question is a denial: nobody on this way can be asked.
    pub(super) fn decided(&mut self, id: &str, decision: DoorDecision) -> Vec<Step> {
        let Some(call) = self.deciding.remove(id) else {
            return Vec::new();
        };
        let nothing = Map::new();
        let annotations = self.annotations.get(&call.tool).unwrap_or(&nothing);
        let decision = hints::tighten(decision, annotations);
        let reaches = decision.reaches_out && !decision.by_person;
        match decision.verdict {
            Verdict::Allow if self.suspicious && reaches => {
                let why = "a result of this server spoke to the agent, and this call reaches out (needs a person's yes)";
                vec![Step::ToClient(refusal(id, why))]
            }
            // It may have changed while it was decided.
            Verdict::Allow if self.pins.holds(&call.tool) => {
                self.bringing.insert(id.to_owned());
                vec![Step::ToServer(call.line)]
            }
            Verdict::Allow => vec![Step::ToClient(self.unpinned(&call))],
            Verdict::Ask => vec![Step::ToClient(refusal(
                id,
                &format!("{} (needs a person's yes)", decision.reason),
            ))],
            Verdict::Deny => vec![Step::ToClient(refusal(id, &decision.reason))],
        }
    }

    /// A result goes on as it came, unless it speaks to the agent: then the model reads that first.
    fn brought(&mut self, message: &Envelope<'_>, id: &str) -> Vec<Step> {
        let Some(mut result) = message.result::<Map<String, Value>>() else {
            return vec![Step::Pass];
        };
        let found = probe::scan(&texts(&Value::Object(result.clone())));
        let Some(warning) = probe::warning(&found) else {
            return vec![Step::Pass];
        };
        self.suspicious = true;
        match result.get_mut("content").and_then(Value::as_array_mut) {
            Some(content) => {
                content.insert(0, json!({"type": "text", "text": warning}));
                let result = Value::Object(result);
                vec![Step::ToClient(json_rpc::result(id, &result))]
            }
            // A resource or a prompt has no place for a remark.
            None => vec![Step::Pass],
        }
    }

    /// How many calls are being decided.
    pub(super) fn open_decisions(&self) -> usize {
        self.deciding.len()
    }

    fn call(&mut self, message: &Envelope<'_>, id: &str, line: &[u8]) -> Vec<Step> {
        let Some(params) = message.params::<CallParams>() else {
            return vec![Step::ToClient(refusal(id, "the call cannot be read"))];
        };
        let arguments = match params.arguments {
            Some(Value::Object(arguments)) => arguments,
            None | Some(Value::Null) => Map::new(),
            Some(_) => return vec![Step::ToClient(refusal(id, "its arguments are no object"))],
        };
        let call = Call {
            id: id.to_owned(),
            tool: params.name,
            arguments,
            line: line.to_vec(),
        };
        if self.list == List::Fresh {
            return vec![self.decide(call)];
        }
        if self.waiting.len() >= MAX_WAITING {
            return vec![Step::ToClient(refusal(id, "too many calls wait at once"))];
        }
        self.waiting.push(call);
        match self.list {
            List::Stale => self.ask_for_list(None, 0),
            List::Asked { .. } | List::Fresh => Vec::new(),
        }
    }

    fn decide(&mut self, call: Call) -> Step {
        if !self.pins.holds(&call.tool) {
            return Step::ToClient(self.unpinned(&call));
        }
        let pending = Pending {
            id: call.id.clone(),
            request: DoorRequest {
                session: self.session.clone(),
                call: ToolCall {
                    tool: format!("mcp__{}__{}", self.server, call.tool),
                    input: call.arguments.clone(),
                    cwd: self.cwd.clone(),
                },
                transcript: None,
            },
        };
        self.deciding.insert(call.id.clone(), call);
        Step::Decide(Box::new(pending))
    }

    fn unpinned(&self, call: &Call) -> Vec<u8> {
        let tool = &call.tool;
        let why = match self.pins.quarantined.get(tool) {
            Some(quarantined) => format!(
                "the tool `{tool}` is {} since a person last looked at this server; until they do (`automode mcp pins`), it cannot be called",
                quarantined.why.name()
            ),
            None => format!("the server has no tool `{tool}` that anybody has looked at"),
        };
        refusal(&call.id, &why)
    }

    fn cancel(&mut self, message: &Envelope<'_>) {
        let Some(cancel) = message.params::<CancelParams>() else {
            return;
        };
        let id = cancel.request_id.to_string();
        self.deciding.remove(&id);
        self.waiting.retain(|call| call.id != id);
    }

    fn changed(&mut self) {
        match &mut self.list {
            List::Asked { again, .. } => *again = true,
            List::Stale | List::Fresh => self.list = List::Stale,
        }
    }

    fn ask_for_list(&mut self, cursor: Option<&Value>, pages: u32) -> Vec<Step> {
        self.asked = self.asked.saturating_add(1);
        let id = format!("{OWN_ID}{}\"", self.asked);
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\",\"params\":{params}}}\n"
        );
        self.list = List::Asked {
            id,
            pages,
            again: false,
        };
        vec![Step::ToServer(line.into_bytes())]
    }

    /// A page of the list that we asked for.
    fn own_list(&mut self, message: &Envelope<'_>, id: &str) -> Vec<Step> {
        let (pages, again) = match &self.list {
            List::Asked {
                id: own,
                pages,
                again,
            } if own == id => (*pages, *again),
            List::Asked { .. } | List::Stale | List::Fresh => return Vec::new(),
        };
        let result = message.result::<Map<String, Value>>().unwrap_or_default();
        let mut steps = Vec::new();
        self.admitted(result.get("tools"), &mut steps);
        let cursor = result.get("nextCursor").filter(|cursor| cursor.is_string());
        if again {
            steps.extend(self.ask_for_list(None, 0));
        } else if let (Some(cursor), true) = (cursor, pages < MAX_PAGES) {
            steps.extend(self.ask_for_list(Some(cursor), pages.saturating_add(1)));
        } else {
            self.pins.seen = true;
            self.list = List::Fresh;
            let waiting = std::mem::take(&mut self.waiting);
            steps.extend(waiting.into_iter().map(|call| self.decide(call)));
        }
        steps
    }

    /// A page of the list that the client asked for, without what a person has to look at.
    fn list(&mut self, message: &Envelope<'_>, id: &str) -> Vec<Step> {
        let Some(mut result) = message.result::<Map<String, Value>>() else {
            // An error of the server has no tools in it.
            return vec![Step::Pass];
        };
        let mut steps = Vec::new();
        let admitted = self.admitted(result.get("tools"), &mut steps);
        result.insert("tools".to_owned(), Value::Array(admitted));
        if !result.contains_key("nextCursor") && !self.pins.seen {
            self.pins.seen = true;
            steps.push(Step::Keep);
        }
        let result = Value::Object(result);
        steps.push(Step::ToClient(json_rpc::result(id, &result)));
        steps
    }

    /// The tools that may be used, of a page.
    fn admitted(&mut self, tools: Option<&Value>, steps: &mut Vec<Step>) -> Vec<Value> {
        let before = self.pins.clone();
        let first = !self.pins.seen;
        let tools = tools.and_then(Value::as_array);
        let mut admitted = Vec::new();
        for tool in tools.into_iter().flatten() {
            if let Some(name) = tool::name(tool) {
                self.annotations
                    .insert(name.to_owned(), tool::annotations(tool));
            }
            if self.pins.admit(tool, first) {
                admitted.push(tool.clone());
            }
        }
        if self.pins != before {
            steps.push(Step::Keep);
        }
        admitted
    }
}

/// Every text in a result, a line each.
fn texts(value: &Value) -> String {
    let mut all = String::new();
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => {
                all.push_str(text);
                all.push('\n');
            }
            Value::Array(items) => rest.extend(items),
            Value::Object(fields) => rest.extend(fields.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    all
}

/// A result that the model reads as a failure of the tool.
pub(super) fn refusal(id: &str, why: &str) -> Vec<u8> {
    let text = crate::text::clean(&format!("automode: {why}"));
    let result = json!({"isError": true, "content": [{"type": "text", "text": text}]});
    json_rpc::result(id, &result)
}

/// The answer to a line that holds no single message.
fn unreadable(line: &[u8]) -> Vec<u8> {
    let is_batch = line.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    let (code, why) = if is_batch {
        (INVALID_REQUEST, "automode takes one message at a time")
    } else {
        (PARSE_ERROR, "automode cannot read this message")
    };
    json_rpc::error("null", code, why)
}
