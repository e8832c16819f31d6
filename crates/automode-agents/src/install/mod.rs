//! Installation as data: which file, which hooks, which command line.
//!
//! A [`Plan`] is computed from names and paths and changes nothing; [`Change::apply`]
//! is text in, text out, and keeps the comments, the order and every setting that was
//! there. The command line that is registered denies by itself when the program is
//! missing or dies: most clients read an odd exit as leave to go on.

mod hooks;
mod managed;
mod place;
mod plugin;

use serde_json::Value;

use crate::agent::Agent;
use crate::reply::Enforcement;

pub use hooks::{InstallRefusal, Registered};
pub use managed::{ManagedFile, managed, managed_clients, managed_only};
pub use place::{Place, Scope};
pub(crate) use plugin::plugin_text;

/// Seconds the client gives a hook that decides. A client's timeout fails open, so
/// the hook's own deadline lies well below.
pub const TIMEOUT: u64 = 60;
/// Seconds after which the hook denies by itself.
pub const DEADLINE: u64 = 45;
/// Seconds the client gives a hook that only records.
const RECORDING_TIMEOUT: u64 = 10;

/// How automode gets to a client.
#[derive(Debug)]
pub enum Installation {
    /// Hooks registered in a file of the client.
    Hooks(HookFile),
    /// A module of our own that the client loads.
    Plugin(Plugin),
    /// The harness calls automode by itself.
    ByTheHarness,
}

/// A client's file that hooks are registered in.
#[derive(Debug)]
pub struct HookFile {
    pub path: fn(&Place, Scope) -> String,
    /// The events an installation registers for.
    pub events: &'static [HookEvent],
    /// A registration in the client's own layout, with the timeout in its own unit.
    pub entry: fn(&Hook) -> Value,
    /// The `version` that the file needs; such a file is ours alone.
    pub version: Option<u64>,
    pub timeout_unit: TimeoutUnit,
    /// Whether the client reads the file where it has comments. None reads one that is broken
    /// in any other way, and what it does not read registers nothing.
    pub comments: bool,
    /// A setting in the same file that switches all hooks off.
    pub off_switch: Option<OffSwitch>,
    /// For a client that runs only hooks that its user trusts.
    pub trust: Option<HookTrust>,
    /// A file of ours without which the client does not look at this one.
    pub manifest: Option<HookManifest>,
    /// What the person should know or set themselves.
    pub advice: &'static [&'static str],
}

/// What tells a client that there is a file of hooks.
#[derive(Clone, Copy, Debug)]
pub struct HookManifest {
    /// Its name, in the folder above that of the hooks.
    pub name: &'static str,
    pub text: &'static str,
}

impl HookFile {
    /// Timeouts in seconds, and nothing out of the ordinary.
    pub(crate) const fn plain(
        path: fn(&Place, Scope) -> String,
        events: &'static [HookEvent],
        entry: fn(&Hook) -> Value,
    ) -> Self {
        Self {
            path,
            events,
            entry,
            version: None,
            timeout_unit: TimeoutUnit::Seconds,
            comments: false,
            off_switch: None,
            trust: None,
            manifest: None,
            advice: &[],
        }
    }

    /// As its documentation has it: nothing of it could be tried.
    pub(crate) const fn documented(
        path: fn(&Place, Scope) -> String,
        events: &'static [HookEvent],
        entry: fn(&Hook) -> Value,
    ) -> Self {
        Self {
            advice: &["this client could not be tried here: the hook follows its documentation"],
            ..Self::plain(path, events, entry)
        }
    }
}

impl OffSwitch {
    /// One word for all hooks, at the top of the file.
    pub(crate) const DISABLE_ALL_HOOKS: Self = Self {
        pointer: "/disableAllHooks",
        off_when: true,
        name: "disableAllHooks",
    };
}

/// A module that a client loads.
#[derive(Debug)]
pub struct Plugin {
    pub path: fn(&Place, Scope) -> String,
    pub text: fn(&Request<'_>) -> String,
    /// The event under which it asks about a tool.
    pub trial_event: &'static str,
    /// What stands only in a module that stops nothing.
    pub shadow_mark: &'static str,
    pub advice: &'static [&'static str],
}

impl Plugin {
    /// A module that speaks Claude Code's events and takes the hook's own words.
    pub(crate) const fn new(
        path: fn(&Place, Scope) -> String,
        text: fn(&Request<'_>) -> String,
        advice: &'static [&'static str],
    ) -> Self {
        Self {
            path,
            text,
            trial_event: "PreToolUse",
            shadow_mark: "\"--mode\", \"shadow\"",
            advice,
        }
    }
}

/// The unit of a registration's timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutUnit {
    Seconds,
    Milliseconds,
}

impl TimeoutUnit {
    /// A timeout as it stands in the file, in seconds.
    #[must_use]
    pub const fn seconds(self, timeout: u64) -> u64 {
        match self {
            Self::Seconds => timeout,
            Self::Milliseconds => timeout / 1000,
        }
    }
}

/// A boolean setting that switches all hooks off.
#[derive(Clone, Copy, Debug)]
pub struct OffSwitch {
    /// As a JSON pointer.
    pub pointer: &'static str,
    pub off_when: bool,
    /// As people write it.
    pub name: &'static str,
}

