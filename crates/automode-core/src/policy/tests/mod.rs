//! Rules held against calls, as tables.
//!
//! A row of [`table`] is a rule, a call, what a deny rule of that text says of it,
//! and what an allow rule does; columns are two or more blanks apart.

mod analysed;
mod command;
mod file;
mod list;
mod real;
mod tool;

use automode_shell::Analysis;
use serde_json::Value;

use super::{Policy, Subject, fixture};
use crate::{Facts, Mode, ToolCall};
use fixture::{context, facts, policy};

/// What a policy says of a call: the strictest list that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Deny,
    Ask,
    Allow,
    Nothing,
}

impl Says {
    fn read(word: &str) -> Self {
        match word {
            "deny" => Self::Deny,
            "ask" => Self::Ask,
            "allow" => Self::Allow,
            "-" => Self::Nothing,
            other => panic!("`{other}` is no answer"),
        }
    }
}

fn say(policy: &Policy, call: &ToolCall, analysis: Option<&Analysis>, facts: &Facts) -> Says {
    let (name, action) = crate::tool::normalize(call);
    let context = context();
    let subject = Subject {
        tool: &name,
        input: &call.input,
        action: &action,
        analysis,
        effects: &[],
        context: &context,
        facts,
    };
    if policy.denies(&subject).is_some() {
        Says::Deny
    } else if policy.asks(&subject).any().is_some() {
        Says::Ask
    } else if policy.allows(&subject, Mode::Default).is_some() {
        Says::Allow
    } else {
        Says::Nothing
    }
}

/// `Tool {"field": "value"}`, or a shell command behind `$`.
fn call(text: &str) -> ToolCall {
    if let Some(command) = text.strip_prefix("$ ") {
        return ToolCall::bash(command, "/home/dev/app");
    }
    let (tool, input) = text.split_once(' ').unwrap_or((text, "{}"));
    let Ok(Value::Object(input)) = serde_json::from_str(input) else {
        panic!("`{input}` is no input")
    };
    ToolCall {
        tool: tool.to_owned(),
        input,
        cwd: "/home/dev/app".to_owned(),
    }
}

/// Holds each rule against its call, once as a deny and once as an allow rule.
#[track_caller]
fn table(rows: &str) {
    for row in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let columns: Vec<&str> = row
            .split("  ")
            .map(str::trim)
            .filter(|column| !column.is_empty())
            .collect();
        let [rule, called, denied, allowed] = columns[..] else {
            panic!("`{row}` has not four columns")
        };
        let call = call(called);
        let facts = observed(&call);
        let found = [
            say(&policy(&[rule], &[], &[]), &call, None, &facts),
            say(&policy(&[], &[], &[rule]), &call, None, &facts),
        ];
        let expected = [Says::read(denied), Says::read(allowed)];
        assert_eq!(found, expected, "deny and allow `{rule}` on {called}");
    }
}

/// The file that a call names, where it says.
fn observed(call: &ToolCall) -> Facts {
    let named = ["file_path", "path", "notebook_path"]
        .iter()
        .find_map(|field| call.text(field))
        .unwrap_or_default();
    let place = crate::path::absolute(named, "/home/dev/app", Some("/home/dev"));
    facts(&[(&place, &place), ("/home/dev/app", "/home/dev/app")])
}
