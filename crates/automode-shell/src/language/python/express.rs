//! Expressions.

use super::PyProgram;
use super::state::join_options;
use super::text::{constant, is_broad};
use super::value::{HeapObject, PyValue};
use crate::{GapKind, Taint};
use ruff_python_ast::{Expr, ExprCompare, ExprDict, Number};

/// Nested evaluations, calls of the program's functions included.
pub(super) const DEPTH: usize = 160;

impl PyProgram<'_, '_> {
    pub(super) fn eval(&mut self, expression: &Expr) -> PyValue {
        if !self.step() {
            return PyValue::Unknown(Taint::UNKNOWN);
        }
        if self.depth >= DEPTH {
            self.reading.gap(GapKind::Budget);
            return PyValue::Unknown(Taint::UNKNOWN);
        }
        self.depth = self.depth.saturating_add(1);
        let value = self.evaluate(expression);
        self.depth = self.depth.saturating_sub(1);
        value
    }

    fn evaluate(&mut self, expression: &Expr) -> PyValue {
        match expression {
            Expr::Name(node) => self.lookup(&node.id),
            Expr::Attribute(node) => self.attribute_of(node),
            Expr::Call(node) => self.call(node),
            Expr::Subscript(node) => self.subscript(node),
            Expr::StringLiteral(node) => PyValue::text(node.value.to_str()),
            Expr::BytesLiteral(node) => {
                let bytes: Vec<u8> = node.value.bytes().collect();
                match String::from_utf8(bytes) {
                    Ok(text) => PyValue::text(text),
                    Err(_) => PyValue::Data(Taint::NONE),
                }
            }
            Expr::FString(node) => self.interpolated(node.value.elements()),
            Expr::TString(node) => self.interpolated(node.value.elements()),
            Expr::NumberLiteral(node) => match &node.value {
                Number::Int(int) => PyValue::Number(int.as_u64()),
                Number::Float(_) | Number::Complex { .. } => PyValue::Number(None),
            },
            Expr::BooleanLiteral(_) => PyValue::Number(None),
            Expr::NoneLiteral(_) | Expr::EllipsisLiteral(_) => PyValue::None,
            Expr::List(node) => self.display(&node.elts, usize::from(node.range.start())),
            Expr::Tuple(node) => self.display(&node.elts, usize::from(node.range.start())),
            Expr::Set(node) => self.display(&node.elts, usize::from(node.range.start())),
            Expr::Dict(node) => self.dict(node),
            Expr::BinOp(node) => {
                let left = self.eval(&node.left);
                let right = self.eval(&node.right);
                self.combine(node.op, &left, &right, usize::from(node.range.start()))
            }
            Expr::UnaryOp(node) => match self.eval(&node.operand) {
                PyValue::Number(_) => PyValue::Number(None),
                object @ PyValue::Object(_) => object,
                other => PyValue::Data(self.taint(&other)),
            },
            Expr::BoolOp(node) => node
                .values
                .iter()
                .map(|value| self.eval(value))
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|a, b| a.join(&b))
                .unwrap_or(PyValue::None),
            Expr::Compare(node) => self.compare(node),
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
                    .map_or(PyValue::None, |value| self.eval(value));
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
                PyValue::Number(None)
            }
            Expr::IpyEscapeCommand(_) => PyValue::Unknown(Taint::UNKNOWN),
        }
    }

    fn dict(&mut self, node: &ExprDict) -> PyValue {
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
            HeapObject::Dict { entries, rest },
        )
    }

    fn compare(&mut self, node: &ExprCompare) -> PyValue {
        let left = self.eval(&node.left);
        let mut broad = is_broad(&left).then(|| left.clone());
        for value in &node.comparators {
            let value = self.eval(value);
            if is_broad(&value) {
                broad = Some(value);
            }
        }
        broad.unwrap_or(PyValue::Number(None))
    }

    fn yields(&mut self, value: PyValue) -> PyValue {
        if let Some(frame) = self.state.frames.last_mut() {
            frame.yielded = join_options(frame.yielded.take(), Some(value));
        }
        PyValue::Data(Taint::UNKNOWN)
    }
}
