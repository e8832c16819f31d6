//! Prose lists for the judge.
//!
//! Entries are sentences, not patterns: the engine never matches on them.
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
