//! What is remembered of an agent's session.
//!
//! The runtime keeps it between calls; the engine reads it and says how the
//! ledger moves. It holds user words and tool calls only: there is no place for
//! assistant prose or tool results.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::confine::Enforces;
use crate::{CallRecord, Mode, Presence, RepoFact, transcript};

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
    pub written: Vec<WrittenFile>,
    /// The repository as it was when the session began: what the agent adds later is not the user's remote.
    pub repo: Option<RepoFact>,
    pub ledger: Ledger,
    /// Absolute paths of automode itself, as named and as resolved: program, settings, state and log.
    pub own: Vec<String>,
    /// What the runtime can keep of promises.
    pub enforces: Enforces,
}

/// A file this session wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    pub path: String,
    /// SHA-256 of the content as written, hex; empty where it was not seen.
    pub digest: String,
    /// It did not exist before this session.
    pub created: bool,
    /// Rules whose findings its content carried when it was written.
    pub findings: Vec<String>,
    /// Marks of the data that went into it (`secret`, `network`, `decoded`).
    pub taint: Vec<String>,
}

impl WrittenFile {
    /// All of it is the session's. A person's file that was only added to stays theirs.
    #[must_use]
    pub const fn is_own(&self) -> bool {
        self.created || !self.digest.is_empty()
    }
}

/// SHA-256 in hex: the one digest of the workspace.
#[must_use]
pub fn digest(bytes: impl AsRef<[u8]>) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        write!(hex, "{byte:02x}").unwrap_or_default();
    }
    hex
}

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
