//! The protocol without IO: a line from one side, and what is to be done about it.
//!
//! A line that cannot be read, and a request whose session is not known, goes on to the
//! editor, where a person decides.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use automode::{Presence, ToolCall, Verdict};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::agent::{self, AcpAgent};
use super::permission::{PermissionOption, PermissionRequest, cancelled, outcome};
use super::session::AcpSession;
use crate::decider::{DoorDecision, DoorRequest, DoorSession, LossQuestions, Tightening};
use crate::json_rpc::{self, Envelope, id_key};

/// The name of this door in records.
pub(super) const DOOR: &str = "acp";
/// Ids of requests of our own begin like this; nobody else's do.
const OWN_ID: &str = "\"automode-mode-";
/// The newest protocol that is understood: in another a request may look otherwise.
const PROTOCOL: u64 = 1;
/// An error of the server that is not the protocol's.
const REFUSED: i64 = -32_000;

/// What is to be done about a line.
#[derive(Debug, PartialEq)]
pub(super) enum AcpStep {
    /// The line goes on as it came.
    Pass,
    ToEditor(Vec<u8>),
    ToAgent(Vec<u8>),
    /// A call is to be decided; the answer goes to [`Wire::decided`].
    Decide(Box<AcpPending>),
    /// The user's words are to be remembered.
    Hear(DoorSession, String),
}

/// A request that waits for its decision.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AcpPending {
    pub number: u64,
    pub request: DoorRequest,
}

/// Everything that is known of the talk between an editor and an agent.
#[derive(Debug, Default)]
pub(super) struct AcpWire {
    presence: Presence,
    agent: Option<&'static AcpAgent>,
    /// The editor's request that opens the connection.
    initialize: Option<String>,
    /// The editor's requests that open sessions, by id.
    opening: BTreeMap<String, Opening>,
    sessions: BTreeMap<String, AcpSession>,
    /// Answers that wait until the agent has taken a mode, by our request's id.
    held: BTreeMap<String, Held>,
    /// The agent's requests that are being decided, each under a number of its own: an agent
    /// may use an id again before it is answered.
    deciding: BTreeMap<u64, Deciding>,
    /// How many numbers were given out.
    numbers: u64,
}

/// A session that is about to be opened.
#[derive(Debug)]
struct Opening {
    roots: Vec<String>,
    session: Option<String>,
}

/// The answer to the editor that opens a session, held back.
#[derive(Debug)]
struct Held {
    line: Vec<u8>,
    /// The editor's id.
    id: String,
    session: String,
    mode: String,
}

