//! Parts of a whole: subscripts, slices, elements, displays.

use super::super::library::PYTHON;
use super::PyProgram;
use super::arguments::CallArguments;
use super::state::join_options;
use super::text::constant;
use super::value::{HeapObject, PyValue, TextForm};
use crate::Taint;
use ruff_python_ast::{Expr, ExprSubscript, Number};

impl PyProgram<'_, '_> {
    pub(super) fn subscript(&mut self, node: &ExprSubscript) -> PyValue {
        let receiver = self.eval(&node.value);
        let receiver = self.settle(&receiver);
        let key = self.eval(&node.slice);
        let index = match &*node.slice {
            Expr::NumberLiteral(number) => match &number.value {
                Number::Int(int) => int.as_usize(),
                Number::Float(_) | Number::Complex { .. } => None,
            },
            _ => None,
        };
        let slice = matches!(&*node.slice, Expr::Slice(_));
        let site = usize::from(node.range.start());
        let found: Vec<PyValue> = receiver
            .ways()
            .to_vec()
            .iter()
            .map(|way| {
                if slice {
                    self.slice(way, site)
                } else {
                    self.item(way, &key, index)
                }
            })
            .collect();
        found
            .into_iter()
            .reduce(|a, b| a.join(&b))
            .unwrap_or(PyValue::None)
    }

    fn slice(&mut self, receiver: &PyValue, site: usize) -> PyValue {
        match receiver {
            PyValue::Heap(_) => {
                let element = self.element(receiver);
                self.list(site, Vec::new(), Some(element))
            }
            PyValue::Text(_) | PyValue::Number(_) | PyValue::None => {
                PyValue::Data(receiver.taint())
            }
            other => other.clone(),
        }
    }

    pub(super) fn item(
        &mut self,
        receiver: &PyValue,
        key: &PyValue,
        index: Option<usize>,
    ) -> PyValue {
        match receiver {
            PyValue::Heap(at) => match self.state.heap.get(at) {
                Some(HeapObject::List { items, rest }) => {
                    match index.and_then(|index| items.get(index)) {
                        Some(item) => item.clone(),
                        None if index.is_some() && rest.is_none() => PyValue::None,
                        None => self.element(receiver),
                    }
                }
                Some(HeapObject::Dict { entries, rest }) => {
                    let named = constant(key).and_then(|key| entries.get(&key).cloned());
                    let any = entries
                        .values()
                        .chain(rest)
                        .cloned()
                        .reduce(|a, b| a.join(&b));
                    match (constant(key), named, rest) {
                        (Some(_), Some(value), None) => value,
                        (Some(_), Some(value), Some(rest)) => value.join(rest),
                        (Some(_), None, Some(rest)) => rest.clone(),
                        (Some(_), None, None) => PyValue::None,
                        (None, ..) => any.unwrap_or(PyValue::None),
                    }
                }
                Some(HeapObject::Instance { .. }) if self.has_method(receiver, "__getitem__") => {
                    self.call_method(
                        receiver,
                        "__getitem__",
                        CallArguments::of(vec![key.clone()]),
                        "__getitem__",
                        0,
                    )
                }
                Some(HeapObject::Instance { .. }) | None => PyValue::Unknown(Taint::UNKNOWN),
            },
            PyValue::Object(object) if object.kind == "environ" => {
                let name = constant(key);
                self.variable(name.as_deref())
            }
            PyValue::Object(_) => self.element(receiver),
            PyValue::Text(_) | PyValue::Number(_) | PyValue::None | PyValue::Data(_) => {
                PyValue::Data(receiver.taint())
            }
            // `list[int]`, `Callable[[str], None]`.
            PyValue::Name(_) | PyValue::Class(_) => receiver.clone(),
            PyValue::Module(_)
            | PyValue::Function(_)
            | PyValue::Method(..)
            | PyValue::Either(_)
            | PyValue::Unknown(_) => PyValue::Unknown(receiver.taint()),
        }
    }

    pub(super) fn display(&mut self, elements: &[Expr], site: usize) -> PyValue {
        let mut items = Vec::new();
        let mut rest = None;
        for element in elements {
            let value = self.eval(element);
            match (element, self.items(&value)) {
                (Expr::Starred(_), Some(more)) if rest.is_none() => items.extend(more),
                (Expr::Starred(_), _) => {
                    let element = self.element(&value);
                    rest = join_options(rest, Some(element));
                }
                (_, _) if rest.is_some() => rest = join_options(rest, Some(value)),
                (_, _) => items.push(value),
            }
        }
        self.list(site, items, rest)
    }

    pub(super) fn spread(
        &mut self,
        value: &PyValue,
        entries: &mut std::collections::BTreeMap<String, PyValue>,
        rest: &mut Option<PyValue>,
    ) {
        let held = value.as_heap().and_then(|at| self.state.heap.get(at));
        let held = held.cloned();
        match held {
            Some(HeapObject::Dict {
                entries: more,
                rest: others,
            }) => {
                entries.extend(more);
                *rest = join_options(rest.take(), others);
            }
            Some(HeapObject::List { .. } | HeapObject::Instance { .. }) | None => {
                let taint = self.taint(value);
                *rest = join_options(rest.take(), Some(PyValue::Data(taint)));
            }
        }
    }

    /// The exact items of a list.
    pub(super) fn items(&self, thing: &PyValue) -> Option<Vec<PyValue>> {
        let PyValue::Heap(at) = thing else {
            return None;
        };
        match self.state.heap.get(at)? {
            HeapObject::List { items, rest: None } => Some(items.clone()),
            HeapObject::List { .. } | HeapObject::Dict { .. } | HeapObject::Instance { .. } => None,
        }
    }

    /// One value for everything that a loop over this one gives.
    pub(super) fn element(&mut self, thing: &PyValue) -> PyValue {
        match thing {
            PyValue::Heap(_) => match self.state.element(thing) {
                Some(element) => element,
                None if self.has_method(thing, "__iter__") => {
                    let over = self.call_method(
                        thing,
                        "__iter__",
                        CallArguments::default(),
                        "__iter__",
                        0,
                    );
                    if over.same(thing) {
                        return self.call_method(
                            thing,
                            "__next__",
                            CallArguments::default(),
                            "__next__",
                            0,
                        );
                    }
                    self.element(&over)
                }
                None => PyValue::Unknown(Taint::UNKNOWN),
            },
            PyValue::Object(object) => match PYTHON.method(object.kind, "for") {
                Some(behaviour) => {
                    self.perform(behaviour, Some(thing), &CallArguments::default(), "for", 0)
                }
                None => PyValue::Data(object.taint),
            },
            PyValue::Text(text) if text.form == TextForm::Path => thing.clone(),
            PyValue::None | PyValue::Text(_) | PyValue::Data(_) => PyValue::Data(thing.taint()),
            PyValue::Number(_) => PyValue::Number(None),
            PyValue::Either(ways) => ways
                .iter()
                .map(|way| self.element(way))
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|a, b| a.join(&b))
                .unwrap_or(PyValue::None),
            PyValue::Method(..) => {
                let settled = self.settle(thing);
                match settled {
                    PyValue::Method(..) => PyValue::Unknown(Taint::UNKNOWN),
                    settled => self.element(&settled),
                }
            }
            // An enumeration lists its members.
            PyValue::Class(_) => PyValue::Data(Taint::NONE),
            PyValue::Name(_) | PyValue::Module(_) | PyValue::Function(_) | PyValue::Unknown(_) => {
                PyValue::Unknown(thing.taint())
            }
        }
    }
}
