//! Where something was written.

use std::fmt;

use serde::Serialize;

/// Whose file it is. Settings of a later scope win over those of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Found in the repository: may only tighten.
    Project,
    /// The user's settings of the agent.
    AgentUser,
    /// The user's own configuration.
    User,
    /// Named on the command line or in the environment.
    Chosen,
    /// Settings of the agent that an administrator manages.
    AgentManaged,
    /// The administrator's configuration.
    Managed,
}

impl Scope {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::AgentUser => "agent-user",
            Self::User => "user",
            Self::Chosen => "chosen",
            Self::AgentManaged => "agent-managed",
            Self::Managed => "managed",
        }
    }

    /// Whether an administrator wrote it.
    #[must_use]
    pub const fn is_managed(self) -> bool {
        match self {
            Self::AgentManaged | Self::Managed => true,
            Self::Project | Self::AgentUser | Self::User | Self::Chosen => false,
        }
    }
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Origin {
    pub scope: Scope,
    pub file: String,
    /// Counted from one; 0 where the place is not known.
    pub line: u32,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.scope.name(), self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        Ok(())
    }
}
