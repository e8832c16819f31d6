//! `git checkout`: a branch, or files thrown back.

use super::super::meaning::{Meaning, Side};
use super::branch::{observed, reset_branch};
use super::pathspec::picked;
use crate::{Act, Extent, FileFact, Target, Value, VcsOp};

/// `git checkout`: a branch, or files thrown back.
pub(crate) fn checkout(meaning: &mut Meaning<'_>) {
    let span = meaning.invocation.span;
    let words: Vec<Value> = meaning.operand_values();
    let forced = [
        "--force",
        "--merge",
        "--ours",
        "--theirs",
        "--patch",
        "--pathspec-from-file",
    ]
    .iter()
    .any(|flag| meaning.has(flag));
    if forced {
        meaning.effect(Act::Vcs(VcsOp::DiscardChanges { target: None }), span);
    }
    if meaning.has("-B") {
        reset_branch(meaning);
    }
    let creates = ["-b", "-B", "--orphan", "--track", "--detach"]
        .iter()
        .any(|flag| meaning.has(flag));
    let paths: &[Value] = match (meaning.parsed.end_of_flags, words.as_slice()) {
        (Some(before), words) => words.get(before..).unwrap_or_default(),
        (None, _) if creates => &[],
        (None, [only]) if names_file(meaning, only) => std::slice::from_ref(only),
        (None, [_]) => &[],
        (None, [first, rest @ ..]) if !names_file(meaning, first) => rest,
        (None, all) => all,
    };
    discard(meaning, paths);
    let unclear = paths.is_empty() && words.iter().any(|word| word.literal().is_none());
    if unclear && !creates {
        for word in words.iter().filter(|word| word.literal().is_none()) {
            let gap = meaning.dynamic_gap(word);
            meaning.gap(gap);
        }
    }
    meaning.effect(Act::Vcs(VcsOp::Local), span);
}

/// Changes in everything that the words pick are thrown away.
pub(crate) fn discard(meaning: &mut Meaning<'_>, paths: &[Value]) {
    let cwd = meaning.cwd_at(usize::MAX, Side::Operand);
    for path in paths {
        let target = picked(path, cwd.as_deref());
        meaning.effect(Act::Vcs(VcsOp::DiscardChanges { target }), path.span);
    }
}

/// Whether a word that may be a branch or a file reads like a file, or is one.
fn names_file(meaning: &mut Meaning<'_>, word: &Value) -> bool {
    let cwd = meaning.cwd_at(usize::MAX, Side::Operand);
    let target = Target::locate(word, cwd.as_deref());
    let text = word.shown();
    if target.extent != Extent::Exact {
        return target.extent == Extent::Pattern;
    }
    let extension = text
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .is_some_and(|(_, end)| {
            (1..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_alphabetic())
        });
    if text.starts_with(['.', '/', ':']) || text.contains(['*', '?', '[']) || extension {
        return true;
    }
    // git takes a word that is a file and no commit for the file.
    matches!(
        observed(meaning, target.path),
        Some(FileFact::Text { .. } | FileFact::Directory | FileFact::Unreadable)
    )
}
