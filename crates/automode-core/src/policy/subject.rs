//! What a rule is held against, and what a match says.

use automode_shell::{Analysis, Context, Effect};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{Action, Facts};

/// One tool call as the permission rules see it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The canonical tool name: `Bash`, `Edit`, `mcp__server__tool`.
    pub tool: &'a str,
    /// The call's input as the agent put it, for rules on one parameter: `Agent(model:opus)`.
    pub input: &'a Map<String, Value>,
    pub action: &'a Action,
    /// What the shell command would do, where there is one.
    pub analysis: Option<&'a Analysis>,
    /// What the call would do, whichever tool it is of.
    pub effects: &'a [Effect],
    pub context: &'a Context,
    pub facts: &'a Facts,
}

/// A rule that matched, as written, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    pub rule: String,
    /// Scope and file with line: `user: /home/dev/.config/automode/config.toml:12`.
    pub origin: String,
}

/// Who wants a call asked about. A person's word hands it to a person. A repository's
/// is a floor: the line goes on, and its answer is only never looser than that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    pub person: Option<Asked>,
    pub project: Option<Asked>,
}

/// Why a call is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// An ask rule.
    Rule(Match),
    /// A deny rule that may match but need not: a word is only known when the command runs.
    Doubt(Match),
}

impl Asks {
    /// Whoever asks.
    #[must_use]
    pub fn any(self) -> Option<Asked> {
        self.person.or(self.project)
    }
}
