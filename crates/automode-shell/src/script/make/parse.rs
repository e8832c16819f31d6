//! A Makefile as variables and rules.

use std::collections::BTreeMap;

use super::super::steps::TaskSteps;
use crate::{Certainty, Facts, FileFact};

#[derive(Debug, Default)]
pub(super) struct Makefile {
    pub(super) variables: BTreeMap<String, MakeVariable>,
    pub(super) exported: Vec<String>,
    rules: Vec<MakeRule>,
    /// Shell text that runs while the file is read.
    pub(super) at_once: Vec<String>,
    pub(super) one_shell: bool,
    default: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct MakeRule {
    pub(super) targets: Vec<String>,
    pub(super) needs: String,
    pub(super) recipe: Vec<String>,
}

/// The texts that a variable may have.
#[derive(Clone, Debug)]
pub(super) struct MakeVariable {
    pub(super) values: Vec<String>,
    /// Only set where the environment does not set it.
    pub(super) default: bool,
}

const INCLUDES: usize = 8;

impl Makefile {
    pub(super) fn read(
        &mut self,
        text: &str,
        directory: &str,
        facts: &Facts,
        steps: &mut TaskSteps<'_>,
        depth: usize,
    ) {
        let mut conditions = 0_usize;
        let mut current: Option<MakeRule> = None;
        let mut lines = logical_lines(text).into_iter();
        while let Some(line) = lines.next() {
            if let Some(recipe) = line.strip_prefix('\t') {
                if let Some(rule) = &mut current {
                    rule.recipe.push(recipe.to_owned());
                    continue;
                }
                if recipe.trim().is_empty() || recipe.trim_start().starts_with('#') {
                    continue;
                }
            }
            let line = without_comment(&line);
            let trimmed = line.trim();
            if trimmed.is_empty() {
                continue;
            }
            let word = trimmed.split_whitespace().next().unwrap_or_default();
            let rest = trimmed.strip_prefix(word).unwrap_or_default().trim();
            match word {
                "ifeq" | "ifneq" | "ifdef" | "ifndef" => {
                    conditions = conditions.saturating_add(1);
                    self.shells_in(rest);
                    continue;
                }
                "else" => continue,
                "endif" => {
                    conditions = conditions.saturating_sub(1);
                    continue;
                }
                _ => {}
            }
            if word == "define" || rest.starts_with("define ") {
                self.define(rest.trim_start_matches("define ").trim(), &mut lines);
                continue;
            }
            if let Some(rule) = current.take() {
                self.rules.push(rule);
            }
            let certainty = if conditions == 0 {
                Certainty::Always
            } else {
                Certainty::Sometimes
            };
            match word {
                "include" | "-include" | "sinclude" => {
                    self.include(word, rest, directory, facts, steps, depth);
                }
                "export" | "override" | "unexport" | "private" => {
                    if !self.assignment(rest, certainty) && word == "export" {
                        self.exported
                            .extend(rest.split_whitespace().map(str::to_owned));
                    } else if word == "export"
                        && let Some((name, _, _)) = split_assignment(rest)
                    {
                        self.exported.push(name.to_owned());
                    }
                }
                "vpath" | "undefine" => {}
                "load" | "-load" => steps.unclear(trimmed),
                _ if self.assignment(trimmed, certainty) => {}
                _ => match rule(&self.with_known_targets(trimmed)) {
                    Some(rule) => {
                        // `$$(shell …)` among what a target needs is expanded once more.
                        self.shells_in(&rule.needs.replace("$$", "$"));
                        // What is done for any name that has no rule is done for none that shows.
                        if rule.targets.iter().any(|name| name == ".DEFAULT") {
                            steps.unclear(trimmed);
                        }
                        // A variable for one target only may hold anywhere.
                        if !self.assignment(&rule.needs, Certainty::Sometimes) {
                            current = Some(rule);
                        }
                    }
                    None => {
                        if trimmed.starts_with('$') {
                            self.shells_in(trimmed);
                        }
                        if !only_tells(trimmed) {
                            steps.unclear(trimmed);
                        }
                    }
                },
            }
        }
        self.rules.extend(current);
        self.one_shell |= self
            .rules
            .iter()
            .any(|rule| rule.targets.iter().any(|name| name == ".ONESHELL"));
    }

    /// A rule whose targets are named by variables that have one plain value.
    fn with_known_targets(&self, line: &str) -> String {
        let Some(colon) = outside(line, ':') else {
            return line.to_owned();
        };
        let mut targets = line.get(..colon).unwrap_or_default().to_owned();
        for (name, variable) in &self.variables {
            let [value] = variable.values.as_slice() else {
                continue;
            };
            if !value.contains(['$', ':', '#', '%']) {
                targets = targets
                    .replace(&format!("$({name})"), value)
                    .replace(&format!("${{{name}}}"), value);
            }
        }
        format!("{targets}{}", line.get(colon..).unwrap_or_default())
    }

