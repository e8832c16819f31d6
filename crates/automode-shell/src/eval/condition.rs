//! `[[ … ]]`, and texts that bash evaluates as names or expressions.

use super::Evaluator;
use super::shell_state::ShellState;
use crate::ir::{DynamicSource, GapKind, Piece, Taint, Value};
use crate::syntax::{Condition, Word};

impl Evaluator<'_> {
    pub(super) fn condition(&mut self, condition: &Condition, shell: &mut ShellState) {
        match condition {
            Condition::Not(inner) => self.condition(inner, shell),
            Condition::Both(left, right) => {
                self.condition(left, shell);
                self.condition(right, shell);
            }
            Condition::Either(left, right) => {
                self.condition(left, shell);
                // `[[ a || rm x ]]`: a shell that has no `[[` runs `rm`.
                if let Some(word) = first_word(right).filter(|word| !is_option(word)) {
                    self.gap(foreign(), word.span);
                }
                self.condition(right, shell);
            }
            Condition::Unary { operator, operand } => {
                let value = self.single(operand, shell);
                // `[[ -v 'a[$(id)]' ]]` runs `id`: the subscript is expanded again.
                if matches!(operator.as_str(), "-v" | "-R") {
                    self.evaluated_name(&value, shell);
                }
            }
            Condition::Binary {
                left,
                operator,
                right,
            } => {
                // `[[ 'a[$(id)]' -eq 0 ]]` runs `id`: both sides are expressions.
                let arithmetic = matches!(
                    operator.as_str(),
                    "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"
                );
                for word in [left, right] {
                    let value = self.single(word, shell);
                    if arithmetic {
                        self.evaluate(&value, shell, word.span);
                    }
                }
            }
            Condition::Word(word) => {
                self.single(word, shell);
            }
        }
    }

    /// A text that bash evaluates as a name or an expression: a subscript in it
    /// is expanded again and may run commands.
    pub(super) fn evaluated_name(&mut self, value: &Value, shell: &ShellState) {
        let substitutes = |text: &str| text.contains("$(") || text.contains('`');
        let runs = value.pieces.iter().any(|piece| match piece {
            Piece::Text(text) | Piece::Glob(text) => substitutes(text),
            Piece::Dynamic(dynamic) => match &dynamic.source {
                DynamicSource::OneOf(texts) => texts.iter().any(|text| substitutes(text)),
                DynamicSource::Number | DynamicSource::Name => false,
                DynamicSource::Variable(_)
                | DynamicSource::Argument
                | DynamicSource::Output
                | DynamicSource::Item
                | DynamicSource::Unknown => {
                    dynamic.taint.has(Taint::NETWORK) || dynamic.taint.has(Taint::DECODED)
                }
            },
        });
        if !runs {
            return;
        }
        let kind = GapKind::Syntax("text that is evaluated as an expression".to_owned());
        self.gap(kind, value.span);
        if let Some(text) = value.literal() {
            self.expanded_again(&text, "expression", value.span, shell);
        }
    }
}

/// A shell that knows neither `((` nor `[[` would run what stands in them.
pub(super) fn foreign() -> GapKind {
    GapKind::Syntax("an expression that other shells run as a command".to_owned())
}

pub(super) fn first_word(condition: &Condition) -> Option<&Word> {
    match condition {
        Condition::Not(_) | Condition::Unary { .. } => None,
        Condition::Both(left, _) | Condition::Either(left, _) => first_word(left),
        Condition::Binary { left, .. } => Some(left),
        Condition::Word(word) => Some(word),
    }
}

pub(super) fn is_option(word: &Word) -> bool {
    word.bare().is_some_and(|text| text.starts_with('-'))
}
