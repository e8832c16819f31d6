//! The pure engine of automode.
//!
//! A tool call, the session so far, the policy in force and facts about the
//! machine go in; one [`Decision`] comes out, with its [`Ground`].
//! The crate does no IO, reads no clock and no environment, starts no thread and
//! never panics. What it needs from the world it asks for as a [`Query`].

mod action;
pub mod brief;
mod call;
pub mod confine;
mod decision;
mod digest;
pub mod effects;
pub mod engine;
pub mod escape;
pub mod exceptions;
mod facts;
mod failure;
pub mod fastpath;
mod finding;
mod git_credential;
mod ground;
pub mod guards;
mod host;
pub mod judge;
pub mod ledger;
mod mode;
mod name_pattern;
pub mod page;
pub mod path;
pub mod policy;
pub mod probe;
pub mod redact;
pub mod rules;
pub mod scene;
mod session;
pub mod strict;
pub mod tool;
mod trace;
pub mod transcript;
mod verdict;
mod written;

pub use action::{Action, FileEdit, Replacement};
pub use call::{CallRecord, Outcome, ToolCall};
pub use decision::Decision;
pub use digest::{Digester, digest, hex};
pub use facts::{
    ChangedFile, Changes, Facts, FolderFile, GitState, HOOKS, Lead, LeadDepth, Outgoing,
    OutgoingPart, PathFact, PathKind, Query, Remote, Replaced, RepoFact, Tracking,
};
pub use failure::{Failure, Fallback, OnUnavailable};
pub use finding::{Finding, Weight};
pub use git_credential::GitCredential;
pub use ground::Ground;
pub use mode::{Mode, Presence};
pub use name_pattern::{MAX_MATCHES, NamePattern};
pub use path::ContainedPath;
pub use session::{LOST_PROJECT, Ledger, Session, SuspiciousResult};
pub use trace::{Stage, Trace, TraceEntry};
pub use verdict::Verdict;
pub use written::{WrittenFile, WrittenFiles, WrittenRecord};
