//! The protocol without IO: a message from one side, and what is to be done about it.
//!
//! A call waits until the list of tools is known to be fresh: the door asks the server
//! for it itself, at the first call and whenever the server says that it changed.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use automode::ToolCall;
use automode_core::SuspiciousResult;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::brought;
use super::known_tools::KnownTools;
use crate::decider::{DoorDecision, DoorRequest, DoorSession};
use crate::json_rpc::{self, Envelope};

/// Ids of requests of our own begin like this; nobody else's do.
const OWN_ID: &str = "\"automode-list-";
const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;
/// Calls that wait for a list at once.
const MAX_WAITING: usize = 256;
/// How often a list may change while it is read, before the calls that wait for it are refused.
const MAX_CHANGES: u32 = 8;
/// Pages of one list.
pub(super) const MAX_PAGES: u32 = 100;

/// What is to be done about a message.
#[derive(Debug, PartialEq)]
pub(super) enum McpStep {
    /// It goes on as it came.
    Pass,
    ToClient(Vec<u8>),
    ToServer(Vec<u8>),
    /// A call is to be decided; the answer goes to [`Wire::decided`].
    Decide(Box<McpPending>),
    /// The pins have changed and are to be kept.
    Keep,
    /// A result spoke to the agent, and the session is to be marked.
    Suspect(SuspiciousResult),
}

/// A call that waits for its decision.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct McpPending {
    /// The id as the client wrote it.
    pub id: String,
    pub request: DoorRequest,
}

/// Everything that is known of the talk between a client and a server.
#[derive(Debug)]
pub(super) struct McpWire {
    /// The server's name in rules.
    server: String,
    session: DoorSession,
    cwd: String,
    pub tools: KnownTools,
    list: ToolList,
    /// Requests of the client for a list, and whether they are for its first page.
    listing: BTreeSet<String>,
    /// Calls that wait for a fresh list.
    waiting: Vec<McpCall>,
    /// Requests that bring something in, by id, and the tool that does.
    bringing: BTreeMap<String, String>,
    /// A result spoke to the agent: what reaches out needs a person's yes from then on.
    suspicious: bool,
    /// Calls that are being decided, by id.
    deciding: BTreeMap<String, McpCall>,
    /// How many requests of our own were made.
    asked: u64,
    /// How often in a row the list has changed while it was read.
    changes: u32,
}

/// How fresh the list of tools is.
#[derive(Debug, PartialEq, Eq)]
enum ToolList {
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
struct McpCall {
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

impl McpWire {
    pub(super) fn new(server: &str, session: DoorSession, cwd: &str, tools: KnownTools) -> Self {
        Self {
            server: server.to_owned(),
            session,
            cwd: cwd.to_owned(),
            tools,
            list: ToolList::Stale,
            listing: BTreeSet::new(),
            waiting: Vec::new(),
            bringing: BTreeMap::new(),
            suspicious: false,
            deciding: BTreeMap::new(),
            asked: 0,
            changes: 0,
        }
    }

    /// A message of the client.
    pub(super) fn client_says(&mut self, line: &[u8]) -> Vec<McpStep> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Vec::new();
        }
        let Some(message) = Envelope::read(line) else {
            return vec![McpStep::ToClient(unreadable(line))];
        };
        match (message.method.as_deref(), message.id()) {
            (Some("tools/call"), Some(id)) => self.call(&message, id, line),
            // A call that wants no answer cannot be told no.
            (Some("tools/call"), None) => Vec::new(),
            (Some("tools/list"), Some(id)) => {
                self.listing.insert(id.to_owned());
                vec![McpStep::Pass]
            }
            (Some(method @ ("resources/read" | "prompts/get")), Some(id)) => {
                let source = self.named(method);
                self.bringing.insert(id.to_owned(), source);
                vec![McpStep::Pass]
            }
            (Some("notifications/cancelled"), _) => {
                self.cancel(&message);
                vec![McpStep::Pass]
            }
            (_, Some(id)) if id.starts_with(OWN_ID) => {
                let why = "ids that begin with `automode-list-` are taken";
                vec![McpStep::ToClient(json_rpc::error(id, INVALID_REQUEST, why))]
            }
            (_, _) => vec![McpStep::Pass],
        }
    }

