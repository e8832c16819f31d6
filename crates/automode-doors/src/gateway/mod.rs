//! The gateway in front of a model service, for Claude Code's safeguards.
//!
//! In auto mode the client offers its service to judge the calls of each reply, and takes
//! the answer from the reply's last `message_delta`. The gateway forwards every request
//! and every reply as it is; of a reply that was asked about it reads the calls as they
//! stream by, begins to decide each when it is whole, and holds back only that last delta.
//! In doubt the answer is `unavailable`, which refuses; a call is never left out, because
//! then the client would ask somebody else, and never `not_flagged` without a decision.
//! Keys pass through; nothing of a request is written down but the decision.

mod brought;
mod context;
mod forward;
mod listen;
mod reply;
mod results;

pub use listen::{GatewayError, GatewaySettings, run};
