//! `${…}`: every operator that bash knows, and none that it does not.

use super::compound::identifier;
use super::parser::{ParsedScript, ShellParser};
use super::scope::ParserScope;
use super::tree::{
    End, Fold, Operation, ParameterExpansion, ParameterFallback, PartKind, Quoting, ReplaceScope,
    Subscript, Word,
};
use super::word::is_special_parameter;

/// The letters of `${name@X}`.
const TRANSFORMS: &[u8] = b"QEPAKaukUL";

impl ShellParser<'_> {
    /// Reads from behind `${` to behind `}`.
    pub(super) fn braced_parameter(
        &mut self,
        scope: ParserScope,
    ) -> ParsedScript<ParameterExpansion> {
        let next = self.raw(1);
        match self.raw(0) {
            Some(b'#') if next != Some(b'}') && next.is_some_and(begins_name) => {
                self.at += 1;
                self.length()
            }
            Some(b'!') if next.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => {
                self.at += 1;
                let mut parameter = self.reference()?;
                parameter.indirect = true;
                self.indirect_operation(&mut parameter, scope)?;
                Ok(parameter)
            }
            _ => {
                let mut parameter = self.reference()?;
                parameter.operation = self.operation(scope)?;
                Ok(parameter)
            }
        }
    }

    fn length(&mut self) -> ParsedScript<ParameterExpansion> {
        let mut parameter = self.reference()?;
        self.expect(b'}', "an unknown parameter expansion")?;
        parameter.operation = Operation::Length;
        Ok(parameter)
    }

    fn indirect_operation(
        &mut self,
        parameter: &mut ParameterExpansion,
        scope: ParserScope,
    ) -> ParsedScript<()> {
        let names = matches!(self.raw(0), Some(b'@' | b'*')) && self.raw(1) == Some(b'}');
        let keys = matches!(
            parameter.subscript,
            Some(Subscript::All | Subscript::Joined)
        );
        if names {
            self.at += 2;
            parameter.operation = Operation::Names;
        } else if keys && self.eat(b'}') {
            parameter.operation = Operation::Keys;
        } else {
            parameter.operation = self.operation(scope)?;
        }
        Ok(())
    }

    /// The name and its subscript.
    fn reference(&mut self) -> ParsedScript<ParameterExpansion> {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length = match identifier(rest) {
            0 if digits > 0 => digits,
            0 => usize::from(self.raw(0).is_some_and(is_special_parameter)),
            length => length,
        };
        let name = self.slice(self.at, self.at + length).to_owned();
        if name.is_empty() {
            return self.fail("an unknown parameter expansion");
        }
        let named = identifier(&name) > 0;
        self.at += length;
        let subscript = if named && self.eat(b'[') {
            Some(self.subscript()?)
        } else {
            None
        };
        Ok(ParameterExpansion {
            name,
            subscript,
            indirect: false,
            operation: Operation::Value,
        })
    }

    fn subscript(&mut self) -> ParsedScript<Subscript> {
        let whole = self.raw(1) == Some(b']');
        let subscript = match self.raw(0) {
            Some(b'@') if whole => {
                self.at += 1;
                Subscript::All
            }
            Some(b'*') if whole => {
                self.at += 1;
                Subscript::Joined
            }
            _ => Subscript::Key(self.word(ParserScope::Subscript)?),
        };
        self.expect(b']', "an unclosed subscript")?;
        Ok(subscript)
    }

    fn operation(&mut self, scope: ParserScope) -> ParsedScript<Operation> {
        let Some(byte) = self.peek() else {
            return self.fail("an unclosed `${`");
        };
        self.at += 1;
        match byte {
            b'}' => Ok(Operation::Value),
            b':' => match self.raw(0).and_then(fallback) {
                Some(kind) => {
                    self.at += 1;
                    self.fallback(kind, true, scope)
                }
                None => self.slice_operation(),
            },
            b'-' | b'=' | b'+' | b'?' => match fallback(byte) {
                Some(kind) => self.fallback(kind, false, scope),
                None => self.fail("an unknown parameter expansion"),
            },
            b'#' => self.trim(End::Prefix, byte),
            b'%' => self.trim(End::Suffix, byte),
            b'/' => self.replace(scope),
            b'^' => self.case(Fold::Upper, byte),
            b',' => self.case(Fold::Lower, byte),
            b'~' => self.case(Fold::Toggle, byte),
            b'@' => self.transform(),
            _ => self.fail("an unknown parameter expansion"),
        }
    }

    fn fallback(
        &mut self,
        kind: ParameterFallback,
        or_empty: bool,
        scope: ParserScope,
    ) -> ParsedScript<Operation> {
        let operand = match scope.quoting() {
            Quoting::Bare => ParserScope::Operand,
            Quoting::Quoted => ParserScope::QuotedOperand,
        };
        let word = self.operand(operand)?;
        Ok(Operation::Fallback {
            kind,
            or_empty,
            word,
        })
    }

    /// A word up to `}`, which is stepped over.
    fn operand(&mut self, scope: ParserScope) -> ParsedScript<Word> {
        let word = self.word_or_nothing(scope)?;
        self.expect(b'}', "an unclosed `${`")?;
        Ok(word)
    }

    fn trim(&mut self, end: End, byte: u8) -> ParsedScript<Operation> {
        let greedy = self.eat(byte);
        let pattern = self.operand(ParserScope::Operand)?;
        Ok(Operation::Trim {
            end,
            greedy,
            pattern,
        })
    }

    fn case(&mut self, fold: Fold, byte: u8) -> ParsedScript<Operation> {
        let all = self.eat(byte);
        let pattern = self.operand(ParserScope::Operand)?;
        Ok(Operation::Case { fold, all, pattern })
    }

    fn replace(&mut self, outer: ParserScope) -> ParsedScript<Operation> {
        let scope = match self.peek() {
            Some(b'/') => ReplaceScope::All,
            Some(b'#') => ReplaceScope::Prefix,
            Some(b'%') => ReplaceScope::Suffix,
            _ => ReplaceScope::First,
        };
        self.at += usize::from(scope != ReplaceScope::First);
        let pattern = self.word_or_nothing(ParserScope::ReplacePattern)?;
        if pattern.parts.is_empty() && !matches!(scope, ReplaceScope::Prefix | ReplaceScope::Suffix)
        {
            return self.fail("a replacement without a pattern");
        }
        let with = if self.eat(b'/') {
            // Whether a single quote quotes inside `"…"` differs between versions of bash.
            self.operand(match outer.quoting() {
                Quoting::Bare => ParserScope::Operand,
                Quoting::Quoted => ParserScope::QuotedReplacement,
            })?
        } else {
            self.expect(b'}', "an unclosed `${`")?;
            Word::default()
        };
        Ok(Operation::Replace {
            scope,
            pattern,
            with,
        })
    }

    fn slice_operation(&mut self) -> ParsedScript<Operation> {
        let offset = self.word_or_nothing(ParserScope::Slice)?;
        let length = if self.eat(b':') {
            Some(self.word_or_nothing(ParserScope::Slice)?)
        } else {
            None
        };
        // A conditional expression has a colon of its own.
        if chooses(&offset) || length.as_ref().is_some_and(chooses) {
            return self.fail("a conditional in a substring expansion");
        }
        self.expect(b'}', "an unclosed `${`")?;
        Ok(Operation::Slice { offset, length })
    }

    fn transform(&mut self) -> ParsedScript<Operation> {
        let letter = self.raw(0).filter(|letter| TRANSFORMS.contains(letter));
        match (letter, self.raw(1)) {
            (Some(letter), Some(b'}')) => {
                self.at += 2;
                Ok(Operation::Transform(char::from(letter)))
            }
            _ => self.fail("an unknown parameter expansion"),
        }
    }
}

/// Whether a `?` stands outside parentheses.
fn chooses(word: &Word) -> bool {
    let mut depth = 0_usize;
    let literals = word.parts.iter().filter_map(|part| match &part.kind {
        PartKind::Literal(text) => Some(text.as_str()),
        PartKind::Parameter(_)
        | PartKind::Command(_)
        | PartKind::Process(..)
        | PartKind::Arithmetic(_) => None,
    });
    for byte in literals.flat_map(str::bytes) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'?' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

fn fallback(byte: u8) -> Option<ParameterFallback> {
    match byte {
        b'-' => Some(ParameterFallback::Use),
        b'=' => Some(ParameterFallback::Assign),
        b'+' => Some(ParameterFallback::Alternative),
        b'?' => Some(ParameterFallback::Fail),
        _ => None,
    }
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || is_special_parameter(byte)
}
