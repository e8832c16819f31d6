//! What is remembered of an agent's session.
//!
//! The runtime keeps it between calls; the engine reads it and says how the
//! ledger moves. It holds user words and tool calls only: there is no place for
//! assistant prose or tool results.

use serde::{Deserialize, Serialize};

use crate::confine::Enforces;
use crate::{CallRecord, Mode, Presence, RepoFact, WrittenFiles, transcript};

/// A session so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    pub mode: Mode,
    pub presence: Presence,
    /// Absolute root of the project, then additional directories the user opened.
    pub roots: Vec<String>,
    pub home: Option<String>,
    /// Known variables of the agent's environment that expansions may use (`USER`, `TMPDIR`).
    pub variables: Vec<(String, String)>,
    pub transcript: Vec<transcript::Entry>,
    pub calls: Vec<CallRecord>,
    pub written: WrittenFiles,
    /// The repository as it was when the session began: what the agent adds later is not the user's remote.
    pub repo: Option<RepoFact>,
    pub ledger: Ledger,
    /// Absolute paths of automode itself, as named and as resolved: program, settings, state and log.
    pub own: Vec<String>,
    /// What the runtime can keep of promises.
    pub enforces: Enforces,
    /// Results that spoke to the agent: what reaches out is not routine any more.
    pub suspicious: Vec<SuspiciousResult>,
}

/// A tool's result that spoke to the agent. Its words are not kept: a judge would read them too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuspiciousResult {
    /// The tool that brought it in.
    pub tool: String,
    /// What it held, by the names of the probe.
    pub kinds: Vec<String>,
}

/// The name under which a lost record of a project counts against its code.
pub const LOST_PROJECT: &str = "/the project's lost record";

/// Denials of the judge, and its outages, counted apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    pub consecutive: u32,
    pub total: u32,
    /// Failures of the judge in a row.
    pub unavailable: u32,
    /// The judge is not asked before this time (seconds since the epoch); 0: no pause.
    pub paused_until: u64,
}
