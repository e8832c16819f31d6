//! The audit log: one line a decision, hash-chained, append-only.
//!
//! It answers afterwards what was decided and why, and whether somebody changed the
//! answer. It is never asked before a decision: a log that cannot be written neither
//! denies what was allowed nor allows what was not.

mod answer;
pub mod chain;
mod entry;
mod log;
mod read;

pub use answer::{PersonAnswer, Said};
pub use entry::{Circumstance, Entry, FindingEntry, JudgeEntry, StageEntry};
pub use log::{AppendedTo, Log};
pub use read::{Report, Tail};
