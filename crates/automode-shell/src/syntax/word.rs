//! Words: quotes, escapes, expansions and substitutions, in every place they stand.
//!
//! One reader serves all places; a [`Scope`] says where the text ends and which
//! characters are special there.

use super::compound::identifier;
use super::parser::{ParsedScript, ShellParser, TextOrigin};
use super::scope::{ParserScope, Single, ends_word};
use super::tree::{
    Operation, ParameterExpansion, PartKind, ProcessDirection, Quoting, Script, Word, WordPart,
};

impl ShellParser<'_> {
    /// A word that must be there.
    pub(super) fn word(&mut self, scope: ParserScope) -> ParsedScript<Word> {
        self.peek();
        let word = self.word_or_nothing(scope)?;
        if word.parts.is_empty() {
            return self.fail("expected a word");
        }
        Ok(word)
    }

    pub(super) fn word_or_nothing(&mut self, scope: ParserScope) -> ParsedScript<Word> {
        let start = self.at;
        let mut parts = Vec::new();
        self.parts(scope, &mut parts)?;
        Ok(Word {
            parts,
            span: self.span(start),
        })
    }

    /// Whether no word begins here.
    pub(super) fn at_word_end(&mut self) -> bool {
        let next = self.peek();
        next.is_none_or(|byte| ends_word(byte, self.raw(1)))
    }

    fn parts(&mut self, scope: ParserScope, parts: &mut Vec<WordPart>) -> ParsedScript<()> {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            if depth == 0
                && scope.stops(byte, self.raw(1))
                && !self.opens_pattern(scope, byte, parts)
            {
                return Ok(());
            }
            self.step()?;
            match (scope.pair(), byte) {
                (Some((open, _)), _) if byte == open => {
                    depth += 1;
                    self.literal(parts, scope);
                }
                (Some((_, close)), _) if byte == close => {
                    depth = depth.saturating_sub(1);
                    self.literal(parts, scope);
                }
                (_, b'\\') => self.escape(parts, scope)?,
                (_, b'\'') => self.single_quote(parts, scope)?,
                (_, b'"') => self.double_quote(parts, scope)?,
                (_, b'`') => self.backquote(parts, scope)?,
                (_, b'$') => self.dollar(parts, scope)?,
                (_, b'<' | b'>') if self.raw(1) == Some(b'(') => self.process(parts, scope)?,
                _ => self.literal(parts, scope),
            }
        }
        if depth > 0 {
            return self.fail("an unclosed bracket");
        }
        Ok(())
    }

    /// Whether `(` opens an extended pattern. In `[[` they are always on; elsewhere
    /// bash refuses the text where they are off.
    fn opens_pattern(&self, scope: ParserScope, byte: u8, parts: &[WordPart]) -> bool {
        matches!(scope, ParserScope::Condition | ParserScope::Argument)
            && byte == b'('
            && parts.last().is_some_and(|part| match &part.kind {
                PartKind::Literal(text) => {
                    part.quoting == Quoting::Bare && text.ends_with(['?', '*', '+', '@', '!'])
                }
                PartKind::Parameter(_)
                | PartKind::Command(_)
                | PartKind::Process(..)
                | PartKind::Arithmetic(_) => false,
            })
    }

    /// A run of text without special bytes, or one byte that is not special here.
    fn literal(&mut self, parts: &mut Vec<WordPart>, scope: ParserScope) {
        let start = self.at;
        let bytes = self.rest().bytes();
        let run = bytes.take_while(|byte| !is_special(*byte)).count();
        self.at += run.max(1);
        let text = self.slice(start, self.at);
        self.push_text(parts, text, scope.quoting(), start);
    }

    fn push_text(&self, parts: &mut Vec<WordPart>, text: &str, quoting: Quoting, start: usize) {
        let span = self.span(start);
        if let Some(WordPart {
            kind: PartKind::Literal(before),
            quoting: same,
            span: whole,
        }) = parts.last_mut()
            && *same == quoting
        {
            before.push_str(text);
            *whole = whole.to(span);
            return;
        }
        parts.push(WordPart {
            kind: PartKind::Literal(text.to_owned()),
            quoting,
            span,
        });
    }

    fn push(&self, parts: &mut Vec<WordPart>, kind: PartKind, scope: ParserScope, start: usize) {
        parts.push(WordPart {
            kind,
            quoting: scope.quoting(),
            span: self.span(start),
        });
    }

    fn escape(&mut self, parts: &mut Vec<WordPart>, scope: ParserScope) -> ParsedScript<()> {
        let start = self.at;
        self.at += 1;
        let Some(character) = self.rest().chars().next() else {
            return self.fail("a backslash at the end");
        };
        let byte = u8::try_from(character).unwrap_or(b'a');
        if scope.escapable(byte) {
            self.at += character.len_utf8();
            let text = self.slice(start + 1, self.at);
            self.push_text(parts, text, Quoting::Quoted, start);
        } else {
            self.push_text(parts, "\\", scope.quoting(), start);
        }
        Ok(())
    }

    fn single_quote(&mut self, parts: &mut Vec<WordPart>, scope: ParserScope) -> ParsedScript<()> {
        match scope.single() {
            Single::Literal => self.literal(parts, scope),
            Single::Refused => return self.fail("a single quote where it is not sure to quote"),
            Single::Pairs => return self.paired_quote(parts, scope),
            Single::Quotes => {
                let start = self.at;
                self.at += 1;
                let Some(length) = self.rest().find('\'') else {
                    return self.fail("an unclosed single quote");
                };
                let text = self.slice(self.at, self.at + length);
                self.at += length + 1;
                self.push_text(parts, text, Quoting::Quoted, start);
            }
        }
        Ok(())
    }

    /// `"${name:-'…'}"`: the quotes are text and what is between them is expanded,
    /// but bash looks for the end behind the second. Both readings must agree.
    fn paired_quote(&mut self, parts: &mut Vec<WordPart>, scope: ParserScope) -> ParsedScript<()> {
        let inside = self.at + 1;
        let Some(length) = self.slice(inside, self.end).find('\'') else {
            return self.fail("an unclosed single quote");
        };
        let text = self.slice(inside, inside + length);
        let opened = text.matches('(').count();
        if text.contains(['"', '{', '}', '\\', '`', '\n']) || opened != text.matches(')').count() {
            return self.fail("a single quote where it is not sure to quote");
        }
        self.literal(parts, scope);
        let mut inner = self.within(inside, inside + length);
        inner.parts(ParserScope::Double, parts)?;
        self.at = inside + length;
        self.literal(parts, scope);
        Ok(())
    }

    fn double_quote(&mut self, parts: &mut Vec<WordPart>, scope: ParserScope) -> ParsedScript<()> {
        if scope == ParserScope::Document {
            self.literal(parts, scope);
            return Ok(());
        }
        let start = self.at;
        self.at += 1;
        // Marks the word as present even where nothing is inside.
        self.push_text(parts, "", Quoting::Quoted, start);
        self.nested(|parser| parser.parts(ParserScope::Double, parts))?;
        self.expect(b'"', "an unclosed double quote")
    }

    fn backquote(&mut self, parts: &mut Vec<WordPart>, scope: ParserScope) -> ParsedScript<()> {
        let start = self.at;
        self.at += 1;
        let inside = self.at;
        let mut escaped = false;
        loop {
            match self.raw(0) {
                None => return self.fail("an unclosed backquote"),
                Some(b'`') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at += 2;
                }
                Some(_) => self.at += 1,
            }
        }
        let end = self.at;
        self.at += 1;
        let script = if escaped {
            let text = unescape_backquoted(self.slice(inside, end), scope);
            let origin = TextOrigin::Within(self.span(start));
            let mut inner = ShellParser::new(&text, origin, self.depth, self.steps);
            inner.whole_script()?
        } else {
            self.within(inside, end).whole_script()?
        };
        self.push(parts, PartKind::Command(Box::new(script)), scope, start);
        Ok(())
    }

    fn process(&mut self, parts: &mut Vec<WordPart>, scope: ParserScope) -> ParsedScript<()> {
        if scope.quoting() == Quoting::Quoted {
            self.literal(parts, scope);
            return Ok(());
        }
        if scope == ParserScope::Subscript {
            return self.fail("a process substitution in a subscript");
        }
        let start = self.at;
        let flow = if self.raw(0) == Some(b'<') {
            ProcessDirection::Output
        } else {
            ProcessDirection::Input
        };
        self.at += 2;
        let script = self.substitution()?;
        self.push(
            parts,
            PartKind::Process(flow, Box::new(script)),
            scope,
            start,
        );
        Ok(())
    }

    fn dollar(&mut self, parts: &mut Vec<WordPart>, scope: ParserScope) -> ParsedScript<()> {
        let start = self.at;
        self.at += 1;
        let kind = match self.raw(0) {
            Some(b'\\') if self.raw(1) == Some(b'\n') => {
                return self.fail("a line continuation inside an expansion");
            }
            Some(b'(') => self.dollar_parenthesis()?,
            Some(b'[') => {
                self.at += 1;
                PartKind::Arithmetic(Box::new(self.arithmetic(b']')?))
            }
            Some(b'{') => {
                self.at += 1;
                let parameter = self.nested(|parser| parser.braced_parameter(scope))?;
                PartKind::Parameter(Box::new(parameter))
            }
            Some(b'\'') if !matches!(scope, ParserScope::Double | ParserScope::Document) => {
                self.at += 1;
                let text = self.ansi_c()?;
                self.push_text(parts, &text, Quoting::Quoted, start);
                return Ok(());
            }
            Some(b'"') if scope.quoting() == Quoting::Bare => {
                return self.double_quote(parts, scope);
            }
            Some(b'"') if !matches!(scope, ParserScope::Double | ParserScope::Document) => {
                return self.fail("a locale string inside quotes");
            }
            Some(_) | None => match self.plain_parameter() {
                Some(name) => PartKind::Parameter(Box::new(ParameterExpansion {
                    name,
                    subscript: None,
                    indirect: false,
                    operation: Operation::Value,
                })),
                None => {
                    self.push_text(parts, "$", scope.quoting(), start);
                    return Ok(());
                }
            },
        };
        self.push(parts, kind, scope, start);
        Ok(())
    }

    /// `$(…)` or `$((…))`, from the parenthesis on.
    fn dollar_parenthesis(&mut self) -> ParsedScript<PartKind> {
        if self.raw(1) == Some(b'(') && self.closes_as_arithmetic(self.at + 2) {
            self.at += 2;
            let expression = self.arithmetic(b')')?;
            self.expect(b')', "expected `))`")?;
            return Ok(PartKind::Arithmetic(Box::new(expression)));
        }
        self.at += 1;
        Ok(PartKind::Command(Box::new(self.substitution()?)))
    }

    /// A list up to its `)`, with here-documents of its own.
    fn substitution(&mut self) -> ParsedScript<Script> {
        let start = self.at;
        let outer = std::mem::take(&mut self.pending);
        let script = self.nested(Self::list)?;
        self.expect(b')', "expected `)`")?;
        self.no_pending()?;
        if !outer.is_empty() && self.slice(start, self.at).contains('\n') {
            return self.fail("a substitution between a here-document and its body");
        }
        self.pending = outer;
        Ok(script)
    }

    /// `$name`, `$1`, `$?`, from behind the dollar sign.
    fn plain_parameter(&mut self) -> Option<String> {
        let length = match identifier(self.rest()) {
            0 => usize::from(self.raw(0).is_some_and(is_special_parameter)),
            length => length,
        };
        let name = self.slice(self.at, self.at + length);
        self.at += length;
        (!name.is_empty()).then(|| name.to_owned())
    }
}

/// One-character parameters.
pub(super) fn is_special_parameter(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

fn is_special(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\n'
            | b';'
            | b'&'
            | b'|'
            | b'('
            | b')'
            | b'<'
            | b'>'
            | b'['
            | b']'
            | b'{'
            | b'}'
            | b'/'
            | b':'
            | b'\\'
            | b'\''
            | b'"'
            | b'`'
            | b'$'
    )
}

/// Inside backquotes a backslash only protects `$`, a backquote and itself, and
/// in double quotes also those.
fn unescape_backquoted(text: &str, scope: ParserScope) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some(next @ ('$' | '`' | '\\')) => out.push(next),
            Some('"') if matches!(scope, ParserScope::Double | ParserScope::QuotedOperand) => {
                out.push('"')
            }
            Some(next) => out.extend(['\\', next]),
            None => out.push('\\'),
        }
    }
    out
}
