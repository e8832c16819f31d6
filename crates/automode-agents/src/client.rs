//! What a coding agent is to automode: one value that holds all that is its own.
//!
//! Each client has a folder with this value in its `mod.rs`; everything behind this
//! crate asks the value and knows no client by name. A client that lacks something
//! says so here with `None` or an empty list, and the rest of the program copes.

use automode_core::{Mode, Presence};
use serde_json::Value;

use crate::dialect::Dialect;
use crate::event::{Event, HookPhase, Malformed};
use crate::install::Installation;
use crate::reply::{Answer, Reply};
use crate::transcript::RecordFormat;

/// One coding agent.
#[derive(Debug)]
pub struct Client {
    /// The name on the command line and in the log; its page is `docs/agents/<name>.md`.
    pub name: &'static str,
    /// As its makers write it.
    pub title: &'static str,
    pub proof: Proof,
    pub wire: Wire,
    pub presence: AssumedPresence,
    /// Whether it runs the input that a hook gives it in place of its own.
    pub rewriting: Rewriting,
    /// Whether it has a check of its own for what a hook leaves open.
    pub own_check: OwnCheck,
    /// Faults of a gate after which the client runs the call all the same, and nothing can be
    /// done about it from here.
    pub lets_through: &'static [&'static str],
    /// Nothing for a client that is no program of its own.
    pub program: Option<ClientProgram>,
    pub installation: Installation,
    /// Nothing for a client that keeps no record in a file.
    pub record: Option<&'static RecordFormat>,
    pub marks: ProcessMarks,
    pub files: ClientFiles,
    /// The payload of an event before a tool, for a trial of the hook.
    pub trial: fn(&HookTrial<'_>) -> Value,
}

/// How a hook of the client is spoken to.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one of it for each client, and it is never moved"
)]
pub enum Wire {
    /// One shape with other words.
    Dialect(Dialect),
    /// Code, where the client is odd.
    Own {
        /// The bytes of a hook's stdin, understood.
        parse: fn(&[u8]) -> Result<Event, Malformed>,
        /// An answer in the only form that this client honours.
        render: fn(HookPhase, &Answer, Presence) -> Reply,
    },
}

/// How it is known that the client does what its folder says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The real client was run, and denied calls did not.
    Proven,
    /// Its documentation says so; nobody could try it here.
    Documented,
}

/// What a client does with an input that a hook rewrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewriting {
    Honoured,
    /// Honoured, but rules of its own in these places are matched against the text that runs,
    /// and automode does not hold them: where they stop something, nothing is rewritten.
    HonouredWithoutRules(&'static [RulePlace]),
    /// The original runs, or nobody has tried: nothing may be promised on it.
    Ignored,
}

/// Where a client keeps rules for commands that automode does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RulePlace {
    /// A variable that names the client's directory under the home directory.
    pub directory_variable: Option<&'static str>,
    /// That directory, under the home directory and in a project alike.
    pub directory: &'static str,
    /// A file in it, or a directory whose files are all read.
    pub name: &'static str,
    /// What stands in such a file if a rule stops or questions a command.
    pub words: &'static [&'static str],
}

/// A client's own check of calls: a classifier, a reviewer, a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnCheck {
    /// What a hook leaves open runs, or the client does not tell.
    None,
    /// In this mode of the client, and in no other.
    InMode(Mode),
}

impl OwnCheck {
    /// Whether a call that a hook leaves open is checked in this mode.
    #[must_use]
    pub fn holds_in(self, mode: Option<Mode>) -> bool {
        match self {
            Self::None => false,
            Self::InMode(own) => mode == Some(own),
        }
    }
}

/// What to assume where nothing tells whether a person is there.
///
/// Clients that turn an unanswered `ask` into a denial may be asked; the others
/// would run the command or hang.
#[derive(Clone, Copy, Debug)]
pub struct AssumedPresence {
    pub usual: Presence,
    /// A variable of the hook's environment with the value that says that nobody is there.
    pub headless_when: Option<(&'static str, &'static str)>,
    /// The same for the value that says that somebody is there. What is only assumed is not
    /// said: a loss that a person could bring back is allowed on a person's word alone.
    pub attended_when: Option<(&'static str, &'static str)>,
}

