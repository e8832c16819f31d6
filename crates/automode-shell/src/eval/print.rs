//! `echo` and `printf`: output that is known to the letter.

use super::field::{MAX_SIZE, push_text};
use super::output::{CommandOutput, size};
use crate::ir::{Piece, Span, Taint, Value};

/// The output of `echo`.
pub(super) fn echo(arguments: &[Value], span: Span) -> CommandOutput {
    let is_flag = |value: &&Value| {
        value.literal().is_some_and(|text| {
            text.len() > 1
                && text.starts_with('-')
                && text
                    .bytes()
                    .skip(1)
                    .all(|byte| matches!(byte, b'n' | b'e' | b'E'))
        })
    };
    let flags: String = arguments
        .iter()
        .take_while(is_flag)
        .map(Value::shown)
        .collect();
    let words = arguments.iter().skip_while(|value| is_flag(value));
    let mut text = Value::text("", span);
    for (at, word) in words.enumerate() {
        if at > 0 {
            push_text(&mut text.pieces, " ");
        }
        text.pieces.extend(word.pieces.iter().cloned());
    }
    if !flags.contains('n') {
        push_text(&mut text.pieces, "\n");
    }
    shown(
        text,
        if flags.contains('e') {
            Escapes::Followed
        } else {
            Escapes::Unsure
        },
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    Followed,
    /// Some shells follow them, others do not.
    Unsure,
}

fn shown(text: Value, escapes: Escapes) -> CommandOutput {
    let taint = text.taint();
    let mut out = Value::text("", text.span);
    for piece in text.pieces {
        match piece {
            // The names of files.
            Piece::Glob(_) => return CommandOutput::unknown(taint.with(Taint::LOCAL)),
            Piece::Text(text) if text.contains('\\') => {
                if let (Escapes::Followed, Some(text)) = (escapes, unescape(&text)) {
                    push_text(&mut out.pieces, &text)
                } else {
                    return CommandOutput::unknown(taint);
                }
            }
            Piece::Text(text) => push_text(&mut out.pieces, &text),
            Piece::Dynamic(_) => out.pieces.push(piece),
        }
    }
    CommandOutput::text(out)
}

/// The output of `printf`, where format and arguments are known.
pub(super) fn printf(arguments: &[Value], span: Span) -> CommandOutput {
    let taint = arguments
        .iter()
        .fold(Taint::NONE, |taint, value| taint.with(value.taint()));
    let Some((format, rest)) = arguments.split_first() else {
        return CommandOutput::default();
    };
    let format = format.literal().and_then(|format| unescape(&format));
    match format.and_then(|format| formatted(&format, rest, span)) {
        Some(text) => CommandOutput::text(text),
        // What a pattern matches is a name of this machine.
        None if rest.iter().any(matches_files) => CommandOutput::unknown(taint.with(Taint::LOCAL)),
        None => CommandOutput::unknown(taint),
    }
}

fn matches_files(value: &Value) -> bool {
    let pattern = |piece: &Piece| matches!(piece, Piece::Glob(_));
    value.pieces.iter().any(pattern)
}

/// Fills `%s` and `%d`; the format is used again while arguments are left.
fn formatted(format: &str, arguments: &[Value], span: Span) -> Option<Value> {
    let mut out = Value::text("", span);
    let mut rest = arguments.iter();
    for _ in 0..=arguments.len() {
        let mut characters = format.chars();
        let mut used = false;
        while let Some(character) = characters.next() {
            if character != '%' {
                push_text(&mut out.pieces, character.encode_utf8(&mut [0; 4]));
                continue;
            }
            match characters.next()? {
                '%' => push_text(&mut out.pieces, "%"),
                's' | 'd' | 'i' => {
                    used = true;
                    if let Some(value) = rest.next() {
                        if matches_files(value) || value.may_split {
                            return None;
                        }
                        for piece in &value.pieces {
                            match piece {
                                Piece::Text(text) => push_text(&mut out.pieces, text),
                                Piece::Glob(_) | Piece::Dynamic(_) => {
                                    out.pieces.push(piece.clone())
                                }
                            }
                        }
                    }
                }
                'b' => {
                    used = true;
                    if let Some(value) = rest.next() {
                        push_text(&mut out.pieces, &unescape(&value.literal()?)?);
                    }
                }
                _ => return None,
            }
        }
        if size(&out) > MAX_SIZE {
            return None;
        }
        if rest.len() == 0 || !used {
            return Some(out);
        }
    }
    Some(out)
}

/// Follows backslash escapes; gives up on those that bash reads in its own way.
fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match characters.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'a' => out.push('\x07'),
            'e' => out.push('\x1b'),
            '\\' => out.push('\\'),
            '"' => out.push('"'),
            '\'' => out.push('\''),
            'x' => out.push(number(&mut characters, 16, 2)?),
            '0' => out.push(number(&mut characters, 8, 3)?),
            digit @ '1'..='7' => {
                let mut value = digit.to_digit(8)?;
                for _ in 0..2 {
                    if let Some(next) = characters.peek().and_then(|next| next.to_digit(8)) {
                        value = value * 8 + next;
                        characters.next();
                    }
                }
                out.push(
                    char::from_u32(value)
                        .filter(|decoded| decoded.is_ascii() && *decoded != '\0')?,
                );
            }
            _ => return None,
        }
    }
    Some(out)
}

fn number(
    characters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
) -> Option<char> {
    let mut value = 0;
    let mut digits = 0;
    while let Some(digit) = characters
        .peek()
        .and_then(|next| next.to_digit(radix))
        .filter(|_| digits < most)
    {
        value = value * radix + digit;
        digits += 1;
        characters.next();
    }
    let decoded = char::from_u32(value).filter(|decoded| decoded.is_ascii() && *decoded != '\0');
    decoded.filter(|_| digits > 0)
}
