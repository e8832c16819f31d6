//! Secrets out of text, before it leaves the machine.
//!
//! One pass from left to right finds keys and tokens by their issuer's prefix,
//! private keys, passwords in URLs, and values given to a flag, a variable or a
//! field whose name says that they are secret. Each becomes a typed placeholder
//! such as `[REDACTED:github-token]`.
//! What is taken out never holds white space or shell syntax (but for the line
//! breaks of a key), so a redaction cannot hide a command from whoever judges
//! it. Redacting twice changes nothing.

mod named;
mod pem;
mod placed;
mod token;
mod url;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Whether secrets are replaced before anything leaves the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Redaction {
    #[default]
    On,
    Off,
}

const OPEN: &str = "[REDACTED:";

/// A stretch of text to take out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SecretSpan {
    start: usize,
    end: usize,
    kind: &'static str,
}

/// `text` with each secret replaced by a typed placeholder.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let secrets = secrets(text);
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut copied = 0;
    for secret in secrets {
        // A border inside a character cannot happen: every secret is ASCII.
        out.push_str(text.get(copied..secret.start).unwrap_or_default());
        out.push_str(OPEN);
        out.push_str(secret.kind);
        out.push(']');
        copied = secret.end;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// A secret that was found, by what it reads: elsewhere it may stand without a name beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSecret {
    value: String,
    placeholder: String,
}

/// The shortest secret that is looked for elsewhere: shorter ones are words.
const SHORTEST: usize = 6;

impl FoundSecret {
    /// Every secret of a text that is long enough to be told from a word.
    pub fn all(text: &str) -> impl Iterator<Item = Self> + '_ {
        secrets(text).into_iter().filter_map(|secret| {
            let value = text.get(secret.start..secret.end)?;
            (value.len() >= SHORTEST && !value.starts_with(OPEN)).then(|| Self {
                value: value.to_owned(),
                placeholder: format!("{OPEN}{}]", secret.kind),
            })
        })
    }

    /// The text with the secret's own placeholder wherever it stands.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        text.replace(&self.value, &self.placeholder)
    }
}

/// Where the secrets are, from left to right.
fn secrets(text: &str) -> Vec<SecretSpan> {
    let mut found: Vec<SecretSpan> = Vec::new();
    let bytes = text.as_bytes();
    let (mut at, mut floor) = (0, 0);
    let mut before = b' ';
    while let Some(&byte) = bytes.get(at) {
        match find(bytes, at, floor, before) {
            Some(secret) => {
                floor = secret.end;
                at = secret.end.max(at.saturating_add(1));
                before = b']';
                found.push(secret);
            }
            // Only the first letter of a word announces something.
            None if is_word(byte) => {
                at = run(bytes, at, is_word);
                before = byte;
            }
            None => {
                at = at.saturating_add(1);
                before = byte;
            }
        }
    }
    found
}

/// The kind and the text of every secret, as [`redact`] would take it out.
pub(crate) fn found(text: &str) -> Vec<(&'static str, &str)> {
    let secrets = secrets(text).into_iter();
    secrets
        .filter_map(|secret| Some((secret.kind, text.get(secret.start..secret.end)?)))
        .collect()
}

/// The secret that the byte here announces; what lies before `floor` is dealt with.
fn find(bytes: &[u8], at: usize, floor: usize, before: u8) -> Option<SecretSpan> {
    match bytes.get(at)? {
        b'=' => named::assigned(bytes, at, floor).or_else(|| placed::stored(bytes, at)),
        b':' => url::password(bytes, at)
            .or_else(|| token::bot(bytes, at))
            .or_else(|| named::assigned(bytes, at, floor))
            .or_else(|| placed::piped(bytes, at)),
        b'-' if before != b'-' => pem::private_key(bytes, at).or_else(|| named::flag(bytes, at)),
        byte if is_word(*byte) && !is_word(before) => {
            token::prefixed(bytes, at).or_else(|| placed::announced(bytes, at))
        }
        _ => None,
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The end of the run of bytes that hold.
fn run(bytes: &[u8], from: usize, holds: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.iter()
        .position(|byte| !holds(*byte))
        .map_or(bytes.len(), |length| from.saturating_add(length))
}

fn starts_with(bytes: &[u8], at: usize, prefix: &str) -> bool {
    // Most texts are told apart by their first letter.
    bytes.get(at) == prefix.as_bytes().first()
        && bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(prefix.as_bytes()))
}

#[cfg(test)]
mod tests;
