//! What needs no judge.
//!
//! A fast path settles a call that no veto stopped and no rule allowed. One may
//! allow only what it can prove, and none is asked while a rule has a finding.
//! They are asked in order and the first that speaks settles the call.
//! Two more ways around the judge are not here because they never allow: a guard
//! and a tool that is a question to a person ([`crate::guards`]).

mod accept_edits;
mod irrelevant;
mod powershell;
mod safe_tool;

use crate::policy::Settings;
use crate::scene::Scene;
use crate::{Mode, Verdict};

/// What a fast path says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Settled, for this reason.
    Settled { verdict: Verdict, reason: String },
    /// Not its business, or not proved; the note says what was missing.
    Open(String),
}

/// What a fast path may look at.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The canonical tool name.
    pub tool: &'a str,
    pub scene: Scene<'a>,
    pub mode: Mode,
    pub settings: &'a Settings,
}

/// One fast path.
pub trait FastPath: Sync {
    fn id(&self) -> &'static str;
    /// Its page: what it settles, what it needs, and examples that are run as tests.
    fn page(&self) -> &'static str;
    fn consider(&self, view: &View<'_>) -> Answer;
}

/// All fast paths, in the order they are asked.
pub const FAST_PATHS: &[&dyn FastPath] = &[
    &irrelevant::Irrelevant,
    &powershell::PowerShellFastPath,
    &accept_edits::AcceptEdits,
    &safe_tool::SafeTool,
];

pub use accept_edits::{proof as edit_proof, tells_what_it_takes};

impl Answer {
    fn allow(reason: impl Into<String>) -> Self {
        Self::Settled {
            verdict: Verdict::Allow,
            reason: reason.into(),
        }
    }

    fn open() -> Self {
        Self::Open(String::new())
    }
}
