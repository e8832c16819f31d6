//! What is put before the judge.

use super::AutoMode;
use crate::Finding;
use crate::transcript::{self, Instruction};

/// One pending call with everything that may speak for or against it.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The canonical name of the tool.
    pub tool: &'a str,
    /// The pending call in brief, whole: a cut would hide what it does.
    pub brief: &'a str,
    /// The session before the pending call, oldest first.
    pub entries: &'a [transcript::Entry],
    /// `CLAUDE.md`, `AGENTS.md` and their like: context, never consent.
    pub instructions: &'a [Instruction],
    /// What the runtime observed, one sentence each: git state, remotes, earlier outcomes.
    pub facts: &'a [String],
    /// What the rules saw in the pending call.
    pub findings: &'a [Finding],
    /// The user's own lists.
    pub auto_mode: &'a AutoMode,
}
