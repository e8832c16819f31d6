//! What git shows of a file that nobody may read.
//!
//! A file's text also stands in the history: `git show HEAD:private/a` prints it, whatever
//! lies in the working tree. A rule on reading a path holds for every word that names it there.

use std::borrow::Borrow;

use automode_shell::{Invocation, Nature};

use super::{
    Subject,
    index::RuleIndex,
    reach::{holds, touches},
    rule::{Rule, Specifier},
    veto::VetoNote,
};

/// The commands of git that print the text of files.
const SHOWING: &[&str] = &[
    "annotate",
    "archive",
    "blame",
    "cat-file",
    "checkout-index",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "difftool",
    "format-patch",
    "grep",
    "log",
    "range-diff",
    "show",
    "stash",
    "whatchanged",
];

/// Rules on reading, held against the paths that a command has shown from the history.
pub(super) fn shown<'a, R: Borrow<Rule>>(
    index: &'a RuleIndex<R>,
    subject: &Subject<'_>,
    note: VetoNote<'_, 'a>,
) {
    let starts = || {
        let all = subject.analysis.iter().flat_map(|all| &all.invocations);
        all.filter(|start| start.is_a(Nature::Git))
    };
    let paths: Vec<String> = starts().flat_map(named).collect();
    let trees: Vec<&str> = starts()
        .filter(|start| shows_everything(start))
        .map(|start| start.cwd.as_deref().unwrap_or(&subject.context.cwd))
        .collect();
    for rule in index.reading() {
        if let Specifier::Path(pattern) = &rule.what {
            for path in &paths {
                note(rule, touches(rule, pattern, path, subject));
            }
            for tree in &trees {
                note(rule, holds(rule, tree, subject));
            }
        }
    }
}

/// Whether a command prints or packs the text of whatever the repository has.
fn shows_everything(start: &Invocation) -> bool {
    let words: Vec<_> = start
        .argv
        .iter()
        .skip(1)
        .filter_map(|word| word.literal())
        .collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_ref()));
    let starts_with = |wanted: &str| words.iter().any(|word| word.starts_with(wanted));
    let names_some = words
        .iter()
        .position(|word| word == "--")
        .is_some_and(|at| at.saturating_add(1) < words.len());
    let summary = [
        "--stat",
        "--name-only",
        "--name-status",
        "--shortstat",
        "--numstat",
        "--summary",
        "--no-patch",
        "-s",
        "--quiet",
        "-q",
        "--dirstat",
    ];
    let Some(command) = words.iter().find(|word| !word.starts_with('-')) else {
        return false;
    };
    match command.as_ref() {
        _ if names_some => false,
        "grep" | "archive" | "bundle" | "fast-export" | "checkout-index" | "difftool" => true,
        "format-patch" | "diff" | "diff-index" | "diff-tree" | "range-diff" => !has(&summary),
        "show" => !has(&summary) && !words.iter().any(|word| word.contains(':')),
        "log" | "whatchanged" | "stash" | "reflog" => {
            has(&["-p", "-u", "--patch", "-c", "--cc", "--full-diff"]) || starts_with("-U")
        }
        "cat-file" => starts_with("--batch"),
        "worktree" => has(&["add"]),
        _ => false,
    }
}

/// The paths among the words of a command that prints files.
fn named(start: &Invocation) -> Vec<String> {
    let words: Vec<_> = start
        .argv
        .iter()
        .filter_map(|word| word.literal())
        .collect();
    if !words.iter().any(|word| SHOWING.contains(&word.as_ref())) {
        return Vec::new();
    }
    let here = start.cwd.as_deref().unwrap_or(".");
    words
        .iter()
        .skip(2)
        .filter(|word| !word.starts_with('-') || word.starts_with("-L"))
        // `HEAD:private/a`, `-L1,5:private/a` and `:(top)private/a` name it behind the last colon.
        .map(|word| word.rsplit([':', ')']).next().unwrap_or(word))
        .filter(|path| !path.is_empty())
        .map(|path| match path.starts_with(['/', '~']) {
            true => path.to_owned(),
            false => format!("{here}/{path}"),
        })
        .collect()
}
