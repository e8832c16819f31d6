//! Awk programs cut into tokens.

use crate::language::cursor::Cursor;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AwkToken {
    Name(String),
    /// A name directly followed by `(`.
    Call(String),
    Text(String),
    Number,
    Regex,
    Mark(&'static str),
    /// The end of a line.
    Line,
}

/// Longest first, so that `>>` is not read as two `>`.
const MARKS: &[&str] = &[
    "|&", "||", "&&", ">>", "**=", "**", "<=", ">=", "==", "!=", "!~", "++", "--", "+=", "-=",
    "*=", "/=", "%=", "^=", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^",
    "!", ">", "<", "|", "?", ":", "~", "$", "=", "@",
];

const WORDS: &[&str] = &[
    "BEGIN",
    "END",
    "BEGINFILE",
    "ENDFILE",
    "if",
    "else",
    "while",
    "for",
    "do",
    "in",
    "break",
    "continue",
    "next",
    "nextfile",
    "exit",
    "return",
    "delete",
    "switch",
    "case",
    "default",
    "print",
    "printf",
    "getline",
    "function",
    "func",
];

pub(super) fn tokens(text: &str) -> Result<Vec<AwkToken>, &'static str> {
    let mut cursor = Cursor::new(text);
    let mut tokens = Vec::new();
    while let Some(next) = cursor.peek() {
        match next {
            '\n' => {
                cursor.next();
                tokens.push(AwkToken::Line);
            }
            '#' => {
                cursor.line();
            }
            '\\' => {
                cursor.next();
                cursor.eat("\r");
                if !cursor.eat("\n") {
                    return Err("stray backslash");
                }
            }
            next if next.is_whitespace() => {
                cursor.next();
            }
            '"' => {
                cursor.next();
                tokens.push(AwkToken::Text(string(&mut cursor)?));
            }
            '/' if starts_regex(tokens.last()) => {
                cursor.next();
                regex(&mut cursor)?;
                tokens.push(AwkToken::Regex);
            }
            next if next.is_ascii_digit()
                || next == '.' && cursor.peek_second().is_some_and(|c| c.is_ascii_digit()) =>
            {
                number(&mut cursor);
                tokens.push(AwkToken::Number);
            }
            next if next.is_ascii_alphabetic() || next == '_' => {
                let name = cursor
                    .take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':')
                    .to_owned();
                tokens.push(if cursor.peek() == Some('(') && !is_word(&name) {
                    AwkToken::Call(name)
                } else {
                    AwkToken::Name(name)
                });
            }
            _ => match MARKS.iter().find(|mark| cursor.eat(mark)) {
                Some(mark) => tokens.push(AwkToken::Mark(mark)),
                None => return Err("odd character"),
            },
        }
    }
    Ok(tokens)
}

pub(super) fn is_word(name: &str) -> bool {
    WORDS.contains(&name)
}

/// A slash divides after an operand and opens a pattern elsewhere.
fn starts_regex(before: Option<&AwkToken>) -> bool {
    match before {
        None | Some(AwkToken::Line) => true,
        Some(AwkToken::Name(name)) => is_word(name),
        Some(AwkToken::Mark(mark)) => !matches!(*mark, ")" | "]" | "$" | "++" | "--"),
        Some(AwkToken::Call(_) | AwkToken::Text(_) | AwkToken::Number | AwkToken::Regex) => false,
    }
}

fn string(cursor: &mut Cursor<'_>) -> Result<String, &'static str> {
    let mut text = String::new();
    loop {
        match cursor.next() {
            None | Some('\n') => return Err("unterminated string"),
            Some('"') => return Ok(text),
            Some('\\') => match cursor.next() {
                None => return Err("unterminated string"),
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some('a') => text.push('\u{7}'),
                Some('b') => text.push('\u{8}'),
                Some('f') => text.push('\u{c}'),
                Some('v') => text.push('\u{b}'),
                Some('\n') => {}
                Some(c @ ('\\' | '"' | '/')) => text.push(c),
                Some(digit @ '0'..='7') => text.push(octal(digit, cursor)),
                Some('x' | 'u') => return Err("escaped character in a string"),
                Some(other) => {
                    text.push('\\');
                    text.push(other);
                }
            },
            Some(c) => text.push(c),
        }
    }
}

/// `\033`: up to three octal digits.
fn octal(first: char, cursor: &mut Cursor<'_>) -> char {
    let mut code = first.to_digit(8).unwrap_or_default();
    for _ in 0..2 {
        match cursor.peek().and_then(|c| c.to_digit(8)) {
            Some(digit) => {
                cursor.next();
                code = code.saturating_mul(8).saturating_add(digit);
            }
            None => break,
        }
    }
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn regex(cursor: &mut Cursor<'_>) -> Result<(), &'static str> {
    let mut bracket = false;
    loop {
        match cursor.next() {
            None | Some('\n') => return Err("unterminated pattern"),
            Some('\\') => {
                cursor.next();
            }
            Some('[') if !bracket => {
                bracket = true;
                cursor.eat("^");
                cursor.eat("]");
            }
            Some('[') => {
                for (open, close) in [(":", ":]"), (".", ".]"), ("=", "=]")] {
                    if cursor.eat(open) && cursor.until(close).is_none() {
                        return Err("unterminated pattern");
                    }
                }
            }
            Some(']') => bracket = false,
            // Awks differ on a slash inside brackets; most programs escape it.
            Some('/') if bracket => return Err("slash inside brackets of a pattern"),
            Some('/') => return Ok(()),
            Some(_) => {}
        }
    }
}

fn number(cursor: &mut Cursor<'_>) {
    cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '.');
}
