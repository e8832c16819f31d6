//! Auto mode for any coding agent.
//!
//! A harness that is about to run a tool asks a [`Gate`], and gets a
//! [`Decision`]: allow, ask or deny, with the ground of the answer.
//!
//! A harness with an event loop of its own drives the pure
//! [`line`](automode_core::line) itself and keeps all IO.

pub mod audit;
pub mod config;
mod driver;
pub mod eval;
mod gate;
pub mod judge;
pub mod observe;
pub mod permit;
pub mod ports;
pub mod session;
pub mod state;

pub use automode_core::policy::Policy;
pub use automode_core::{
    Action, Decision, Facts, Failure, Finding, Ground, Mode, Presence, Query, Session, ToolCall,
    Verdict, line,
};
pub use gate::Gate;
