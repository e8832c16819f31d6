//! What is remembered of an agent's session between its hooks.
//!
//! Every hook is a process of its own: it reads the session's record, decides, and
//! appends what it learned. The record is a file of lines under the state directory,
//! bounded and independent of the agent's own transcript. It holds user words, calls
//! in brief and what became of them; never assistant prose, never a tool's result.

mod learn;
mod log;
mod memory;
mod note;
mod outages;
mod recorded;
mod roll;
mod seal;
mod summary;

pub use learn::learned;
pub use log::{Log, expire};
pub use memory::{Delegate, Memory, Remembered};
pub use note::{CallNote, Cost, LedgerNote, Note, Phase};
pub use outages::Outages;
pub use summary::SessionSummary;
