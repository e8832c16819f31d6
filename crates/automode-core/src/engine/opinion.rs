//! What a stage wants, with its ground and its reason.

use std::cmp::Ordering;

use crate::confine::Protection;
use crate::judge::OverBudget;
use crate::policy::{OnUnavailable, Settings};
use crate::{Failure, Fallback, Ground, Mode, Presence, Verdict};

/// A verdict on its way to becoming the decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opinion {
    pub verdict: Verdict,
    pub ground: Ground,
    pub reason: String,
    /// The run must end.
    pub stop: bool,
    pub finality: Finality,
    /// Boxed: almost every opinion promises nothing.
    pub protection: Box<Protection>,
}

/// Whether an opinion ends the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finality {
    Settles,
    /// The engine goes on, and its answer is never looser than this.
    Floor,
}

impl Opinion {
    pub fn new(verdict: Verdict, ground: Ground, reason: impl Into<String>) -> Self {
        Self {
            verdict,
            ground,
            reason: reason.into(),
            stop: false,
            finality: Finality::Settles,
            protection: Box::default(),
        }
    }

    /// The answer of the failure table.
    pub fn failed(failure: Failure, detail: &str, presence: Presence, settings: &Settings) -> Self {
        let setting = match (failure, settings.service.budget.over) {
            (Failure::Budget, OverBudget::Ask) => OnUnavailable::Ask,
            (Failure::Budget, OverBudget::Deny) => OnUnavailable::Deny,
            (_, OverBudget::Ask | OverBudget::Deny | OverBudget::Local) => settings.on_unavailable,
        };
        let fallback = failure.fallback(presence, setting);
        let separator = if detail.is_empty() { "" } else { ": " };
        Self {
            verdict: fallback.verdict(),
            ground: Ground::Failure(failure),
            reason: format!("{}{separator}{detail}", failure.describe()),
            stop: fallback == Fallback::Stop,
            finality: Finality::Settles,
            protection: Box::default(),
        }
    }

    /// The strictest of several; of equals the first.
    pub fn strictest(heard: impl IntoIterator<Item = Self>) -> Option<Self> {
        heard.into_iter().reduce(|strictest, next| {
            if next.verdict > strictest.verdict {
                next
            } else {
                strictest
            }
        })
    }

    /// A question whose asker may not keep the rest of the engine from being stricter.
    /// Where nobody can be asked it is a denial already, and nothing is stricter.
    pub fn bounding(mut self, mode: Mode, presence: Presence) -> Self {
        if self.verdict == Verdict::Ask && nobody(mode, presence).is_none() {
            self.finality = Finality::Floor;
        }
        self
    }

    /// The stricter of this and a floor. Of equals the floor gives the ground, and what
    /// else was said stays to be read.
    pub fn over(self, floor: Self) -> Self {
        match self.verdict.cmp(&floor.verdict) {
            Ordering::Greater => self,
            Ordering::Equal => Self {
                reason: format!("{}; {}", floor.reason, self.reason),
                stop: self.stop || floor.stop,
                ..floor
            },
            Ordering::Less => floor,
        }
    }

    /// Whether a person may have said yes to this one call. A deny rule stands all the
    /// same: whoever wrote it can change it.
    pub fn may_be_permitted(&self) -> bool {
        let by_rule = matches!(self.ground, Ground::Policy { .. });
        // What was not understood cannot have been permitted.
        let unread = matches!(self.ground, Ground::Failure(Failure::Parse));
        match self.verdict {
            Verdict::Allow => false,
            Verdict::Ask => !unread,
            Verdict::Deny => !unread && !by_rule,
        }
    }

    /// A question that nobody can or may be asked is a denial.
    pub fn for_audience(mut self, mode: Mode, presence: Presence) -> Self {
        if self.verdict == Verdict::Ask
            && let Some(nobody) = nobody(mode, presence)
        {
            self.verdict = Verdict::Deny;
            self.reason = format!("{}; {nobody}", self.reason);
        }
        self
    }
}

/// Why a question reaches nobody.
const fn nobody(mode: Mode, presence: Presence) -> Option<&'static str> {
    match (mode, presence) {
        (Mode::DontAsk, _) => Some("in dontAsk mode nobody is asked"),
        (_, Presence::Headless) => Some("it needs a person's yes, which cannot be asked for here"),
        (
            Mode::Default | Mode::AcceptEdits | Mode::Plan | Mode::Auto | Mode::BypassPermissions,
            Presence::Interactive,
        ) => None,
    }
}
