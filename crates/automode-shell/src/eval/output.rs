//! What a command leaves on its standard output.

use super::field::MAX_SIZE;
use crate::ir::{Dynamic, DynamicSource, Piece, Span, Stdin, Taint, Value};
use crate::place::taint_of_input;

/// The output of a command as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandOutput {
    pub(super) data: Data,
    /// Marks of everything that may be in it.
    pub(super) taint: Taint,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Data {
    /// Nothing is written.
    #[default]
    Nothing,
    /// This, and nothing else.
    Text(Value),
    Unknown,
}

impl CommandOutput {
    pub(super) fn unknown(taint: Taint) -> Self {
        Self {
            data: Data::Unknown,
            taint,
        }
    }

    pub(super) fn text(value: Value) -> Self {
        Self {
            taint: value.taint(),
            data: Data::Text(value),
        }
    }

    /// Whether it is names of files and nothing else.
    pub(super) fn is_names(&self) -> bool {
        matches!(&self.data, Data::Text(value) if value.lines_match().is_some())
    }

    /// The output of one command after another.
    pub(super) fn then(self, next: Self) -> Self {
        let data = match (self.data, next.data) {
            (Data::Nothing, data) | (data, Data::Nothing) => data,
            (Data::Text(first), Data::Text(second)) if size(&first) + size(&second) > MAX_SIZE => {
                Data::Unknown
            }
            (Data::Text(mut first), Data::Text(second)) => {
                first.pieces.extend(second.pieces);
                Data::Text(first)
            }
            (Data::Unknown, _) | (_, Data::Unknown) => Data::Unknown,
        };
        Self {
            data,
            taint: self.taint.with(next.taint),
        }
    }

    /// The output of one way or the other.
    pub(super) fn or(self, other: Self) -> Self {
        let taint = self.taint.with(other.taint);
        if self.data == other.data {
            return Self {
                data: self.data,
                taint,
            };
        }
        Self::unknown(taint)
    }

    /// As the input of the next stage.
    pub(super) fn into_stdin(self, span: Span) -> Stdin {
        match self.data {
            Data::Nothing => Stdin::Text(Value::text("", span)),
            Data::Text(value) => Stdin::Text(value),
            Data::Unknown => Stdin::Pipe(self.taint),
        }
    }

    /// As the value of a substitution: newlines at the end are dropped.
    pub(super) fn into_value(self, span: Span) -> Value {
        let mut value = match self.data {
            Data::Nothing => return Value::text("", span),
            Data::Unknown => return Value::dynamic(DynamicSource::Output, self.taint, span),
            Data::Text(value) => value,
        };
        while let Some(Piece::Text(text)) = value.pieces.last_mut() {
            let kept = text.trim_end_matches('\n').len();
            text.truncate(kept);
            if kept > 0 {
                break;
            }
            value.pieces.pop();
        }
        value.span = span;
        value
    }
}

/// The bytes of a value, more or less.
pub(super) fn size(value: &Value) -> usize {
    let sizes = value.pieces.iter().map(|piece| match piece {
        Piece::Text(text) | Piece::Glob(text) => text.len() + 8,
        Piece::Dynamic(_) => 8,
    });
    sizes.sum()
}

/// The marks of what a command reads.
pub(super) fn stdin_taint(stdin: &Stdin) -> Taint {
    taint_of_input(stdin, Taint::NONE)
}

/// A part that is not known, with its marks.
pub(super) fn unknown(taint: Taint) -> Piece {
    Piece::Dynamic(Dynamic {
        source: DynamicSource::Unknown,
        taint,
    })
}
