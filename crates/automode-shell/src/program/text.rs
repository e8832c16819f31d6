//! Output that is known to the letter, without its last newline.

use crate::{DynamicSource, Piece, Span, Taint, Value};

/// The operands of `echo`, joined; nothing where escapes or globs make it uncertain.
pub(super) fn echo(words: &[&Value]) -> Option<Value> {
    let mut skip = 0;
    let mut escapes = false;
    for word in words {
        match word.literal().as_deref() {
            Some("-n") => skip += 1,
            Some("-e" | "-en" | "-ne") => {
                skip += 1;
                escapes = true;
            }
            Some("-E") => skip += 1,
            Some(_) | None => break,
        }
    }
    let rest: Vec<Value> = words
        .iter()
        .skip(skip)
        .map(|word| (*word).clone())
        .collect();
    let uncertain = rest.iter().any(|word| {
        word.may_split
            || word
                .pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Glob(_)))
    });
    if uncertain {
        return None;
    }
    let joined = Value::join(&rest);
    if !escapes {
        return Some(joined);
    }
    let text = unescape(&joined.literal()?)?;
    Some(Value::text(text, joined.span))
}

/// What `printf` prints, where its format is plain.
pub(super) fn printf(words: &[&Value]) -> Option<Value> {
    let (format, arguments) = words.split_first()?;
    let format = unescape(&format.literal()?)?;
    let mut arguments: Vec<String> = arguments
        .iter()
        .map(|word| word.literal().map(std::borrow::Cow::into_owned))
        .collect::<Option<_>>()?;
    arguments.reverse();
    let mut text = String::new();
    let takes = format.contains("%s") || format.contains("%b") || format.contains("%d");
    for _ in 0..64 {
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            match letters.next() {
                Some('%') => text.push('%'),
                Some('s' | 'd' | 'i') => text.push_str(&arguments.pop().unwrap_or_default()),
                Some('b') => text.push_str(&unescape(&arguments.pop().unwrap_or_default())?),
                Some(_) | None => return None,
            }
        }
        if arguments.is_empty() || !takes {
            return Some(Value::text(text.trim_end_matches('\n'), span(words)));
        }
    }
    None
}

/// The last part of a path, without a suffix that was named.
pub(super) fn basename(words: &[&Value]) -> Option<Value> {
    let (path, suffix) = match words {
        [path] => (path.literal()?, None),
        [path, suffix] => (path.literal()?, Some(suffix.literal()?)),
        _ => return None,
    };
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    let name = suffix
        .and_then(|suffix| name.strip_suffix(&*suffix))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(name);
    Some(Value::text(name, span(words)))
}

/// A path without its last part.
pub(super) fn dirname(words: &[&Value]) -> Option<Value> {
    let [path] = words else {
        return None;
    };
    let path = path.literal()?;
    let folder = match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    };
    Some(Value::text(folder, span(words)))
}

fn span(words: &[&Value]) -> Span {
    words
        .iter()
        .map(|word| word.span)
        .reduce(Span::to)
        .unwrap_or_default()
}

/// Backslash escapes as `printf` reads them.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            bytes.extend(letter.to_string().bytes());
            continue;
        }
        let digits = |letters: &mut std::iter::Peekable<std::str::Chars<'_>>, radix, most| {
            let mut number = 0u32;
            for _ in 0..most {
                match letters.peek().and_then(|c| c.to_digit(radix)) {
                    Some(digit) => number = number.saturating_mul(radix).saturating_add(digit),
                    None => break,
                }
                letters.next();
            }
            number
        };
        match letters.next()? {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            '\\' => bytes.push(b'\\'),
            '"' => bytes.push(b'"'),
            'x' => bytes.push(u8::try_from(digits(&mut letters, 16, 2)).ok()?),
            '0' => bytes.push(u8::try_from(digits(&mut letters, 8, 3)).ok()?),
            octal @ '1'..='7' => {
                let first = octal.to_digit(8)?;
                let rest = letters
                    .clone()
                    .take(2)
                    .take_while(|c| c.is_digit(8))
                    .count();
                let number = digits(&mut letters, 8, rest);
                let scale = 8u32.checked_pow(u32::try_from(rest).ok()?)?;
                let value = first.checked_mul(scale)?.checked_add(number)?;
                bytes.push(u8::try_from(value).ok()?);
            }
            _ => return None,
        }
    }
    String::from_utf8(bytes).ok()
}

/// A new path below the folder for temporary files, of which only the beginning is known.
pub(super) fn temporary(span: Span) -> Value {
    let mut path = Value::dynamic(DynamicSource::Number, Taint::NONE, span);
    path.pieces.insert(0, Piece::Text("/tmp/tmp.".to_owned()));
    path
}
