//! The pure engine of automode.
//!
//! A tool call, the session so far, the policy in force and facts about the
//! machine go in; one [`Decision`] comes out, with its [`Ground`].
//! The crate does no IO, reads no clock and no environment, starts no thread and
//! never panics. What it needs from the world it asks for as a [`Query`].

mod action;
pub mod brief;
mod call;
mod decision;
pub mod effects;
pub mod exceptions;
mod facts;
mod failure;
pub mod fastpath;
mod finding;
mod ground;
pub mod guards;
pub mod judge;
pub mod ledger;
pub mod line;
mod mode;
mod own;
pub mod path;
pub mod policy;
pub mod redact;
pub mod rules;
mod session;
pub mod tool;
mod trace;
pub mod transcript;
mod verdict;

pub use action::Action;
pub use call::ToolCall;
pub use decision::Decision;
pub use facts::{Facts, GitState, PathFact, PathKind, Query, Remote, RepoFact};
pub use failure::{Failure, Fallback};
pub use finding::{Finding, Weight};
pub use ground::Ground;
pub use mode::{Mode, Presence};
pub use path::ContainedPath;
pub use session::{CallRecord, Ledger, Outcome, Session, WrittenFile, digest};
pub use trace::{Stage, Trace, TraceEntry};
pub use verdict::Verdict;
