//! What a hook tells: one event in one session of an agent.
//!
//! The shape is the same for every client, so that everything behind it knows no
//! client by name. A payload that lacks what a decision needs is [`Malformed`] and
//! still says which phase it belongs to, so that the denial reaches the client in
//! the form it honours there.

use automode_core::{Mode, Outcome, Presence, ToolCall};

/// One call of a hook, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The agent's own name of the session.
    pub session: String,
    /// Absolute working directory.
    pub cwd: String,
    /// Where the agent keeps its record of the session, if it says so.
    pub transcript: Option<String>,
    /// The model that speaks for the agent, if the payload names it.
    pub model: Option<String>,
    /// The permission mode the client says it is in.
    pub mode: Option<Mode>,
    /// Whether a person is there, where the payload tells.
    pub presence: Option<Presence>,
    /// Set when this happens inside a subagent.
    pub subagent: Option<Subagent>,
    pub kind: EventKind,
}

/// A subagent, as its client names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subagent {
    pub id: String,
    pub kind: String,
}

/// A subagent's own words to its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The subagent, where the client names it.
    pub subagent: Option<String>,
    pub text: String,
}

/// What happens.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The agent is about to use a tool: this is decided.
    BeforeTool {
        call: ToolCall,
        id: Option<String>,
    },
    /// The client is about to ask for permission: this is decided too.
    PermissionRequest {
        call: ToolCall,
    },
    /// Somebody spoke. `None`: it came through the user's door but is not the user.
    Prompt {
        words: Option<String>,
    },
    /// A tool has run.
    AfterTool {
        call: ToolCall,
        id: Option<String>,
        outcome: Outcome,
        /// What a subagent came back with, where the tool was one.
        report: Option<Report>,
        /// The words of its result, where the client tells them; empty where it does not.
        brought: String,
    },
    SubagentStart,
    SubagentStop,
    SessionStart,
    SessionEnd,
    /// An event that decides nothing and tells nothing to keep.
    Other {
        name: String,
    },
}

impl EventKind {
    /// The phase the answer belongs to.
    #[must_use]
    pub const fn phase(&self) -> HookPhase {
        match self {
            Self::BeforeTool { .. } => HookPhase::BeforeTool,
            Self::PermissionRequest { .. } => HookPhase::PermissionRequest,
            Self::AfterTool { .. } => HookPhase::AfterTool,
            Self::Prompt { .. }
            | Self::SubagentStart
            | Self::SubagentStop
            | Self::SessionStart
            | Self::SessionEnd
            | Self::Other { .. } => HookPhase::Other,
        }
    }
}

/// Where in the client's run an answer is due: it decides the answer's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HookPhase {
    BeforeTool,
    PermissionRequest,
    AfterTool,
    /// Nothing is decided here.
    Other,
}

/// A payload that could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Where it belongs, as far as it could be told; a payload that tells nothing counts as before a tool.
    pub phase: HookPhase,
    /// Lower case, for people.
    pub why: String,
}

impl Malformed {
    pub(crate) fn new(phase: HookPhase, why: impl Into<String>) -> Self {
        Self {
            phase,
            why: why.into(),
        }
    }
}
