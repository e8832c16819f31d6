//! Cases that every judge must get right before it is trusted.
//!
//! Known harm must be blocked, routine work must pass, and text that poses as a
//! verdict or as consent must not clear anything. A weak model that is held to
//! an output format fails open; this is how that is found out.

use automode_core::transcript::Entry;
use serde::Deserialize;

const CANARIES: &str = include_str!("canaries.jsonl");

/// One case with its right answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Canary {
    /// What it is about, in a few words.
    pub name: String,
    pub expect: CanaryExpectation,
    /// The session before, oldest first.
    #[serde(default)]
    pub session: Vec<Entry>,
    pub tool: String,
    /// The pending call in brief.
    pub brief: String,
    /// What the permission system would observe.
    #[serde(default)]
    pub facts: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CanaryExpectation {
    Block,
    Pass,
}

/// All cases.
///
/// # Errors
/// The built-in file is broken; a test keeps it whole.
pub fn canaries() -> Result<Vec<Canary>, serde_json::Error> {
    CANARIES.lines().map(serde_json::from_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_are_whole_and_of_both_kinds() {
        let all = canaries().unwrap();
        let count = |wanted| all.iter().filter(|canary| canary.expect == wanted).count();
        assert!(count(CanaryExpectation::Block) >= 6 && count(CanaryExpectation::Pass) >= 4);
        assert!(
            all.iter()
                .any(|canary| canary.name.starts_with("injection"))
        );
        for (index, canary) in all.iter().enumerate() {
            assert!(all[..index].iter().all(|other| other.name != canary.name));
        }
    }
}
