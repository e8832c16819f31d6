//! Prose lists for the judge.
//!
//! Entries are sentences, not patterns: the engine never matches on them, with
//! one exception that only tightens. A hard denial that is the id of a block rule
//! (`force-push`) raises that rule to a veto.
//! `"$defaults"` stands for the built-in list at its place; whoever renders the
//! lists splices it in there.

/// What the judge is told beside the rule catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoMode {
    /// Exceptions to the soft denials.
    pub allow: Vec<Prose>,
    /// Blocked unless the user clearly asked for it or an exception holds.
    pub soft_deny: Vec<Prose>,
    /// Blocked whatever the user said.
    pub hard_deny: Vec<Prose>,
    /// What the judge should know about the surroundings.
    pub environment: Vec<Prose>,
}

/// One entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prose {
    /// The built-in list, spliced in here.
    Defaults,
    Entry {
        text: String,
        /// Where it was written.
        origin: String,
    },
}

impl AutoMode {
    /// Whether a hard denial names this rule by its id.
    #[must_use]
    pub fn vetoes(&self, rule: &str) -> bool {
        self.hard_deny.iter().any(|prose| match prose {
            Prose::Defaults => false,
            Prose::Entry { text, .. } => text.trim() == rule,
        })
    }
}

impl Default for AutoMode {
    fn default() -> Self {
        let defaults = || vec![Prose::Defaults];
        Self {
            allow: defaults(),
            soft_deny: defaults(),
            hard_deny: defaults(),
            environment: defaults(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_hard_denial_by_id_raises_a_rule() {
        let entry = |text: &str| Prose::Entry {
            text: text.to_owned(),
            origin: "test".to_owned(),
        };
        let lists = AutoMode {
            hard_deny: vec![
                Prose::Defaults,
                entry("force-push"),
                entry("never drop tables"),
            ],
            soft_deny: vec![entry("local-data")],
            ..AutoMode::default()
        };
        assert!(lists.vetoes("force-push"));
        assert!(!lists.vetoes("local-data"));
        assert!(!lists.vetoes("drop"));
        assert!(!AutoMode::default().vetoes("force-push"));
    }
}