    /// A variable line; says whether it was one.
    fn assignment(&mut self, line: &str, certainty: Certainty) -> bool {
        let Some((name, operator, value)) = split_assignment(line) else {
            return false;
        };
        let certain = certainty == Certainty::Always;
        let value = value.trim().to_owned();
        if operator == "!=" {
            self.at_once.push(value.clone());
        } else if operator != "=" && operator != "?=" {
            self.shells_in(&value);
        }
        if name == ".DEFAULT_GOAL" {
            self.default = Some(value);
            return true;
        }
        let value = if operator == "!=" {
            format!("$(shell {value})")
        } else {
            value
        };
        // make starts it for every line of every rule.
        if name == "SHELL" && !is_usual_shell(&value) {
            self.at_once.push(value.clone());
        }
        let known = self.variables.get_mut(name);
        match (operator, known) {
            ("?=", Some(_)) if certain => {}
            ("+=", Some(variable)) => {
                let longer: Vec<String> = variable
                    .values
                    .iter()
                    .map(|old| format!("{old} {value}"))
                    .collect();
                if certain {
                    variable.values = longer;
                } else {
                    variable.values.extend(longer);
                }
            }
            (_, Some(variable)) if !certain => {
                if !variable.values.contains(&value) {
                    variable.values.push(value);
                }
            }
            (operator, _) => {
                self.variables.insert(
                    name.to_owned(),
                    MakeVariable {
                        values: vec![value],
                        default: operator == "?=",
                    },
                );
            }
        }
        true
    }

    fn define(&mut self, header: &str, lines: &mut impl Iterator<Item = String>) {
        let name = header
            .split(|c: char| c.is_whitespace() || c == '=' || c == ':')
            .next()
            .unwrap_or_default();
        let mut body = Vec::new();
        for line in lines {
            if line.trim() == "endef" {
                break;
            }
            body.push(line);
        }
        self.variables.insert(
            name.to_owned(),
            MakeVariable {
                values: vec![body.join("\n")],
                default: false,
            },
        );
    }

    /// `$(shell …)` in text that is expanded while the file is read.
    fn shells_in(&mut self, text: &str) {
        for start in ["$(shell ", "${shell "] {
            for (at, _) in text.match_indices(start) {
                let after = text
                    .get(at.saturating_add(start.len())..)
                    .unwrap_or_default();
                let end = closing(after, start.contains('(')).unwrap_or(after.len());
                self.at_once
                    .push(after.get(..end).unwrap_or_default().to_owned());
            }
        }
    }

    fn include(
        &mut self,
        word: &str,
        files: &str,
        directory: &str,
        facts: &Facts,
        steps: &mut TaskSteps<'_>,
        depth: usize,
    ) {
        for file in files.split_whitespace() {
            if file.contains(['$', '*', '?', '[']) || depth >= INCLUDES {
                steps.unclear(&format!("{word} {file}"));
                continue;
            }
            let path = if file.starts_with('/') {
                file.to_owned()
            } else {
                format!("{directory}/{file}")
            };
            match facts.files.get(&path) {
                Some(FileFact::Text { body, .. }) => {
                    self.read(body, directory, facts, steps, depth.saturating_add(1));
                }
                Some(FileFact::Absent) if word != "include" => {}
                Some(_) => steps.unclear(&format!("{word} {file}")),
                None => {
                    steps.need(&path);
                    steps.unclear(&format!("{word} {file}"));
                }
            }
        }
    }

    pub(super) fn default_goal(&self) -> Option<String> {
        self.default.clone().or_else(|| {
            self.rules
                .iter()
                .flat_map(|rule| &rule.targets)
                .find(|name| !name.contains('%') && (!name.starts_with('.') || name.contains('/')))
                .cloned()
        })
    }

