//! The texts of a command that a veto is held against.
//!
//! A command is suspected under every name it may go by: as typed, unquoted, without
//! its directory, its wrapper, and the options between program and subcommand.

use automode_shell::reference::options_before_subcommand;
use automode_shell::{Invocation, Nature, natures_of};

use super::{
    alias,
    command::{quoted, readings},
    glob::UNKNOWN,
    prefix::unwrapped,
};

/// All texts of an invocation that a veto is held against.
pub(super) fn suspects(invocation: &Invocation, typed: &str) -> Vec<String> {
    let mut found = Vec::new();
    if invocation.layers.is_empty() && !typed.is_empty() {
        found.push(typed.to_owned());
    }
    for words in readings(&invocation.argv) {
        let mut forms: Vec<Vec<String>> = vec![words];
        if let Some(inner) = forms.first().and_then(|words| unwrapped(words)) {
            forms.push(inner.to_vec());
        }
        if let Some(plain) = forms.last().and_then(|words| without_globals(words)) {
            forms.push(plain);
        }
        let others: Vec<Vec<String>> = forms
            .iter()
            .flat_map(|words| alias::others(words))
            .collect();
        forms.extend(others);
        for mut words in forms {
            found.push(quoted(&words));
            found.push(words.join(" "));
            let base = words
                .first()
                .and_then(|head| head.rsplit_once('/'))
                .map(|(_, base)| base.to_owned());
            if let (Some(base), Some(head)) = (base, words.first_mut()) {
                *head = base;
                found.push(quoted(&words));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The words without options in front of the subcommand: `git -C x push` is a push.
fn without_globals(words: &[String]) -> Option<Vec<String>> {
    let (head, rest) = words.split_first()?;
    let base = head.rsplit('/').next()?;
    let valued = options_before_subcommand(base)?;
    let mut rest = rest;
    while let Some(word) = rest.first() {
        let toolchain = word.starts_with('+') && natures_of(base).contains(Nature::TakesToolchain);
        if !word.starts_with('-') && !toolchain {
            break;
        }
        let skip = if valued.contains(&word.as_str()) {
            2
        } else {
            1
        };
        rest = rest.get(skip..).unwrap_or_default();
    }
    let mut plain = vec![base.to_owned()];
    plain.extend(rest.iter().cloned());
    (plain.len() < words.len()).then_some(plain)
}

/// Everything in unparsed text that could be a command, for vetoes only: each
/// word with all that follows it in its segment. `None`: too much to look at.
pub(super) fn raw_suspects(text: &str) -> Option<Vec<String>> {
    const MAX_WORDS: usize = 4096;
    const MAX_TAIL: usize = 64;
    let cleaned: String = text
        .replace("\\\n", "")
        .chars()
        .filter(|c| !matches!(c, '\'' | '"' | '\\'))
        .map(|c| if c == UNKNOWN { '\u{fffd}' } else { c })
        .collect();
    let mut found = vec![text.trim().to_owned()];
    for segment in cleaned.split([';', '|', '&', '\n', '\r', '(', ')', '{', '}', '`']) {
        let words: Vec<String> = segment
            .split_whitespace()
            .map(|word| match word.split_once('$') {
                Some((known, _)) => format!("{known}{UNKNOWN}"),
                None => word.to_owned(),
            })
            .collect();
        for at in 0..words.len() {
            let end = at.saturating_add(MAX_TAIL).min(words.len());
            let Some(tail) = words.get(at..end) else {
                continue;
            };
            found.push(tail.join(" "));
            if let Some((_, base)) = tail.first().and_then(|head| head.rsplit_once('/')) {
                let mut tail = tail.to_vec();
                if let Some(head) = tail.first_mut() {
                    *head = base.to_owned();
                }
                found.push(tail.join(" "));
            }
            if found.len() > MAX_WORDS {
                return None;
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globals() {
        let check = |command: &str, expected: Option<&str>| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            assert_eq!(
                without_globals(&words)
                    .map(|words| words.join(" "))
                    .as_deref(),
                expected,
                "{command}"
            );
        };
        check("git -C x push", Some("git push"));
        check("git --no-pager -c a=b push -f", Some("git push -f"));
        check("git push", None);
        check("kubectl -n prod delete pod", Some("kubectl delete pod"));
        check("cargo +nightly publish", Some("cargo publish"));
    }
}
