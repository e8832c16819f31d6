//! Calls: of the program's own functions, of methods, of the library.

use super::super::known::PYTHON;
use super::given::Given;
use super::invoke::is_constant;
use super::value::{Held, Thing};
use super::{Arguments, Program};
use crate::Taint;
use std::rc::Rc;

impl Program<'_, '_> {
    pub(super) fn apply(
        &mut self,
        function: &Thing,
        given: Given,
        label: &str,
        site: usize,
    ) -> Thing {
        match function {
            Thing::Name(name) => match PYTHON.call(name) {
                Some(behaviour) => {
                    let name = Rc::clone(name);
                    self.perform(behaviour, None, &given, &name, site)
                }
                None => self.unknown(name, &given),
            },
            Thing::Method(receiver, name) => {
                let (receiver, name) = (Rc::clone(receiver), Rc::clone(name));
                self.call_method(&receiver, &name, given, label, site)
            }
            Thing::Function(function) => {
                let function = Rc::clone(function);
                self.invoke(&function, given, Arguments::Given, site)
            }
            Thing::Class(class) => {
                let class = Rc::clone(class);
                self.instantiate(&class, given, site)
            }
            Thing::Either(ways) => ways
                .to_vec()
                .iter()
                .filter(|way| !matches!(way, Thing::None))
                .map(|way| self.apply(way, given.clone(), label, site))
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|a, b| a.join(&b))
                .unwrap_or(Thing::None),
            Thing::Heap(_) if self.has_method(function, "__call__") => {
                self.call_method(function, "__call__", given, label, site)
            }
            Thing::Object(object) => match PYTHON.method(object.kind, "()") {
                Some(behaviour) => self.perform(behaviour, Some(function), &given, label, site),
                None => self.unknown(label, &given),
            },
            Thing::Heap(_)
            | Thing::Module(_)
            | Thing::None
            | Thing::Number(_)
            | Thing::Text(_)
            | Thing::Data(_)
            | Thing::Unknown(_) => self.unknown(label, &given),
        }
    }

    /// A call that is not known: a gap, and whatever it was given may be called.
    pub(super) fn unknown(&mut self, label: &str, given: &Given) -> Thing {
        self.reading.unknown_call(label);
        self.escape_all(given, Taint::UNKNOWN);
        let taint = given
            .all()
            .fold(Taint::UNKNOWN, |taint, thing| taint.with(self.taint(thing)));
        Thing::Unknown(taint)
    }

    pub(super) fn escape_all(&mut self, given: &Given, taint: Taint) {
        let things: Vec<Thing> = given.all().cloned().collect();
        for thing in things {
            self.escape(&thing, taint);
        }
    }

    /// Hands a value to code that may call it with any data.
    pub(super) fn escape(&mut self, thing: &Thing, taint: Taint) {
        let data = || Given::any(taint);
        match thing {
            Thing::Function(function) => {
                let function = Rc::clone(function);
                self.invoke(&function, data(), Arguments::Any, 0);
            }
            Thing::Class(class) => {
                let class = Rc::clone(class);
                let instance = self.instantiate(&class, data(), 0);
                self.run_methods(&class, &instance, |_| true);
            }
            Thing::Name(name) if !is_constant(name) => match PYTHON.call(name) {
                Some(behaviour) if behaviour.deeds.is_empty() => {}
                None if PYTHON.is_module(name) => {}
                Some(_) | None => {
                    let name = Rc::clone(name);
                    self.apply(thing, data(), &name, 0);
                }
            },
            Thing::Method(receiver, name) if !self.state.is_plain(receiver) => {
                let name = Rc::clone(name);
                self.apply(thing, data(), &name, 0);
            }
            Thing::Either(ways) => {
                for way in ways.iter() {
                    self.escape(way, taint);
                }
            }
            Thing::Heap(at) => {
                // `Thread(target=f)` hides it behind a keyword, `{"x": f}` behind a key.
                let inside: Vec<Thing> = match self.state.heap.get(at) {
                    Some(held @ (Held::List { .. } | Held::Dict { .. })) => held
                        .values()
                        .filter(|value| {
                            matches!(
                                value,
                                Thing::Function(_) | Thing::Class(_) | Thing::Method(..)
                            )
                        })
                        .cloned()
                        .collect(),
                    Some(Held::Instance { .. }) | None => Vec::new(),
                };
                for value in inside {
                    self.escape(&value, taint);
                }
            }
            Thing::Name(_)
            | Thing::Method(..)
            | Thing::None
            | Thing::Number(_)
            | Thing::Text(_)
            | Thing::Data(_)
            | Thing::Module(_)
            | Thing::Object(_)
            | Thing::Unknown(_) => {}
        }
    }
}
