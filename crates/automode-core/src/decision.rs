//! The answer to one tool call.

use crate::confine::Protection;
use crate::{Finding, Ground, Trace, Verdict};

/// A verdict with its ground, the reason people read, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub verdict: Verdict,
    pub ground: Ground,
    /// One line for the agent: the rule, what was seen, what to do instead.
    pub reason: String,
    /// Everything the rules saw, vetoes and evidence.
    pub findings: Vec<Finding>,
    /// The run must end: the headless denial limit was reached.
    pub stop: bool,
    pub trace: Trace,
    /// What is promised with it, and must be kept before it counts.
    pub protection: Protection,
}
