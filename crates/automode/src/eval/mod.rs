//! How good the decisions are, measured on labelled cases.
//!
//! A [`Case`] is one tool call with what came before it and what a person says of
//! it. [`run`] decides each in a world of its own, where the files it names do not
//! exist and nothing of this machine is looked at, and [`Report`] counts: rates
//! with 95% intervals that take groups of near-duplicates as one, verdicts by
//! rule, and time.

mod bench;
mod case;
mod corpus;
mod diff;
mod measure;
mod outcome;
mod rate;
mod replay;
mod report;
mod world;

pub use bench::{Bench, Errors, Tokens};
pub use case::{Call, Case, CaseError, Label, load, parse};
pub use corpus::CORPUS;
pub use diff::{Change, diff};
pub use measure::run;
pub use outcome::{Judged, Outcome};
pub use rate::Rate;
pub use report::{Counts, Report, Table};
