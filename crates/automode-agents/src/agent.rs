//! The agents there are: a row for each.

use std::fmt;

use automode_core::Presence;

use crate::client::{Client, Wire};
use crate::event::{Event, HookPhase, Malformed};
use crate::reply::{Answer, Reply};
use crate::{
    amp, antigravity, claude_code, cline, codex, copilot, crush, cursor, devin, droid, gemini_cli,
    generic, goose, hermes, kiro, opencode, openhands, pi, qwen_code, vscode,
};

/// Every client, in the order people are shown them.
pub const CLIENTS: &[&Client] = &[
    &claude_code::CLIENT,
    &codex::CLIENT,
    &gemini_cli::CLIENT,
    &qwen_code::CLIENT,
    &copilot::CLIENT,
    &opencode::CLIENT,
    &droid::CLIENT,
    &pi::CLIENT,
    &cline::CLIENT,
    &cursor::CLIENT,
    &goose::CLIENT,
    &crush::CLIENT,
    &vscode::CLIENT,
    &kiro::CLIENT,
    &devin::CLIENT,
    &antigravity::CLIENT,
    &hermes::CLIENT,
    &amp::CLIENT,
    &openhands::CLIENT,
    &generic::CLIENT,
];

/// A coding agent that automode stands beside: one of [`CLIENTS`], compared by its name.
#[derive(Clone, Copy)]
pub struct Agent(&'static Client);

impl Agent {
    /// A client as an agent.
    #[must_use]
    pub const fn of(client: &'static Client) -> Self {
        Self(client)
    }

    pub fn all() -> impl Iterator<Item = Self> {
        CLIENTS.iter().map(|client| Self(client))
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|agent| agent.name() == name)
    }

    /// Everything that is this client's own.
    #[must_use]
    pub const fn client(self) -> &'static Client {
        self.0
    }

    /// The name on the command line and in the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// The bytes of a hook's stdin, understood.
    ///
    /// # Errors
    /// [`Malformed`] for what cannot be understood; it is to be answered with a denial.
    pub fn parse(self, bytes: &[u8]) -> Result<Event, Malformed> {
        match &self.0.wire {
            Wire::Dialect(dialect) => dialect.parse(bytes),
            Wire::Own { parse, .. } => parse(bytes),
        }
    }

    /// An answer in the only form that this client honours.
    #[must_use]
    pub fn render(self, phase: HookPhase, answer: &Answer, presence: Presence) -> Reply {
        match &self.0.wire {
            Wire::Dialect(dialect) => dialect.render(phase, answer, presence),
            Wire::Own { render, .. } => render(phase, answer, presence),
        }
    }

    /// What to assume where nothing tells whether a person is there.
    #[must_use]
    pub const fn assumed_presence(self) -> Presence {
        self.0.presence.usual
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Agent {}

impl fmt::Debug for Agent {
    fn fmt(&self, form: &mut fmt::Formatter<'_>) -> fmt::Result {
        form.write_str(self.name())
    }
}
