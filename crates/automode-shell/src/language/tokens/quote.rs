//! Quoted text in its many forms: strings, here-documents, patterns, interpolated code.

use super::lexer::{DEPTH, Lexer};
use super::perl;
use super::{Lexed, ScriptToken};
use crate::language::cursor::Cursor;
use crate::{Dynamic, DynamicSource, Language, Piece, Taint};

impl Lexer<'_> {
    pub(super) fn regex(&mut self, end: char) -> Result<(), &'static str> {
        let mut bracket = false;
        let start = self.cursor.at();
        loop {
            match self.cursor.next() {
                None => return Err("unterminated pattern"),
                Some('\n') if self.language == Language::JavaScript => {
                    return Err("unterminated pattern");
                }
                Some('\\') => {
                    self.cursor.next();
                }
                Some('#') if self.language == Language::Ruby && self.cursor.peek() == Some('{') => {
                    return Err("code in a pattern");
                }
                Some('[') if self.language == Language::JavaScript => bracket = true,
                Some(']') => bracket = false,
                Some(next) if next == end && !bracket => break,
                Some(_) => {}
            }
        }
        if self.language == Language::Perl {
            perl::pattern(self.cursor.since(start))?;
        }
        self.cursor.take_while(|c| c.is_ascii_alphabetic());
        Ok(())
    }

    /// `%w[a b]`, `%(text)`, `%x(command)`.
    pub(super) fn percent(&mut self) -> Result<Option<ScriptToken>, &'static str> {
        let mut ahead = self.cursor.clone();
        ahead.next();
        let kind = ahead.take_while(|c| c.is_ascii_alphabetic());
        let Some(open) = ahead
            .next()
            .filter(|c| !c.is_alphanumeric() && !c.is_whitespace())
        else {
            self.cursor.next();
            return Ok(Some(ScriptToken::Mark("%")));
        };
        if open == '=' && kind.is_empty() {
            self.cursor.next();
            return Ok(Some(ScriptToken::Mark("%")));
        }
        let kind = kind.to_owned();
        self.cursor = ahead;
        let body = self.delimited(open)?;
        if body.contains("#{") && kind != "q" && kind != "w" {
            return Err("code in a text");
        }
        let pieces = vec![Piece::Text(body)];
        Ok(Some(match kind.as_str() {
            "x" => ScriptToken::Command(pieces),
            "r" => {
                self.cursor.take_while(|c| c.is_ascii_alphabetic());
                ScriptToken::Regex
            }
            "w" | "W" | "i" | "I" => ScriptToken::Text(vec![unknown()]),
            _ => ScriptToken::Text(pieces),
        }))
    }

    /// The text up to the delimiter that closes this one.
    pub(super) fn delimited(&mut self, open: char) -> Result<String, &'static str> {
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            other => other,
        };
        let mut depth = 0_usize;
        let mut body = String::new();
        while let Some(next) = self.cursor.next() {
            if next == '\\' {
                body.push(next);
                body.extend(self.cursor.next());
                continue;
            }
            if next == close && depth == 0 {
                return Ok(body);
            }
            if next == open && open != close {
                depth = depth.saturating_add(1);
            } else if next == close {
                depth = depth.saturating_sub(1);
            }
            body.push(next);
        }
        Err("unterminated text")
    }

    pub(super) fn symbol(&mut self) -> Result<ScriptToken, &'static str> {
        self.cursor.next();
        match self.cursor.peek() {
            Some(':') => {
                self.cursor.next();
                Ok(ScriptToken::Mark("::"))
            }
            Some('"') => {
                self.cursor.next();
                self.quoted('"').map(ScriptToken::Text)
            }
            Some(c) if c.is_alphabetic() || c == '_' => {
                let name = self
                    .cursor
                    .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '?' | '!'));
                Ok(ScriptToken::Text(vec![Piece::Text(name.to_owned())]))
            }
            Some(_) | None => Ok(ScriptToken::Mark(":")),
        }
    }

    /// A quoted text with its escapes and the code inside it.
    pub(super) fn quoted(&mut self, quote: char) -> Result<Vec<Piece>, &'static str> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let raw = quote == '\''
            && matches!(
                self.language,
                Language::Ruby | Language::Perl | Language::Php
            );
        let start = self.cursor.at();
        loop {
            let next = self.cursor.next().ok_or("unterminated text")?;
            match next {
                next if next == quote => break,
                '\\' => {
                    let escaped = self.cursor.next().ok_or("unterminated text")?;
                    match unescape(escaped, quote, raw) {
                        Some(letter) => text.push_str(&letter),
                        None => {
                            self.cursor
                                .take_while(|c| c.is_ascii_hexdigit() || matches!(c, '{' | '}'));
                            pieces.push(Piece::Text(std::mem::take(&mut text)));
                            pieces.push(unknown());
                        }
                    }
                }
                '$' if self.language == Language::JavaScript
                    && quote == '`'
                    && self.cursor.peek() == Some('{') =>
                {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                    pieces.push(unknown());
                    self.cursor.next();
                    self.code()?;
                }
                '#' if self.language == Language::Ruby
                    && !raw
                    && self.cursor.peek() == Some('{') =>
                {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                    pieces.push(unknown());
                    self.cursor.next();
                    self.code()?;
                }
                '{' if self.language == Language::Php
                    && !raw
                    && self.cursor.peek() == Some('$') =>
                {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                    pieces.push(unknown());
                    self.code()?;
                }
                '$' | '@' if matches!(self.language, Language::Php | Language::Perl) && !raw => {
                    if self.cursor.peek().is_some_and(|c| matches!(c, '{' | '(')) && next == '@'
                        || self.cursor.rest().starts_with("{\\")
                        || (self.language == Language::Php && self.cursor.peek() == Some('{'))
                    {
                        return Err("code in a text");
                    }
                    if self.cursor.peek().is_some_and(|c| {
                        c.is_alphanumeric() || matches!(c, '_' | '{' | '&' | '!' | '.')
                    }) {
                        pieces.push(Piece::Text(std::mem::take(&mut text)));
                        pieces.push(unknown());
                        self.cursor
                            .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '{' | '}'));
                    } else {
                        text.push(next);
                    }
                }
                letter => text.push(letter),
            }
        }
        if self.language == Language::Perl && !raw {
            let body = self.cursor.since(start).trim_end_matches(quote).to_owned();
            super::perl::subscripts(self, &body)?;
        }
        pieces.push(Piece::Text(text));
        pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        if pieces.is_empty() {
            pieces.push(Piece::Text(String::new()));
        }
        Ok(pieces)
    }

    /// Code inside a text, up to the brace that closes it.
    pub(super) fn code(&mut self) -> Result<(), &'static str> {
        let start = self.cursor.at();
        let mut depth = 1_usize;
        let mut quote: Option<char> = None;
        loop {
            let next = self.cursor.next().ok_or("unterminated text")?;
            match (quote, next) {
                (_, '\\') => {
                    self.cursor.next();
                }
                (Some(open), next) => {
                    if next == open {
                        quote = None;
                    }
                }
                (None, '"' | '\'' | '`') => quote = Some(next),
                (None, '{') => depth = depth.saturating_add(1),
                (None, '}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                (None, _) => {}
            }
        }
        let body = self.cursor.since(start);
        let body = body.strip_suffix('}').unwrap_or(body).to_owned();
        self.fragment(&body)
    }

    /// Tokens of code that stands somewhere inside.
    pub(super) fn fragment(&mut self, body: &str) -> Result<(), &'static str> {
        if self.depth >= DEPTH {
            return Err("code that nests too deep");
        }
        let mut inner = Lexer {
            cursor: Cursor::new(body),
            language: self.language,
            lexed: Lexed::default(),
            depth: self.depth.saturating_add(1),
        };
        inner.run()?;
        self.lexed.inner.push(inner.lexed.main);
        self.lexed.inner.extend(inner.lexed.inner);
        Ok(())
    }
}

