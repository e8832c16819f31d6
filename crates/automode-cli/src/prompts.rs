//! Whether the client itself would have asked: what a decision saved a person, or cost them.
//!
//! It depends on the client's own mode at the time. A mode that asks nobody (an auto
//! mode, one that bypasses permissions, a run without a person) has no prompts to save,
//! and a question there is one that automode added.

use automode::audit::Entry;
use automode::{Mode, Presence, Verdict};

/// Programs whose commands clients let pass by themselves, as far as they only look.
const LOOKING: &[&str] = &[
    "ls", "cat", "head", "tail", "grep", "rg", "find", "wc", "pwd", "echo", "which", "file",
    "stat", "du", "tree",
];
/// The same of git.
const LOOKING_GIT: &[&str] = &["status", "log", "diff", "show", "branch", "blame"];

/// What a decision meant for the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptChange {
    /// The client would have asked, and did not.
    Saved,
    /// The client would not have asked, and did.
    Added,
    None,
}

/// What a logged decision meant.
pub fn of_entry(entry: &Entry) -> PromptChange {
    if entry.shadow || entry.presence == Presence::Headless {
        return PromptChange::None;
    }
    let mode = entry.mode.as_deref().and_then(mode_named);
    of_call(mode, entry.verdict, &entry.tool, &entry.brief)
}

/// What a decision means in a mode of the client; without one, in its usual mode, which asks.
pub fn of_call(mode: Option<Mode>, verdict: Verdict, tool: &str, brief: &str) -> PromptChange {
    match (
        verdict,
        would_ask(mode.unwrap_or(Mode::Default), tool, brief),
    ) {
        (Verdict::Allow, true) => PromptChange::Saved,
        (Verdict::Ask, false) => PromptChange::Added,
        (Verdict::Allow, false) | (Verdict::Ask, true) | (Verdict::Deny, _) => PromptChange::None,
    }
}

fn would_ask(mode: Mode, tool: &str, brief: &str) -> bool {
    match mode {
        Mode::Auto | Mode::BypassPermissions | Mode::DontAsk | Mode::Plan => false,
        Mode::AcceptEdits if matches!(tool, "Edit" | "Write" | "NotebookEdit") => false,
        Mode::Default | Mode::AcceptEdits => !is_reading(tool) && !is_looking(tool, brief),
    }
}

/// Tools that agents do not ask about by themselves.
fn is_reading(tool: &str) -> bool {
    matches!(
        tool,
        "Read"
            | "Grep"
            | "Glob"
            | "List"
            | "TodoWrite"
            | "TodoRead"
            | "ToolSearch"
            | "NotebookRead"
            | "LSP"
    )
}

/// One command that only looks.
fn is_looking(tool: &str, brief: &str) -> bool {
    if tool != "Bash" || brief.contains(['|', '>', ';', '&', '`', '$', '\n']) {
        return false;
    }
    let mut words = brief.split_whitespace();
    match (words.next(), words.next()) {
        (Some("git"), Some(word)) => LOOKING_GIT.contains(&word),
        (Some(program), _) => LOOKING.contains(&program),
        (None, _) => false,
    }
}

fn mode_named(name: &str) -> Option<Mode> {
    Mode::ALL.into_iter().find(|mode| mode.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_mode_that_asks_has_prompts_to_save() {
        use PromptChange::{Added, None, Saved};
        let check = |mode: Mode, verdict: Verdict, tool: &str, brief: &str, expected| {
            let got = of_call(Some(mode), verdict, tool, brief);
            assert_eq!(got, expected, "{mode:?} {verdict:?} {tool} {brief}");
        };
        check(Mode::Default, Verdict::Allow, "Bash", "npm test", Saved);
        check(Mode::Default, Verdict::Allow, "Bash", "git status", None);
        check(Mode::Default, Verdict::Allow, "Bash", "cat a | sh", Saved);
        check(Mode::Default, Verdict::Allow, "Read", "a", None);
        check(Mode::Default, Verdict::Allow, "Edit", "a", Saved);
        check(Mode::AcceptEdits, Verdict::Allow, "Edit", "a", None);
        check(Mode::AcceptEdits, Verdict::Allow, "Bash", "npm test", Saved);
        check(Mode::Default, Verdict::Ask, "Bash", "git push", None);
        for mode in [Mode::Auto, Mode::BypassPermissions] {
            check(mode, Verdict::Allow, "Bash", "npm test", None);
            check(mode, Verdict::Ask, "Bash", "git push", Added);
        }
        check(Mode::Auto, Verdict::Deny, "Bash", "rm -rf ~", None);
        assert_eq!(of_call(Option::None, Verdict::Allow, "Bash", "make"), Saved);
    }
}
