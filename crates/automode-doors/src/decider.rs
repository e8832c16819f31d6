//! What a door asks, and what it is answered.

use automode::{Presence, ToolCall, Verdict};
use automode_core::transcript::Entry;

/// Whose call it is and where that session works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoorSession {
    /// The door, as the session's record calls it.
    pub door: &'static str,
    pub id: String,
    /// The project, then what else was opened; absolute.
    pub roots: Vec<String>,
    pub presence: Presence,
    /// Rules that came with the session.
    pub tightening: Tightening,
}

/// Rules of a client that only tighten: they are held beside those of the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tightening {
    pub deny: Vec<String>,
    pub ask: Vec<String>,
}

/// One call that waits for an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct DoorRequest {
    pub session: DoorSession,
    pub call: ToolCall,
    /// Words and calls so far, where the client tells them; otherwise the record stands.
    pub transcript: Option<Vec<Entry>>,
}

/// The answer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoorDecision {
    pub verdict: Verdict,
    /// For the model and the person.
    pub reason: String,
    /// A person's own rule or permit says so, not a proof of ours.
    pub by_person: bool,
    /// It sends something out, or changes something elsewhere, or may.
    pub reaches_out: bool,
    /// There is no decision: something went wrong.
    pub failed: bool,
}

impl DoorDecision {
    /// A failure: somebody has to be asked, or it is denied.
    #[must_use]
    pub fn failed(why: &str) -> Self {
        Self {
            verdict: Verdict::Ask,
            reason: format!("automode could not decide: {why}"),
            by_person: false,
            failed: true,
            reaches_out: true,
        }
    }
}

/// Decides calls and remembers what the user said.
pub trait Decider: Send + Sync {
    /// Never fails: a failure is a decision, and not an allow.
    fn decide(&self, request: &DoorRequest) -> DoorDecision;

    /// The user's own words.
    fn hear(&self, session: &DoorSession, words: &str);
}
