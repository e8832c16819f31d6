//! Installation as data: which file, which hooks, which command line.
//!
//! A [`Plan`] is computed from names and paths and changes nothing; [`Change::apply`]
//! is text in, text out, and keeps the comments, the order and every setting that was
//! there. The command line that is registered denies by itself when the program is
//! missing or dies: most clients read an odd exit as leave to go on.

mod hooks;
mod place;

use crate::agent::Agent;
use crate::reply::Enforcement;

pub use hooks::{Refusal, Registered};
pub use place::{Place, Scope};

/// Seconds the client gives a hook that decides. A client's timeout fails open, so
/// the hook's own deadline lies well below.
pub const TIMEOUT: u64 = 60;
/// Seconds after which the hook denies by itself.
pub const DEADLINE: u64 = 45;
/// Seconds the client gives a hook that only records.
const RECORDING_TIMEOUT: u64 = 10;

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
    pub change: Change,
    /// What the person should know or set themselves.
    pub advice: Vec<&'static str>,
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
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
    let change = match request.agent {
        Agent::Opencode => Change::Own(plugin(request)),
        Agent::ClaudeCode
        | Agent::Codex
        | Agent::GeminiCli
        | Agent::QwenCode
        | Agent::Copilot
        | Agent::Generic => Change::Hooks {
            agent: request.agent,
            hooks: events(request.agent)
                .iter()
                .map(|event| hook(request, event))
                .collect(),
        },
    };
    Some(Plan {
        path,
        change,
        advice: advice(request.agent).to_vec(),
    })
}

impl Change {
    /// The file's text after the change; `before` is its text now, if it exists.
    ///
    /// # Errors
    /// [`Refusal`] where the file is not what the client itself would read.
    pub fn apply(&self, before: Option<&str>) -> Result<String, Refusal> {
        match self {
            Self::Own(text) => Ok(text.clone()),
            Self::Hooks { agent, hooks } => hooks::add(*agent, hooks, before.unwrap_or_default()),
        }
    }
}

/// The file's text without our hooks, or nothing where the whole file was ours.
///
/// # Errors
/// [`Refusal`] where the file cannot be read as the client would.
pub fn remove(agent: Agent, before: &str) -> Result<Option<String>, Refusal> {
    match agent {
        Agent::Opencode => Ok(None),
        Agent::ClaudeCode
        | Agent::Codex
        | Agent::GeminiCli
        | Agent::QwenCode
        | Agent::Copilot
        | Agent::Generic => hooks::remove(agent, before),
    }
}

/// All hooks in a client's file, ours and others.
///
/// # Errors
/// [`Refusal`] where the file cannot be read as the client would.
pub fn registered(agent: Agent, text: &str) -> Result<Vec<Registered>, Refusal> {
    hooks::registered(agent, text)
}

/// The events an installation registers for.
#[must_use]
pub const fn events(agent: Agent) -> &'static [EventKind] {
    use EventKind::{Gate, GateTool, Record, RecordTool};
    match agent {
        Agent::ClaudeCode => &[
            GateTool("PreToolUse"),
            GateTool("PermissionRequest"),
            RecordTool("PostToolUse"),
            RecordTool("PostToolUseFailure"),
            Record("UserPromptSubmit"),
            Record("SubagentStart"),
            Record("SubagentStop"),
            Record("SessionStart"),
            Record("SessionEnd"),
        ],
        Agent::Codex => &[
            GateTool("PreToolUse"),
            GateTool("PermissionRequest"),
            RecordTool("PostToolUse"),
            Record("UserPromptSubmit"),
            Record("SessionStart"),
        ],
        Agent::GeminiCli => &[
            GateTool("BeforeTool"),
            RecordTool("AfterTool"),
            Record("BeforeAgent"),
            Record("SessionStart"),
            Record("SessionEnd"),
        ],
        Agent::QwenCode => &[
            GateTool("PreToolUse"),
            RecordTool("PostToolUse"),
            Record("UserPromptSubmit"),
            Record("SessionStart"),
            Record("SessionEnd"),
        ],
        Agent::Copilot => &[
            Gate("preToolUse"),
            Gate("permissionRequest"),
            Record("postToolUse"),
            Record("userPromptSubmitted"),
            Record("sessionStart"),
            Record("sessionEnd"),
        ],
        Agent::Opencode | Agent::Generic => &[],
    }
}

/// An event by what hangs on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Decides: a failure must deny.
    Gate(&'static str),
    /// Decides, about a tool.
    GateTool(&'static str),
    /// Records: a failure must not get in the way.
    Record(&'static str),
    RecordTool(&'static str),
}

fn hook(request: &Request<'_>, event: &EventKind) -> Hook {
    let program = quoted(request.program);
    let agent = request.agent.name();
    let mode = match request.enforcement {
        Enforcement::Enforce => "",
        Enforcement::Shadow => " --mode shadow",
    };
    let (event, decides, matches_tools) = match *event {
        EventKind::Gate(event) => (event, true, false),
        EventKind::GateTool(event) => (event, true, true),
        EventKind::Record(event) => (event, false, false),
        EventKind::RecordTool(event) => (event, false, true),
    };
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
        event,
        command,
        timeout: if decides { TIMEOUT } else { RECORDING_TIMEOUT },
        matches_tools,
    }
}

fn plugin(request: &Request<'_>) -> String {
    let mode = match request.enforcement {
        Enforcement::Enforce => "enforce",
        Enforcement::Shadow => "shadow",
    };
    let program = serde_json::Value::from(request.program).to_string();
    include_str!("opencode.js")
        .replace("\"@PROGRAM@\"", &program)
        .replace("@DEADLINE@", &DEADLINE.to_string())
        .replace("@TIMEOUT@", &TIMEOUT.to_string())
        .replace("@MODE@", mode)
}

/// A word for `/bin/sh`.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+@%,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

const fn advice(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::ClaudeCode => &[
            "run Claude Code in `default` or `acceptEdits` mode, headless in `dontAsk`: there the hook decides",
            "in `bypassPermissions` a denial of the hook still holds",
        ],
        Agent::Codex => &[
            "Codex skips a hook that is not trusted and runs the command: trust it here or with `/hooks`",
            "Codex cannot ask: what needs a person's yes is denied, with the words that permit it once",
        ],
        Agent::GeminiCli => &[
            "headless, Gemini CLI offers its shell tool only with `--approval-mode yolo`: the hook decides there",
            "what needs a person's yes is denied; add `--presence interactive` to the command if somebody always watches",
        ],
        Agent::QwenCode => &[
            "headless, Qwen Code offers its shell tool only with `--approval-mode yolo`: the hook decides there",
        ],
        Agent::Copilot => {
            &["leave Copilot in its default mode: an allow of the hook runs without a prompt"]
        }
        Agent::Opencode => &[
            "set `\"permission\": {\"bash\": \"allow\", \"edit\": \"allow\", \"webfetch\": \"allow\"}` in opencode.json: the plugin decides before opencode asks",
            "opencode's plugin cannot ask: what needs a person's yes is denied, with the words that permit it once",
        ],
        Agent::Generic => &[],
    }
}
