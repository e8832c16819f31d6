//! The judge: a pure two-stage protocol around somebody else's model.
//!
//! A [`Case`] becomes a [`Request`]; the runtime sends it and brings back a
//! [`Reply`] or a failure; [`Judging`] asks again or is done. Requests are
//! provider-neutral and the same inputs give the same bytes. Only the exact
//! clearing form of a whole reply clears, and no failure ever does.

mod answer;
mod auto_mode;
mod case;
mod catalogue;
mod facts;
mod guidance;
mod judging;
mod model;
mod port;
mod prompt;
pub mod reason;
mod reply;
mod request;
mod settings;
pub mod tool;

pub use crate::redact::Redaction;
pub use crate::transcript::Instruction;
pub use answer::Answer;
pub use auto_mode::{AutoMode, Prose};
pub use case::Case;
pub use facts::facts;
pub use guidance::Guidance;
pub(crate) use guidance::bullets;
pub use judging::{Judgement, Judging, Next};
pub use model::{
    Capabilities, Overrides, Price, THINKING_PADDING, Thinking, capabilities, default_model,
    price_of,
};
pub use port::{Cancel, Model, Patience, Retry, Trouble};
pub use prompt::system;
pub use reply::{Finish, Reply, Usage};
pub use request::{Cache, Format, MAX_MARKS, Request, STOP, Segment};
pub use settings::{
    Budget, KeySource, Kind, Mode, OverBudget, Protocol, Provider, Service, Settings,
};

use serde::{Deserialize, Serialize};

/// Which pass of the judge spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JudgeStage {
    /// A quick look: yes or no.
    Fast,
    /// Careful reasoning, with consent as an explicit step.
    Thinking,
}

#[cfg(test)]
mod tests;
