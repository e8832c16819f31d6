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
struct Secret {
    start: usize,
    end: usize,
    kind: &'static str,
}

/// `text` with each secret replaced by a typed placeholder.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    let mut before = b' ';
    while let Some(&byte) = bytes.get(at) {
        match find(bytes, at, copied, before) {
            // A border inside a character cannot happen: every secret is ASCII.
            Some(secret) => {
                out.push_str(text.get(copied..secret.start).unwrap_or_default());
                out.push_str(OPEN);
                out.push_str(secret.kind);
                out.push(']');
                copied = secret.end;
                at = secret.end.max(at.saturating_add(1));
                before = b']';
            }
            None => {
                at = at.saturating_add(1);
                before = byte;
            }
        }
    }
    if copied == 0 && out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// The secret that the byte here announces; what lies before `floor` is dealt with.
fn find(bytes: &[u8], at: usize, floor: usize, before: u8) -> Option<Secret> {
    match bytes.get(at)? {
        b'=' => named::assigned(bytes, at, floor),
        b':' => url::password(bytes, at)
            .or_else(|| token::bot(bytes, at))
            .or_else(|| named::assigned(bytes, at, floor)),
        b'-' if before != b'-' => pem::private_key(bytes, at).or_else(|| named::flag(bytes, at)),
        byte if is_word(*byte) && !is_word(before) => token::prefixed(bytes, at),
        _ => None,
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The end of the run of bytes that hold.
fn run(bytes: &[u8], from: usize, holds: impl Fn(u8) -> bool) -> usize {
    bytes
        .iter()
        .skip(from)
        .position(|byte| !holds(*byte))
        .map_or(bytes.len(), |length| from.saturating_add(length))
}

fn starts_with(bytes: &[u8], at: usize, prefix: &str) -> bool {
    bytes
        .get(at..)
        .is_some_and(|rest| rest.starts_with(prefix.as_bytes()))
}

#[cfg(test)]
mod tests;
