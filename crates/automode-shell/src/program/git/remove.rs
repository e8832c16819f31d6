//! `git rm`: files deleted by pathspecs.

use super::super::meaning::{Meaning, Side};
use super::pathspec::picked;
use crate::template::PathUse;
use crate::{Act, Target, Value};

/// `git rm`: everything that the words pick goes; without force it is what git holds.
pub(crate) fn remove(meaning: &mut Meaning<'_>) {
    let cwd = meaning.cwd_at(usize::MAX, Side::Operand);
    if meaning.has("--pathspec-from-file") {
        let span = meaning.invocation.span;
        meaning.unseen("files that another file lists".to_owned(), span);
    }
    for word in meaning.operand_values() {
        let everything = || {
            let here = Value::text(cwd.clone().unwrap_or_default(), word.span);
            super::super::file::below(Target::locate(&here, None))
        };
        let target = picked(&word, cwd.as_deref()).unwrap_or_else(everything);
        let act = match target.extent {
            crate::Extent::Exact if !meaning.has("-r") => PathUse::Delete.act(target),
            crate::Extent::Exact
            | crate::Extent::Below
            | crate::Extent::Pattern
            | crate::Extent::Prefix
            | crate::Extent::Unknown => PathUse::DeleteTree.act(target),
        };
        meaning.effect(act, word.span);
    }
    meaning.effect(Act::Vcs(crate::VcsOp::Local), meaning.invocation.span);
}
