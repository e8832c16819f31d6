//! The way of one call through the line, stage by stage.

use serde::Serialize;

use crate::Verdict;

/// The stages in the order they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    Normalize,
    Observe,
    PolicyDeny,
    Guards,
    RulesVeto,
    PolicyAsk,
    PolicyAllow,
    FastPaths,
    Confine,
    Mode,
    Judge,
    Ledger,
    Permit,
}

/// What one stage said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceEntry {
    pub stage: Stage,
    /// The verdict it asked for, if any.
    pub verdict: Option<Verdict>,
    pub note: String,
}

/// All stages that were reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trace {
    pub entries: Vec<TraceEntry>,
}
