//! Text into tokens.

use super::perl;
use super::{Lexed, Lexeme, Token};
use crate::language::cursor::Cursor;
use crate::{Dynamic, DynamicSource, Language, Piece, Taint};

/// Code inside strings inside code.
const DEPTH: usize = 8;

/// Longest first.
const MARKS: &[&str] = &[
    ">>>=", "===", "!==", "**=", "<=>", "...", ">>>", "<<=", ">>=", "&&=", "||=", "??=", "//=",
    "=>", "->", "::", "?.", "&.", "==", "!=", "<=", ">=", "&&", "||", "??", "++", "--", "+=", "-=",
    "*=", "/=", "%=", ".=", "|=", "&=", "^=", "=~", "!~", "**", "<<", ">>", "..", "~=", "{", "}",
    "(", ")", "[", "]", ";", ",", ".", ":", "?", "=", "+", "-", "*", "/", "%", "<", ">", "!", "&",
    "|", "^", "~", "@", "\\", "#", "$",
];

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

pub(super) struct Lexer<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) language: Language,
    pub(super) lexed: Lexed,
    pub(super) depth: usize,
}

impl Lexer<'_> {
    fn run(&mut self) -> Result<(), &'static str> {
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

    fn token(&mut self, next: char) -> Result<Option<Token>, &'static str> {
        if next == '\n' {
            self.cursor.next();
            return self.line_start();
        }
        if next.is_ascii_digit() {
            let digits = self
                .cursor
                .take_while(|c| c.is_ascii_alphanumeric() || c == '_')
                .to_owned();
            // `1.5` is one number, `1..5` is not.
            if self.cursor.peek() == Some('.')
                && self
                    .cursor
                    .peek_second()
                    .is_some_and(|c| c.is_ascii_digit())
            {
                self.cursor.next();
                self.cursor
                    .take_while(|c| c.is_ascii_alphanumeric() || c == '_');
            }
            return Ok(Some(Token::Number(digits)));
        }
        if self.language == Language::Perl
            && let Some(token) = perl::token(self, next)?
        {
            return Ok(Some(token));
        }
        if is_name_start(next, self.language) && !self.is_bare_sigil(next) {
            return Ok(Some(Token::Name(self.name())));
        }
        match next {
            '"' => {
                self.cursor.next();
                Ok(Some(Token::Text(self.quoted('"')?)))
            }
            '\'' => {
                self.cursor.next();
                Ok(Some(Token::Text(self.quoted('\'')?)))
            }
            '`' => {
                self.cursor.next();
                let pieces = self.quoted('`')?;
                Ok(Some(match self.language {
                    Language::JavaScript => Token::Text(pieces),
                    _ => Token::Command(pieces),
                }))
            }
            '/' if self.regex_here() => {
                self.cursor.next();
                self.regex('/')?;
                Ok(Some(Token::Regex))
            }
            '%' if self.language == Language::Ruby && self.regex_here() => self.percent(),
            ':' if self.language == Language::Ruby => Ok(Some(self.symbol()?)),
            '?' if self.language == Language::Php && self.cursor.rest().starts_with("?>") => {
                self.cursor.eat("?>");
                if self.cursor.rest().contains("<?") {
                    self.open_php();
                } else {
                    self.cursor.take_while(|_| true);
                }
                Ok(Some(Token::Mark(";")))
            }
            '[' if self.language == Language::Lua => {
                Ok(Some(match long_bracket(&mut self.cursor) {
                    Some(close) => {
                        let body = self.cursor.until(&close).ok_or("unterminated text")?;
                        Token::Text(vec![Piece::Text(body.to_owned())])
                    }
                    None => {
                        self.cursor.next();
                        Token::Mark("[")
                    }
                }))
            }
            '<' if self.cursor.rest().starts_with("<<") && self.heredoc_here() => {
                Err("here-document")
            }
            _ => match MARKS.iter().find(|mark| self.cursor.eat(mark)) {
                Some(mark) => Ok(Some(Token::Mark(mark))),
                None => Err("odd character"),
            },
        }
    }

    fn line_start(&mut self) -> Result<Option<Token>, &'static str> {
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
        Ok(Some(Token::Line))
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
            })
    }

    fn name(&mut self) -> String {
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
            None | Some(Token::Line) => true,
            Some(Token::Mark(mark)) => !matches!(*mark, ")" | "]" | "}"),
            Some(Token::Name(name)) => match self.language {
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
                _ => false,
            },
            Some(Token::Text(_) | Token::Command(_) | Token::Number(_) | Token::Regex) => false,
        }
    }

    /// A space before but not after: `puts /x/` and not `a / b`.
    fn last_is_spaced(&self) -> bool {
        let before = self.cursor.at().checked_sub(1);
        before.is_some_and(|before| self.cursor.since_is_space(before))
    }

    fn heredoc_here(&self) -> bool {
        let after = self.cursor.rest().strip_prefix("<<").unwrap_or_default();
        match self.language {
            Language::Ruby | Language::Perl => {
                after.starts_with(['~', '-', '"', '\''])
                    || after.starts_with(|c: char| c.is_ascii_uppercase())
            }
            Language::Php => after.starts_with('<'),
            _ => false,
        }
    }

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
    fn percent(&mut self) -> Result<Option<Token>, &'static str> {
        let mut ahead = self.cursor.clone();
        ahead.next();
        let kind = ahead.take_while(|c| c.is_ascii_alphabetic());
        let Some(open) = ahead
            .next()
            .filter(|c| !c.is_alphanumeric() && !c.is_whitespace())
        else {
            self.cursor.next();
            return Ok(Some(Token::Mark("%")));
        };
        if open == '=' && kind.is_empty() {
            self.cursor.next();
            return Ok(Some(Token::Mark("%")));
        }
        let kind = kind.to_owned();
        self.cursor = ahead;
        let body = self.delimited(open)?;
        if body.contains("#{") && kind != "q" && kind != "w" {
            return Err("code in a text");
        }
        let pieces = vec![Piece::Text(body)];
        Ok(Some(match kind.as_str() {
            "x" => Token::Command(pieces),
            "r" => {
                self.cursor.take_while(|c| c.is_ascii_alphabetic());
                Token::Regex
            }
            "w" | "W" | "i" | "I" => Token::Text(vec![unknown()]),
            _ => Token::Text(pieces),
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

    fn symbol(&mut self) -> Result<Token, &'static str> {
        self.cursor.next();
        match self.cursor.peek() {
            Some(':') => {
                self.cursor.next();
                Ok(Token::Mark("::"))
            }
            Some('"') => {
                self.cursor.next();
                self.quoted('"').map(Token::Text)
            }
            Some(c) if c.is_alphabetic() || c == '_' => {
                let name = self
                    .cursor
                    .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '?' | '!'));
                Ok(Token::Text(vec![Piece::Text(name.to_owned())]))
            }
            Some(_) | None => Ok(Token::Mark(":")),
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
        pieces.push(Piece::Text(text));
        pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        if pieces.is_empty() {
            pieces.push(Piece::Text(String::new()));
        }
        Ok(pieces)
    }

    /// Code inside a text, up to the brace that closes it.
    fn code(&mut self) -> Result<(), &'static str> {
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
fn long_bracket(cursor: &mut Cursor<'_>) -> Option<String> {
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

fn is_name_start(next: char, language: Language) -> bool {
    next.is_alphabetic()
        || next == '_'
        || match language {
            Language::JavaScript => next == '$' || next == '#',
            Language::Ruby => next == '@' || next == '$',
            Language::Php => next == '$',
            _ => false,
        }
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
