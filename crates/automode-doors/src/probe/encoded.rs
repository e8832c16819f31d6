//! Text within text: base64, hex, percent and entity escapes, and letters turned by thirteen.

/// The shortest code that is looked into.
const SHORTEST: usize = 24;
/// Codes of one text that are looked into.
const MOST: usize = 64;
/// The longest code that is looked into.
const LONGEST: usize = 64 * 1024;

/// The texts that are encoded in a text.
pub(super) fn texts(text: &str) -> Vec<String> {
    let code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    let mut found: Vec<String> = text
        .split(|c: char| !code(c))
        .filter(|word| (SHORTEST..=LONGEST).contains(&word.len()))
        .take(MOST)
        .flat_map(|word| [base64(word), hex(word)])
        .flatten()
        .collect();
    if text.contains("%20") || text.contains("&#") || text.contains("\\u00") || text.contains("\\x")
    {
        found.extend(unescaped(text));
    }
    // The commonest order, turned.
    if text.contains("vtaber") || text.contains("Vtaber") || text.contains("vafgehpgvbaf") {
        found.push(text.chars().map(turned).collect());
    }
    found
}

/// Something that reads like text.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let plain = text
        .chars()
        .filter(|c| c.is_ascii_graphic() || c.is_whitespace())
        .count();
    let all = text.chars().count();
    (all >= 12 && text.contains(' ') && plain.saturating_mul(10) >= all.saturating_mul(9))
        .then_some(text)
}

fn base64(word: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for c in word.trim_end_matches('=').bytes() {
        let value = match c {
            b'A'..=b'Z' => c.wrapping_sub(b'A'),
            b'a'..=b'z' => c.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => c.wrapping_sub(b'0').wrapping_add(52),
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count = count.saturating_add(6);
        if count >= 8 {
            count = count.saturating_sub(8);
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
            bits &= (1 << count) - 1;
        }
    }
    readable(bytes)
}

fn hex(word: &str) -> Option<String> {
    if !word.len().is_multiple_of(2) || !word.bytes().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let digits: Vec<u8> = word
        .chars()
        .filter_map(|c| u8::try_from(c.to_digit(16)?).ok())
        .collect();
    let bytes = digits
        .chunks_exact(2)
        .filter_map(|pair| match pair {
            [high, low] => Some(high << 4 | low),
            _ => None,
        })
        .collect();
    readable(bytes)
}

/// Percent escapes, numeric entities, `\uXXXX` and `\xXX` resolved.
fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut any = false;
    while let Some(at) = rest.find(['%', '&', '\\']) {
        plain.push_str(rest.get(..at)?);
        rest = rest.get(at..)?;
        if let Some((c, length)) = escape(rest) {
            plain.push(c);
            rest = rest.get(length..)?;
            any = true;
        } else {
            let c = rest.chars().next()?;
            plain.push(c);
            rest = rest.get(c.len_utf8()..)?;
        }
    }
    plain.push_str(rest);
    any.then_some(plain)
}

/// The character that an escape stands for, and how long the escape is.
fn escape(text: &str) -> Option<(char, usize)> {
    let number = |from: usize, to: usize, radix: u32| {
        let code = u32::from_str_radix(text.get(from..to)?, radix).ok()?;
        char::from_u32(code)
    };
    if text.starts_with('%') {
        return Some((number(1, 3, 16).filter(char::is_ascii)?, 3));
    }
    if text.starts_with("\\u") {
        return Some((number(2, 6, 16)?, 6));
    }
    if text.starts_with("\\x") {
        return Some((number(2, 4, 16)?, 4));
    }
    let inner = text.strip_prefix("&#")?;
    let end = inner.find(';').filter(|end| *end < 8)?;
    let length = end.saturating_add(3);
    let stop = end.saturating_add(2);
    match inner.starts_with(['x', 'X']) {
        true => Some((number(3, stop, 16)?, length)),
        false => Some((number(2, stop, 10)?, length)),
    }
}

fn turned(c: char) -> char {
    let turn = |first: u8| {
        let Ok(letter) = u8::try_from(c) else {
            return c;
        };
        let at = letter.wrapping_sub(first).wrapping_add(13) % 26;
        char::from(first.wrapping_add(at))
    };
    match c {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        _ => c,
    }
}
