//! Text that is put together: f-strings, sums, the pieces of a value.

use super::super::known::PYTHON;
use super::Program;
use super::value::{Form, Held, Text, Thing, unknown_piece};
use crate::{Dynamic, DynamicSource, Piece, Taint};
use ruff_python_ast::{InterpolatedStringElement, Operator};

impl Program<'_, '_> {
    pub(super) fn interpolated<'e>(
        &mut self,
        elements: impl Iterator<Item = &'e InterpolatedStringElement>,
    ) -> Thing {
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
                        pieces.push(match value {
                            Thing::Number(_) => number_piece(),
                            Thing::None
                            | Thing::Text(_)
                            | Thing::Data(_)
                            | Thing::Name(_)
                            | Thing::Module(_)
                            | Thing::Object(_)
                            | Thing::Heap(_)
                            | Thing::Function(_)
                            | Thing::Class(_)
                            | Thing::Method(..)
                            | Thing::Either(_)
                            | Thing::Unknown(_) => unknown_piece(taint),
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
        Thing::Text(Text {
            pieces: merged(pieces),
            form: Form::Plain,
        })
    }

    /// A value as part of a text.
    pub(super) fn pieces(&self, thing: &Thing) -> Vec<Piece> {
        match thing {
            Thing::Text(text) => text.pieces.clone(),
            Thing::Number(_) => vec![number_piece()],
            other => vec![unknown_piece(self.taint(other))],
        }
    }

    pub(super) fn combine(
        &mut self,
        op: Operator,
        left: &Thing,
        right: &Thing,
        site: usize,
    ) -> Thing {
        let (left, right) = (&self.settle(left), &self.settle(right));
        match (op, left, right) {
            (Operator::Add, Thing::Text(a), Thing::Text(_) | Thing::Data(_))
                if a.form == Form::Plain =>
            {
                let mut pieces = a.pieces.clone();
                pieces.extend(self.pieces(right));
                Thing::Text(Text {
                    pieces: merged(pieces),
                    form: Form::Plain,
                })
            }
            (Operator::Add, Thing::Heap(_), Thing::Heap(_)) => {
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
            (Operator::Div, Thing::Text(a), _) if a.form == Form::Path => {
                let part = right.clone();
                self.joined_path(&[left.clone(), part], Form::Path)
            }
            (Operator::Div, _, Thing::Text(b)) if b.form == Form::Path => {
                let parts = [left.clone(), right.clone()];
                self.joined_path(&parts, Form::Path)
            }
            (Operator::Mod, Thing::Text(format), _) => self.percent(format, right),
            (_, Thing::Number(_), Thing::Number(_)) => Thing::Number(None),
            (_, object @ Thing::Object(_), _) | (_, _, object @ Thing::Object(_))
                if is_broad(object) =>
            {
                object.clone()
            }
            (Operator::Mult, Thing::Heap(_), _) => {
                let element = self.element(left);
                self.list(site, Vec::new(), Some(element))
            }
            (Operator::BitOr, Thing::Name(_) | Thing::Class(_) | Thing::None, _) => left.clone(),
            (Operator::BitOr, Thing::Heap(_), Thing::Heap(_)) => {
                let mut entries = std::collections::BTreeMap::new();
                let mut rest = None;
                self.spread(left, &mut entries, &mut rest);
                self.spread(right, &mut entries, &mut rest);
                self.hold(site, Held::Dict { entries, rest })
            }
            _ => {
                let taint = self.taint(left).with(self.taint(right));
                if self.state.is_plain(left) && self.state.is_plain(right)
                    || matches!((left, right), (Thing::Object(_), _) | (_, Thing::Object(_)))
                {
                    Thing::Data(taint)
                } else {
                    Thing::Unknown(taint)
                }
            }
        }
    }
}

/// The constant text of a key.
pub(super) fn constant(thing: &Thing) -> Option<String> {
    match thing {
        Thing::Text(text) => text.literal(),
        Thing::None
        | Thing::Number(_)
        | Thing::Data(_)
        | Thing::Name(_)
        | Thing::Module(_)
        | Thing::Object(_)
        | Thing::Heap(_)
        | Thing::Function(_)
        | Thing::Class(_)
        | Thing::Method(..)
        | Thing::Either(_)
        | Thing::Unknown(_) => None,
    }
}

pub(super) fn number_piece() -> Piece {
    Piece::Dynamic(Dynamic {
        source: DynamicSource::Number,
        taint: Taint::NONE,
    })
}

pub(super) fn is_broad(thing: &Thing) -> bool {
    matches!(thing, Thing::Object(object) if PYTHON.is_broad(object.kind))
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
