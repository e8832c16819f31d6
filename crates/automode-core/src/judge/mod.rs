//! The judge: a pure two-stage protocol around somebody else's model.

use serde::{Deserialize, Serialize};

/// Which pass of the judge spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A quick look: yes or no.
    Fast,
    /// Careful reasoning, with consent as an explicit step.
    Thinking,
}
