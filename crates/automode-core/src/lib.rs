//! The pure engine of automode.
//!
//! A tool call, the session so far, the policy in force and facts about the
//! machine go in; one [`Decision`] comes out, with its [`Ground`].
//! The crate does no IO, reads no clock and no environment, starts no thread and
//! never panics. What it needs from the world it asks for as a [`Query`].

mod action;
mod call;
mod decision;
mod facts;
mod failure;
mod finding;
mod ground;
pub mod judge;
mod mode;
pub mod policy;
pub mod rules;
mod session;
mod trace;
pub mod transcript;
mod verdict;

pub use action::Action;
pub use call::ToolCall;
pub use decision::Decision;
pub use facts::{Facts, GitState, PathFact, PathKind, Query, Remote, RepoFact};
pub use failure::Failure;
pub use finding::{Finding, Weight};
pub use ground::Ground;
pub use mode::{Mode, Presence};
pub use session::{CallRecord, Ledger, Outcome, Session, WrittenFile};
pub use trace::{Stage, Trace, TraceEntry};
pub use verdict::Verdict;
