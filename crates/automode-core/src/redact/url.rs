//! Passwords in the authority of a URL.

use super::{OPEN, SecretSpan, run, starts_with};

/// The password of the URL whose `://` stands here.
pub(super) fn password(bytes: &[u8], at: usize) -> Option<SecretSpan> {
    if !starts_with(bytes, at, "://") {
        return None;
    }
    let start = at.saturating_add(3);
    let end = run(bytes, start, is_userinfo);
    if bytes.get(end) != Some(&b'@') {
        return None;
    }
    let info = bytes.get(start..end)?;
    match info.iter().position(|byte| *byte == b':') {
        Some(colon) => {
            let start = start.saturating_add(colon).saturating_add(1);
            let given = start < end && !starts_with(bytes, start, OPEN);
            given.then_some(SecretSpan {
                start,
                end,
                kind: "password",
            })
        }
        // A bare user name is no secret; a long one is a token.
        None if info.len() >= 20 && info.iter().any(u8::is_ascii_digit) => Some(SecretSpan {
            start,
            end,
            kind: "token",
        }),
        None => None,
    }
}

/// What may stand before the `@`, without what a shell would act on.
const fn is_userinfo(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'_'
                | b'.'
                | b'~'
                | b'%'
                | b'!'
                | b'*'
                | b'+'
                | b','
                | b'='
                | b':'
                | b'^'
                | b'#'
        )
}
