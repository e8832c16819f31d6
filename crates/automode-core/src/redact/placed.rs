//! Values that are secret by where they stand in a command or a statement.
//!
//! `vault kv put a k=…`, `htpasswd -b file user …`, `ALTER USER a PASSWORD '…'`: neither the
//! value nor a name in front of it tells, but the words around it do.

use super::named::{DENSE, LONG, is_dense, taken, unquoted};
use super::{SecretSpan, run};

/// How far the words around a value may lie.
const AROUND: usize = 200;

/// Words of a command whose `name=value` are secrets.
const STORES: &[&str] = &[
    "secret",
    "secrets",
    "vault",
    "config:set",
    "credential",
    "credentials",
];

/// The value behind `=` in a command that fills a store of secrets.
pub(super) fn stored(bytes: &[u8], at: usize) -> Option<SecretSpan> {
    let (words, name) = command_before(bytes, at)?.rsplit_once([' ', '\t'])?;
    let literal = name.starts_with("--from-literal=");
    if !literal && !words.split([' ', '\t']).any(|word| STORES.contains(&word)) {
        return None;
    }
    let (value, quote) = unquoted(bytes, at.saturating_add(1));
    // `--from-literal=key=…`: the value stands behind the second sign.
    let end = run(bytes, value, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
    });
    if bytes.get(end) == Some(&b'=') {
        return None;
    }
    // A flag's own value says how, not what.
    if name.starts_with('-') && !literal {
        return None;
    }
    password(bytes, value, quote)
}

/// The password in `user:password` on its way to `chpasswd`.
pub(super) fn piped(bytes: &[u8], at: usize) -> Option<SecretSpan> {
    let line = |text: &[u8]| text.split(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
    let end = at.saturating_add(AROUND).min(bytes.len());
    let after = line(bytes.get(at..end)?)?;
    let before = bytes.get(at.saturating_sub(AROUND)..at)?;
    let named = |text: &[u8]| text.windows(8).any(|word| word == b"chpasswd");
    if before.ends_with(b"[REDACTED") || !named(&after) && !named(before) {
        return None;
    }
    password(bytes, at.saturating_add(1), None)
}

/// The value behind a word that begins here and says what comes: `PASSWORD '…'` of SQL,
/// `IDENTIFIED BY '…'`, the last word of `htpasswd -b`.
pub(super) fn announced(bytes: &[u8], at: usize) -> Option<SecretSpan> {
    if !matches!(bytes.get(at), Some(b'a' | b'h' | b'i' | b'I' | b'p' | b'P')) {
        return None;
    }
    if let Some(secret) = configured(bytes, at) {
        return Some(secret);
    }
    let end = run(bytes, at, |byte| byte.is_ascii_alphabetic());
    let word = bytes.get(at..end)?;
    if word == b"is" {
        return told(bytes, at, end);
    }
    if word == b"htpasswd" {
        return last_word(bytes, end);
    }
    let end = if word.eq_ignore_ascii_case(b"identified") {
        let by = run(bytes, end, |byte| byte == b' ');
        let next = bytes.get(by..by.saturating_add(2))?;
        next.eq_ignore_ascii_case(b"by")
            .then(|| by.saturating_add(2))?
    } else if word.eq_ignore_ascii_case(b"password") {
        end
    } else {
        return None;
    };
    let start = run(bytes, end, |byte| byte == b' ');
    let (value, quote) = unquoted(bytes, start);
    (start > end && quote.is_some())
        .then(|| password(bytes, value, quote))
        .flatten()
}

/// `the api key is …`: what a person says of a value that only a machine would write.
fn told(bytes: &[u8], at: usize, end: usize) -> Option<SecretSpan> {
    const NAMES: &[&str] = &[
        "password",
        "passphrase",
        "secret",
        "token",
        "key",
        "credential",
    ];
    let before = bytes.get(at.saturating_sub(AROUND)..at)?;
    let from = before
        .iter()
        .rposition(|byte| !byte.is_ascii_whitespace())?
        .saturating_add(1);
    let before = before.get(..from)?;
    let start = before
        .iter()
        .rposition(|byte| !byte.is_ascii_alphabetic())
        .map_or(0, |place| place.saturating_add(1));
    let name = str::from_utf8(before.get(start..)?).ok()?;
    if !NAMES.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return None;
    }
    let start = run(bytes, end, |byte| byte == b' ');
    let (value, quote) = unquoted(bytes, start);
    password(bytes, value, quote).filter(|secret| is_dense(bytes, *secret, DENSE))
}

/// The value in `aws configure set aws_secret_access_key …`, where the name begins here.
fn configured(bytes: &[u8], at: usize) -> Option<SecretSpan> {
    const NAMES: [&[u8]; 2] = [b"aws_secret_access_key ", b"aws_session_token "];
    let rest = bytes.get(at..)?;
    let name = NAMES.iter().find(|name| rest.starts_with(name))?;
    let (value, quote) = unquoted(bytes, at.saturating_add(name.len()));
    password(bytes, value, quote).filter(|secret| secret.end.saturating_sub(secret.start) >= LONG)
}

/// The password of `-U user%password`, where the value begins here.
pub(super) fn behind_percent(bytes: &[u8], value: usize, quote: Option<u8>) -> Option<SecretSpan> {
    let name = run(bytes, value, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'\\')
    });
    (bytes.get(name) == Some(&b'%') && name > value)
        .then(|| password(bytes, name.saturating_add(1), quote))
        .flatten()
}

/// The last word of a command that takes the password there.
fn last_word(bytes: &[u8], from: usize) -> Option<SecretSpan> {
    let end = run(bytes, from, |byte| {
        !matches!(byte, b'\n' | b';' | b'|' | b'&' | b'>')
    });
    let words = str::from_utf8(bytes.get(from..end)?).ok()?;
    let batch = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('b');
    if !words.split_whitespace().any(batch) {
        return None;
    }
    let last = words.trim_end().rfind([' ', '\t'])?;
    let (value, quote) = unquoted(bytes, from.saturating_add(last).saturating_add(1));
    password(bytes, value, quote)
}

fn password(bytes: &[u8], value: usize, quote: Option<u8>) -> Option<SecretSpan> {
    taken(bytes, value, quote).map(|secret| SecretSpan {
        kind: "password",
        ..secret
    })
}

/// The command that a place stands in, up to there.
fn command_before(bytes: &[u8], at: usize) -> Option<&str> {
    let from = bytes
        .get(at.saturating_sub(AROUND)..at)?
        .iter()
        .rposition(|byte| matches!(byte, b'\n' | b';' | b'|' | b'&'))
        .map_or(at.saturating_sub(AROUND), |place| {
            at.saturating_sub(AROUND)
                .saturating_add(place)
                .saturating_add(1)
        });
    str::from_utf8(bytes.get(from..at)?).ok()
}
