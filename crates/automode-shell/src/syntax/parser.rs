//! The reading position and the bounds of one parse.
//!
//! Everything in the grammar goes through [`Parser::peek`], which folds line
//! continuations, and [`Parser::nested`], which counts depth. Text that is not
//! in the source as such (an unescaped backquote, a stripped here-document) is
//! read by a child parser whose spans all point at the construct it came from.

use std::cell::Cell;

use super::tree::{HereDocumentBody, Script};
use crate::guard::Admitted;
use crate::ir::Span;

/// How deep constructs may nest.
const MAX_DEPTH: usize = 64;
/// How many parts, words and commands one parse may build.
const MAX_STEPS: u32 = 50_000;

/// A text that is not understood, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub message: &'static str,
    pub span: Span,
}

pub(super) type ParsedScript<T> = Result<T, SyntaxError>;

/// What the spans of a parse refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOrigin {
    /// The text itself.
    Typed,
    /// The word that brought the text in.
    Within(Span),
}

/// Parses a whole text.
///
/// # Errors
/// What is not understood; nothing of the text counts then.
pub fn parse(text: Admitted<'_>, origin: TextOrigin) -> ParsedScript<Script> {
    let steps = Cell::new(0);
    ShellParser::new(text.text(), origin, 0, &steps).whole_script()
}

/// Parses as far as a shell gets, which has run the lines before the one it stumbles over.
pub fn parse_lines(text: Admitted<'_>, origin: TextOrigin) -> (Script, Option<SyntaxError>) {
    let steps = Cell::new(0);
    let mut parser = ShellParser::new(text.text(), origin, 0, &steps);
    parser.whole = true;
    parser.lines()
}

pub(super) struct ShellParser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) origin: TextOrigin,
    pub(super) depth: usize,
    pub(super) pending: Vec<Pending>,
    pub(super) steps: &'t Cell<u32>,
    /// Reads a text to its end, not a part of one.
    pub(super) whole: bool,
}

/// A here-document whose body stands further down.
pub(super) struct Pending {
    pub(super) document: HereDocumentBody,
    pub(super) delimiter: String,
    pub(super) strips_tabs: bool,
    pub(super) expands: bool,
}

