//! How the agent runs, and whether a person is there.

use serde::{Deserialize, Serialize};

/// The permission mode of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Ask for everything that no rule allows.
    Default,
    /// Edits inside the project pass, the rest asks.
    AcceptEdits,
    /// Look, do not touch.
    Plan,
    /// The analysis and the judge decide.
    #[default]
    Auto,
    /// What would ask is denied.
    DontAsk,
    /// Everything passes that no veto stops: deny and ask rules, guards and block rules hold.
    BypassPermissions,
}

impl Mode {
    pub const ALL: [Self; 6] = [
        Self::Default,
        Self::AcceptEdits,
        Self::Plan,
        Self::Auto,
        Self::DontAsk,
        Self::BypassPermissions,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
            Self::Auto => "auto",
            Self::DontAsk => "dontAsk",
            Self::BypassPermissions => "bypassPermissions",
        }
    }
}

/// Whether a person can answer a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    #[default]
    Interactive,
    Headless,
}
