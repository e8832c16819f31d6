//! Methods of values, instances, classes and containers.

use super::super::known::PYTHON;
use super::attribute::find_member;
use super::given::Given;
use super::state::join_options;
use super::value::{Binding, Class, Form, Held, Thing};
use super::{Arguments, Program};
use crate::Taint;
use std::rc::Rc;

impl Program<'_, '_> {
    pub(super) fn has_method(&self, thing: &Thing, name: &str) -> bool {
        let Thing::Heap(at) = thing else { return false };
        match self.state.heap.get(at) {
            Some(Held::Instance { class, .. }) => {
                matches!(find_member(class, name), Some(Thing::Function(_)))
            }
            Some(Held::List { .. } | Held::Dict { .. }) | None => false,
        }
    }

    pub(super) fn call_method(
        &mut self,
        receiver: &Thing,
        name: &str,
        given: Given,
        label: &str,
        site: usize,
    ) -> Thing {
        let described = |kind: &str| PYTHON.method(kind, name);
        match receiver {
            Thing::Heap(at) => match self.state.heap.get(at) {
                Some(Held::Instance { class, .. }) => {
                    let class = Rc::clone(class);
                    self.instance_method(receiver, &class, name, given, label, site)
                }
                Some(Held::List { .. } | Held::Dict { .. }) | None => {
                    self.container_method(receiver, *at, name, given, label, site)
                }
            },
            Thing::Class(class) => {
                let class = Rc::clone(class);
                self.class_method(&class, name, given, label, site)
            }
            Thing::Text(text) if text.form == Form::Path => {
                match described("path").or_else(|| described("data")) {
                    Some(behaviour) => self.perform(behaviour, Some(receiver), &given, label, site),
                    None => self.unknown(label, &given),
                }
            }
            Thing::Text(_) | Thing::Data(_) | Thing::Number(_) | Thing::None => {
                match described("data") {
                    Some(behaviour) => self.perform(behaviour, Some(receiver), &given, label, site),
                    None => self.unknown(label, &given),
                }
            }
            Thing::Object(object) => match described(object.kind) {
                Some(behaviour) => self.perform(behaviour, Some(receiver), &given, label, site),
                None => self.unknown(label, &given),
            },
            // `df.groupby("x").mean`, `plt.figure().gca`: an attribute of a broad kind.
            Thing::Method(inner, _) => match self.settle(receiver) {
                Thing::Method(..) => match &**inner {
                    Thing::Function(_) => Thing::Data(Taint::NONE),
                    Thing::None
                    | Thing::Number(_)
                    | Thing::Text(_)
                    | Thing::Data(_)
                    | Thing::Name(_)
                    | Thing::Module(_)
                    | Thing::Object(_)
                    | Thing::Heap(_)
                    | Thing::Class(_)
                    | Thing::Method(..)
                    | Thing::Either(_)
                    | Thing::Unknown(_) => self.unknown(label, &given),
                },
                settled => self.call_method(&settled, name, given, label, site),
            },
            Thing::Either(ways) => ways
                .to_vec()
                .iter()
                .filter(|way| !matches!(way, Thing::None))
                .map(|way| self.call_method(way, name, given.clone(), label, site))
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|a, b| a.join(&b))
                .unwrap_or(Thing::None),
            Thing::Name(module) => {
                let full = Thing::name(format!("{module}.{name}"));
                self.apply(&full, given, label, site)
            }
            Thing::Module(_) | Thing::Function(_) | Thing::Unknown(_) => {
                self.unknown(label, &given)
            }
        }
    }

    fn instance_method(
        &mut self,
        receiver: &Thing,
        class: &Rc<Class>,
        name: &str,
        given: Given,
        label: &str,
        site: usize,
    ) -> Thing {
        match find_member(class, name) {
            Some(Thing::Function(function)) => {
                let given = match function.binding {
                    Binding::Instance | Binding::Property => given.behind(receiver.clone()),
                    Binding::Class => given.behind(Thing::Class(Rc::clone(class))),
                    Binding::Static => given,
                };
                self.invoke(&function, given, Arguments::Given, site)
            }
            Some(value) => self.apply(&value, given, label, site),
            None => match inherited(class, name) {
                Some(full) => self.apply(&Thing::name(full), given, label, site),
                None => self.unknown(label, &given),
            },
        }
    }

    /// `super().name(…)`: the method of every base that is not running yet.
    pub(super) fn super_call(
        &mut self,
        name: &str,
        given: &Given,
        label: &str,
        site: usize,
    ) -> Thing {
        let receiver = self
            .state
            .frames
            .last()
            .and_then(|frame| frame.receiver.clone());
        let class = match &receiver {
            Some(Thing::Heap(at)) => match self.state.heap.get(at) {
                Some(Held::Instance { class, .. }) => Rc::clone(class),
                Some(Held::List { .. } | Held::Dict { .. }) | None => {
                    return self.unknown(label, given);
                }
            },
            Some(Thing::Class(class)) => Rc::clone(class),
            _ => return self.unknown(label, given),
        };
        let mut found: Option<Thing> = None;
        for base in ancestors(&class) {
            let result = match base {
                Thing::Class(base) => match base.members.get(name) {
                    Some(Thing::Function(function)) => {
                        let identity = Rc::as_ptr(function).cast::<()>() as usize;
                        if self.running.iter().any(|(running, _)| *running == identity) {
                            continue;
                        }
                        let function = Rc::clone(function);
                        let given = match (&receiver, function.binding) {
                            (_, Binding::Static) | (None, _) => given.clone(),
                            (Some(receiver), _) => given.clone().behind(receiver.clone()),
                        };
                        self.invoke(&function, given, Arguments::Given, site)
                    }
                    Some(_) | None => continue,
                },
                Thing::Name(base) => {
                    let full = format!("{base}.{name}");
                    self.apply(&Thing::name(&full), given.clone(), &full, site)
                }
                Thing::None
                | Thing::Number(_)
                | Thing::Text(_)
                | Thing::Data(_)
                | Thing::Module(_)
                | Thing::Object(_)
                | Thing::Heap(_)
                | Thing::Function(_)
                | Thing::Method(..)
                | Thing::Either(_)
                | Thing::Unknown(_) => continue,
            };
            found = join_options(found, Some(result));
        }
        found.unwrap_or(Thing::None)
    }

    fn class_method(
        &mut self,
        class: &Rc<Class>,
        name: &str,
        given: Given,
        label: &str,
        site: usize,
    ) -> Thing {
        match find_member(class, name) {
            Some(Thing::Function(function)) => {
                let given = match function.binding {
                    Binding::Class => given.behind(Thing::Class(Rc::clone(class))),
                    Binding::Instance | Binding::Static | Binding::Property => given,
                };
                self.invoke(&function, given, Arguments::Given, site)
            }
            Some(value) => self.apply(&value, given, label, site),
            None => match inherited(class, name) {
                Some(full) => self.apply(&Thing::name(full), given, label, site),
                None => self.unknown(label, &given),
            },
        }
    }

    /// Methods of lists and dictionaries; those that change them keep both contents possible.
    fn container_method(
        &mut self,
        receiver: &Thing,
        at: usize,
        name: &str,
        given: Given,
        label: &str,
        site: usize,
    ) -> Thing {
        let first = given
            .positional
            .first()
            .cloned()
            .or_else(|| given.more.clone());
        match name {
            "append" | "add" | "appendleft" | "insert" => {
                let value = given
                    .positional
                    .last()
                    .cloned()
                    .or_else(|| given.more.clone());
                if let (Some(Held::List { items, rest }), Some(value)) =
                    (self.state.heap.get_mut(&at), value)
                {
                    if name == "append" && rest.is_none() && self.weak == 0 {
                        items.push(value);
                    } else {
                        let all = items.drain(..).chain(rest.take()).chain([value]);
                        if name == "append" {
                            // What was there stays in front; the new one may come any number of times.
                            let mut all: Vec<Thing> = all.collect();
                            let last = all.pop();
                            *items = all;
                            *rest = last;
                        } else {
                            *rest = all.reduce(|a, b| a.join(&b));
                        }
                    }
                }
                Thing::None
            }
            "extend" | "update" => {
                let values: Vec<Thing> = given
                    .positional
                    .iter()
                    .map(|value| self.element_or_value(value))
                    .chain(given.keywords.iter().map(|(_, value)| value.clone()))
                    .collect();
                let exact = match (name, given.positional.as_slice()) {
                    ("extend", [only]) if self.weak == 0 && self.branch == 0 => self.items(only),
                    _ => None,
                };
                match self.state.heap.get_mut(&at) {
                    Some(Held::List { items, rest: None }) if exact.is_some() => {
                        items.extend(exact.unwrap_or_default());
                    }
                    Some(Held::List { rest, .. } | Held::Dict { rest, .. }) => {
                        *rest = rest
                            .take()
                            .into_iter()
                            .chain(values)
                            .reduce(|a, b| a.join(&b));
                    }
                    Some(Held::Instance { .. }) | None => {}
                }
                Thing::None
            }
            "get" | "pop" | "setdefault" | "popitem" | "popleft" => {
                if name == "setdefault"
                    && let Some(value) = given.positional.get(1).cloned()
                    && let Some(Held::Dict { rest, .. }) = self.state.heap.get_mut(&at)
                {
                    *rest = join_options(rest.take(), Some(value));
                }
                let is_list = matches!(self.state.heap.get(&at), Some(Held::List { .. }));
                let key = first.unwrap_or(Thing::Number(None));
                let found = if is_list {
                    self.element(receiver)
                } else {
                    self.item(receiver, &key, None)
                };
                match given.positional.get(1) {
                    Some(default) => found.join(default),
                    None => found,
                }
            }
            "items" | "values" => {
                let value = match self.state.heap.get(&at) {
                    Some(held) => held.values().cloned().reduce(|a, b| a.join(&b)),
                    None => None,
                };
                let value = value.unwrap_or(Thing::None);
                let element = if name == "items" {
                    let key = self.element(receiver);
                    self.list(site.saturating_add(1), vec![key, value], None)
                } else {
                    value
                };
                self.list(site.saturating_add(2), Vec::new(), Some(element))
            }
            "keys" | "copy" | "__iter__" => receiver.clone(),
            "sort" | "reverse" | "clear" | "remove" => {
                self.escape_all(&given, self.taint(receiver));
                let joined = self.element(receiver);
                if let Some(Held::List { items, rest }) = self.state.heap.get_mut(&at) {
                    items.clear();
                    *rest = Some(joined);
                }
                Thing::None
            }
            _ => match PYTHON.method("data", name) {
                Some(behaviour) => self.perform(behaviour, Some(receiver), &given, label, site),
                None => self.unknown(label, &given),
            },
        }
    }

    fn element_or_value(&mut self, thing: &Thing) -> Thing {
        let values = match thing {
            Thing::Heap(at) => match self.state.heap.get(at) {
                Some(held @ Held::Dict { .. }) => held.values().cloned().reduce(|a, b| a.join(&b)),
                Some(Held::List { .. } | Held::Instance { .. }) | None => None,
            },
            Thing::None
            | Thing::Number(_)
            | Thing::Text(_)
            | Thing::Data(_)
            | Thing::Name(_)
            | Thing::Module(_)
            | Thing::Object(_)
            | Thing::Function(_)
            | Thing::Class(_)
            | Thing::Method(..)
            | Thing::Either(_)
            | Thing::Unknown(_) => None,
        };
        values.unwrap_or_else(|| self.element(thing))
    }
}

