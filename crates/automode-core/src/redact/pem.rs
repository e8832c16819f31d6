//! Private keys in PEM form.

use super::{SecretSpan, starts_with};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const KEYS: [&str; 2] = ["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"];
/// The longest name of a kind of key (`ENCRYPTED `, `OPENSSH `).
const MAX_NAME: usize = 24;
/// Lines of a key are long and all of one length but the last.
const MIN_LINE: usize = 40;

/// A private key that begins here: its frame and as much of its body as looks like one.
pub(super) fn private_key(bytes: &[u8], at: usize) -> Option<SecretSpan> {
    if !starts_with(bytes, at, BEGIN) {
        return None;
    }
    let mut end = frame(bytes, at.saturating_add(BEGIN.len()))?;
    let mut width = None;
    loop {
        let line = gap(bytes, end);
        if let (Some(_), true) = (width, starts_with(bytes, line, END)) {
            end = frame(bytes, line.saturating_add(END.len())).unwrap_or(end);
            break;
        }
        let after = super::run(bytes, line, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
        });
        let length = after.saturating_sub(line);
        let last = starts_with(bytes, gap(bytes, after), END);
        let fits = match width {
            None => length >= MIN_LINE && is_key(bytes, line),
            Some(width) => length == width || (last && length < width && length > 0),
        };
        if !fits {
            break;
        }
        width = width.or(Some(length));
        end = after;
    }
    Some(SecretSpan {
        start: at,
        end,
        kind: "private-key",
    })
}

/// The body begins as the known encodings do: an ASN.1 sequence, OpenSSH's
/// magic word, or a packet of PGP.
fn is_key(bytes: &[u8], line: usize) -> bool {
    ["M", "b3BlbnNza", "lQ", "lI", "xV", "xc"]
        .iter()
        .any(|beginning| starts_with(bytes, line, beginning))
}

/// The end of `… PRIVATE KEY-----`.
fn frame(bytes: &[u8], name: usize) -> Option<usize> {
    (0..=MAX_NAME)
        .map(|length| name.saturating_add(length))
        .find_map(|key| {
            let found = KEYS.iter().find(|own| starts_with(bytes, key, own))?;
            Some((key, found.len()))
        })
        .filter(|(key, _)| {
            bytes.get(name..*key).is_some_and(|name| {
                name.iter()
                    .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ')
            })
        })
        .map(|(key, length)| key.saturating_add(length))
}

/// Past line breaks, written out or escaped.
fn gap(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        at = match (bytes.get(at), bytes.get(at.saturating_add(1))) {
            (Some(b'\n' | b'\r' | b' ' | b'\t'), _) => at.saturating_add(1),
            (Some(b'\\'), Some(b'n' | b'r')) => at.saturating_add(2),
            _ => return at,
        };
    }
}
