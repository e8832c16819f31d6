//! Calls: of the program's own functions, of methods, of the library.

use super::super::library::PYTHON;
use super::arguments::CallArguments;
use super::invoke::is_constant;
use super::value::{HeapObject, PyValue};
use super::{ArgumentSource, PyProgram};
use crate::Taint;
use std::rc::Rc;

impl PyProgram<'_, '_> {
    pub(super) fn apply(
        &mut self,
        function: &PyValue,
        given: CallArguments,
        label: &str,
        site: usize,
    ) -> PyValue {
        match function {
            PyValue::Name(name) => match PYTHON.call(name) {
                Some(behaviour) => {
                    let name = Rc::clone(name);
                    self.perform(behaviour, None, &given, &name, site)
                }
                None => self.unknown(name, &given),
            },
            PyValue::Method(receiver, name) => {
                let (receiver, name) = (Rc::clone(receiver), Rc::clone(name));
                self.call_method(&receiver, &name, given, label, site)
            }
            PyValue::Function(function) => {
                let function = Rc::clone(function);
                self.invoke(&function, given, ArgumentSource::Given, site)
            }
            PyValue::Class(class) => {
                let class = Rc::clone(class);
                self.instantiate(&class, given, site)
            }
            PyValue::Either(ways) => ways
                .to_vec()
                .iter()
                .filter(|way| !matches!(way, PyValue::None))
                .map(|way| self.apply(way, given.clone(), label, site))
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|a, b| a.join(&b))
                .unwrap_or(PyValue::None),
            PyValue::Heap(_) if self.has_method(function, "__call__") => {
                self.call_method(function, "__call__", given, label, site)
            }
            PyValue::Object(object) => match PYTHON.method(object.kind, "()") {
                Some(behaviour) => self.perform(behaviour, Some(function), &given, label, site),
                None => self.unknown(label, &given),
            },
            PyValue::Heap(_)
            | PyValue::Module(_)
            | PyValue::None
            | PyValue::Number(_)
            | PyValue::Text(_)
            | PyValue::Data(_)
            | PyValue::Unknown(_) => self.unknown(label, &given),
        }
    }

    /// A call that is not known: a gap, and whatever it was given may be called.
    pub(super) fn unknown(&mut self, label: &str, given: &CallArguments) -> PyValue {
        self.reading.unknown_call(label);
        self.escape_all(given, Taint::UNKNOWN);
        let taint = given
            .all()
            .fold(Taint::UNKNOWN, |taint, thing| taint.with(self.taint(thing)));
        PyValue::Unknown(taint)
    }

    pub(super) fn escape_all(&mut self, given: &CallArguments, taint: Taint) {
        let things: Vec<PyValue> = given.all().cloned().collect();
        for thing in things {
            self.escape(&thing, taint);
        }
    }

    /// Hands a value to code that may call it with any data.
    pub(super) fn escape(&mut self, thing: &PyValue, taint: Taint) {
        let data = || CallArguments::any(taint);
        match thing {
            PyValue::Function(function) => {
                let function = Rc::clone(function);
                self.invoke(&function, data(), ArgumentSource::Any, 0);
            }
            PyValue::Class(class) => {
                let class = Rc::clone(class);
                let instance = self.instantiate(&class, data(), 0);
                self.run_methods(&class, &instance, |_| true);
            }
            PyValue::Name(name) if !is_constant(name) => match PYTHON.call(name) {
                Some(behaviour) if behaviour.effects.is_empty() => {}
                None if PYTHON.is_module(name) => {}
                Some(_) | None => {
                    let name = Rc::clone(name);
                    self.apply(thing, data(), &name, 0);
                }
            },
            PyValue::Method(receiver, name) if !self.state.is_plain(receiver) => {
                let name = Rc::clone(name);
                self.apply(thing, data(), &name, 0);
            }
            PyValue::Either(ways) => {
                for way in ways.iter() {
                    self.escape(way, taint);
                }
            }
            PyValue::Heap(at) => {
                // `Thread(target=f)` hides it behind a keyword, `{"x": f}` behind a key.
                let inside: Vec<PyValue> = match self.state.heap.get(at) {
                    Some(held @ (HeapObject::List { .. } | HeapObject::Dict { .. })) => held
                        .values()
                        .filter(|value| is_callable(value))
                        .cloned()
                        .collect(),
                    Some(HeapObject::Instance { .. }) | None => Vec::new(),
                };
                for value in inside {
                    self.escape(&value, taint);
                }
            }
            PyValue::Name(_)
            | PyValue::Method(..)
            | PyValue::None
            | PyValue::Number(_)
            | PyValue::Text(_)
            | PyValue::Data(_)
            | PyValue::Module(_)
            | PyValue::Object(_)
            | PyValue::Unknown(_) => {}
        }
    }
}

/// Whether something happens when a value is called: a function of the program, or one of the
/// library that reaches outside.
fn is_callable(value: &PyValue) -> bool {
    if let PyValue::Name(name) = value {
        let behaviour = PYTHON.call(name);
        return behaviour.is_some_and(|behaviour| !behaviour.effects.is_empty());
    }
    matches!(
        value,
        PyValue::Function(_) | PyValue::Class(_) | PyValue::Method(..)
    )
}
