//! What a door asks, and what it is answered.

use automode::{Presence, ToolCall, Verdict};
use automode_core::SuspiciousResult;
use automode_core::transcript::Entry;

use crate::meaning::CallMeaning;

/// Whose call it is and where that session works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoorSession {
    /// The door, as the session's record calls it.
    pub door: &'static str,
    pub id: String,
    /// The project, then what else was opened; absolute.
    pub roots: Vec<String>,
    pub presence: Presence,
    pub losses: LossQuestions,
    /// Rules that came with the session.
    pub tightening: Tightening,
}

/// What becomes of a question about something that would be lost for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossQuestions {
    /// Whoever is asked reads what would be lost.
    #[default]
    Asked,
    /// Who would be asked sees the agent's words and not what would be lost: it is denied, and
    /// a person permits it once where they can read both.
    Denied,
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
    /// Results that spoke to the agent, where the client tells them; beside those on record.
    pub suspicious: Vec<SuspiciousResult>,
    /// What the call means, where the door has read its tool's definition.
    pub meaning: Option<CallMeaning>,
}

/// The answer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoorDecision {
    pub verdict: Verdict,
    /// For the model and the person.
    pub reason: String,
    /// A person's own rule or permit says so, not a proof of ours.
    pub by_person: bool,
    /// It was decided by what the call does, which is known, not by its tool's name.
    pub by_meaning: bool,
    /// It sends something out, or changes something elsewhere, or may.
    pub reaches_out: bool,
    /// There is no decision: something went wrong.
    pub failed: bool,
}

#[cfg(test)]
impl DoorDecision {
    /// A decision about something that reaches out, with `WHY` for a reason.
    pub(crate) fn why(verdict: Verdict) -> Self {
        Self {
            verdict,
            reason: "WHY".to_owned(),
            by_person: false,
            by_meaning: false,
            failed: false,
            reaches_out: true,
        }
    }
}

impl DoorDecision {
    /// A failure: somebody has to be asked, or it is denied.
    #[must_use]
    pub fn failed(why: &str) -> Self {
        Self {
            verdict: Verdict::Ask,
            reason: format!("automode could not decide: {why}"),
            by_person: false,
            by_meaning: false,
            failed: true,
            reaches_out: true,
        }
    }
}

/// Decides calls and remembers what the user said.
pub trait Decider: Send + Sync {
    /// Never fails: a failure is a decision, and not an allow.
    fn decide(&self, request: &DoorRequest) -> DoorDecision;

    /// A result spoke to the agent: later answers of this session may only be stricter.
    fn suspect(&self, session: &DoorSession, result: SuspiciousResult);

    /// The user's own words.
    fn hear(&self, session: &DoorSession, words: &str);
}
