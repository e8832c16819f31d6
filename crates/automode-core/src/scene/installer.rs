//! Installers that the makers of toolchains publish, fetched and run as their pages say.
//!
//! One fetch of one known address, with options from a closed list, whose output goes
//! straight into an interpreter. A second address, a filter in between, text before or
//! after it, an option that is not listed: somebody else's words could run.

use automode_shell::{Effect, Invocation, Nature, Span, Value};

use super::Scene;
use crate::effects::Url;

/// Installers that the makers of toolchains publish: host and beginning of the path.
pub const OFFICIAL_INSTALLERS: &[(&str, &str)] = &[
    ("sh.rustup.rs", ""),
    ("static.rust-lang.org", "rustup/"),
    ("astral.sh", "uv/"),
    ("astral.sh", "ruff/"),
    ("install.python-poetry.org", ""),
    ("bootstrap.pypa.io", "get-pip.py"),
    ("pyenv.run", ""),
    ("raw.githubusercontent.com", "pyenv/pyenv-installer/"),
    ("raw.githubusercontent.com", "nvm-sh/nvm/"),
    ("raw.githubusercontent.com", "Homebrew/install/"),
    ("raw.githubusercontent.com", "helm/helm/"),
    ("get.pnpm.io", "install"),
    ("bun.sh", "install"),
    ("bun.com", "install"),
    ("deno.land", "install"),
    ("deno.land", "x/install"),
    ("fnm.vercel.app", "install"),
    ("get.volta.sh", ""),
    ("mise.run", ""),
    ("get.sdkman.io", ""),
    ("get-ghcup.haskell.org", ""),
    ("get.haskellstack.org", ""),
    ("getcomposer.org", "installer"),
    ("raw.githubusercontent.com", "Schniz/fnm/"),
];

/// Flags of a fetch that change neither what comes nor where it goes.
const PLAIN_FLAGS: &[&str] = &[
    "--fail",
    "--location",
    "--show-error",
    "--silent",
    "--compressed",
    "--tlsv1.2",
    "--tlsv1.3",
    "--progress-bar",
    "--no-progress-meter",
    "--retry-connrefused",
    "--quiet",
    "--no-verbose",
    "--https-only",
    "-nv",
    "-O-",
    "-qO-",
    "--output-document=-",
    "--output=-",
    "--proto==https",
];

type ValueTest = fn(&str) -> bool;

/// The same with a value in the next word.
const PLAIN_VALUES: &[(&str, ValueTest)] = &[
    ("--proto", |value| value == "=https"),
    ("--retry", is_number),
    ("--retry-delay", is_number),
    ("--retry-max-time", is_number),
    ("--max-time", is_number),
    ("--connect-timeout", is_number),
    ("--tries", is_number),
    ("--timeout", is_number),
    ("-m", is_number),
    ("-o", is_stdout),
    ("-O", is_stdout),
    ("-qO", is_stdout),
    ("--output", is_stdout),
    ("--output-document", is_stdout),
];

/// Letters that may stand together behind one dash.
const PLAIN_LETTERS: &[char] = &['f', 's', 'S', 'L', 'q', 'v', '#', '4', '6'];

fn is_number(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_stdout(value: &str) -> bool {
    value == "-"
}

/// The start fetches one official installer and nothing else.
#[must_use]
pub fn fetches_installer(start: &Invocation) -> bool {
    let Some(words) = start
        .argv
        .iter()
        .skip(1)
        .map(Value::literal)
        .collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let mut words = words.iter().map(AsRef::as_ref);
    let mut addresses = 0_usize;
    while let Some(word) = words.next() {
        if let Some((_, takes)) = PLAIN_VALUES.iter().find(|(name, _)| *name == word) {
            if !words.next().is_some_and(takes) {
                return false;
            }
        } else if word.starts_with('-') {
            let letters = word.get(1..).unwrap_or_default();
            let bundled =
                !letters.is_empty() && letters.chars().all(|c| PLAIN_LETTERS.contains(&c));
            if !bundled && !PLAIN_FLAGS.contains(&word) {
                return false;
            }
        } else if is_address(word) {
            addresses = addresses.saturating_add(1);
        } else {
            return false;
        }
    }
    start.is_a(Nature::Fetch) && addresses == 1
}

/// The address of an official installer, in plain letters: nothing that a client unfolds.
fn is_address(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || ":/._-".contains(c);
    let url = Url::read(word);
    let (host, path) = (&url.host, &url.path);
    let is_listed = |(listed, begin): &(&str, &str)| {
        host.eq_ignore_ascii_case(listed)
            && path.strip_prefix(begin).is_some_and(|rest| {
                !listed.starts_with("raw.") || rest.split_once('/').is_some_and(is_release)
            })
    };
    url.scheme == "https"
        && url.user.is_empty()
        && word.chars().all(plain)
        && !word.contains("..")
        && OFFICIAL_INSTALLERS.iter().any(is_listed)
}

/// A branch or a tag of the maker's; a commit may be anybody's, of a fork.
fn is_release((version, _): (&str, &str)) -> bool {
    let numbers = version.strip_prefix('v').unwrap_or(version);
    matches!(version, "HEAD" | "main" | "master")
        || numbers.contains('.') && numbers.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// What this effect executes is what one official installer's fetch brought, whole and alone.
#[must_use]
pub fn is_official(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Some(own) = scene.invocation(effect) else {
        return false;
    };
    let before: Vec<&Invocation> = scene.invocations().take(effect.by).collect();
    let Some(fetch) = before.last().filter(|start| fetches_installer(start)) else {
        return false;
    };
    let text = scene.text();
    let Span { start, end } = fetch.span;
    let ahead = Span {
        start: 0,
        end: start,
    }
    .of(text);
    if start < own.span.start {
        let first = ahead.trim_end_matches([' ', '\t']);
        let is_first = first.is_empty() || first.ends_with([';', '&', '(', '\n']);
        let between = Span {
            start: end,
            end: own.span.start,
        }
        .of(text);
        return is_first && between.trim() == "|";
    }
    is_whole_word(
        ahead,
        Span {
            start: end,
            end: own.span.end,
        }
        .of(text),
    )
}

/// `"$(…)"` or `<(…)` as a word of its own.
fn is_whole_word(ahead: &str, behind: &str) -> bool {
    let Some(behind) = behind.strip_prefix(')') else {
        return false;
    };
    let (ahead, behind) = match (ahead.strip_suffix("\"$("), behind.strip_prefix('"')) {
        (Some(ahead), Some(behind)) => (ahead, behind),
        (Some(_), None) | (None, _) => match ahead.strip_suffix("<(") {
            Some(ahead) => (ahead, behind),
            None => return false,
        },
    };
    ahead.ends_with(char::is_whitespace) && behind.chars().next().is_none_or(char::is_whitespace)
}