    /// The rules that make a target, with the stem where a pattern matched.
    pub(super) fn rules_for(&self, name: &str) -> Vec<(&MakeRule, Option<String>)> {
        let explicit: Vec<(&MakeRule, Option<String>)> = self
            .rules
            .iter()
            .filter(|rule| rule.targets.iter().any(|target| target == name))
            .map(|rule| (rule, None))
            .collect();
        if explicit.iter().any(|(rule, _)| !rule.recipe.is_empty()) {
            return explicit;
        }
        let pattern = self
            .rules
            .iter()
            .filter(|rule| !rule.recipe.is_empty())
            .find_map(|rule| {
                rule.targets.iter().find_map(|target| {
                    let (before, after) = target.split_once('%')?;
                    let stem = name.strip_prefix(before)?.strip_suffix(after)?;
                    (!stem.is_empty()).then(|| (rule, Some(stem.to_owned())))
                })
            });
        explicit.into_iter().chain(pattern).collect()
    }
}

/// Lines with their continuations; a recipe keeps the backslash, as the shell sees it.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        let goes_on = line.ends_with('\\') && !line.ends_with("\\\\");
        let joined = match open.take() {
            Some(mut before) => {
                if before.starts_with('\t') {
                    before.push_str("\\\n");
                    before.push_str(line.strip_suffix('\\').filter(|_| goes_on).unwrap_or(line));
                } else {
                    before.push(' ');
                    before.push_str(
                        line.strip_suffix('\\')
                            .filter(|_| goes_on)
                            .unwrap_or(line)
                            .trim_start(),
                    );
                }
                before
            }
            None => line
                .strip_suffix('\\')
                .filter(|_| goes_on)
                .unwrap_or(line)
                .to_owned(),
        };
        if goes_on {
            open = Some(joined);
        } else {
            lines.push(joined);
        }
    }
    lines.extend(open);
    lines
}

/// A line up to a `#` that is not escaped.
fn without_comment(line: &str) -> String {
    let mut kept = String::new();
    let mut escaped = false;
    for letter in line.chars() {
        if letter == '#' && !escaped {
            break;
        }
        escaped = letter == '\\';
        kept.push(letter);
    }
    kept
}

/// `NAME op value` where the line is an assignment and not a rule.
fn split_assignment(line: &str) -> Option<(&str, &str, &str)> {
    let end = line.find(|c: char| {
        c.is_whitespace() || matches!(c, '=' | ':' | '?' | '+' | '!' | '$' | '(')
    })?;
    let name = line.get(..end)?;
    let rest = line.get(end..)?.trim_start();
    if name.is_empty() {
        return None;
    }
    for operator in [":::=", "::=", ":=", "?=", "+=", "!=", "="] {
        if let Some(value) = rest.strip_prefix(operator) {
            return Some((name, operator, value));
        }
    }
    None
}

/// `targets: needs ; recipe`.
fn rule(line: &str) -> Option<MakeRule> {
    let colon = outside(line, ':')?;
    let (targets, rest) = (line.get(..colon)?, line.get(colon.saturating_add(1)..)?);
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    if targets.contains('$') {
        return None;
    }
    let (needs, inline) = match outside(rest, ';') {
        Some(at) => (rest.get(..at)?, rest.get(at.saturating_add(1)..)),
        None => (rest, None),
    };
    // `targets: pattern: needs` limits a pattern rule to these targets.
    if let Some(at) = outside(needs, ':')
        && !needs.get(at..)?.starts_with(":=")
    {
        return None;
    }
    Some(MakeRule {
        targets: targets.split_whitespace().map(str::to_owned).collect(),
        needs: needs.trim().to_owned(),
        recipe: inline.map(str::to_owned).into_iter().collect(),
    })
}

/// `$(info …)`, `$(warning …)`, `$(error …)` on a line of its own: what is printed while
/// the file is read, or why it is not.
fn only_tells(line: &str) -> bool {
    ["info", "warning", "error"].iter().any(|function| {
        ["$(", "${"].iter().any(|open| {
            line.strip_prefix(open)
                .and_then(|rest| rest.strip_prefix(function))
                .filter(|rest| rest.starts_with([' ', '\t']))
                .and_then(|rest| Some((closing(rest, *open == "$(")?, rest.len())))
                .is_some_and(|(end, length)| end.saturating_add(1) == length)
        })
    })
}

/// The first such letter outside of `$(…)`.
fn outside(text: &str, wanted: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth = depth.saturating_add(1),
            ')' | '}' => depth = depth.saturating_sub(1),
            letter if letter == wanted && depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Where a group that is already open ends.
pub(super) fn closing(text: &str, round: bool) -> Option<usize> {
    let (open, close) = if round { ('(', ')') } else { ('{', '}') };
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth = depth.saturating_add(1);
        } else if letter == close {
            if depth == 0 {
                return Some(at);
            }
            depth = depth.saturating_sub(1);
        }
    }
    None
}

/// A shell whose lines are read like any other's.
fn is_usual_shell(value: &str) -> bool {
    let mut words = value.split_whitespace();
    let shell = match words.next() {
        Some("/usr/bin/env") => words.next(),
        first => first,
    };
    let usual = [
        "sh",
        "bash",
        "dash",
        "zsh",
        "/bin/sh",
        "/bin/bash",
        "/bin/dash",
        "/bin/zsh",
        "/usr/bin/bash",
        "/usr/bin/sh",
        "/usr/bin/zsh",
        "/usr/local/bin/bash",
    ];
    shell.is_some_and(|shell| usual.contains(&shell))
        && words.all(|word| word.starts_with('-') || word == "pipefail")
}
