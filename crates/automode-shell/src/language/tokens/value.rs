//! What an expression is known to be: text, a place, or nothing certain.

use super::row::{TokenRow, plain, split};
use super::scan::{STATEMENT, Scan};
use super::{Lexeme, ScriptToken};
use crate::{Language, Piece, Value};

impl Scan<'_, '_> {
    pub(super) fn word(&self, pieces: Vec<Piece>) -> Value {
        Value {
            pieces,
            span: self.reading.source.span,
            may_split: false,
        }
    }

    /// The text of an expression as far as it is known.
    pub(super) fn value(&self, tokens: &[Lexeme]) -> Value {
        let tokens: Vec<&Lexeme> = tokens
            .iter()
            .filter(|lexeme| lexeme.token != ScriptToken::Line)
            .collect();
        let mut pieces = Vec::new();
        let glue: &[&str] = match self.language {
            Language::Lua => &[".."],
            Language::Perl | Language::Php => &["."],
            Language::Shell
            | Language::Python
            | Language::JavaScript
            | Language::Ruby
            | Language::Awk
            | Language::Sed
            | Language::Sql
            | Language::PowerShell
            | Language::Other => &["+"],
        };
        let mut operand = true;
        for (at, lexeme) in tokens.iter().enumerate() {
            match &lexeme.token {
                ScriptToken::Text(text) if operand => pieces.extend(text.clone()),
                ScriptToken::Number(number) if operand && tokens.len() == 1 => {
                    pieces.push(Piece::Text(number.clone()));
                }
                ScriptToken::Name(name) if operand && self.constants.contains_key(name) => {
                    pieces.extend(self.constants.get(name).cloned().unwrap_or_default());
                }
                ScriptToken::Name(name) if operand && at == 0 => {
                    if let Some(value) = self.place(name, &tokens) {
                        return value;
                    }
                    return self.unknown();
                }
                ScriptToken::Mark(mark) if !operand && glue.contains(mark) => {
                    operand = true;
                    continue;
                }
                ScriptToken::Name(_)
                | ScriptToken::Text(_)
                | ScriptToken::Command(_)
                | ScriptToken::Number(_)
                | ScriptToken::Regex
                | ScriptToken::Mark(_)
                | ScriptToken::Line => return self.unknown_after(pieces),
            }
            operand = false;
        }
        if pieces.is_empty() {
            return self.unknown();
        }
        self.word(pieces)
    }

    fn unknown(&self) -> Value {
        self.reading.unknown_word(self.reading.seen())
    }

    /// What is known in front still holds: `'/etc/' + name`.
    fn unknown_after(&self, mut pieces: Vec<Piece>) -> Value {
        pieces.push(Piece::Dynamic(crate::Dynamic {
            source: crate::DynamicSource::Unknown,
            taint: self.reading.seen(),
        }));
        self.word(pieces)
    }

    /// `path.join('a', 'b')`, `os.homedir()`, `Dir.home`.
    pub(super) fn place(&self, first: &str, tokens: &[&Lexeme]) -> Option<Value> {
        let owned: Vec<Lexeme> = tokens
            .iter()
            .take(STATEMENT)
            .map(|lexeme| (*lexeme).clone())
            .collect();
        let row = TokenRow::new(&owned)?;
        let chain = self.chain(&owned, 0);
        let full = self.full_name(&chain.parts);
        let whole = |end: usize| end.saturating_add(1) >= owned.len();
        match full.as_str() {
            "path.join" | "path.resolve" | "path.posix.join" | "File.join" => {
                let close = row.closing(chain.end);
                let inside = owned.get(chain.end.saturating_add(1)..close)?;
                if !whole(close) || tokens.len() > STATEMENT {
                    return None;
                }
                let mut pieces: Vec<Piece> = Vec::new();
                for part in split(inside) {
                    let value = self.value(part);
                    if value.prefix().starts_with('/') && full == "path.resolve" {
                        pieces.clear();
                    } else if !pieces.is_empty() {
                        pieces.push(Piece::Text("/".to_owned()));
                    }
                    pieces.extend(value.pieces);
                }
                Some(self.word(pieces))
            }
            "URI" | "URI.parse" => {
                let close = row.closing(chain.end);
                let inside = owned.get(chain.end.saturating_add(1)..close)?;
                whole(close).then(|| self.value(inside))
            }
            "os.homedir" | "Dir.home" | "process.env.HOME" => {
                let home = self.reading.context.home.as_deref()?;
                Some(self.reading.word(home))
            }
            "__dirname" | "__DIR__" => {
                let file = self.reading.source.file?;
                Some(self.reading.word(file.rsplit_once('/')?.0))
            }
            "process.cwd" | "Dir.pwd" | "getcwd" => {
                Some(self.reading.word(self.reading.directory()?))
            }
            _ if first == "ENV"
                && matches!(owned.get(2).map(|lexeme| &lexeme.token), Some(ScriptToken::Text(pieces)) if plain(pieces).as_deref() == Some("HOME"))
                && owned.len() == 4 =>
            {
                Some(self.reading.word(self.reading.context.home.as_deref()?))
            }
            _ => None,
        }
    }
}