    /// A message of the server. What cannot be read may hold a list that nobody has looked at.
    pub(super) fn server_says(&mut self, line: &[u8]) -> Vec<McpStep> {
        let Some(message) = Envelope::read(line) else {
            return Vec::new();
        };
        match (message.method.as_deref(), message.id()) {
            (Some("notifications/tools/list_changed"), _) => {
                self.changed();
                vec![McpStep::Pass]
            }
            (Some(_), _) | (None, None) => vec![McpStep::Pass],
            (None, Some(id)) if id.starts_with(OWN_ID) => self.own_list(&message, id),
            (None, Some(id)) if self.listing.remove(id) => self.list(&message, id),
            (None, Some(id)) => match self.bringing.remove(id) {
                Some(tool) => self.brought(line, id, tool),
                None => vec![McpStep::Pass],
            },
        }
    }

    /// A decision is there. A question is a denial: nobody on this way can be asked.
    pub(super) fn decided(&mut self, id: &str, decision: DoorDecision) -> Vec<McpStep> {
        let Some(call) = self.deciding.remove(id) else {
            return Vec::new();
        };
        let suspicious = self.suspicious;
        match self.tools.objection(&call.tool, decision, suspicious) {
            Some(why) => vec![McpStep::ToClient(refusal(id, &why))],
            None => {
                self.bringing.insert(id.to_owned(), self.named(&call.tool));
                vec![McpStep::ToServer(call.line)]
            }
        }
    }

    /// An answer goes on as it came, unless it speaks to the agent: then the model reads that first.
    fn brought(&mut self, line: &[u8], id: &str, tool: String) -> Vec<McpStep> {
        let Some((found, warned)) = brought::warned(line, id) else {
            return vec![McpStep::Pass];
        };
        self.suspicious = true;
        let noted = McpStep::Suspect(brought::noted(tool, &found));
        match warned {
            Some(warned) => vec![noted, McpStep::ToClient(warned)],
            None => vec![noted, McpStep::Pass],
        }
    }

    /// How many calls are being decided.
    pub(super) fn open_decisions(&self) -> usize {
        self.deciding.len()
    }

    fn call(&mut self, message: &Envelope<'_>, id: &str, line: &[u8]) -> Vec<McpStep> {
        let (tool, arguments) = match called(message) {
            Ok(called) => called,
            Err(why) => return vec![McpStep::ToClient(refusal(id, why))],
        };
        let call = McpCall {
            id: id.to_owned(),
            tool,
            arguments,
            line: line.to_vec(),
        };
        if self.list == ToolList::Fresh {
            return vec![self.decide(call)];
        }
        if self.waiting.len() >= MAX_WAITING {
            return vec![McpStep::ToClient(refusal(
                id,
                "too many calls wait at once",
            ))];
        }
        self.waiting.push(call);
        match self.list {
            ToolList::Stale => self.ask_for_list(None, 0),
            ToolList::Asked { .. } | ToolList::Fresh => Vec::new(),
        }
    }

    fn decide(&mut self, call: McpCall) -> McpStep {
        if !self.tools.pins.holds(&call.tool) {
            let why = self.tools.unpinned(&call.tool);
            return McpStep::ToClient(refusal(&call.id, &why));
        }
        let pending = McpPending {
            id: call.id.clone(),
            request: DoorRequest {
                session: self.session.clone(),
                call: ToolCall {
                    tool: self.named(&call.tool),
                    input: call.arguments.clone(),
                    cwd: self.cwd.clone(),
                },
                transcript: None,
                suspicious: Vec::new(),
                meaning: self.tools.meaning(&call.tool, &call.arguments, &self.cwd),
            },
        };
        self.deciding.insert(call.id.clone(), call);
        McpStep::Decide(Box::new(pending))
    }

