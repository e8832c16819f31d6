//! Text within text: base64, hex, percent and entity escapes, and letters turned by thirteen.

/// The shortest code that is looked into.
const SHORTEST: usize = 24;
/// Bytes of codes of one text that are looked into; more would cost more than a look is worth.
const MOST: usize = 4 * 1024 * 1024;
/// A line of code that goes on in the next is at least as long.
const LINE: usize = 40;
/// The longest code that is looked into.
const LONGEST: usize = 64 * 1024;

/// The texts that are encoded in a text.
pub(super) fn texts(text: &str) -> Vec<String> {
    let code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    let mut room = MOST;
    let mut found: Vec<String> = text
        .split(|c: char| !code(c))
        .filter(|word| (SHORTEST..=LONGEST).contains(&word.len()))
        .take_while(|word| {
            room = room.saturating_sub(word.len());
            room > 0
        })
        .flat_map(|word| [base64(word), hex(word)])
        .flatten()
        .collect();
    found.extend(
        wrapped(text, code)
            .iter()
            .flat_map(|word| [base64(word), hex(word)])
            .flatten(),
    );
    if ["%20", "&#", "\\u00", "\\x", "\\n", "\\t"]
        .iter()
        .any(|mark| text.contains(mark))
    {
        found.extend(unescaped(text));
    }
    if text.contains("</") || text.contains("/>") || text.contains("<!--") {
        found.push(without_tags(text));
    }
    // The commonest order, turned.
    if text.contains("vtaber") || text.contains("Vtaber") || text.contains("vafgehpgvbaf") {
        found.push(text.chars().map(turned).collect());
    }
    found
}

/// What the codes of a text say, whether or not it reads like prose.
pub(super) fn decoded(text: &str) -> Vec<String> {
    let code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    let text = text.replace("%3D", "=").replace("%3d", "=");
    let mut codes: Vec<String> = text
        .split(|c: char| !code(c))
        .filter(|word| (SHORTEST..=LONGEST).contains(&word.len()))
        .map(str::to_owned)
        .collect();
    codes.extend(wrapped(&text, code));
    let bytes = codes
        .iter()
        .flat_map(|word| [base64_bytes(word), hex_bytes(word)])
        .flatten();
    bytes
        .filter_map(|bytes| String::from_utf8(bytes).ok())
        .filter(|text| {
            text.chars()
                .all(|c| c.is_ascii_graphic() || c.is_ascii_whitespace())
        })
        .collect()
}

/// Codes that go on over several lines.
fn wrapped(text: &str, code: impl Fn(char) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = String::new();
    let mut lines = 0_usize;
    for line in text.lines().map(str::trim).chain([""]) {
        let is_code = !line.is_empty() && line.chars().all(&code);
        if is_code && open.len() < LONGEST {
            open.push_str(line);
            lines = lines.saturating_add(1);
        }
        // The last line of a code may be short.
        if !is_code || line.len() < LINE {
            if lines > 1 {
                found.push(std::mem::take(&mut open));
            }
            open.clear();
            lines = 0;
        }
    }
    found
}

/// Words that tags cut in two, whole again.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        let opens = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        match tag.split_once('>').filter(|_| opens) {
            Some((_, after)) => rest = after,
            None => {
                plain.push('<');
                rest = tag;
            }
        }
    }
    plain.push_str(rest);
    plain
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
    readable(base64_bytes(word)?)
}

fn base64_bytes(word: &str) -> Option<Vec<u8>> {
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
    Some(bytes)
}

fn hex(word: &str) -> Option<String> {
    readable(hex_bytes(word)?)
}

fn hex_bytes(word: &str) -> Option<Vec<u8>> {
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
    Some(bytes)
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
    if text.starts_with("\\n") || text.starts_with("\\t") || text.starts_with("\\r") {
        return Some((' ', 2));
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
