//! What takes code to tell about git: settings, pushes, checkouts.

use super::meaning::{Meaning, Side};
use crate::{Act, Direction, Extent, Host, RefChange, SystemChange, Taint, Target, Value, VcsOp};

/// Keys whose value git runs, lower case; `*` stands for any middle.
const RUNNING: &[(&str, &str)] = &[
    ("core.pager", ""),
    ("core.editor", ""),
    ("core.sshcommand", ""),
    ("core.fsmonitor", ""),
    ("core.hookspath", ""),
    ("core.gitproxy", ""),
    ("core.askpass", ""),
    ("core.alternaterefscommand", ""),
    ("core.attributesfile", ""),
    ("core.worktree", ""),
    ("sequence.editor", ""),
    ("interactive.difffilter", ""),
    ("web.browser", ""),
    ("init.templatedir", ""),
    ("include.path", ""),
    ("includeif.", ".path"),
    ("gpg.", "program"),
    ("gpg.ssh.defaultkeycommand", ""),
    ("alias.", ""),
    ("pager.", ""),
    ("credential.", "helper"),
    ("diff.external", ""),
    ("diff.", ".command"),
    ("diff.", ".textconv"),
    ("difftool.", ".cmd"),
    ("difftool.", ".path"),
    ("mergetool.", ".cmd"),
    ("mergetool.", ".path"),
    ("merge.", ".driver"),
    ("filter.", ".clean"),
    ("filter.", ".smudge"),
    ("filter.", ".process"),
    ("uploadpack.packobjectshook", ""),
    ("remote.", ".uploadpack"),
    ("remote.", ".receivepack"),
    ("remote.", ".vcs"),
    ("remote.", ".proxy"),
    ("protocol.", ".allow"),
    ("browser.", ".cmd"),
    ("browser.", ".path"),
    ("man.", ".cmd"),
    ("man.", ".path"),
    ("trailer.", ".command"),
    ("trailer.", ".cmd"),
    ("submodule.", ".update"),
    ("sendemail.", "cmd"),
    ("sendemail.", "smtpserver"),
    ("url.", ".insteadof"),
    ("url.", ".pushinsteadof"),
    ("guitool.", ".cmd"),
    ("instaweb.", ""),
    ("tar.", ".command"),
    ("bisect.", ".run"),
    ("maintenance.", ".schedule"),
    ("receive.procreceiverefs", ""),
    ("http.proxy", ""),
    ("http.", ".proxy"),
    ("ssh.variant", ""),
];

/// Values of running keys that run nothing of interest.
const QUIET: &[&str] = &[
    "", "cat", "less", "more", "true", "false", "delta", "vim", "vi", "nano", ":",
];

fn runs(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    RUNNING.iter().any(|(start, end)| {
        if end.is_empty() && !start.ends_with('.') {
            key == *start
        } else {
            key.starts_with(start) && key.ends_with(end)
        }
    })
}

/// `-c key=value`: a setting for this run.
pub(super) fn setting(meaning: &mut Meaning<'_>, word: &Value) {
    let Some((key, value)) = word.split_once('=') else {
        if word.literal().is_none() {
            let gap = meaning.dynamic_gap(word);
            meaning.gap(gap);
        }
        return;
    };
    let lower = key.to_ascii_lowercase();
    if lower.ends_with("sslverify") && is_false(&value) {
        return meaning.effect(Act::System(SystemChange::Trust), word.span);
    }
    let quiet = value.literal().is_some_and(|text| QUIET.contains(&&*text));
    if !runs(&key) || quiet {
        return;
    }
    let command = if lower.starts_with("alias.") {
        // Only an alias that begins with `!` leaves git.
        match value.prefix().starts_with('!') {
            true => Some(value.after(1)),
            false if value.begins_unknown() => Some(value),
            false => None,
        }
    } else {
        Some(value)
    };
    let Some(command) = command else {
        return;
    };
    let op = VcsOp::Config {
        key,
        runs: true,
        global: false,
    };
    meaning.effect(Act::Vcs(op), word.span);
    meaning.shell(command, &[]);
}

fn is_false(value: &Value) -> bool {
    !value
        .literal()
        .is_some_and(|text| matches!(&*text, "true" | "1" | "yes" | "on"))
}

/// `git config [set] key value` and its kin.
pub(super) fn config(meaning: &mut Meaning<'_>) {
    let words: Vec<Value> = meaning
        .parsed
        .operands
        .iter()
        .map(|operand| operand.value.clone())
        .collect();
    let global = ["--global", "--system"]
        .iter()
        .any(|flag| meaning.has(flag));
    let Some(first) = words.first() else {
        return;
    };
    if first.literal().is_none() {
        let gap = meaning.dynamic_gap(first);
        meaning.gap(gap);
    }
    let key = first.shown();
    let harmless = words
        .get(1)
        .and_then(Value::literal)
        .is_some_and(|text| QUIET.contains(&&*text));
    let op = VcsOp::Config {
        runs: runs(&key) && !harmless && words.len() > 1,
        key: key.clone(),
        global,
    };
    meaning.effect(Act::Vcs(op), first.span);
    if key.to_ascii_lowercase().ends_with("sslverify") && words.get(1).is_some_and(is_false) {
        meaning.effect(Act::System(SystemChange::Trust), first.span);
    }
}

/// A repository by name or address.
pub(super) fn remote(
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
        return meaning.path(super::table::Use::Read, word, cwd);
    }
    meaning.url(direction, word, cwd);
}

/// `git push`: what changes where.
pub(super) fn push(meaning: &mut Meaning<'_>) {
    let words: Vec<Value> = meaning
        .parsed
        .operands
        .iter()
        .map(|operand| operand.value.clone())
        .collect();
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

/// `git checkout`: a branch, or files thrown back.
pub(super) fn checkout(meaning: &mut Meaning<'_>) {
    let span = meaning.invocation.span;
    let cwd = meaning.cwd_at(usize::MAX, Side::Operand);
    let words: Vec<Value> = meaning
        .parsed
        .operands
        .iter()
        .map(|operand| operand.value.clone())
        .collect();
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
