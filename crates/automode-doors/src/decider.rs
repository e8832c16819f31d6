//! What a door asks, and what it is answered.

use automode::{Presence, ToolCall, Verdict};

/// Whose call it is and where that session works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoorSession {
    /// The door, as the session's record calls it.
    pub door: &'static str,
    pub id: String,
    /// The project, then what else was opened; absolute.
    pub roots: Vec<String>,
    pub presence: Presence,
}

/// One call that waits for an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct DoorRequest {
    pub session: DoorSession,
    pub call: ToolCall,
}

/// The answer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoorDecision {
    pub verdict: Verdict,
    /// For the model and the person.
    pub reason: String,
    /// A person's own rule or permit says so, not a proof of ours.
    pub by_person: bool,
}

impl DoorDecision {
    /// A failure: somebody has to be asked, or it is denied.
    #[must_use]
    pub fn failed(why: &str) -> Self {
        Self {
            verdict: Verdict::Ask,
            reason: format!("automode could not decide: {why}"),
            by_person: false,
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
