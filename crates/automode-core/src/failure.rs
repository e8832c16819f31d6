//! Everything that can go wrong on the way to a verdict.

use serde::Serialize;

/// A failure. None of them allows; `failure` x `presence` gives the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// The judge's service answered with an error or not at all.
    Unavailable,
    Timeout,
    /// The judge's service refused to answer (policy, content filter).
    Refused,
    /// The judge's answer was not a verdict.
    Unreadable,
    /// What the judge must see does not fit.
    Overlong,
    Cancelled,
    /// The session store or the log failed.
    Store,
    /// The input could not be understood.
    Parse,
    Panic,
}

impl Failure {
    pub const ALL: [Self; 9] = [
        Self::Unavailable,
        Self::Timeout,
        Self::Refused,
        Self::Unreadable,
        Self::Overlong,
        Self::Cancelled,
        Self::Store,
        Self::Parse,
        Self::Panic,
    ];
}
