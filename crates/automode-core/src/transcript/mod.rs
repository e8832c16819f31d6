//! What the judge may see of a session: user words and tool calls.
//!
//! Assistant prose and tool results have no variant here, so they cannot reach
//! the judge. Rendering is append-only: an entry's line depends on the entry
//! alone, so what was sent once is a prefix of what is sent next, until the
//! budget sheds old calls in one large step.

mod kept;
mod line;
mod log;
mod settings;

pub use kept::Kept;
pub use line::line;
pub use log::Log;
pub use settings::{Form, Settings, Window};

use serde::{Deserialize, Serialize};

/// One entry, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    User(String),
    Call { tool: String, brief: String },
}

/// A file of standing instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub path: String,
    pub text: String,
}
