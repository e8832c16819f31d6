//! Secrets that stand in the words of a command or a request that leaves this machine.
//!
//! A token in an address, a header, the name of a host, a branch or a tag, or in the message
//! of a commit is handed to whoever is asked or reads the history; so is one that was only
//! encoded.

use automode_shell::{Act, Host, Invocation, Nature, Span, VcsOp};
use serde_json::Value as Json;

use super::credential_leak::{ID, KEEP};
use crate::rules::holds_credential;
use crate::scene::Scene;
use crate::{Action, Finding, probe};

pub(super) fn detect(scene: &Scene<'_>) -> Vec<Finding> {
    let starts = scene.invocations().enumerate();
    let mut found: Vec<Finding> = starts
        .filter(|(at, start)| leaves(scene, *at) || names_history(start))
        .filter(|(_, start)| words(start).any(|word| is_told(&word)))
        .map(|(_, start)| {
            let what = "hands out a secret that stands in its own words";
            scene.evidence(ID, start.span, what, KEEP)
        })
        .collect();
    let asked = match scene.action {
        Action::Mcp { input, .. } => input.values().any(holds),
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

fn holds(value: &Json) -> bool {
    match value {
        Json::String(text) => is_told(text),
        Json::Array(items) => items.iter().any(holds),
        Json::Object(fields) => fields.values().any(holds),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}
