//! Text that is put together: f-strings, sums, the pieces of a value.

use super::super::library::PYTHON;
use super::PyProgram;
use super::value::{HeapObject, PyText, PyValue, TextForm, unknown_piece};
use crate::{Dynamic, DynamicSource, Piece, Taint};
use ruff_python_ast::{InterpolatedStringElement, Operator};

impl PyProgram<'_, '_> {
    pub(super) fn interpolated<'e>(
        &mut self,
        elements: impl Iterator<Item = &'e InterpolatedStringElement>,
    ) -> PyValue {
        let mut pieces = Vec::new();
        for element in elements {
            match element {
                InterpolatedStringElement::Literal(literal) => {
                    pieces.push(Piece::Text(literal.value.to_string()));
                }
                InterpolatedStringElement::Interpolation(part) => {
                    let value = self.eval(&part.expression);
                    if part.format_spec.is_some() || part.debug_text.is_some() {
                        let taint = self.taint(&value);
                        pieces.push(if matches!(value, PyValue::Number(_)) {
                            number_piece()
                        } else {
                            unknown_piece(taint)
                        });
                    } else {
                        pieces.extend(self.pieces(&value));
                    }
                    if let Some(format) = &part.format_spec {
                        for element in &format.elements {
                            if let InterpolatedStringElement::Interpolation(part) = element {
                                self.eval(&part.expression);
                            }
                        }
                    }
                }
            }
        }
        PyValue::Text(PyText {
            pieces: merged(pieces),
            form: TextForm::Plain,
        })
    }

    /// A value as part of a text.
    pub(super) fn pieces(&self, thing: &PyValue) -> Vec<Piece> {
        match thing {
            PyValue::Text(text) => text.pieces.clone(),
            PyValue::Number(_) => vec![number_piece()],
            other => vec![unknown_piece(self.taint(other))],
        }
    }

    pub(super) fn combine(
        &mut self,
        op: Operator,
        left: &PyValue,
        right: &PyValue,
        site: usize,
    ) -> PyValue {
        let (left, right) = (&self.settle(left), &self.settle(right));
        match (op, left, right) {
            (Operator::Add, PyValue::Text(a), PyValue::Text(_) | PyValue::Data(_))
                if a.form == TextForm::Plain =>
            {
                let mut pieces = a.pieces.clone();
                pieces.extend(self.pieces(right));
                PyValue::Text(PyText {
                    pieces: merged(pieces),
                    form: TextForm::Plain,
                })
            }
            (Operator::Add, PyValue::Heap(_), PyValue::Heap(_)) => {
                match (self.items(left), self.items(right)) {
                    (Some(mut items), Some(more)) => {
                        items.extend(more);
                        self.list(site, items, None)
                    }
                    (Some(items), None) => {
                        let rest = self.element(right);
                        self.list(site, items, Some(rest))
                    }
                    (None, _) => {
                        let rest = self.element(left).join(&self.element(right));
                        self.list(site, Vec::new(), Some(rest))
                    }
                }
            }
            (Operator::Div, PyValue::Text(a), _) if a.form == TextForm::Path => {
                let part = right.clone();
                self.joined_path(&[left.clone(), part], TextForm::Path)
            }
            (Operator::Div, _, PyValue::Text(b)) if b.form == TextForm::Path => {
                let parts = [left.clone(), right.clone()];
                self.joined_path(&parts, TextForm::Path)
            }
            (Operator::Mod, PyValue::Text(format), _) => self.percent(format, right),
            (_, PyValue::Number(_), PyValue::Number(_)) => PyValue::Number(None),
            (_, object @ PyValue::Object(_), _) | (_, _, object @ PyValue::Object(_))
                if is_broad(object) =>
            {
                object.clone()
            }
            (Operator::Mult, PyValue::Heap(_), _) => {
                let element = self.element(left);
                self.list(site, Vec::new(), Some(element))
            }
            (Operator::BitOr, PyValue::Name(_) | PyValue::Class(_) | PyValue::None, _) => {
                left.clone()
            }
            (Operator::BitOr, PyValue::Heap(_), PyValue::Heap(_)) => {
                let mut entries = std::collections::BTreeMap::new();
                let mut rest = None;
                self.spread(left, &mut entries, &mut rest);
                self.spread(right, &mut entries, &mut rest);
                self.hold(site, HeapObject::Dict { entries, rest })
            }
            _ => {
                let taint = self.taint(left).with(self.taint(right));
                if self.state.is_plain(left) && self.state.is_plain(right)
                    || matches!(
                        (left, right),
                        (PyValue::Object(_), _) | (_, PyValue::Object(_))
                    )
                {
                    PyValue::Data(taint)
                } else {
                    PyValue::Unknown(taint)
                }
            }
        }
    }
}

/// The constant text of a key.
pub(super) fn constant(thing: &PyValue) -> Option<String> {
    thing.as_text().and_then(PyText::literal)
}

pub(super) fn number_piece() -> Piece {
    Piece::Dynamic(Dynamic {
        source: DynamicSource::Number,
        taint: Taint::NONE,
    })
}

pub(super) fn is_broad(thing: &PyValue) -> bool {
    matches!(thing, PyValue::Object(object) if PYTHON.is_broad(object.kind))
}

/// Neighbouring known texts become one.
pub(super) fn merged(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (merged.last_mut(), piece) {
            (Some(Piece::Text(last)), Piece::Text(text)) => last.push_str(&text),
            (_, piece) => merged.push(piece),
        }
    }
    merged
}
