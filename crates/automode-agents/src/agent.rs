//! The agents there are.

use automode_core::Presence;

use crate::event::{Event, Malformed, Moment};
use crate::reply::{Answer, Reply};
use crate::{claude_code, codex, copilot, gemini_cli, generic, opencode, qwen_code};

/// A coding agent that automode can stand beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agent {
    ClaudeCode,
    Codex,
    GeminiCli,
    QwenCode,
    Copilot,
    Opencode,
    /// Any harness that speaks the documented JSON.
    Generic,
}

impl Agent {
    pub const ALL: [Self; 7] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::GeminiCli,
        Self::QwenCode,
        Self::Copilot,
        Self::Opencode,
        Self::Generic,
    ];

    /// The name on the command line and in the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::QwenCode => "qwen-code",
            Self::Copilot => "copilot",
            Self::Opencode => "opencode",
            Self::Generic => "generic",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// The bytes of a hook's stdin, understood.
    ///
    /// # Errors
    /// [`Malformed`] for what cannot be understood; it is to be answered with a denial.
    pub fn parse(self, bytes: &[u8]) -> Result<Event, Malformed> {
        match self {
            Self::ClaudeCode => claude_code::parse(bytes),
            Self::Codex => codex::parse(bytes),
            Self::GeminiCli => gemini_cli::parse(bytes),
            Self::QwenCode => qwen_code::parse(bytes),
            Self::Copilot => copilot::parse(bytes),
            Self::Opencode => opencode::parse(bytes),
            Self::Generic => generic::parse(bytes),
        }
    }

    /// An answer in the only form that this client honours.
    #[must_use]
    pub fn render(self, moment: Moment, answer: &Answer, presence: Presence) -> Reply {
        match self {
            Self::ClaudeCode => claude_code::render(moment, answer, presence),
            Self::Codex => codex::render(moment, answer),
            Self::GeminiCli => gemini_cli::render(moment, answer, presence),
            Self::QwenCode => qwen_code::render(moment, answer, presence),
            Self::Copilot => copilot::render(moment, answer, presence),
            Self::Opencode => opencode::render(moment, answer),
            Self::Generic => generic::render(moment, answer, presence),
        }
    }

    /// What to assume where nothing tells whether a person is there.
    ///
    /// Clients that turn an unanswered `ask` into a denial may be asked; the others
    /// would run the command or hang.
    #[must_use]
    pub const fn assumed_presence(self) -> Presence {
        match self {
            Self::ClaudeCode | Self::QwenCode | Self::Copilot => Presence::Interactive,
            Self::Codex | Self::GeminiCli | Self::Opencode | Self::Generic => Presence::Headless,
        }
    }
}
