//! Whether a command of version control leaves the files of its work tree as they are.

use super::{Invocation, Value, VcsOp};

/// Commands that leave the files as they are, or that say for themselves which they change.
const KEEPS_FILES: &[&str] = &[
    "commit",
    "add",
    "stage",
    "branch",
    "tag",
    "config",
    "init",
    "notes",
    "gc",
    "fetch",
    "push",
    "remote",
    "status",
    "log",
    "diff",
    "show",
    "rev-parse",
    "describe",
    "blame",
    "ls-files",
];

/// Options in front of the command that name no other one, and those of them that take a word.
const BEFORE: &[&str] = &["--no-pager", "-P", "-q", "--quiet"];
const BEFORE_WITH_WORD: &[&str] = &["-C", "-c"];

/// Whether files of the project may be others afterwards.
#[must_use]
pub fn changes_work_tree(op: &VcsOp, start: Option<&Invocation>) -> bool {
    match op {
        VcsOp::Apply | VcsOp::Rewrite | VcsOp::DiscardChanges { .. } => true,
        VcsOp::Local => start.is_none_or(|start| !keeps_files(start)),
        VcsOp::Fetch
        | VcsOp::Clean { .. }
        | VcsOp::DropHistory
        | VcsOp::Push { .. }
        | VcsOp::Remote { .. }
        | VcsOp::Config { .. } => false,
    }
}

/// Whether a command takes what was changed away, and brings nothing: `git stash`.
#[must_use]
pub fn sets_work_aside(start: &Invocation) -> bool {
    const BRINGS: &[&str] = &["pop", "apply", "branch"];
    let mut words = start.argv.iter().skip(1).map(Value::literal);
    let stashes = words.next().flatten().as_deref() == Some("stash");
    let second = words.next().map(|word| word.unwrap_or_default());
    stashes && second.is_none_or(|word| !word.is_empty() && !BRINGS.contains(&&*word))
}

fn keeps_files(start: &Invocation) -> bool {
    let words: Vec<_> = start.argv.iter().skip(1).map(Value::literal).collect();
    let words: Vec<Option<&str>> = words.iter().map(Option::as_deref).collect();
    let mut words = words.as_slice();
    while let [Some(first), rest @ ..] = words {
        words = match rest {
            [_, rest @ ..] if BEFORE_WITH_WORD.contains(first) => rest,
            rest if BEFORE.contains(first) => rest,
            _ => break,
        };
    }
    match words {
        // A new branch where one stands.
        [Some("checkout"), Some("-b"), Some(_)]
        | [Some("switch"), Some("-c" | "--create"), Some(_)] => true,
        [Some(first), ..] => KEEPS_FILES.contains(first),
        [None, ..] | [] => false,
    }
}
