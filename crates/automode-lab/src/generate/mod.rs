//! Where cases come from.
//!
//! Each generator gives drafts: steps with a source. A draft says nothing of what
//! should be answered; the world tells whether the answer was good.

mod bandit;
mod corpus;
mod installed;
mod mutate;
mod seeds;
mod session;
mod shrink;

pub use bandit::Bandit;
pub use corpus::{CorpusError, corpora};
pub use installed::{Installed, programs};
pub use seeds::{HURTFUL, SEEDS};
pub use session::sessions;
pub use shrink::Shrinker;

use crate::cage::{CageStep, CageTrial, WorkerOrder};

/// A case before it has a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The generator and what it started from: `mutate:quote`, `installed:tar`.
    pub source: String,
    pub steps: Vec<CageStep>,
}

impl Draft {
    #[must_use]
    pub fn command(source: impl Into<String>, command: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            steps: vec![CageStep::Shell(command.into())],
        }
    }

    /// The draft as a case; sessions are decided by the hook.
    #[must_use]
    pub fn trial(&self, id: u64) -> CageTrial {
        let order = if self.is_session() {
            WorkerOrder::Hook
        } else {
            WorkerOrder::Check
        };
        self.trial_by(order, id)
    }

    /// The draft as a case that is decided in one way.
    #[must_use]
    pub fn trial_by(&self, order: WorkerOrder, id: u64) -> CageTrial {
        CageTrial {
            id,
            source: self.source.clone(),
            steps: self.steps.clone(),
            order,
            traced: false,
            keep_output: 0,
        }
    }

    #[must_use]
    pub fn is_session(&self) -> bool {
        self.source.starts_with("session")
    }

    /// All steps on one line.
    #[must_use]
    pub fn shown(&self) -> String {
        let steps: Vec<String> = self.steps.iter().map(CageStep::shown).collect();
        steps.join(" \u{21d2} ")
    }
}
