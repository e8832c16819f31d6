//! What a person answered to a question, as the client's next event told.
//!
//! It stands on a line of its own in the chain: the question was written down before
//! anybody could answer it.

use serde::{Deserialize, Serialize};

/// A line of the log that answers an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonAnswer {
    /// Milliseconds since the epoch.
    pub time: u64,
    /// The name of the decision that asked.
    pub answers: String,
    pub said: Said,
}

impl PersonAnswer {
    /// The answer on a line of the log, where it is one.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let may_be_one = line.contains("\"answers\":");
        may_be_one
            .then(|| serde_json::from_str(line).ok())
            .flatten()
    }
}

/// What was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// The call ran.
    Yes,
    /// It did not, and the person spoke or left.
    No,
}

impl Said {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
        }
    }
}
