//! Values whose name says that they are secret.

use automode_shell::reference::{Given, PASSWORD_OPTIONS};

use super::{OPEN, SecretSpan, placed, run, starts_with};

/// Endings of names, in lower case with `_` for `-`.
const NAMES: [&str; 30] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "access_key",
    "accesskey",
    "secret_key",
    "secretkey",
    "private_key",
    "privatekey",
    "encryption_key",
    "signing_key",
    "account_key",
    "accountkey",
    "auth_key",
    "client_secret",
    "credential",
    "credentials",
    "signature",
    "sig",
    "passcode",
    "sessionid",
    "session_id",
    "session_key",
    "authorization",
    "bearer",
];
/// Names that say it only where they stand alone or behind a mark: `DB_PASS`, not `compass`.
const WHOLE: [&str; 7] = ["pass", "pw", "cookie", "session", "sid", "otp", "auth"];
const MAX_NAME: usize = 48;
/// Shorter values are words, numbers or switches.
const LEAST: usize = 6;
/// As long must a value be that has nothing but its density and a sign before it.
pub(super) const DENSE: usize = 8;
/// As long one after a colon and a space, where the name is a password's.
const SPOKEN: usize = 10;
/// And as long one after a colon or a space.
pub(super) const LONG: usize = 16;

/// The value after `name=` or `name:`, where this byte is the sign.
pub(super) fn assigned(bytes: &[u8], at: usize, floor: usize) -> Option<SecretSpan> {
    let name = name_before(bytes, at, floor)?;
    let sign = bytes.get(at)?;
    let after = at.saturating_add(1);
    let start = run(bytes, after, |byte| matches!(byte, b' ' | b'\t'));
    let spaced = start != after;
    let (value, quote) = unquoted(bytes, start);
    let secret = taken(bytes, value, quote)?;
    // `token: value` in prose or code is too often no secret; a string literal is, and so is
    // what only a machine would write.
    let plain = *sign == b'=' && !spaced && is_variable(name);
    let told = bytes
        .get(..at)
        .is_some_and(|before| before.ends_with(b" is"));
    let least = if (!spaced && (*sign == b'=' || name.eq_ignore_ascii_case(b"pass"))) || told {
        DENSE
    } else if PASSWORDS.iter().any(|word| ends_with(name, word)) {
        SPOKEN
    } else {
        LONG
    };
    let given = quote.is_some() || plain || is_dense(bytes, secret, least);
    given.then_some(secret)
}

/// Names that are given to nothing but a password.
const PASSWORDS: [&[u8]; 4] = [b"password", b"passwd", b"passphrase", b"secret"];

fn ends_with(name: &[u8], word: &[u8]) -> bool {
    name.len()
        .checked_sub(word.len())
        .and_then(|from| name.get(from..))
        .is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// Letters with digits among them, as no word and no path has them.
pub(super) fn is_dense(bytes: &[u8], secret: SecretSpan, least: usize) -> bool {
    let value = bytes.get(secret.start..secret.end).unwrap_or_default();
    let value = value
        .strip_suffix(b",")
        .or(value.strip_suffix(b"."))
        .unwrap_or(value);
    value.len() >= least
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && value.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'=' | b'+' | b'%' | b'~')
        })
}

/// The value of `--password value`, where this is the first dash.
pub(super) fn flag(bytes: &[u8], at: usize) -> Option<SecretSpan> {
    let dashes = run(bytes, at, |byte| byte == b'-');
    let end = run(bytes, dashes, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
    });
    let name = bytes.get(dashes..end)?;
    if dashes.saturating_sub(at) == 1
        && let Some(secret) = letter(bytes, at)
    {
        return Some(secret);
    }
    let start = run(bytes, end, |byte| matches!(byte, b' ' | b'\t'));
    if start == end {
        return None;
    }
    let (value, quote) = unquoted(bytes, start);
    match dashes.saturating_sub(at) {
        2 if is_secret(name) => {
            let next_flag = bytes.get(value) == Some(&b'-');
            if next_flag {
                None
            } else {
                taken(bytes, value, quote)
            }
        }
        1 if name == b"u" => user(bytes, value, quote),
        1 if name == b"U" => placed::behind_percent(bytes, value, quote),
        2 if name == b"user" => user(bytes, value, quote),
        _ => None,
    }
}