/// Whether a framework may call the methods of a class by itself.
pub(super) fn has_library_base(class: &Class) -> bool {
    class.bases.iter().any(|base| match base {
        Thing::Name(name) => !matches!(
            name.as_ref(),
            "object"
                | "abc.ABC"
                | "typing.NamedTuple"
                | "typing.Protocol"
                | "enum.Enum"
                | "Exception"
        ),
        Thing::Class(base) => has_library_base(base),
        Thing::None
        | Thing::Number(_)
        | Thing::Text(_)
        | Thing::Data(_)
        | Thing::Module(_)
        | Thing::Object(_)
        | Thing::Heap(_)
        | Thing::Function(_)
        | Thing::Method(..)
        | Thing::Either(_)
        | Thing::Unknown(_) => true,
    })
}

/// All bases of a class, nearest first.
fn ancestors(class: &Class) -> Vec<Thing> {
    let mut found = Vec::new();
    for base in &class.bases {
        found.push(base.clone());
        if let Thing::Class(base) = base {
            found.extend(ancestors(base));
        }
    }
    found
}

/// A method that a class has from a library class: its full name.
fn inherited(class: &Class, name: &str) -> Option<String> {
    class.bases.iter().find_map(|base| match base {
        Thing::Name(base) => Some(format!("{base}.{name}")),
        Thing::Class(base) => inherited(base, name),
        Thing::None
        | Thing::Number(_)
        | Thing::Text(_)
        | Thing::Data(_)
        | Thing::Module(_)
        | Thing::Object(_)
        | Thing::Heap(_)
        | Thing::Function(_)
        | Thing::Method(..)
        | Thing::Either(_)
        | Thing::Unknown(_) => None,
    })
}
