//! What the judge may see of a session: user words and tool calls.
//!
//! Assistant prose and tool results have no variant here, so they cannot reach
//! the judge.

use serde::{Deserialize, Serialize};

/// One entry, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    User(String),
    Call { tool: String, brief: String },
}