/// The password behind a letter of a program that takes one so, where this is the dash.
fn letter(bytes: &[u8], at: usize) -> Option<SecretSpan> {
    let flag = *bytes.get(at.saturating_add(1))?;
    // Most letters are no program's: the line before them need not be looked at.
    PASSWORD_OPTIONS.iter().find(|own| own.letter == flag)?;
    let after = at.saturating_add(2);
    let from = bytes
        .get(..at)?
        .iter()
        .rposition(|byte| matches!(byte, b'\n' | b';' | b'|' | b'&' | b'(' | b'`'))
        .map_or(0, |place| place.saturating_add(1));
    let command = str::from_utf8(bytes.get(from..at)?).ok()?;
    let takes = |word: &str| {
        let word = word.trim_matches(['\'', '"']);
        let name = word.rsplit('/').next().unwrap_or(word);
        PASSWORD_OPTIONS
            .iter()
            .find(|own| own.program == name && own.letter == flag)
    };
    let option = command.split_whitespace().find_map(takes)?;
    if option.at_login && !command.contains("login") {
        return None;
    }
    let start = run(bytes, after, |byte| matches!(byte, b' ' | b'\t'));
    let given = match option.given {
        Given::Glued => start == after,
        Given::Next => start != after,
        Given::Either => true,
    };
    if !given {
        return None;
    }
    let (value, quote) = unquoted(bytes, start);
    let kind = "password";
    // A word in quotes may hold blanks; it is one argument all the same.
    if let Some(quote) = quote {
        let end = run(bytes, value, |byte| {
            byte != quote && (is_plain(byte) && byte != b'$' || byte == b' ')
        });
        let closed = bytes.get(end) == Some(&quote) && end > value;
        return (closed && !starts_with(bytes, value, OPEN)).then_some(SecretSpan {
            start: value,
            end,
            kind,
        });
    }
    taken(bytes, value, quote).map(|secret| SecretSpan { kind, ..secret })
}

/// The password in `user:password`, unless both are numbers.
fn user(bytes: &[u8], value: usize, quote: Option<u8>) -> Option<SecretSpan> {
    let colon = run(bytes, value, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'@' | b'+')
    });
    if bytes.get(colon) != Some(&b':') {
        return None;
    }
    let start = colon.saturating_add(1);
    let secret = taken(bytes, start, quote)?;
    let numeric = bytes
        .get(secret.start..secret.end)?
        .iter()
        .all(u8::is_ascii_digit);
    (!numeric).then_some(SecretSpan {
        kind: "password",
        ..secret
    })
}

/// The secret that begins here, if it is long enough and plain.
pub(super) fn taken(bytes: &[u8], start: usize, quote: Option<u8>) -> Option<SecretSpan> {
    if starts_with(bytes, start, OPEN) {
        return None;
    }
    let mut end = start;
    while let Some(byte) = bytes.get(end) {
        let expands = *byte == b'$'
            && (quote != Some(b'\'')
                || matches!(bytes.get(end.saturating_add(1)), Some(b'(' | b'{')));
        if expands || Some(*byte) == quote || !is_plain(*byte) {
            break;
        }
        end = end.saturating_add(1);
    }
    let closed = match quote {
        // The value must be the whole literal: a part of an expression is code.
        Some(quote) => matches!(bytes.get(end), Some(byte) if *byte == quote || *byte == b'\\'),
        None => !matches!(bytes.get(end), Some(b'$' | b'`' | b'(' | b'[')),
    };
    (closed && end.saturating_sub(start) >= LEAST).then_some(SecretSpan {
        start,
        end,
        kind: "secret",
    })
}

/// Past an opening quote, escaped or not.
pub(super) fn unquoted(bytes: &[u8], at: usize) -> (usize, Option<u8>) {
    let open = run(bytes, at, |byte| byte == b'\\');
    match bytes.get(open) {
        Some(quote @ (b'"' | b'\'')) => (open.saturating_add(1), Some(*quote)),
        _ => (at, None),
    }
}

/// The name that ends before the sign, without its quotes.
fn name_before(bytes: &[u8], sign: usize, floor: usize) -> Option<&[u8]> {
    let from = sign.saturating_sub(MAX_NAME).max(floor);
    let before = bytes.get(from..sign)?;
    let end = before
        .iter()
        .rposition(|byte| !matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'\\'))?
        .saturating_add(1);
    let name = before.get(..end)?;
    let start = name
        .iter()
        .rposition(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-'))
        .map_or(0, |place| place.saturating_add(1));
    let word = name.get(start..)?;
    // `the password is: …`
    if word == b"is" && floor < from.saturating_add(start) {
        return name_before(bytes, from.saturating_add(start), floor);
    }
    Some(word).filter(|name| is_secret(name))
}

fn is_secret(name: &[u8]) -> bool {
    let whole = WHOLE.iter().any(|word| {
        let Some(from) = name.len().checked_sub(word.len()) else {
            return false;
        };
        let alone = from
            .checked_sub(1)
            .and_then(|before| name.get(before))
            .is_none_or(|byte| matches!(byte, b'_' | b'-'));
        alone
            && name
                .get(from..)
                .is_some_and(|end| end.eq_ignore_ascii_case(word.as_bytes()))
    });
    whole
        || NAMES.iter().any(|ending| {
            let Some(from) = name.len().checked_sub(ending.len()) else {
                return false;
            };
            name.iter()
                .skip(from)
                .map(|byte| {
                    if *byte == b'-' {
                        b'_'
                    } else {
                        byte.to_ascii_lowercase()
                    }
                })
                .eq(ending.bytes())
        })
}

/// Spelled like a variable of the environment or a flag: `DB_PASSWORD`, `--api-key`.
fn is_variable(name: &[u8]) -> bool {
    name.starts_with(b"-")
        || name
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

/// Characters of a secret that no shell acts on.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic()
        && !matches!(
            byte,
            b'"' | b'\''
                | b'`'
                | b'('
                | b')'
                | b';'
                | b'|'
                | b'&'
                | b'<'
                | b'>'
                | b'{'
                | b'}'
                | b'\\'
                | b'['
                | b']'
        )
}