/// The client's program.
#[derive(Clone, Copy, Debug)]
pub struct ClientProgram {
    /// Its name on the search path.
    pub executable: &'static str,
    /// The version that automode was tried with.
    pub tested: &'static str,
}

/// How a process shows that this client started it.
#[derive(Clone, Copy, Debug)]
pub struct ProcessMarks {
    /// Variables that it sets for what it runs.
    pub variables: &'static [&'static str],
    /// Packages whose programs are this client, whatever they are called.
    pub packages: &'static [&'static str],
}

/// Files that mean something to this client.
#[derive(Clone, Copy, Debug)]
pub struct ClientFiles {
    /// What configures it, under the home directory: an agent must not change it unasked.
    pub protected: &'static [&'static str],
    /// Variables that name a directory of it.
    pub directory_variables: &'static [&'static str],
    /// Standing instructions in a project.
    pub instructions: &'static [&'static str],
    /// Standing instructions under the home directory.
    pub home_instructions: &'static [&'static str],
    /// Settings with permission rules that automode holds too.
    pub permissions: Option<PermissionFiles>,
}

/// Where a client keeps permission rules in JSON.
#[derive(Clone, Copy, Debug)]
pub struct PermissionFiles {
    /// A variable that names the directory of the user's settings.
    pub directory_variable: &'static str,
    /// That directory under the home directory, where the variable is not set.
    pub home_directory: &'static str,
    /// The file in that directory.
    pub user: &'static str,
    /// Files in a project.
    pub project: &'static [&'static str],
    /// The directory of what an administrator has set, by system.
    pub managed_linux: &'static str,
    pub managed_macos: &'static str,
}

/// A trial of a hook: a command that must not pass.
#[derive(Clone, Copy, Debug)]
pub struct HookTrial<'a> {
    pub event: &'a str,
    pub session: &'a str,
    pub command: &'a str,
}

impl Client {
    /// What is assumed of a client until its row says more: nobody has tried it, it cannot ask
    /// and ignores rewriting, has no check of its own, and its harness registers the hook.
    pub(crate) const CAUTIOUS: Self = Self {
        name: "",
        title: "",
        proof: Proof::Documented,
        wire: Wire::Dialect(Dialect::CLAUDE_CODE),
        presence: AssumedPresence {
            usual: Presence::Headless,
            headless_when: None,
            attended_when: None,
        },
        rewriting: Rewriting::Ignored,
        own_check: OwnCheck::None,
        lets_through: &[],
        program: None,
        installation: Installation::ByTheHarness,
        record: None,
        marks: ProcessMarks {
            variables: &[],
            packages: &[],
        },
        files: ClientFiles::NONE,
        trial: |trial| Self::common_trial(trial, "Bash"),
    };

    /// The payload of Claude Code's dialect, which several clients speak.
    pub(crate) fn common_trial(trial: &HookTrial<'_>, tool: &str) -> Value {
        serde_json::json!({
            "session_id": trial.session, "cwd": "/", "hook_event_name": trial.event,
            "tool_name": tool, "tool_input": {"command": trial.command},
        })
    }
}

impl AssumedPresence {
    /// A person sits before it, as far as anybody knows.
    pub(crate) const INTERACTIVE: Self = Self {
        usual: Presence::Interactive,
        headless_when: None,
        attended_when: None,
    };
}

impl ClientProgram {
    /// A program with the version that it was tried with.
    pub(crate) const fn tried(executable: &'static str, tested: &'static str) -> Self {
        Self { executable, tested }
    }

    /// A program that nobody could try.
    pub(crate) const fn untried(executable: &'static str) -> Self {
        Self {
            executable,
            tested: "",
        }
    }
}

impl ProcessMarks {
    /// Variables alone.
    pub(crate) const fn variables(variables: &'static [&'static str]) -> Self {
        Self {
            variables,
            packages: &[],
        }
    }
}

impl ClientFiles {
    /// Files that configure it, and nothing else.
    pub(crate) const fn protecting(protected: &'static [&'static str]) -> Self {
        Self {
            protected,
            ..Self::NONE
        }
    }

    /// For a client that has none of them.
    pub const NONE: Self = Self {
        protected: &[],
        directory_variables: &[],
        instructions: &[],
        home_instructions: &[],
        permissions: None,
    };
}
