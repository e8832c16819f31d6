//! `git checkout`: a branch, or files thrown back.

use super::super::meaning::{Meaning, Side};
use crate::{Act, Extent, Target, Value, VcsOp};

/// `git checkout`: a branch, or files thrown back.
pub(crate) fn checkout(meaning: &mut Meaning<'_>) {
    let span = meaning.invocation.span;
    let cwd = meaning.cwd_at(usize::MAX, Side::Operand);
    let words: Vec<Value> = meaning.operand_values();
    let forced = [
        "--force",
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
    let creates = ["-b", "-B", "--orphan", "--track", "--detach"]
        .iter()
        .any(|flag| meaning.has(flag));
    let paths: &[Value] = match (meaning.parsed.end_of_flags, words.as_slice()) {
        (Some(before), words) => words.get(before..).unwrap_or_default(),
        (None, _) if creates => &[],
        (None, [only]) if names_file(meaning, only, cwd.as_deref()) => std::slice::from_ref(only),
        (None, [_]) => &[],
        (None, [first, rest @ ..]) if !names_file(meaning, first, cwd.as_deref()) => rest,
        (None, all) => all,
    };
    for path in paths {
        let target = Some(Target::locate(path, cwd.as_deref()));
        meaning.effect(Act::Vcs(VcsOp::DiscardChanges { target }), path.span);
    }
    let unclear = paths.is_empty() && words.iter().any(|word| word.literal().is_none());
    if unclear && !creates {
        for word in words.iter().filter(|word| word.literal().is_none()) {
            let gap = meaning.dynamic_gap(word);
            meaning.gap(gap);
        }
    }
    meaning.effect(Act::Vcs(VcsOp::Local), span);
}

/// Whether a word that may be a branch or a file reads like a file.
fn names_file(meaning: &Meaning<'_>, word: &Value, cwd: Option<&str>) -> bool {
    let target = Target::locate(word, cwd);
    if target.extent != Extent::Exact {
        return target.extent == Extent::Pattern;
    }
    let text = word.shown();
    let extension = text
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .is_some_and(|(_, end)| {
            (1..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_alphabetic())
        });
    let observed = matches!(
        meaning.facts.files.get(&target.path),
        Some(crate::FileFact::Text { .. } | crate::FileFact::Directory)
    );
    matches!(text.as_str(), "." | ".." | ":/")
        || text.starts_with(['.', '/'])
        || extension
        || observed
}
