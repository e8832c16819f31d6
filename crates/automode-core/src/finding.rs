//! What a rule saw.

use automode_shell::Span;
use serde::Serialize;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// An exception that can be proved clears it; else it is evidence.
    Soft,
    /// Consent may clear it: the judge or a person decides.
    Evidence,
    /// No sane consent makes it routine.
    Veto,
}

/// One match of a block rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static str,
    pub weight: Weight,
    /// The part of the command or content it concerns.
    pub span: Span,
    /// What was seen, for people and the judge: "`rm -rf "$D"` deletes /home/dev, your home directory".
    pub evidence: String,
    /// What to do instead, in one sentence; empty where there is nothing useful to say.
    pub instead: String,
}
