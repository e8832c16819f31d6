//! The protocol without IO: a message from one side, and what is to be done about it.
//!
//! A call waits until the list of tools is known to be fresh: the door asks the server
//! for it itself, at the first call and whenever the server says that it changed.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use automode::ToolCall;
use automode_core::SuspiciousResult;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::asked::AskedFor;
use super::known_tools::{KnownTools, objection};
use super::{brought, tool};
use crate::decider::{DoorDecision, DoorRequest, DoorSession};
use crate::json_rpc::{self, Envelope, id_key};

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
    pub number: u64,
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
    /// Requests of the client that the server has not answered, by id. What nobody asked for
    /// goes nowhere: it may be a list under another id.
    open: BTreeMap<String, OpenRequest>,
    /// Calls that wait for a fresh list.
    waiting: Vec<McpCall>,
    /// A result spoke to the agent: what reaches out needs a person's yes from then on.
    suspicious: bool,
    /// Calls that are being decided, each under a number of its own.
    deciding: BTreeMap<u64, McpCall>,
    /// How many numbers were given out.
    numbers: u64,
    /// How many requests of our own were made.
    asked: u64,
    /// How often in a row the list has changed while it was read.
    changes: u32,
}

/// What an answer of the server is an answer to.
#[derive(Debug)]
enum OpenRequest {
    /// A page of the list of tools.
    List,
    /// Something that is brought in, by this tool.
    Brings(String),
    Other,
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
    asks: AskedFor,
    id: String,
    tool: String,
    arguments: Map<String, Value>,
    line: Vec<u8>,
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
            open: BTreeMap::new(),
            waiting: Vec::new(),
            suspicious: false,
            deciding: BTreeMap::new(),
            numbers: 0,
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
        let refused = |id, why| vec![McpStep::ToClient(json_rpc::error(id, INVALID_REQUEST, why))];
        match (message.method.as_deref(), message.id()) {
            (Some(_), Some(id)) if id_key(id).starts_with(OWN_ID) => {
                refused(id, "ids that begin with `automode-list-` are taken")
            }
            // Nobody could tell which of two requests an answer is for.
            (Some(_), Some(id)) if self.is_open(id) => refused(id, "this id is in use"),
            (Some("notifications/cancelled"), _) => {
                self.cancel(&message);
                vec![McpStep::Pass]
            }
            (Some(method), id) if let Some(asks) = AskedFor::by_method(method) => {
                // What wants no answer cannot be told no.
                id.map_or_else(Vec::new, |id| self.call(asks, &message, id, line))
            }
            (Some(method), Some(id)) => {
                let asked = match method {
                    "tools/list" => OpenRequest::List,
                    _ if brought::brings(method) => OpenRequest::Brings(self.named(method)),
                    _ => OpenRequest::Other,
                };
                self.open.insert(id_key(id), asked);
                vec![McpStep::Pass]
            }
            (Some(_), None) | (None, _) => vec![McpStep::Pass],
        }
    }

    fn is_open(&self, id: &str) -> bool {
        let key = id_key(id);
        let mut held = self.deciding.values().chain(&self.waiting);
        self.open.contains_key(&key) || held.any(|call| id_key(&call.id) == key)
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
            (None, Some(id)) if id_key(id).starts_with(OWN_ID) => self.own_list(&message, id),
            (None, Some(id)) => match self.open.remove(&id_key(id)) {
                Some(OpenRequest::List) => self.list(&message, id),
                Some(OpenRequest::Brings(tool)) => self.brought(line, id, tool),
                Some(OpenRequest::Other) => vec![McpStep::Pass],
                None => Vec::new(),
            },
        }
    }

    /// A decision is there. A question is a denial: nobody on this way can be asked.
    pub(super) fn decided(&mut self, number: u64, decision: DoorDecision) -> Vec<McpStep> {
        let Some(call) = self.deciding.remove(&number) else {
            return Vec::new();
        };
        let objection = match call.asks {
            AskedFor::Tool => self.tools.objection(&call.tool, decision, self.suspicious),
            AskedFor::Resource | AskedFor::Prompt | AskedFor::Completion => {
                objection(decision, self.suspicious)
            }
        };
        match objection {
            Some(why) => vec![McpStep::ToClient(call.asks.refused(&call.id, &why))],
            None => {
                let brings = OpenRequest::Brings(self.named(&call.tool));
                self.open.insert(id_key(&call.id), brings);
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

    fn call(
        &mut self,
        asks: AskedFor,
        message: &Envelope<'_>,
        id: &str,
        line: &[u8],
    ) -> Vec<McpStep> {
        let called = match asks.call(message) {
            Ok(called) => called,
            Err(why) => return vec![McpStep::ToClient(asks.refused(id, why))],
        };
        let call = McpCall {
            asks,
            id: id.to_owned(),
            tool: called.tool,
            arguments: called.arguments,
            line: line.to_vec(),
        };
        match asks {
            // They are in no list of tools: the request alone says what is done.
            AskedFor::Resource | AskedFor::Prompt | AskedFor::Completion => {
                return vec![self.pending(call)];
            }
            AskedFor::Tool if self.list == ToolList::Fresh => return vec![self.decide(call)],
            AskedFor::Tool => {}
        }
        if self.waiting.len() >= MAX_WAITING {
            let why = "too many calls wait at once";
            return vec![McpStep::ToClient(asks.refused(id, why))];
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
            return McpStep::ToClient(call.asks.refused(&call.id, &why));
        }
        self.pending(call)
    }

    fn pending(&mut self, call: McpCall) -> McpStep {
        let meaning = match call.asks {
            AskedFor::Tool => self.tools.meaning(&call.tool, &call.arguments, &self.cwd),
            AskedFor::Resource | AskedFor::Prompt | AskedFor::Completion => None,
        };
        self.numbers = self.numbers.saturating_add(1);
        let pending = McpPending {
            number: self.numbers,
            request: DoorRequest {
                session: self.session.clone(),
                call: ToolCall {
                    tool: self.named(&call.tool),
                    input: call.arguments.clone(),
                    cwd: self.cwd.clone(),
                },
                transcript: None,
                suspicious: Vec::new(),
                meaning,
            },
        };
        self.deciding.insert(pending.number, call);
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
        let key = id_key(&cancel.request_id.to_string());
        self.open.remove(&key);
        self.deciding.retain(|_, call| id_key(&call.id) != key);
        self.waiting.retain(|call| id_key(&call.id) != key);
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
            id: id_key(&id),
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
            } if *own == id_key(id) => (*pages, *again),
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
            steps.extend(waiting.map(|call| McpStep::ToClient(call.asks.refused(&call.id, why))));
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
            return match message.is_answered() {
                true => Vec::new(),
                false => vec![McpStep::Pass],
            };
        };
        let mut steps = Vec::new();
        let admitted = self.admitted(result.get("tools"), &mut steps);
        tool::put(&mut result, admitted);
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

/// The answer to a line that nobody looks into.
pub(super) fn too_long() -> Vec<u8> {
    json_rpc::error(
        "null",
        INVALID_REQUEST,
        "automode takes no message that is longer than 32 MB",
    )
}
