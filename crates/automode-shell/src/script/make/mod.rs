//! Makefiles.
//!
//! The file is read line by line into variables and rules; the recipes of the
//! wanted targets and of all they need become shell text, in order.
//! Nothing is compared with time stamps: every recipe on the way may run.
//! A variable that is set in more than one way, or by a function that is not
//! known, leaves a hole in the text that the evaluator treats as unknown.

mod expand;
mod parse;

use std::collections::BTreeSet;

use self::expand::MakeScope;
use self::parse::{MakeRule, Makefile};
use super::lookup::TaskFile;
use super::steps::TaskSteps;
use crate::Facts;

/// Rules that one goal may lead through.
const RULES: usize = 256;

pub(super) fn read(
    found: &TaskFile<'_>,
    goals: &[String],
    facts: &Facts,
    steps: &mut TaskSteps<'_>,
) {
    let mut makefile = Makefile::default();
    makefile.read(found.text, &found.directory, facts, steps, 0);
    let scope = MakeScope::new(&makefile, &found.directory, goals, steps);
    for text in &makefile.at_once {
        let text = scope.expand(text, None, steps);
        steps.shell_value(text, Vec::new());
    }
    let mut walk = MakeWalk {
        makefile: &makefile,
        scope: &scope,
        visited: BTreeSet::new(),
    };
    if goals.is_empty() {
        match makefile.default_goal() {
            Some(goal) => walk.goal(&goal, steps),
            None => steps.missing("default"),
        }
    }
    for goal in goals {
        walk.goal(goal, steps);
    }
}

struct MakeWalk<'a> {
    makefile: &'a Makefile,
    scope: &'a MakeScope<'a>,
    visited: BTreeSet<String>,
}

impl MakeWalk<'_> {
    fn goal(&mut self, goal: &str, steps: &mut TaskSteps<'_>) {
        if self.makefile.rules_for(goal).is_empty() {
            return steps.missing(goal);
        }
        steps.exists();
        self.target(goal, steps, 0);
    }

    fn target(&mut self, name: &str, steps: &mut TaskSteps<'_>, depth: usize) {
        if !self.visited.insert(name.to_owned()) {
            return;
        }
        if self.visited.len() > RULES || depth > 64 {
            return steps.unclear("more rules than are followed");
        }
        let rules = self.makefile.rules_for(name);
        for (rule, stem) in &rules {
            for needed in self.needed(rule, stem.as_deref(), steps) {
                self.target(&needed, steps, depth.saturating_add(1));
            }
        }
        if rules.is_empty() && has_implicit_rule(name) {
            steps.unclear(&format!("a rule for `{name}` that make knows itself"));
        }
        for (rule, stem) in &rules {
            self.recipe(rule, name, stem.as_deref(), steps);
        }
    }

    fn needed(
        &self,
        rule: &MakeRule,
        stem: Option<&str>,
        steps: &mut TaskSteps<'_>,
    ) -> Vec<String> {
        let text = self.scope.expand(&rule.needs, None, steps);
        let Some(text) = text.literal() else {
            steps.unclear(&format!("what `{}` needs", rule.targets.join(" ")));
            return Vec::new();
        };
        text.split_whitespace()
            .filter(|word| *word != "|")
            .map(|word| match stem {
                Some(stem) => word.replace('%', stem),
                None => word.to_owned(),
            })
            .collect()
    }

    fn recipe(&self, rule: &MakeRule, name: &str, stem: Option<&str>, steps: &mut TaskSteps<'_>) {
        let automatic = expand::Automatic {
            target: name.to_owned(),
            needs: self.needed(rule, stem, steps),
            stem: stem.unwrap_or_default().to_owned(),
        };
        let lines: Vec<String> = if self.makefile.one_shell {
            let lines: Vec<&str> = rule.recipe.iter().map(|line| unprefixed(line)).collect();
            vec![lines.join("\n")]
        } else {
            rule.recipe
                .iter()
                .map(|line| unprefixed(line).to_owned())
                .collect()
        };
        for line in lines {
            if line.trim().is_empty() {
                continue;
            }
            let mut text = self.scope.expand(&line, Some(&automatic), steps);
            self.scope.export_into(&mut text, steps);
            steps.shell_value(text, Vec::new());
        }
    }
}

/// A recipe line without `@`, `-` and `+`.
fn unprefixed(line: &str) -> &str {
    line.trim_start()
        .trim_start_matches(['@', '-', '+', ' ', '\t'])
}

/// Targets that make builds without being told how.
fn has_implicit_rule(name: &str) -> bool {
    matches!(name.rsplit_once('.'), Some((_, "o" | "a" | "out")))
}
