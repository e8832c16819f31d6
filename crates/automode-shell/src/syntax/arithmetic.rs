//! Arithmetic: `((…))`, `$((…))`, `$[…]`, and the header of `for ((…))`.
//!
//! The expression stays text with expansions, as bash reads it. But it must have
//! the form of an expression: what only looks like arithmetic could be commands
//! in a subshell, and must not pass as a number.

use super::parser::{ParsedScript, ShellParser};
use super::scope::ParserScope;
use super::tree::{PartKind, Word};

impl ShellParser<'_> {
    /// An expression up to `close`, which is stepped over.
    pub(super) fn arithmetic(&mut self, close: u8) -> ParsedScript<Word> {
        let scope = match close {
            b';' => ParserScope::ArithmeticHeader,
            b']' => ParserScope::LegacyArithmetic,
            _ => ParserScope::Arithmetic,
        };
        let word = self.nested(|parser| parser.word_or_nothing(scope))?;
        self.expect(close, "an unclosed arithmetic expression")?;
        if !is_expression(&word) {
            return self.fail("not an arithmetic expression");
        }
        Ok(word)
    }

    /// Whether the parenthesis whose inside begins at `from` is closed by `))`,
    /// which is how bash tells arithmetic from a subshell in a subshell.
    pub(super) fn closes_as_arithmetic(&self, from: usize) -> bool {
        let mut bytes = self.slice(from, self.end).bytes();
        let mut depth = 0_usize;
        let mut quote = None;
        while let Some(byte) = bytes.next() {
            match (quote, byte) {
                (Some(b'\''), b'\'') | (Some(b'"'), b'"') => quote = None,
                (None | Some(b'"'), b'\\') => {
                    bytes.next();
                }
                (Some(_), _) => {}
                (None, b'\'' | b'"') => quote = Some(byte),
                (None, b'(') => depth += 1,
                (None, b')') if depth == 0 => return bytes.next() == Some(b')'),
                (None, b')') => depth -= 1,
                (None, _) => {}
            }
        }
        false
    }
}

/// Operands and operators in turn, so that two words in a row are refused, as is
/// an operator with nothing behind it.
fn is_expression(word: &Word) -> bool {
    let mut pieces = Vec::new();
    for part in &word.parts {
        match &part.kind {
            PartKind::Literal(text) => pieces.extend(text.chars().map(Some)),
            PartKind::Parameter(_) | PartKind::Command(_) | PartKind::Arithmetic(_) => {
                pieces.push(None);
            }
            PartKind::Process(..) => return false,
        }
    }
    let mut last = ArithmeticToken::Start;
    for piece in pieces {
        let Some(token) = ArithmeticToken::of(piece) else {
            return false;
        };
        match (last, token) {
            (_, ArithmeticToken::Blank) if last != ArithmeticToken::Operand => continue,
            // A blank ends an operand: another one must not follow.
            (ArithmeticToken::Closed, ArithmeticToken::Operand) => return false,
            (_, ArithmeticToken::Blank) => last = ArithmeticToken::Closed,
            (ArithmeticToken::Sign(before), ArithmeticToken::Sign(sign)) if before == sign => {
                last = ArithmeticToken::Doubled
            }
            _ => last = token,
        }
    }
    !matches!(last, ArithmeticToken::Sign(_) | ArithmeticToken::Operator)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ArithmeticToken {
    Start,
    Blank,
    Operand,
    /// An operand that is complete: only an operator may follow.
    Closed,
    /// `+` or `-`, which doubled stand behind an operand or in front of one.
    Sign(char),
    Doubled,
    Operator,
}

impl ArithmeticToken {
    fn of(piece: Option<char>) -> Option<Self> {
        match piece {
            None => Some(Self::Operand),
            Some(' ' | '\t' | '\n') => Some(Self::Blank),
            Some(')' | ']') => Some(Self::Closed),
            Some(sign @ ('+' | '-')) => Some(Self::Sign(sign)),
            Some(
                '(' | '[' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '~' | '&' | '|' | '^' | '?'
                | ':' | ',',
            ) => Some(Self::Operator),
            Some(other) if other.is_ascii_alphanumeric() || matches!(other, '_' | '#' | '.') => {
                Some(Self::Operand)
            }
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::guard;
    use crate::syntax;

    fn check(text: &str, accepted: bool) {
        let admitted = guard::admit(text).expect(text);
        let parsed = syntax::parse(admitted, syntax::TextOrigin::Typed);
        assert_eq!(parsed.is_ok(), accepted, "{text}: {parsed:?}");
    }

    #[test]
    fn expressions_are_told_from_commands() {
        for text in [
            "((1))",
            "((i++))",
            "((++i))",
            "((i--, j += 2))",
            "(( a[1] = b ? c : -d ))",
            "((16#ff))",
            "(())",
            "(( (1 + 2) * 3 ))",
            "((x=$y$z))",
            "((!a))",
            "((a**2 << 1))",
            "echo $((  ))",
            "echo $((1 + -1))",
        ] {
            check(text, true);
        }
        for text in [
            "((rm -rf /))",
            "((a b))",
            "((a; b))",
            "((a + ))",
            "((a $b))",
            "((echo 'a'))",
        ] {
            check(text, false);
        }
    }
}
