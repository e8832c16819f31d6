//! One line of a run's log: what became of one case.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::cage::{Finished, RecordedRuling};
use crate::compare::compare;
use crate::generate::Draft;
use crate::harm::Harm;

/// A case that ended, in short.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LabRecord {
    pub id: u64,
    pub source: String,
    pub case: String,
    pub program: String,
    pub verdict: String,
    pub ran: bool,
    /// At least one step ran confined.
    #[serde(default)]
    pub confined: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub harms: Vec<Harm>,
    #[serde(default)]
    pub timed_out: bool,
    /// Everything was known of it, and what happened was compared with that.
    #[serde(default)]
    pub compared: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unexpected: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imprecise: Vec<String>,
    pub decide_micros: u64,
    pub run_micros: u64,
    pub judge_micros: u64,
    pub cpu_micros: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

impl LabRecord {
    #[must_use]
    pub fn new(draft: &Draft, finished: &Finished, secrets: &BTreeSet<String>) -> Self {
        let case = draft.shown();
        let comparison = compare(finished, secrets);
        let rulings = finished
            .steps
            .iter()
            .filter_map(|step| step.ruling.as_ref());
        // The strictest answer of a session is its verdict.
        let verdict = rulings
            .map(|ruling: &RecordedRuling| ruling.verdict.as_str())
            .max_by_key(|verdict| match *verdict {
                "allow" => 0,
                "ask" => 1,
                _ => 2,
            });
        Self {
            id: finished.id,
            source: draft.source.clone(),
            program: program(&case),
            case,
            verdict: verdict.unwrap_or("none").to_owned(),
            ran: finished.ran(),
            confined: finished.steps.iter().any(|step| step.ran && step.confined),
            harms: finished.harms.clone(),
            timed_out: finished.steps.iter().any(|step| step.timed_out),
            compared: comparison.is_some(),
            unexpected: comparison
                .as_ref()
                .map(|one| one.unexpected.clone())
                .unwrap_or_default(),
            imprecise: comparison.map(|one| one.imprecise).unwrap_or_default(),
            decide_micros: finished.decide_micros,
            run_micros: finished.run_micros,
            judge_micros: finished.judge_micros,
            cpu_micros: finished.cpu_micros,
            fault: finished.fault.clone(),
        }
    }
}

/// The first word of a case that looks like a program.
fn program(case: &str) -> String {
    case.split([' ', '\n', ';', '|', '&', '('])
        .map(|word| word.trim_matches(['\'', '"', '\\', '{', '!', ')']))
        .find(|word| {
            !word.is_empty()
                && !word.contains('=')
                && !matches!(*word, "cd" | "env" | "exec" | "export")
        })
        .map(|word| {
            word.rsplit('/')
                .next()
                .unwrap_or(word)
                .chars()
                .take(24)
                .collect()
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::program;

    #[test]
    fn programs_are_found() {
        let check = |case: &str, expected: &str| assert_eq!(program(case), expected, "{case}");
        check("git status", "git");
        check("A=b git status", "git");
        check("/usr/bin/rm x", "rm");
        check("(ls)", "ls");
        check("", "");
    }
}