    /// A tool by its name in rules.
    fn named(&self, tool: &str) -> String {
        format!("mcp__{}__{tool}", self.server)
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
            ToolList::Asked { again, .. } => *again = true,
            ToolList::Stale | ToolList::Fresh => self.list = ToolList::Stale,
        }
    }

    fn ask_for_list(&mut self, cursor: Option<&Value>, pages: u32) -> Vec<McpStep> {
        self.asked = self.asked.saturating_add(1);
        let id = format!("{OWN_ID}{}\"", self.asked);
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\",\"params\":{params}}}\n"
        );
        self.list = ToolList::Asked {
            id,
            pages,
            again: false,
        };
        vec![McpStep::ToServer(line.into_bytes())]
    }

    /// A page of the list that we asked for.
    fn own_list(&mut self, message: &Envelope<'_>, id: &str) -> Vec<McpStep> {
        let (pages, again) = match &self.list {
            ToolList::Asked {
                id: own,
                pages,
                again,
            } if own == id => (*pages, *again),
            ToolList::Asked { .. } | ToolList::Stale | ToolList::Fresh => return Vec::new(),
        };
        let result = message.result::<Map<String, Value>>().unwrap_or_default();
        let mut steps = Vec::new();
        self.admitted(result.get("tools"), &mut steps);
        let cursor = result.get("nextCursor").filter(|cursor| cursor.is_string());
        if again && self.changes >= MAX_CHANGES {
            self.changes = 0;
            self.list = ToolList::Stale;
            let waiting = std::mem::take(&mut self.waiting).into_iter();
            let why = "the server's list of tools does not stay the same";
            steps.extend(waiting.map(|call| McpStep::ToClient(refusal(&call.id, why))));
        } else if again {
            self.changes = self.changes.saturating_add(1);
            steps.extend(self.ask_for_list(None, 0));
        } else if let (Some(cursor), true) = (cursor, pages < MAX_PAGES) {
            steps.extend(self.ask_for_list(Some(cursor), pages.saturating_add(1)));
        } else {
            self.tools.pins.seen = true;
            self.changes = 0;
            self.list = ToolList::Fresh;
            let waiting = std::mem::take(&mut self.waiting);
            steps.extend(waiting.into_iter().map(|call| self.decide(call)));
        }
        steps
    }

    /// A page of the list that the client asked for, without what a person has to look at.
    fn list(&mut self, message: &Envelope<'_>, id: &str) -> Vec<McpStep> {
        let Some(mut result) = message.result::<Map<String, Value>>() else {
            // An error of the server has no tools in it.
            return vec![McpStep::Pass];
        };
        let mut steps = Vec::new();
        let admitted = self.admitted(result.get("tools"), &mut steps);
        result.insert("tools".to_owned(), Value::Array(admitted));
        if !result.contains_key("nextCursor") && !self.tools.pins.seen {
            self.tools.pins.seen = true;
            steps.push(McpStep::Keep);
        }
        let result = Value::Object(result);
        steps.push(McpStep::ToClient(json_rpc::result(id, &result)));
        steps
    }

    /// The tools that may be used, of a page.
    fn admitted(&mut self, tools: Option<&Value>, steps: &mut Vec<McpStep>) -> Vec<Value> {
        let before = self.tools.pins.clone();
        let admitted = self.tools.admit(tools);
        if self.tools.pins != before {
            steps.push(McpStep::Keep);
        }
        admitted
    }
}

/// Which tool is called, and with what.
pub(super) fn called(message: &Envelope<'_>) -> Result<(String, Map<String, Value>), &'static str> {
    let params = message
        .params::<CallParams>()
        .ok_or("the call cannot be read")?;
    match params.arguments {
        Some(Value::Object(arguments)) => Ok((params.name, arguments)),
        None | Some(Value::Null) => Ok((params.name, Map::new())),
        Some(_) => Err("its arguments are no object"),
    }
}

/// A result that the model reads as a failure of the tool.
pub(super) fn refusal(id: &str, why: &str) -> Vec<u8> {
    let text = crate::text::clean(&format!("automode: {why}"));
    let result = json!({"isError": true, "content": [{"type": "text", "text": text}]});
    json_rpc::result(id, &result)
}

/// The answer to a line that holds no single message.
pub(super) fn unreadable(line: &[u8]) -> Vec<u8> {
    let is_batch = line.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    let (code, why) = if is_batch {
        (INVALID_REQUEST, "automode takes one message at a time")
    } else {
        (PARSE_ERROR, "automode cannot read this message")
    };
    json_rpc::error("null", code, why)
}
