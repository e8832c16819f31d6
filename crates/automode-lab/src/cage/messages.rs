//! What the outside and the cage say to each other: one JSON value a line.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::CageLimits;
use crate::harm::Harm;

/// What a worker needs to know before its first case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoomSetup {
    /// Tokens and contents of the world come from it.
    pub seed: u64,
    pub limits: CageLimits,
    /// The real binary, for whole sessions; they fail without one.
    pub automode: Option<String>,
    /// A Rust toolchain to be seen below `/opt/rust`.
    pub toolchain: Option<String>,
}

/// One case: steps of one session, each run if it is allowed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CageTrial {
    pub id: u64,
    /// The generator, and what it started from.
    pub source: String,
    pub steps: Vec<CageStep>,
    pub order: WorkerOrder,
    /// Whether system calls are recorded.
    #[serde(default)]
    pub traced: bool,
    /// How much of the output comes back; a few lines always do.
    #[serde(default)]
    pub keep_output: usize,
}

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorkerOrder {
    /// Run whatever comes: for testing the detector.
    Undecided,
    /// As `automode check` decides; single steps only.
    Check,
    /// As the binary's `check` decides, by starting it.
    CheckBinary,
    /// As `automode hook` decides, step by step in the same room.
    Hook,
    /// The same on a machine that is known to confine: what is allowed confined runs confined.
    Confined,
    /// Decide, run nothing.
    Weigh,
}

/// One call of the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CageStep {
    Shell(String),
    Write {
        path: String,
        text: String,
    },
    Edit {
        path: String,
        from: String,
        to: String,
    },
}

impl CageStep {
    /// The tool and its input, as the agent would send them.
    #[must_use]
    pub fn call(&self) -> (&'static str, Map<String, Value>) {
        let text = |name: &str, value: &str| (name.to_owned(), Value::from(value));
        match self {
            Self::Shell(command) => ("Bash", Map::from_iter([text("command", command)])),
            Self::Write { path, text: body } => (
                "Write",
                Map::from_iter([text("file_path", path), text("content", body)]),
            ),
            Self::Edit { path, from, to } => (
                "Edit",
                Map::from_iter([
                    text("file_path", path),
                    text("old_string", from),
                    text("new_string", to),
                ]),
            ),
        }
    }

    /// One line for people.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Shell(command) => command.clone(),
            Self::Write { path, text } => format!("Write {path}: {text}"),
            Self::Edit { path, from, to } => format!("Edit {path}: {from} -> {to}"),
        }
    }
}

/// The answer to one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRuling {
    pub verdict: String,
    pub ground: String,
}

impl RecordedRuling {
    #[must_use]
    pub fn allows(&self) -> bool {
        self.verdict == "allow"
    }
}

/// What became of one step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StepResult {
    /// `None`: nobody was asked.
    pub ruling: Option<RecordedRuling>,
    pub ran: bool,
    /// It ran as the hook rewrote it.
    #[serde(default)]
    pub confined: bool,
    pub exit: Option<i32>,
    pub timed_out: bool,
}

/// What the analysis expected, for holding it against what happened.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Prediction {
    /// Nothing was left open.
    pub complete: bool,
    pub effects: Vec<Predicted>,
    /// Names of the programs that would start.
    pub programs: Vec<String>,
}

/// One expected effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Predicted {
    /// In the notation of the knowledge.
    pub shown: String,
    pub kind: String,
    /// The extent and the path, where it is about a place.
    pub extent: String,
    pub path: String,
}

/// Everything that is known of a case that ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Finished {
    pub id: u64,
    pub steps: Vec<StepResult>,
    pub harms: Vec<Harm>,
    pub prediction: Option<Prediction>,
    /// Paths that changed, with a sign before each: `+` made, `~` changed, `-` gone.
    pub changes: Vec<String>,
    /// Paths read, programs started, hosts reached; only where the case was traced.
    pub traced: Vec<String>,
    /// Places on the network that heard from it.
    pub reached: Vec<String>,
    /// The beginning of what it printed.
    pub output: String,
    pub decide_micros: u64,
    pub run_micros: u64,
    pub judge_micros: u64,
    pub cpu_micros: u64,
    /// The cage itself failed: nothing can be said of the case.
    pub fault: Option<String>,
}

impl Finished {
    /// Whether every step that was asked about was allowed and ran.
    #[must_use]
    pub fn ran(&self) -> bool {
        self.steps.iter().any(|step| step.ran)
    }
}
