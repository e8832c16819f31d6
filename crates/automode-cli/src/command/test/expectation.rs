//! What a team expects of one case, and how an answer can miss it.

use std::fmt;

use automode::Verdict;
use automode::eval::Outcome;

/// Verdicts that are right, and the rule that should be named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestExpectation {
    pub verdicts: Vec<Verdict>,
    pub rule: Option<String>,
}

/// What came instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestFailure {
    Verdict { expected: String, found: Verdict },
    Rule { expected: String, found: String },
}

impl TestExpectation {
    pub fn failure(&self, outcome: &Outcome) -> Option<TestFailure> {
        if !self.verdicts.contains(&outcome.verdict) {
            return Some(TestFailure::Verdict {
                expected: self.words().join(" or "),
                found: outcome.verdict,
            });
        }
        match &self.rule {
            Some(rule) if *rule != outcome.rule => Some(TestFailure::Rule {
                expected: rule.clone(),
                found: outcome.rule.clone(),
            }),
            Some(_) | None => None,
        }
    }

    /// The verdicts by name.
    pub fn words(&self) -> Vec<&'static str> {
        self.verdicts.iter().map(|verdict| verdict.name()).collect()
    }
}

impl fmt::Display for TestFailure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verdict { expected, found } => {
                write!(to, "expected {expected}, got {}", found.name())
            }
            Self::Rule { expected, found } if found.is_empty() => {
                write!(to, "expected the rule `{expected}`, no rule was named")
            }
            Self::Rule { expected, found } => {
                write!(to, "expected the rule `{expected}`, got `{found}`")
            }
        }
    }
}
