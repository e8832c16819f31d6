//! `git push`, and repositories by name or address.

use super::super::meaning::{Meaning, Side};
use crate::template::PathUse;
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

/// What is fetched into a local branch rewrites it.
pub(crate) fn refspec(meaning: &mut Meaning<'_>, word: &Value) {
    let Some(text) = word.literal() else {
        let gap = meaning.dynamic_gap(word);
        return meaning.gap(gap);
    };
    let tracked = |to: &str| to.is_empty() || to.starts_with("refs/remotes/");
    if text
        .split_once(':')
        .is_some_and(|(_, to)| !tracked(to.trim_start_matches('+')))
    {
        // Without force git only moves a branch forward.
        let forced = text.starts_with('+') || meaning.has("--force");
        let op = match forced {
            true => VcsOp::DropHistory,
            false => VcsOp::Rewrite,
        };
        meaning.effect(Act::Vcs(op), word.span);
    }
}

/// Whether a name that is pushed may be a tag: `refs/tags/x`, `v1.2`.
fn may_be_tag(name: &str) -> bool {
    let bare = name.strip_prefix("refs/").unwrap_or(name);
    let version = bare.strip_prefix('v').unwrap_or(bare);
    bare.starts_with("tags/") || version.starts_with(|c: char| c.is_ascii_digit())
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
    let mut matching = false;
    let mut tagged = ["--tags", "--follow-tags"]
        .iter()
        .any(|flag| meaning.has(flag));
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
        let name = if name == "@" { "HEAD" } else { name };
        tagged |= may_be_tag(name) || (name == "tag" && bare == "tag");
        // `refs/for/main` and its kin start what the other side makes of them.
        let odd = name.starts_with("refs/")
            && !name.starts_with("refs/heads/")
            && !name.starts_with("refs/tags/");
        if odd {
            meaning.unseen(format!("what `{name}` starts"), word.span);
        }
        matching |= bare == ":";
        let short = name.strip_prefix("refs/").unwrap_or(name);
        refs.push(short.strip_prefix("heads/").unwrap_or(name).to_owned());
        // `HEAD:$(…)` may reach any branch.
        if word.literal().is_none() {
            let gap = meaning.dynamic_gap(word);
            meaning.gap(gap);
        }
    }
    let op = VcsOp::Push {
        remote: words.first().map(Value::shown),
        change,
        refs,
        all: matching
            || ["--all", "--mirror", "--branches"]
                .iter()
                .any(|flag| meaning.has(flag)),
    };
    let span = meaning.invocation.span;
    if tagged {
        meaning.unseen("what a pushed tag starts".to_owned(), span);
    }
    if let Some(text) = meaning.flag_text(&["--repo"]) {
        let cwd = meaning.cwd_at(usize::MAX, Side::Operand);
        let word = Value::text(text, span);
        remote(meaning, Direction::Send, &word, cwd.as_deref());
        meaning.unseen("a push to another repository".to_owned(), span);
    }
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
