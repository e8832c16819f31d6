//! Text into tokens.

use super::perl;
use super::quote::long_bracket;
use super::{Lexed, Lexeme, ScriptToken};
use crate::language::cursor::Cursor;
use crate::{Language, Piece};

/// Code inside strings inside code.
pub(super) const DEPTH: usize = 8;

/// Longest first.
const MARKS: &[&str] = &[
    ">>>=", "===", "!==", "**=", "<=>", "...", ">>>", "<<=", ">>=", "&&=", "||=", "??=", "//=",
    "=>", "->", "::", "?.", "&.", "==", "!=", "<=", ">=", "&&", "||", "??", "++", "--", "+=", "-=",
    "*=", "/=", "%=", ".=", "|=", "&=", "^=", "=~", "!~", "**", "<<", ">>", "..", "~=", "{", "}",
    "(", ")", "[", "]", ";", ",", ".", ":", "?", "=", "+", "-", "*", "/", "%", "<", ">", "!", "&",
    "|", "^", "~", "@", "\\", "#", "$",
];

pub(super) struct Lexer<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) language: Language,
    pub(super) lexed: Lexed,
    pub(super) depth: usize,
}

impl Lexer<'_> {
    pub(super) fn run(&mut self) -> Result<(), &'static str> {
        if self.language == Language::Php && !self.open_php() {
            return Ok(());
        }
        loop {
            let start = self.cursor.at();
            self.spaces()?;
            let glued = self.cursor.at() == start && start > 0;
            let Some(next) = self.cursor.peek() else {
                return Ok(());
            };
            let token = self.token(next)?;
            if let Some(token) = token {
                self.lexed.main.push(Lexeme { token, glued });
            }
        }
    }

    /// PHP code starts after its tag; code given with `-r` has none.
    fn open_php(&mut self) -> bool {
        if !self.cursor.rest().contains("<?") {
            return true;
        }
        let opened = self.cursor.until("<?").is_some();
        let _tag = self.cursor.eat("php") || self.cursor.eat("=");
        opened
    }

    fn spaces(&mut self) -> Result<(), &'static str> {
        loop {
            self.cursor.take_while(|c| c != '\n' && c.is_whitespace());
            let slashes = matches!(self.language, Language::JavaScript | Language::Php);
            let hashes = matches!(
                self.language,
                Language::Ruby | Language::Perl | Language::Php
            );
            if slashes && self.cursor.eat("/*") {
                self.cursor.until("*/").ok_or("unterminated comment")?;
            } else if (slashes && self.cursor.rest().starts_with("//"))
                || (hashes
                    && self.cursor.peek() == Some('#')
                    && !self.cursor.rest().starts_with("#["))
                || (self.language == Language::JavaScript
                    && self.cursor.at() == 0
                    && self.cursor.rest().starts_with("#!"))
            {
                self.cursor.line();
            } else if self.language == Language::Lua && self.cursor.eat("--") {
                match long_bracket(&mut self.cursor) {
                    Some(close) => {
                        self.cursor.until(&close).ok_or("unterminated comment")?;
                    }
                    None => {
                        self.cursor.line();
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self, next: char) -> Result<Option<ScriptToken>, &'static str> {
        if next == '\n' {
            self.cursor.next();
            return self.line_start();
        }
        if next.is_ascii_digit() {
            return Ok(Some(self.number()));
        }
        if self.language == Language::Perl
            && let Some(token) = perl::token(self, next)?
        {
            return Ok(Some(token));
        }
        if is_name_start(next, self.language) && !self.is_bare_sigil(next) {
            return Ok(Some(ScriptToken::Name(self.name())));
        }
        match next {
            '"' => {
                self.cursor.next();
                Ok(Some(ScriptToken::Text(self.quoted('"')?)))
            }
            '\'' => {
                self.cursor.next();
                Ok(Some(ScriptToken::Text(self.quoted('\'')?)))
            }
            '`' => {
                self.cursor.next();
                let pieces = self.quoted('`')?;
                Ok(Some(if self.language == Language::JavaScript {
                    ScriptToken::Text(pieces)
                } else {
                    ScriptToken::Command(pieces)
                }))
            }
            '/' if self.regex_here() => {
                self.cursor.next();
                self.regex('/')?;
                Ok(Some(ScriptToken::Regex))
            }
            '%' if self.language == Language::Ruby && self.regex_here() => self.percent(),
            ':' if self.language == Language::Ruby => Ok(Some(self.symbol()?)),
            '?' if self.language == Language::Php && self.cursor.eat("?>") => {
                if self.cursor.rest().contains("<?") {
                    self.open_php();
                } else {
                    self.cursor.take_while(|_| true);
                }
                Ok(Some(ScriptToken::Mark(";")))
            }
            '[' if self.language == Language::Lua => self.lua_bracket().map(Some),
            '<' if self.cursor.rest().starts_with("<<") && self.heredoc_here() => {
                Err("here-document")
            }
            _ => match MARKS.iter().find(|mark| self.cursor.eat(mark)) {
                Some(mark) => Ok(Some(ScriptToken::Mark(mark))),
                None => Err("odd character"),
            },
        }
    }

    fn number(&mut self) -> ScriptToken {
        let digit = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let digits = self.cursor.take_while(digit).to_owned();
        if self.cursor.eat_decimal_point() {
            self.cursor.take_while(digit);
        }
        ScriptToken::Number(digits)
    }

    /// `[[text]]`, `[=[text]=]`, or a bracket alone.
    fn lua_bracket(&mut self) -> Result<ScriptToken, &'static str> {
        let Some(close) = long_bracket(&mut self.cursor) else {
            self.cursor.next();
            return Ok(ScriptToken::Mark("["));
        };
        let body = self.cursor.until(&close).ok_or("unterminated text")?;
        Ok(ScriptToken::Text(vec![Piece::Text(body.to_owned())]))
    }

    fn line_start(&mut self) -> Result<Option<ScriptToken>, &'static str> {
        if self.language == Language::Ruby && self.cursor.rest().starts_with("=begin") {
            self.cursor.until("=end").ok_or("unterminated comment")?;
            self.cursor.line();
        }
        let ends = matches!(self.language, Language::Ruby | Language::Perl)
            && (self.cursor.rest().starts_with("__END__")
                || self.cursor.rest().starts_with("__DATA__"));
        if ends {
            self.cursor.take_while(|_| true);
        }
        if self.language == Language::Perl && self.cursor.rest().starts_with('=') {
            match self.cursor.until("\n=cut") {
                Some(_) => {
                    self.cursor.line();
                }
                None => {
                    self.cursor.take_while(|_| true);
                }
            }
        }
        Ok(Some(ScriptToken::Line))
    }

    fn is_bare_sigil(&self, next: char) -> bool {
        matches!(next, '$' | '@')
            && !matches!(self.language, Language::JavaScript)
            && !self.cursor.peek_second().is_some_and(|c| {
                c.is_alphanumeric()
                    || matches!(
                        c,
                        '_' | '@' | '$' | '!' | '?' | '~' | '&' | '0' | '/' | ',' | ';' | '*' | '^'
                    )
                    || (c == '-' && self.language == Language::Ruby)
            })
    }

    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        let language = self.language;
        while let Some(sigil) = self.cursor.peek().filter(|c| matches!(c, '$' | '@' | '#')) {
            self.cursor.next();
            name.push(sigil);
        }
        let word = self.cursor.take_while(|c| {
            c.is_alphanumeric() || c == '_' || (c == '$' && language == Language::JavaScript)
        });
        name.push_str(word);
        if word.is_empty() && !matches!(language, Language::JavaScript) {
            // A variable such as `$!` or `$0`.
            name.extend(self.cursor.next());
            // `$-i` is one name.
            if name == "$-" {
                name.extend(self.cursor.next());
            }
        }
        if language == Language::Ruby
            && matches!(self.cursor.peek(), Some('?' | '!'))
            && self.cursor.peek_second() != Some('=')
        {
            name.extend(self.cursor.next());
        }
        name
    }

    /// Whether a slash opens a pattern here.
    fn regex_here(&self) -> bool {
        if matches!(self.language, Language::Lua | Language::Php) {
            return false;
        }
        let spaced = self.cursor.peek_second().is_some_and(char::is_whitespace);
        match self.lexed.main.last().map(|lexeme| &lexeme.token) {
            None | Some(ScriptToken::Line) => true,
            Some(ScriptToken::Mark(mark)) => !matches!(*mark, ")" | "]" | "}"),
            Some(ScriptToken::Name(name)) => match self.language {
                Language::JavaScript => matches!(
                    name.as_str(),
                    "return"
                        | "typeof"
                        | "case"
                        | "in"
                        | "of"
                        | "delete"
                        | "void"
                        | "throw"
                        | "new"
                        | "else"
                        | "do"
                        | "await"
                        | "yield"
                ),
                Language::Ruby | Language::Perl => {
                    !name.starts_with(['$', '@'])
                        && !spaced
                        && (is_ruby_word(name) || self.last_is_spaced())
                }
                Language::Shell
                | Language::Python
                | Language::Php
                | Language::Lua
                | Language::Awk
                | Language::Sed
                | Language::Sql
                | Language::PowerShell
                | Language::Other => false,
            },
            Some(
                ScriptToken::Text(_)
                | ScriptToken::Command(_)
                | ScriptToken::Number(_)
                | ScriptToken::Regex,
            ) => false,
        }
    }

    /// A space before but not after: `puts /x/` and not `a / b`.
    fn last_is_spaced(&self) -> bool {
        let before = self.cursor.at().checked_sub(1);
        before.is_some_and(|before| self.cursor.since_is_space(before))
    }

    fn heredoc_here(&self) -> bool {
        let after = self.cursor.rest().strip_prefix("<<").unwrap_or_default();
        if matches!(self.language, Language::Ruby | Language::Perl) {
            return after.starts_with(['~', '-', '"', '\''])
                || after.starts_with(|c: char| c.is_ascii_uppercase());
        }
        self.language == Language::Php && after.starts_with('<')
    }
}

pub(super) fn lex(text: &str, language: Language) -> Result<Lexed, &'static str> {
    let mut lexer = Lexer {
        cursor: Cursor::new(text),
        language,
        lexed: Lexed::default(),
        depth: 0,
    };
    lexer.run()?;
    Ok(lexer.lexed)
}

/// Signs that a name of a language may begin with.
const SIGILS: &[(Language, char)] = &[
    (Language::JavaScript, '$'),
    (Language::JavaScript, '#'),
    (Language::Ruby, '@'),
    (Language::Ruby, '$'),
    (Language::Php, '$'),
];

fn is_name_start(next: char, language: Language) -> bool {
    next.is_alphabetic() || next == '_' || SIGILS.contains(&(language, next))
}

fn is_ruby_word(name: &str) -> bool {
    matches!(
        name,
        "if" | "unless"
            | "while"
            | "until"
            | "and"
            | "or"
            | "not"
            | "when"
            | "return"
            | "puts"
            | "print"
            | "p"
            | "then"
            | "do"
            | "split"
            | "grep"
            | "x"
            | "join"
    )
}