impl<'t> ShellParser<'t> {
    pub(super) fn new(
        text: &'t str,
        origin: TextOrigin,
        depth: usize,
        steps: &'t Cell<u32>,
    ) -> ShellParser<'t> {
        ShellParser {
            text,
            at: 0,
            end: text.len(),
            origin,
            depth,
            pending: Vec::new(),
            steps,
            whole: false,
        }
    }

    /// A parser for a range of the same text.
    pub(super) fn within(&self, start: usize, end: usize) -> ShellParser<'t> {
        ShellParser {
            text: self.text,
            at: start,
            end,
            origin: self.origin,
            depth: self.depth,
            pending: Vec::new(),
            steps: self.steps,
            whole: false,
        }
    }

    /// Reads a part of the text to its end; nothing may be left over.
    pub(super) fn whole_script(&mut self) -> ParsedScript<Script> {
        match self.lines() {
            (script, None) => Ok(script),
            (_, Some(error)) => Err(error),
        }
    }

    /// The next byte, after any line continuation.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while self.raw(0) == Some(b'\\') && self.raw(1) == Some(b'\n') {
            self.at += 2;
        }
        self.raw(0)
    }

    /// A byte ahead, as it stands.
    pub(super) fn raw(&self, ahead: usize) -> Option<u8> {
        let at = self.at + ahead;
        (at < self.end).then(|| self.text.as_bytes().get(at).copied())?
    }

    pub(super) fn rest(&self) -> &'t str {
        self.slice(self.at, self.end)
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn expect(&mut self, byte: u8, message: &'static str) -> ParsedScript<()> {
        if self.eat(byte) {
            Ok(())
        } else {
            self.fail(message)
        }
    }

    /// Skips blanks and a comment, where a token may begin.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        if self.raw(0) == Some(b'#') {
            let length = self.rest().find('\n').unwrap_or(self.end - self.at);
            self.at += length;
        }
    }

    /// Skips blanks, comments and newlines; reads here-documents on the way.
    pub(super) fn skip_lines(&mut self) -> ParsedScript<()> {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Goes one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> ParsedScript<T>,
    ) -> ParsedScript<T> {
        if self.depth >= MAX_DEPTH {
            return self.fail("nested too deep");
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Counts one piece of work.
    pub(super) fn step(&mut self) -> ParsedScript<()> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps > MAX_STEPS {
            return self.fail("too large");
        }
        Ok(())
    }

    pub(super) fn span(&self, start: usize) -> Span {
        match self.origin {
            TextOrigin::Typed => Span::new(start, self.at),
            TextOrigin::Within(span) => span,
        }
    }

    pub(super) fn fail<T>(&self, message: &'static str) -> ParsedScript<T> {
        let span = match self.origin {
            TextOrigin::Typed => Span::new(self.at, (self.at + 1).min(self.end)),
            TextOrigin::Within(span) => span,
        };
        Err(SyntaxError { message, span })
    }

    /// The reserved word that begins here, if one does.
    pub(super) fn keyword(&self) -> Option<Keyword> {
        let mut letters = [0_u8; 9];
        let mut length = 0;
        let mut ahead = 0;
        loop {
            match self.raw(ahead) {
                Some(b'\\') if self.raw(ahead + 1) == Some(b'\n') => ahead += 2,
                None
                | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => {
                    break;
                }
                Some(byte) => {
                    *letters.get_mut(length)? = byte;
                    length += 1;
                    ahead += 1;
                }
            }
        }
        let word = std::str::from_utf8(letters.get(..length)?).ok()?;
        Keyword::ALL
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, keyword)| *keyword)
    }

    /// Steps over a reserved word that [`Self::keyword`] has seen.
    pub(super) fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        self.skip_blanks();
        if self.keyword() != Some(keyword) {
            return false;
        }
        for _ in 0..keyword.length() {
            self.peek();
            self.at += 1;
        }
        true
    }

    pub(super) fn expect_keyword(
        &mut self,
        keyword: Keyword,
        message: &'static str,
    ) -> ParsedScript<()> {
        if self.eat_keyword(keyword) {
            Ok(())
        } else {
            self.fail(message)
        }
    }
}

/// Words with a meaning of their own where a command may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    If,
    Then,
    Elif,
    Else,
    Fi,
    While,
    Until,
    For,
    Select,
    In,
    Do,
    Done,
    Case,
    Esac,
    Function,
    Coproc,
    Time,
    Not,
    OpenBrace,
    CloseBrace,
    OpenTest,
    CloseTest,
}

impl Keyword {
    const ALL: &'static [(&'static str, Self)] = &[
        ("if", Self::If),
        ("then", Self::Then),
        ("elif", Self::Elif),
        ("else", Self::Else),
        ("fi", Self::Fi),
        ("while", Self::While),
        ("until", Self::Until),
        ("for", Self::For),
        ("select", Self::Select),
        ("in", Self::In),
        ("do", Self::Do),
        ("done", Self::Done),
        ("case", Self::Case),
        ("esac", Self::Esac),
        ("function", Self::Function),
        ("coproc", Self::Coproc),
        ("time", Self::Time),
        ("!", Self::Not),
        ("{", Self::OpenBrace),
        ("}", Self::CloseBrace),
        ("[[", Self::OpenTest),
        ("]]", Self::CloseTest),
    ];

    fn length(self) -> usize {
        Self::ALL
            .iter()
            .find(|(_, keyword)| *keyword == self)
            .map_or(0, |(name, _)| name.len())
    }

    /// Whether it ends the list before it.
    pub(super) fn closes(self) -> bool {
        matches!(
            self,
            Self::Then
                | Self::Elif
                | Self::Else
                | Self::Fi
                | Self::Do
                | Self::Done
                | Self::Esac
                | Self::CloseBrace
        )
    }
}
