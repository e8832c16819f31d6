//! Why a verdict is what it is.

use serde::Serialize;

use crate::{Failure, Mode, judge};

/// What settled a decision. There is no verdict without one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "id", rename_all = "kebab-case")]
pub enum Ground {
    /// A permission rule, as written, with where it comes from.
    Policy {
        rule: String,
        origin: String,
    },
    /// A guard: what no judge may approve.
    Guard(&'static str),
    /// A permit that was proved.
    FastPath(&'static str),
    /// A block rule proved by analysis.
    Rule(&'static str),
    /// A person permitted this one call, after the decision of this name.
    Permit(String),
    /// The judge, at this stage.
    Judge(judge::JudgeStage),
    /// The permission mode itself.
    Mode(Mode),
    /// Too many denials.
    Limit,
    /// No judge is configured for what the analysis left open.
    NoJudge,
    Failure(Failure),
}
