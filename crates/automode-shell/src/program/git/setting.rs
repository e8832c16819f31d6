//! Settings of git that make it run, read or reach something.
//!
//! The keys are in `knowledge/git-settings.toml`. A setting for one run (`-c`)
//! counts at once; one that is written counts with what it will do.

use super::super::meaning::{Meaning, Side};
use super::super::table::{GIT_SETTINGS, SettingKind};
use super::push::remote;
use crate::template::PathUse;
use crate::{Act, Direction, SystemChange, Value, VcsOp};

/// Values that run nothing of interest.
const QUIET: &[&str] = &[
    "", "cat", "less", "more", "true", "false", "delta", "vim", "vi", "nano", ":",
];

fn kind(key: &str) -> Option<SettingKind> {
    let key = key.to_ascii_lowercase();
    GIT_SETTINGS
        .iter()
        .find(|setting| match setting.end {
            Some(end) => {
                let least = setting.start.len().saturating_add(end.len());
                key.len() > least && key.starts_with(setting.start) && key.ends_with(end)
            }
            None => key == setting.start,
        })
        .map(|setting| setting.kind)
}

/// `-c key=value`: a setting for this run.
pub(crate) fn setting(meaning: &mut Meaning<'_>, word: &Value) {
    let Some((key, value)) = word.split_once('=') else {
        if word.literal().is_none() {
            let gap = meaning.dynamic_gap(word);
            meaning.gap(gap);
        }
        return;
    };
    if weakens(&key, &value) {
        return meaning.effect(Act::System(SystemChange::Trust), word.span);
    }
    let quiet = value.literal().is_some_and(|text| QUIET.contains(&&*text));
    let Some(kind) = kind(&key) else {
        return meaning.unseen(format!("what `{key}` brings about"), word.span);
    };
    let started = matches!(
        kind,
        SettingKind::Shell | SettingKind::Alias | SettingKind::Program
    );
    if (quiet && started) || kind == SettingKind::Nothing {
        return;
    }
    let cwd = meaning.cwd_at(usize::MAX, Side::Flag);
    match kind {
        SettingKind::Shell => meaning.shell(bare_command(&value), &[]),
        SettingKind::Alias => match leaves(&value) {
            Some(command) => meaning.shell(command, &[]),
            None => return,
        },
        SettingKind::Program => meaning.load(&value, cwd.as_deref()),
        SettingKind::Read => return meaning.path(PathUse::Read, &value, cwd.as_deref()),
        SettingKind::Write => return meaning.path(PathUse::Append, &value, cwd.as_deref()),
        SettingKind::Remote => {
            return remote(meaning, Direction::Send, &value, cwd.as_deref());
        }
        SettingKind::Host => {
            return meaning.url(Direction::Send, &value, cwd.as_deref());
        }
        SettingKind::Nothing => return,
        SettingKind::Something => {
            meaning.unseen(format!("what `{key}` brings about"), word.span);
        }
    }
    let op = VcsOp::Config {
        key,
        runs: true,
        global: false,
    };
    meaning.effect(Act::Vcs(op), word.span);
}

/// A helper may be written with a `!` in front of its command.
fn bare_command(value: &Value) -> Value {
    if value.prefix().starts_with('!') {
        value.after(1)
    } else {
        value.clone()
    }
}

/// Only what begins with `!` leaves git.
fn leaves(value: &Value) -> Option<Value> {
    if value.prefix().starts_with('!') {
        Some(value.after(1))
    } else {
        value.begins_unknown().then(|| value.clone())
    }
}

fn weakens(key: &str, value: &Value) -> bool {
    let strict = value
        .literal()
        .is_some_and(|text| matches!(&*text, "true" | "1" | "yes" | "on"));
    key.to_ascii_lowercase().ends_with("sslverify") && !strict
}

/// `git config [set] key value` and its kin.
pub(crate) fn config(meaning: &mut Meaning<'_>) {
    let words = meaning.operand_values();
    let Some(first) = words.first() else {
        return;
    };
    if first.literal().is_none() {
        let gap = meaning.dynamic_gap(first);
        meaning.gap(gap);
    }
    let key = first.shown();
    let runs = words.get(1).is_some_and(|value| runs(&key, value));
    let changes_more = match kind(&key) {
        None | Some(SettingKind::Something | SettingKind::Host | SettingKind::Write) => true,
        // What it runs by itself is an effect of its own.
        Some(SettingKind::Alias) => !runs,
        Some(
            SettingKind::Shell
            | SettingKind::Program
            | SettingKind::Read
            | SettingKind::Remote
            | SettingKind::Nothing,
        ) => false,
    };
    if words.len() > 1 && changes_more {
        meaning.unseen(format!("what `{key}` brings about"), first.span);
    }
    let takes_away = [
        "--unset",
        "--unset-all",
        "--remove-section",
        "--rename-section",
    ]
    .iter()
    .any(|flag| meaning.has(flag));
    let removes = takes_away || words.len() < 2;
    if removes && kind(&key) != Some(SettingKind::Nothing) {
        meaning.unseen(format!("what depends on `{key}`"), first.span);
    }
    let trusts_less = words.get(1).is_some_and(|value| weakens(&key, value));
    let op = VcsOp::Config {
        key: key.clone(),
        runs,
        global: meaning.has("--global") || meaning.has("--system"),
    };
    meaning.effect(Act::Vcs(op), first.span);
    if trusts_less {
        meaning.effect(Act::System(SystemChange::Trust), first.span);
    }
    if kind(&key) == Some(SettingKind::Remote)
        && let Some(url) = words.get(1)
    {
        let url = Some(url.shown());
        meaning.effect(Act::Vcs(VcsOp::Remote { url }), first.span);
    }
}

/// Whether a setting, once written, makes git run something.
fn runs(key: &str, value: &Value) -> bool {
    if value.literal().is_some_and(|text| QUIET.contains(&&*text)) {
        return false;
    }
    match kind(key) {
        Some(SettingKind::Shell | SettingKind::Program | SettingKind::Something) => true,
        Some(SettingKind::Alias) => leaves(value).is_some(),
        Some(
            SettingKind::Nothing
            | SettingKind::Read
            | SettingKind::Write
            | SettingKind::Remote
            | SettingKind::Host,
        )
        | None => false,
    }
}
