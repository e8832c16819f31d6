//! Secrets that stand in the words of a command or a request that leaves this machine.
//!
//! A token in an address, a header, the name of a host, a branch or a tag, or in the message
//! of a commit is handed to whoever is asked or reads the history; so is one that was only
//! encoded.

use automode_shell::{Act, Host, Invocation, Nature, Span, VcsOp};
use serde_json::Value as Json;

use super::credential_leak::{ID, KEEP};
use crate::effects::spells_kept_value;
use crate::rules::holds_credential;
use crate::scene::Scene;
use crate::{Action, Finding, probe};

pub(super) fn detect(scene: &Scene<'_>) -> Vec<Finding> {
    let starts = scene.invocations().enumerate();
    let mut found: Vec<Finding> = starts
        .filter(|(at, start)| leaves(scene, *at) || names_history(start))
        .filter(|(_, start)| {
            let kept = |word: &str| spells_kept_value(word, &scene.facts.shell);
            words(start).any(|word| is_told(&word) || kept(&word))
                || resolves_names(scene, start) && words(start).any(|word| is_coded_name(&word))
        })
        .map(|(_, start)| {
            let what = "hands out a secret that stands in its own words";
            scene.evidence(ID, start.span, what, KEEP)
        })
        .collect();
    let is_told = |word: &str| is_told(word) || spells_kept_value(word, &scene.facts.shell);
    let asked = match scene.action {
        Action::Mcp { input, .. } => input.values().any(|value| holds(value, &is_told)),
        Action::Fetch { url, .. } => is_told(url),
        Action::WebSearch { query } => is_told(query),
        _ => false,
    };
    if asked {
        let what = "hands out a secret that stands in its arguments";
        found.push(scene.evidence(ID, Span::default(), what, KEEP));
    }
    found
}

fn words(start: &Invocation) -> impl Iterator<Item = String> + '_ {
    start.argv.iter().skip(1).map(automode_shell::Value::shown)
}

/// Whether a start talks to another machine.
fn leaves(scene: &Scene<'_>, at: usize) -> bool {
    let mut own = scene.effects().filter(|effect| effect.by == at);
    own.any(|effect| match &effect.act {
        Act::Connect { host, .. } => *host != Host::Loopback,
        Act::Vcs(VcsOp::Push { .. } | VcsOp::Fetch | VcsOp::Remote { .. })
        | Act::Publish { .. }
        | Act::Message { .. }
        | Act::Package { .. }
        | Act::Cloud { .. } => true,
        _ => false,
    })
}

/// Whether a command of git puts its words into the history, or into a name that goes with it.
fn names_history(start: &Invocation) -> bool {
    const NAMING: &[&str] = &[
        "commit", "tag", "branch", "checkout", "switch", "notes", "merge", "push", "stash",
    ];
    start.is_a(Nature::Git)
        && words(start)
            .take(4)
            .any(|word| NAMING.contains(&word.as_str()))
}

/// Whether a start asks for the address of a name: whoever owns the domain reads the name.
fn resolves_names(scene: &Scene<'_>, start: &Invocation) -> bool {
    scene.effects().any(|effect| {
        let resolver = matches!(&effect.act, Act::Connect { host: Host::Default(name), .. } if name == "resolver");
        resolver && scene.invocation(effect) == Some(start)
    })
}

/// A part of a name that people do not give: long, with digits among the letters.
fn is_coded_name(name: &str) -> bool {
    /// The length of a key in base 32, and of half of one in hexadecimal.
    const LONG: usize = 20;
    let mut parts = name.split('.').rev().skip(2);
    parts.any(|part| {
        let has = |is: fn(&u8) -> bool| part.bytes().any(|byte| is(&byte));
        let lower = has(u8::is_ascii_lowercase);
        let mixed = has(u8::is_ascii_digit) || has(u8::is_ascii_uppercase);
        part.len() >= LONG && lower && mixed && !part.contains(['-', '_'])
    })
}

/// A secret as it stands, in capitals as hosts hide them, or encoded.
fn is_told(word: &str) -> bool {
    holds_credential(word)
        || begins_token(word)
        || (word.contains("akia") && holds_credential(&word.to_uppercase()))
        || probe::decoded(word)
            .iter()
            .any(|text| holds_credential(text))
}

/// The first part of a token that everybody knows by its beginning: the rest may follow in the
/// next request.
fn begins_token(word: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "sk_live_",
        "rk_live_",
        "sk-ant-",
    ];
    /// Fewer letters than these say nothing.
    const TELLING: usize = 8;
    BEGINNINGS.iter().any(|beginning| {
        word.split(beginning).skip(1).any(|rest| {
            let letters = rest.chars().take_while(char::is_ascii_alphanumeric);
            letters.count() >= TELLING
        })
    })
}

fn holds(value: &Json, is_told: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Json::String(text) => is_told(text),
        Json::Array(items) => items.iter().any(|item| holds(item, is_told)),
        Json::Object(fields) => fields.values().any(|field| holds(field, is_told)),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}
