//! Branches that are made anew over ones that may be there: `checkout -B`, `switch -C`,
//! `branch -f`, `branch -M`.
//!
//! What only the old branch held is lost with its log. The repository's own files tell
//! whether there is such a branch; where they were not seen, there is.

use super::super::meaning::{Meaning, Side};
use crate::{Act, FileFact, Need, VcsOp};

/// A branch is set to another commit, or made where there is none.
pub(crate) fn reset_branch(meaning: &mut Meaning<'_>) {
    let named = meaning.flag_text(&["-B", "-C", "--force-create"]);
    let words = meaning.operand_values();
    let operand = match meaning.has("--force") {
        true => words.first(),
        false => words.last(),
    };
    let name = named.or_else(|| Some(operand?.literal()?.into_owned()));
    let op = match name {
        Some(name) if is_new(meaning, &name) => VcsOp::Local,
        Some(_) | None => VcsOp::DropHistory,
    };
    meaning.effect(Act::Vcs(op), meaning.invocation.span);
}

/// What is given up takes the work on its conflicts with it; where nothing was begun,
/// git only says so.
pub(crate) fn abort(meaning: &mut Meaning<'_>) {
    const BEGUN: &[&str] = &[
        "MERGE_HEAD",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "rebase-merge",
        "rebase-apply",
        "sequencer",
    ];
    let cwd = meaning.cwd_at(usize::MAX, Side::Operand);
    let nothing = cwd.is_some_and(|cwd| {
        let place = |file: &str| format!("{}/.git/{file}", cwd.trim_end_matches('/'));
        let repository = matches!(
            observed(meaning, place("HEAD")),
            Some(FileFact::Text { .. })
        );
        let mut idle = true;
        for file in BEGUN {
            idle &= observed(meaning, place(file)) == Some(FileFact::Absent);
        }
        repository && idle
    });
    let op = match nothing {
        true => VcsOp::Local,
        false => VcsOp::DiscardChanges { target: None },
    };
    meaning.effect(Act::Vcs(op), meaning.invocation.span);
}

/// Whether the repository here certainly has no branch of this name.
fn is_new(meaning: &mut Meaning<'_>, name: &str) -> bool {
    let Some(cwd) = meaning.cwd_at(usize::MAX, Side::Operand) else {
        return false;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_/.".contains(c);
    if !name.chars().all(plain) || name.contains("..") {
        return false;
    }
    let place = |file: &str| format!("{}/.git/{file}", cwd.trim_end_matches('/'));
    let repository = matches!(
        observed(meaning, place("HEAD")),
        Some(FileFact::Text { .. })
    );
    let loose = observed(meaning, place(&format!("refs/heads/{name}")));
    let packed = match observed(meaning, place("packed-refs")) {
        Some(FileFact::Absent) => false,
        Some(FileFact::Text { body, .. }) => {
            let line = format!(" refs/heads/{name}");
            body.lines().any(|known| known.ends_with(&line))
        }
        Some(FileFact::Directory | FileFact::Unreadable) | None => true,
    };
    repository && loose == Some(FileFact::Absent) && !packed
}

/// A file that was looked at; one that was not is asked for.
pub(super) fn observed(meaning: &mut Meaning<'_>, path: String) -> Option<FileFact> {
    let fact = meaning.facts.files.get(&path).cloned();
    if fact.is_none() {
        meaning.out.needs.push(Need::File(path));
    }
    fact
}
