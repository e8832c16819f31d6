//! `git push`, and repositories by name or address.

use super::super::meaning::{Meaning, Side};
use super::super::table::PathUse;
use crate::{Act, Direction, Host, RefChange, Taint, Value, VcsOp};

/// A repository by name or address.
pub(crate) fn remote(
    meaning: &mut Meaning<'_>,
    direction: Direction,
    word: &Value,
    cwd: Option<&str>,
) {
    let text = word.shown();
    if word.literal().is_some() && !text.contains([':', '/']) {
        let host = Host::Default(text);
        return meaning.connect(host, direction, word);
    }
    if text.starts_with(['/', '.', '~']) {
        return meaning.path(PathUse::Read, word, cwd);
    }
    meaning.url(direction, word, cwd);
}

/// `git push`: what changes where.
pub(crate) fn push(meaning: &mut Meaning<'_>) {
    let words: Vec<Value> = meaning.operand_values();
    let forced = [
        "--force",
        "--force-with-lease",
        "--force-if-includes",
        "--mirror",
    ]
    .iter()
    .any(|flag| meaning.has(flag));
    let deletes = ["--delete", "--prune"].iter().any(|flag| meaning.has(flag));
    let mut change = match (deletes, forced) {
        (true, _) => RefChange::Delete,
        (false, true) => RefChange::Force,
        (false, false) => RefChange::Update,
    };
    let mut refs = Vec::new();
    for word in words.iter().skip(1) {
        let text = word.shown();
        let bare = text.strip_prefix('+').unwrap_or(&text);
        if bare.len() < text.len() {
            change = change.max(RefChange::Force);
        }
        let name = match bare.split_once(':') {
            Some(("", name)) if !name.is_empty() => {
                change = RefChange::Delete;
                name
            }
            Some((_, name)) => name,
            None => bare,
        };
        refs.push(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned());
        if word.begins_unknown() {
            let gap = meaning.dynamic_gap(word);
            meaning.gap(gap);
        }
    }
    let op = VcsOp::Push {
        remote: words.first().map(Value::shown),
        change,
        refs,
        all: ["--all", "--mirror", "--branches"]
            .iter()
            .any(|flag| meaning.has(flag)),
    };
    let span = meaning.invocation.span;
    meaning.effect(Act::Vcs(op), span);
    match words.first() {
        Some(word) => {
            let cwd = meaning.cwd_at(usize::MAX, Side::Operand);
            remote(meaning, Direction::Send, word, cwd.as_deref());
        }
        None => meaning.effect(
            Act::Connect {
                host: Host::Default("origin".to_owned()),
                direction: Direction::Send,
                data: Taint::NONE,
            },
            span,
        ),
    }
}
