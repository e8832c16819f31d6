//! Where a piece of text stands: what ends it there and which characters are special.

use super::tree::Quoting;

/// Where a piece of text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParserScope {
    /// A word of a command.
    Argument,
    /// Inside `name[…]`.
    Subscript,
    /// The word of a `${name…}` outside quotes, or a pattern in it anywhere.
    Operand,
    /// The word of a `"${name:-…}"`.
    QuotedOperand,
    /// The replacement of a `"${name/…/…}"`.
    QuotedReplacement,
    /// The pattern of a `${name/…/}`.
    ReplacePattern,
    /// An offset or a length of `${name:…:…}`.
    Slice,
    /// Inside `"…"`.
    Double,
    /// The body of a here-document that expands.
    Document,
    /// Inside `((…))`.
    Arithmetic,
    /// An expression of `for ((…;…;…))` that ends with `;`.
    ArithmeticHeader,
    /// Inside `$[…]`.
    LegacyArithmetic,
    /// A word of `[[ … ]]`.
    Condition,
    /// The right side of `=~`.
    Regex,
}

/// What a single quote means in a scope.
pub(super) enum Single {
    Quotes,
    Literal,
    /// It is text, but what stands up to the next one cannot end the word.
    Pairs,
    Refused,
}

impl ParserScope {
    pub(super) fn stops(self, byte: u8, next: Option<u8>) -> bool {
        match self {
            Self::Argument => ends_word(byte, next),
            Self::Condition => ends_word(byte, next),
            Self::Regex => matches!(byte, b' ' | b'\t' | b'\n' | b')' | b';' | b'&'),
            Self::Subscript | Self::LegacyArithmetic => byte == b']',
            Self::Operand | Self::QuotedOperand | Self::QuotedReplacement => byte == b'}',
            Self::ReplacePattern => matches!(byte, b'}' | b'/'),
            Self::Slice => matches!(byte, b'}' | b':'),
            Self::Double => byte == b'"',
            Self::Document => false,
            Self::Arithmetic => byte == b')',
            Self::ArithmeticHeader => matches!(byte, b';' | b')'),
        }
    }

    /// The pair that nests, so that its inside cannot end the text.
    pub(super) fn pair(self) -> Option<(u8, u8)> {
        match self {
            Self::Subscript | Self::LegacyArithmetic => Some((b'[', b']')),
            Self::Slice
            | Self::Arithmetic
            | Self::ArithmeticHeader
            | Self::Argument
            | Self::Condition
            | Self::Regex => Some((b'(', b')')),
            Self::Operand
            | Self::QuotedOperand
            | Self::QuotedReplacement
            | Self::ReplacePattern
            | Self::Double
            | Self::Document => None,
        }
    }

    /// Only where a single quote quotes is a word bare.
    pub(super) fn quoting(self) -> Quoting {
        match self.single() {
            Single::Quotes => Quoting::Bare,
            Single::Literal | Single::Pairs | Single::Refused => Quoting::Quoted,
        }
    }

    pub(super) fn single(self) -> Single {
        match self {
            Self::Argument
            | Self::Operand
            | Self::ReplacePattern
            | Self::Condition
            | Self::Regex
            | Self::Subscript => Single::Quotes,
            Self::Double | Self::Document => Single::Literal,
            Self::QuotedOperand => Single::Pairs,
            Self::QuotedReplacement
            | Self::Slice
            | Self::Arithmetic
            | Self::ArithmeticHeader
            | Self::LegacyArithmetic => Single::Refused,
        }
    }

    /// The bytes that a backslash protects; everything where nothing is quoted.
    pub(super) fn escapable(self, byte: u8) -> bool {
        match self {
            Self::Double
            | Self::Slice
            | Self::Arithmetic
            | Self::ArithmeticHeader
            | Self::LegacyArithmetic => {
                matches!(byte, b'$' | b'`' | b'"' | b'\\')
            }
            Self::QuotedOperand | Self::QuotedReplacement => {
                matches!(byte, b'$' | b'`' | b'"' | b'\\' | b'}')
            }
            Self::Document => matches!(byte, b'$' | b'`' | b'\\'),
            Self::Argument
            | Self::Subscript
            | Self::Operand
            | Self::ReplacePattern
            | Self::Condition
            | Self::Regex => true,
        }
    }
}

pub(super) fn ends_word(byte: u8, next: Option<u8>) -> bool {
    match byte {
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' => true,
        b'<' | b'>' => next != Some(b'('),
        _ => false,
    }
}
