//! Expressions.

use super::Program;
use super::state::join_options;
use super::text::{constant, is_broad};
use super::value::{Held, Thing};
use crate::{GapKind, Taint};
use ruff_python_ast::{Expr, Number};

/// Nested evaluations, calls of the program's functions included.
const DEPTH: usize = 160;

impl Program<'_, '_> {
    pub(super) fn eval(&mut self, expression: &Expr) -> Thing {
        if !self.step() {
            return Thing::Unknown(Taint::UNKNOWN);
        }
        if self.depth >= DEPTH {
            self.reading.gap(GapKind::Budget);
            return Thing::Unknown(Taint::UNKNOWN);
        }
        self.depth = self.depth.saturating_add(1);
        let value = self.evaluate(expression);
        self.depth = self.depth.saturating_sub(1);
        value
    }

    fn evaluate(&mut self, expression: &Expr) -> Thing {
        match expression {
            Expr::Name(node) => self.lookup(&node.id),
            Expr::Attribute(node) => self.attribute_of(node),
            Expr::Call(node) => self.call(node),
            Expr::Subscript(node) => self.subscript(node),
            Expr::StringLiteral(node) => Thing::text(node.value.to_str()),
            Expr::BytesLiteral(node) => {
                let bytes: Vec<u8> = node.value.bytes().collect();
                match String::from_utf8(bytes) {
                    Ok(text) => Thing::text(text),
                    Err(_) => Thing::Data(Taint::NONE),
                }
            }
            Expr::FString(node) => self.interpolated(node.value.elements()),
            Expr::TString(node) => self.interpolated(node.value.elements()),
            Expr::NumberLiteral(node) => match &node.value {
                Number::Int(int) => Thing::Number(int.as_u64()),
                Number::Float(_) | Number::Complex { .. } => Thing::Number(None),
            },
            Expr::BooleanLiteral(_) => Thing::Number(None),
            Expr::NoneLiteral(_) | Expr::EllipsisLiteral(_) => Thing::None,
            Expr::List(node) => self.display(&node.elts, usize::from(node.range.start())),
            Expr::Tuple(node) => self.display(&node.elts, usize::from(node.range.start())),
            Expr::Set(node) => self.display(&node.elts, usize::from(node.range.start())),
            Expr::Dict(node) => {
                let mut entries = std::collections::BTreeMap::new();
                let mut rest = None;
                for item in &node.items {
                    let value = self.eval(&item.value);
                    match item.key.as_ref().map(|key| self.eval(key)) {
                        Some(key) => match constant(&key) {
                            Some(key) => {
                                entries.insert(key, value);
                            }
                            None => rest = join_options(rest, Some(value)),
                        },
                        None => self.spread(&value, &mut entries, &mut rest),
                    }
                }
                self.hold(
                    usize::from(node.range.start()),
                    Held::Dict { entries, rest },
                )
            }
            Expr::BinOp(node) => {
                let left = self.eval(&node.left);
                let right = self.eval(&node.right);
                self.combine(node.op, &left, &right, usize::from(node.range.start()))
            }
            Expr::UnaryOp(node) => match self.eval(&node.operand) {
                Thing::Number(_) => Thing::Number(None),
                object @ Thing::Object(_) => object,
                other => Thing::Data(self.taint(&other)),
            },
            Expr::BoolOp(node) => node
                .values
                .iter()
                .map(|value| self.eval(value))
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|a, b| a.join(&b))
                .unwrap_or(Thing::None),
            Expr::Compare(node) => {
                let left = self.eval(&node.left);
                let mut broad = is_broad(&left).then(|| left.clone());
                for value in &node.comparators {
                    let value = self.eval(value);
                    if is_broad(&value) {
                        broad = Some(value);
                    }
                }
                broad.unwrap_or(Thing::Number(None))
            }
            Expr::If(node) => {
                self.eval(&node.test);
                let body = self.eval(&node.body);
                let orelse = self.eval(&node.orelse);
                body.join(&orelse)
            }
            Expr::Named(node) => {
                let value = self.eval(&node.value);
                self.assign(&node.target, value.clone());
                value
            }
            Expr::Lambda(node) => self.lambda(node),
            Expr::ListComp(node) => self.comprehension(
                &node.generators,
                &[&node.elt],
                usize::from(node.range.start()),
            ),
            Expr::SetComp(node) => self.comprehension(
                &node.generators,
                &[&node.elt],
                usize::from(node.range.start()),
            ),
            Expr::Generator(node) => self.comprehension(
                &node.generators,
                &[&node.elt],
                usize::from(node.range.start()),
            ),
            Expr::DictComp(node) => self.dict_comprehension(node),
            Expr::Await(node) => self.eval(&node.value),
            Expr::Yield(node) => {
                let value = node
                    .value
                    .as_ref()
                    .map_or(Thing::None, |value| self.eval(value));
                self.yields(value)
            }
            Expr::YieldFrom(node) => {
                let over = self.eval(&node.value);
                let value = self.element(&over);
                self.yields(value)
            }
            Expr::Starred(node) => self.eval(&node.value),
            Expr::Slice(node) => {
                for part in [&node.lower, &node.upper, &node.step].into_iter().flatten() {
                    self.eval(part);
                }
                Thing::Number(None)
            }
            Expr::IpyEscapeCommand(_) => Thing::Unknown(Taint::UNKNOWN),
        }
    }

    fn yields(&mut self, value: Thing) -> Thing {
        if let Some(frame) = self.state.frames.last_mut() {
            frame.yielded = join_options(frame.yielded.take(), Some(value));
        }
        Thing::Data(Taint::UNKNOWN)
    }
}
