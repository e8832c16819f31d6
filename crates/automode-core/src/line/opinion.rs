//! What a stage wants, with its ground and its reason.

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
}

impl Opinion {
    pub fn new(verdict: Verdict, ground: Ground, reason: impl Into<String>) -> Self {
        Self {
            verdict,
            ground,
            reason: reason.into(),
            stop: false,
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
        }
    }

    /// The strictest of several; of equals the first.
    pub fn strictest(heard: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        heard.into_iter().flatten().reduce(|strictest, next| {
            if next.verdict > strictest.verdict {
                next
            } else {
                strictest
            }
        })
    }

    /// A question that nobody can or may be asked is a denial.
    pub fn for_audience(mut self, mode: Mode, presence: Presence) -> Self {
        let nobody = match (mode, presence) {
            (Mode::DontAsk, _) => "in dontAsk mode nobody is asked",
            (_, Presence::Headless) => "nobody is there to ask",
            (
                Mode::Default
                | Mode::AcceptEdits
                | Mode::Plan
                | Mode::Auto
                | Mode::BypassPermissions,
                Presence::Interactive,
            ) => return self,
        };
        if self.verdict == Verdict::Ask {
            self.verdict = Verdict::Deny;
            self.reason = format!("{}; {nobody}", self.reason);
        }
        self
    }
}