/// How a client is told that its user trusts a hook.
#[derive(Clone, Copy, Debug)]
pub struct HookTrust {
    /// The argument that makes the client's program a server that lists its hooks.
    pub server: &'static str,
    /// The file that holds what is trusted, beside the hooks or in the user's directory.
    pub file: &'static str,
    /// That directory under the home directory, and the variable that moves it.
    pub directory: &'static str,
    pub directory_variable: &'static str,
}

/// What to install.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub agent: Agent,
    pub scope: Scope,
    /// Absolute path of the automode program.
    pub program: &'a str,
    pub enforcement: Enforcement,
    pub place: &'a Place,
}

/// What an installation does.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The file that is written.
    pub path: String,
    pub change: ConfigChange,
    /// What the person should know or set themselves.
    pub advice: Vec<&'static str>,
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfigChange {
    /// Hooks registered in a file that may hold other things.
    Hooks { agent: Agent, hooks: Vec<Hook> },
    /// A file of our own.
    Own(String),
}

/// One registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    pub event: &'static str,
    pub command: String,
    /// Seconds.
    pub timeout: u64,
    /// The event is about tools and takes a matcher.
    pub matches_tools: bool,
}

/// The plan of an installation; nothing for an agent that has no configuration of its own.
#[must_use]
pub fn plan(request: &Request<'_>) -> Option<Plan> {
    let path = request.place.file(request.agent, request.scope)?;
    let (change, advice) = match &request.agent.client().installation {
        Installation::ByTheHarness => return None,
        Installation::Plugin(plugin) => (ConfigChange::Own((plugin.text)(request)), plugin.advice),
        Installation::Hooks(file) => (
            ConfigChange::Hooks {
                agent: request.agent,
                hooks: file
                    .events
                    .iter()
                    .map(|event| hook(request, *event))
                    .collect(),
            },
            file.advice,
        ),
    };
    Some(Plan {
        path,
        change,
        advice: advice.to_vec(),
    })
}

impl ConfigChange {
    /// The file's text after the change; `before` is its text now, if it exists.
    ///
    /// # Errors
    /// [`InstallRefusal`] where the file is not what the client itself would read.
    pub fn apply(&self, before: Option<&str>) -> Result<String, InstallRefusal> {
        match self {
            Self::Own(text) => Ok(text.clone()),
            Self::Hooks { agent, hooks } => hooks::add(*agent, hooks, before.unwrap_or_default()),
        }
    }
}

/// The file's text without our hooks, or nothing where the whole file was ours.
///
/// # Errors
/// [`InstallRefusal`] where the file cannot be read as the client would.
pub fn remove(agent: Agent, before: &str) -> Result<Option<String>, InstallRefusal> {
    match &agent.client().installation {
        Installation::Plugin(_) => Ok(None),
        Installation::Hooks(_) | Installation::ByTheHarness => hooks::remove(agent, before),
    }
}

/// All hooks in a client's file, ours and others.
///
/// # Errors
/// [`InstallRefusal`] where the file cannot be read as the client would.
pub fn registered(agent: Agent, text: &str) -> Result<Vec<Registered>, InstallRefusal> {
    hooks::registered(agent, text)
}

/// The file that hooks are registered in, for a client that has one.
#[must_use]
pub const fn hook_file(agent: Agent) -> Option<&'static HookFile> {
    match &agent.client().installation {
        Installation::Hooks(file) => Some(file),
        Installation::Plugin(_) | Installation::ByTheHarness => None,
    }
}

/// The events an installation registers for.
#[must_use]
pub fn events(agent: Agent) -> &'static [HookEvent] {
    hook_file(agent).map_or(&[], |file| file.events)
}

/// An event by what hangs on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// Decides: a failure must deny.
    Gate(&'static str),
    /// Decides, about a tool.
    GateTool(&'static str),
    /// Records: a failure must not get in the way.
    Record(&'static str),
    RecordTool(&'static str),
}

impl HookEvent {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gate(name)
            | Self::GateTool(name)
            | Self::Record(name)
            | Self::RecordTool(name) => name,
        }
    }

    /// Whether an answer to it decides something.
    #[must_use]
    pub const fn gates(self) -> bool {
        match self {
            Self::Gate(_) | Self::GateTool(_) => true,
            Self::Record(_) | Self::RecordTool(_) => false,
        }
    }

    const fn matches_tools(self) -> bool {
        match self {
            Self::GateTool(_) | Self::RecordTool(_) => true,
            Self::Gate(_) | Self::Record(_) => false,
        }
    }
}

fn hook(request: &Request<'_>, event: HookEvent) -> Hook {
    let program = quoted(request.program);
    let agent = request.agent.name();
    let mode = match request.enforcement {
        Enforcement::Enforce => "",
        Enforcement::Shadow => " --mode shadow",
    };
    let decides = event.gates();
    let enforced = matches!(request.enforcement, Enforcement::Enforce);
    let command = if decides && enforced {
        // A shell runs an empty file as a script that succeeds: only an answer counts.
        format!(
            "answer=$({program} hook {agent} --deadline {DEADLINE}{mode}) && [ -n \"$answer\" ] && printf '%s\\n' \"$answer\" || {{ echo 'automode: the hook could not run, so the tool call is denied' >&2; exit 2; }}"
        )
    } else {
        format!("{program} hook {agent} --deadline {DEADLINE}{mode} || exit 0")
    };
    Hook {
        event: event.name(),
        command,
        timeout: if decides { TIMEOUT } else { RECORDING_TIMEOUT },
        matches_tools: event.matches_tools(),
    }
}

/// A word for `/bin/sh`.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+@%,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