/// `[[` or `[=[` of Lua; gives what closes it.
pub(super) fn long_bracket(cursor: &mut Cursor<'_>) -> Option<String> {
    let mut ahead = cursor.clone();
    if !ahead.eat("[") {
        return None;
    }
    let level = ahead.take_while(|c| c == '=').to_owned();
    if !ahead.eat("[") {
        return None;
    }
    *cursor = ahead;
    Some(format!("]{level}]"))
}

/// The meaning of an escaped letter; nothing where it is a code.
fn unescape(letter: char, quote: char, raw: bool) -> Option<String> {
    if raw {
        return Some(if letter == quote || letter == '\\' {
            letter.to_string()
        } else {
            format!("\\{letter}")
        });
    }
    Some(match letter {
        'n' => "\n".to_owned(),
        't' => "\t".to_owned(),
        'r' => "\r".to_owned(),
        'e' => "\u{1b}".to_owned(),
        'a' | 'b' | 'f' | 'v' => " ".to_owned(),
        '\n' => String::new(),
        'x' | 'u' | 'N' | 'c' | 'z' | '0'..='9' => return None,
        other => other.to_string(),
    })
}

pub(super) fn unknown() -> Piece {
    Piece::Dynamic(Dynamic {
        source: DynamicSource::Unknown,
        taint: Taint::NONE,
    })
}
