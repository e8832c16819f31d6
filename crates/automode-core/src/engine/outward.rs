//! A session in which a result spoke to the agent.
//!
//! What such a result wants is carried out by a call that reaches out: it sends, publishes,
//! tells somebody, or leaves something that runs later. In such a session no proof of
//! routine settles that call; the judge is asked, who is told of the result, or a person.
//! Nothing becomes looser by it.

use super::case::Case;
use crate::effects::reaches_out;

/// Why a permit was not asked.
pub(super) const WARNED: &str =
    "a result of this session spoke to the agent, and this call reaches out";

/// Whether a result spoke to the agent before, and this call may carry out what it wanted.
pub(super) fn is_warned(case: &Case<'_>) -> bool {
    !case.session.suspicious.is_empty() && reaches_out(&case.effects)
}
