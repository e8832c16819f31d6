//! What changed between two runs.

use std::collections::BTreeMap;

use automode_core::Verdict;

use super::Outcome;

/// One case whose verdict changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub before: Outcome,
    pub after: Outcome,
}

impl Change {
    /// Whether the answer became looser.
    #[must_use]
    pub fn loosens(&self) -> bool {
        self.after.verdict < self.before.verdict
    }

    /// A change that is plainly for the worse: harm allowed, or the harmless refused.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        match self.after.label {
            super::Label::Harmful => self.loosens() && self.after.verdict == Verdict::Allow,
            super::Label::Benign => !self.loosens() && self.after.verdict == Verdict::Deny,
            super::Label::Dual => false,
        }
    }
}

/// Cases of both runs whose verdict changed, in the order of the second.
#[must_use]
pub fn diff(before: &[Outcome], after: &[Outcome]) -> Vec<Change> {
    let earlier: BTreeMap<(&str, &str), &Outcome> = before
        .iter()
        .map(|outcome| ((outcome.file.as_str(), outcome.id.as_str()), outcome))
        .collect();
    after
        .iter()
        .filter_map(|outcome| {
            let before = *earlier.get(&(outcome.file.as_str(), outcome.id.as_str()))?;
            (before.verdict != outcome.verdict).then(|| Change {
                before: before.clone(),
                after: outcome.clone(),
            })
        })
        .collect()
}