/// A request of the agent that is being decided.
#[derive(Debug)]
struct Deciding {
    /// The id as the agent wrote it.
    id: String,
    session: String,
    options: Vec<PermissionOption>,
    line: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenParams {
    cwd: String,
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    additional_directories: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenResult {
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    modes: Option<Modes>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Modes {
    current_mode_id: String,
    #[serde(default)]
    available_modes: Vec<AvailableMode>,
}

#[derive(Deserialize)]
struct AvailableMode {
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update {
    session_id: String,
    update: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Prompt {
    session_id: String,
    #[serde(default)]
    prompt: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelNotice {
    session_id: String,
}

impl AcpWire {
    pub(super) fn new(presence: Presence) -> Self {
        Self {
            presence,
            ..Self::default()
        }
    }

    /// A line of the editor.
    pub(super) fn editor_says(&mut self, line: &[u8]) -> Vec<AcpStep> {
        let mut steps = vec![AcpStep::Pass];
        let Some(message) = Envelope::read(line) else {
            return steps;
        };
        match (message.method.as_deref(), message.id().map(id_key)) {
            (Some("initialize"), Some(id)) => self.initialize = Some(id),
            (
                Some("session/new" | "session/load" | "session/resume" | "session/fork"),
                Some(id),
            ) => {
                if let Some(opening) = self.opening(&message) {
                    self.opening.insert(id, opening);
                }
            }
            // Before it goes on: the agent may ask at once, and then the words count.
            (Some("session/prompt"), _) => steps.splice(..0, self.prompt(&message)).for_each(drop),
            (Some("session/cancel"), _) => steps.extend(self.cancel(&message)),
            _ => {}
        }
        steps
    }

    /// A line of the agent.
    pub(super) fn agent_says(&mut self, line: &[u8]) -> Vec<AcpStep> {
        let Some(message) = Envelope::read(line) else {
            return vec![AcpStep::Pass];
        };
        match (message.method.as_deref(), message.id()) {
            (Some("session/request_permission"), Some(id)) => self.permission(&message, id, line),
            (Some("session/update"), _) => self.update(&message),
            (Some(_), _) | (None, None) => vec![AcpStep::Pass],
            (None, Some(id)) if id_key(id).starts_with(OWN_ID) => self.own_answer(&message, id),
            (None, Some(id)) => self.answer(&message, id, line),
        }
    }

    /// A decision is there. Nothing is left to say where the editor cancelled meanwhile.
    pub(super) fn decided(&mut self, number: u64, decision: &DoorDecision) -> Vec<AcpStep> {
        let Some(deciding) = self.deciding.remove(&number) else {
            return Vec::new();
        };
        match outcome(decision.verdict, &deciding.options) {
            Some(answer) => {
                let mut steps = Vec::new();
                if decision.verdict != Verdict::Allow {
                    let why = format!("denied: {}", decision.reason);
                    steps.push(AcpStep::ToEditor(remark(&deciding.session, &why)));
                }
                steps.push(AcpStep::ToAgent(json_rpc::result(&deciding.id, &answer)));
                steps
            }
            None => {
                let why = match decision.verdict {
                    Verdict::Allow => "the agent does not offer to allow this once",
                    Verdict::Ask | Verdict::Deny => &decision.reason,
                };
                vec![
                    AcpStep::ToEditor(remark(&deciding.session, why)),
                    AcpStep::ToEditor(deciding.line),
                ]
            }
        }
    }

    /// How many requests are being decided.
    pub(super) fn open_decisions(&self) -> usize {
        self.deciding.len()
    }

    fn opening(&self, message: &Envelope<'_>) -> Option<Opening> {
        let params: OpenParams = message.params()?;
        let forks = message.method.as_deref() == Some("session/fork");
        let mut roots = vec![params.cwd];
        roots.extend(params.additional_directories);
        Some(Opening {
            roots,
            session: params.session_id.filter(|_| !forks),
        })
    }

    /// The text that the user typed; what the editor attached is not theirs.
    fn prompt(&self, message: &Envelope<'_>) -> Option<AcpStep> {
        let prompt: Prompt = message.params()?;
        let texts: Vec<&str> = prompt
            .prompt
            .iter()
            .filter(|block| block.get("type").and_then(Value::as_str) == Some("text"))
            .filter_map(|block| block.get("text")?.as_str())
            .collect();
        let words = texts.join("\n");
        (!words.trim().is_empty()).then(|| AcpStep::Hear(self.door(&prompt.session_id), words))
    }

    /// What is being decided for a session that is cancelled is cancelled.
    fn cancel(&mut self, message: &Envelope<'_>) -> Vec<AcpStep> {
        let Some(cancel) = message.params::<CancelNotice>() else {
            return Vec::new();
        };
        self.drop_deciding(|deciding| deciding.session == cancel.session_id)
    }

    /// What is being decided and is meant is answered with a cancellation, each id once.
    fn drop_deciding(&mut self, is_meant: impl Fn(&Deciding) -> bool) -> Vec<AcpStep> {
        let mut ids = BTreeSet::new();
        self.deciding.retain(|_, deciding| {
            let meant = is_meant(deciding);
            if meant {
                ids.insert(deciding.id.clone());
            }
            !meant
        });
        ids.iter()
            .map(|id| AcpStep::ToAgent(json_rpc::result(id, &cancelled())))
            .collect()
    }

    fn permission(&mut self, message: &Envelope<'_>, id: &str, line: &[u8]) -> Vec<AcpStep> {
        let key = id_key(id);
        // Nobody could tell which of two requests an answer is for.
        let dropped = self.drop_deciding(|deciding| id_key(&deciding.id) == key);
        if !dropped.is_empty() {
            return dropped;
        }
        let Some(request) = message.strict_params::<PermissionRequest>() else {
            return vec![AcpStep::Pass];
        };
        let Some(call) = self.call(&request) else {
            let why = "automode does not know where this session works";
            return vec![
                AcpStep::ToEditor(remark(&request.session_id, why)),
                AcpStep::Pass,
            ];
        };
        let pending = AcpPending {
            number: self.next(),
            request: DoorRequest {
                session: self.door(&request.session_id),
                call,
                transcript: None,
                suspicious: Vec::new(),
                meaning: None,
            },
        };
        let deciding = Deciding {
            id: id.to_owned(),
            session: request.session_id,
            options: request.options,
            line: line.to_vec(),
        };
        self.deciding.insert(pending.number, deciding);
        vec![AcpStep::Decide(Box::new(pending))]
    }

    fn next(&mut self) -> u64 {
        self.numbers = self.numbers.saturating_add(1);
        self.numbers
    }

    fn call(&mut self, request: &PermissionRequest) -> Option<ToolCall> {
        let session = self.sessions.get_mut(&request.session_id)?;
        let cwd = session.roots.first()?.clone();
        let told = session.asked(&request.tool_call);
        Some(told.call(self.agent, &cwd))
    }

    fn update(&mut self, message: &Envelope<'_>) -> Vec<AcpStep> {
        let mut steps = vec![AcpStep::Pass];
        let Some(update) = message.params::<Update>() else {
            return steps;
        };
        if let Some(id) = update.update.get("toolCallId").and_then(Value::as_str) {
            let session = self.sessions.entry(update.session_id.clone()).or_default();
            session.update(id, &update.update);
        }
        let mode = update.update.get("currentModeId").and_then(Value::as_str);
        if let (Some(mode), Some(agent)) = (mode, self.agent)
            && agent.is_silent(mode)
        {
            let why = format!(
                "in the mode `{mode}` this agent does not ask for everything, so not everything is decided here"
            );
            steps.push(AcpStep::ToEditor(remark(&update.session_id, &why)));
        }
        steps
    }

    /// An answer of the agent to the editor.
    fn answer(&mut self, message: &Envelope<'_>, id: &str, line: &[u8]) -> Vec<AcpStep> {
        let key = id_key(id);
        if self.initialize.as_ref() == Some(&key) {
            return self.initialized(message, id);
        }
        let Some(opening) = self.opening.remove(&key).filter(|_| !message.error) else {
            return vec![AcpStep::Pass];
        };
        // What is not read may name a mode.
        let opened = message.result::<Option<OpenResult>>();
        let (opened, modes) = match opened.map(Option::unwrap_or_default) {
            Some(opened) => (opened.session_id, opened.modes),
            None => (None, None),
        };
        let Some(session) = opened.or(opening.session) else {
            return match self.agent {
                Some(agent) => vec![AcpStep::ToEditor(unasked(id, agent.asking_mode()))],
                None => vec![AcpStep::Pass],
            };
        };
        self.sessions.entry(session.clone()).or_default().roots = opening.roots;
        let Some(agent) = self.agent else {
            return vec![AcpStep::Pass];
        };
        let mode = match modes {
            Some(modes) if !agent.is_silent(&modes.current_mode_id) => return vec![AcpStep::Pass],
            Some(modes) => {
                let offered = modes.available_modes.iter().map(|mode| mode.id.as_str());
                agent.asking(offered).map(str::to_owned)
            }
            // It does not say in which mode the session opens.
            None => Some(agent.asking_mode().to_owned()),
        };
        let Some(mode) = mode else {
            return vec![AcpStep::ToEditor(unasked(id, agent.asking_mode()))];
        };
        self.set_mode(Held {
            line: line.to_vec(),
            id: id.to_owned(),
            session,
            mode,
        })
    }

    /// The connection is open, and the agent says who it is.
    fn initialized(&mut self, message: &Envelope<'_>, id: &str) -> Vec<AcpStep> {
        let result = message.result::<Value>().unwrap_or_default();
        let version = result.get("protocolVersion").and_then(Value::as_u64);
        if version.is_some_and(|version| version > PROTOCOL) {
            let why = format!(
                "automode: version {PROTOCOL} of ACP is understood, and not the one that editor and agent agreed on (hint: let the editor offer version {PROTOCOL})"
            );
            return vec![AcpStep::ToEditor(json_rpc::error(id, REFUSED, &why))];
        }
        let name = result.pointer("/agentInfo/name").and_then(Value::as_str);
        self.agent = name.and_then(agent::find);
        vec![AcpStep::Pass]
    }

    /// Asks the agent for a mode in which it asks. Its session opens when it has answered.
    fn set_mode(&mut self, held: Held) -> Vec<AcpStep> {
        let id = format!("{OWN_ID}{}\"", self.next());
        let params = json!({"sessionId": held.session, "modeId": held.mode});
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"session/set_mode\",\"params\":{params}}}\n"
        );
        self.held.insert(id_key(&id), held);
        vec![AcpStep::ToAgent(line.into_bytes())]
    }

    fn own_answer(&mut self, message: &Envelope<'_>, id: &str) -> Vec<AcpStep> {
        let Some(held) = self.held.remove(&id_key(id)) else {
            return Vec::new();
        };
        if message.error || !message.is_answered() {
            return vec![AcpStep::ToEditor(unasked(&held.id, &held.mode))];
        }
        let update = json!({
            "sessionId": held.session,
            "update": {"sessionUpdate": "current_mode_update", "currentModeId": held.mode},
        });
        vec![
            AcpStep::ToEditor(held.line),
            AcpStep::ToEditor(json_rpc::notification("session/update", &update)),
        ]
    }

    fn door(&self, session: &str) -> DoorSession {
        let known = self.sessions.get(session);
        DoorSession {
            door: DOOR,
            id: session.to_owned(),
            roots: known.map(|known| known.roots.clone()).unwrap_or_default(),
            presence: self.presence,
            losses: LossQuestions::Denied,
            tightening: Tightening::default(),
        }
    }
}

/// What the editor shows to its user, as words of the agent: ACP has no other place for a reason.
fn remark(session: &str, why: &str) -> Vec<u8> {
    let params = json!({
        "sessionId": session,
        "update": {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": format!("\n\n*automode* {why}\n\n")},
        },
    });
    json_rpc::notification("session/update", &params)
}

/// A session that nobody could be asked in does not open.
fn unasked(id: &str, mode: &str) -> Vec<u8> {
    let message = format!(
        "automode: this agent starts in a mode that asks nobody, and did not take `{mode}` (hint: start it in a mode that asks)"
    );
    json_rpc::error(id, REFUSED, &message)
}
