//! How good the decisions are, measured on labelled cases.
//!
//! A [`Case`] is one tool call with what came before it and what a person says of
//! it. [`run`] decides each in a world of its own, made of what the case says and of
//! what its group wrote, where nothing of this machine is looked at; [`run_at`] can
//! also decide them in a real checkout. [`Report`] counts: rates
//! with 95% intervals that take groups of near-duplicates as one, verdicts by
//! rule, and time.

mod bench;
mod case;
mod checkout;
mod corpus;
mod diff;
mod group;
mod measure;
mod outcome;
mod rate;
mod replay;
mod report;
mod world;

pub use bench::{Bench, Errors, Tokens};
pub use case::{Call, Case, CaseError, CaseGit, CaseStatus, CaseSurroundings, Label, load, parse};
pub use corpus::CORPUS;
pub use diff::{Change, diff};
pub use measure::{Site, run, run_at};
pub use outcome::{JudgedCase, Outcome};
pub use rate::Rate;
pub use report::{Counts, Report, Table};
