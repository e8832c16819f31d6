//! Methods of values, instances, classes and containers.

use super::super::library::{CallBehaviour, PYTHON};
use super::arguments::CallArguments;
use super::attribute::find_member;
use super::state::join_options;
use super::value::{Binding, HeapObject, PyClass, PyValue, TextForm};
use super::{ArgumentSource, PyProgram};
use crate::Taint;
use std::rc::Rc;

impl PyProgram<'_, '_> {
    pub(super) fn has_method(&self, thing: &PyValue, name: &str) -> bool {
        let PyValue::Heap(at) = thing else {
            return false;
        };
        match self.state.heap.get(at) {
            Some(HeapObject::Instance { class, .. }) => {
                matches!(find_member(class, name), Some(PyValue::Function(_)))
            }
            Some(HeapObject::List { .. } | HeapObject::Dict { .. }) | None => false,
        }
    }

    fn perform_if_known(
        &mut self,
        behaviour: Option<CallBehaviour>,
        receiver: &PyValue,
        given: &CallArguments,
        label: &str,
        site: usize,
    ) -> PyValue {
        match behaviour {
            Some(behaviour) => self.perform(behaviour, Some(receiver), given, label, site),
            None => self.unknown(label, given),
        }
    }

    pub(super) fn call_method(
        &mut self,
        receiver: &PyValue,
        name: &str,
        given: CallArguments,
        label: &str,
        site: usize,
    ) -> PyValue {
        let described = |kind: &str| PYTHON.method(kind, name);
        match receiver {
            PyValue::Heap(at) => match self.state.heap.get(at) {
                Some(HeapObject::Instance { class, .. }) => {
                    let class = Rc::clone(class);
                    self.member_method(Some(receiver), &class, name, given, label, site)
                }
                Some(HeapObject::List { .. } | HeapObject::Dict { .. }) | None => {
                    self.container_method(receiver, *at, name, given, label, site)
                }
            },
            PyValue::Class(class) => {
                let class = Rc::clone(class);
                self.member_method(None, &class, name, given, label, site)
            }
            PyValue::Text(text) if text.form == TextForm::Path => {
                let behaviour = described("path").or_else(|| described("data"));
                self.perform_if_known(behaviour, receiver, &given, label, site)
            }
            PyValue::Text(_) | PyValue::Data(_) | PyValue::Number(_) | PyValue::None => {
                self.perform_if_known(described("data"), receiver, &given, label, site)
            }
            PyValue::Object(object) => {
                self.perform_if_known(described(object.kind), receiver, &given, label, site)
            }
            // `df.groupby("x").mean`, `plt.figure().gca`: an attribute of a broad kind.
            PyValue::Method(inner, _) => match self.settle(receiver) {
                PyValue::Method(..) if inner.as_function().is_some() => PyValue::Data(Taint::NONE),
                PyValue::Method(..) => self.unknown(label, &given),
                settled => self.call_method(&settled, name, given, label, site),
            },
            PyValue::Either(ways) => ways
                .to_vec()
                .iter()
                .filter(|way| !matches!(way, PyValue::None))
                .map(|way| self.call_method(way, name, given.clone(), label, site))
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|a, b| a.join(&b))
                .unwrap_or(PyValue::None),
            PyValue::Name(module) => {
                let full = PyValue::name(format!("{module}.{name}"));
                self.apply(&full, given, label, site)
            }
            PyValue::Module(_) | PyValue::Function(_) | PyValue::Unknown(_) => {
                self.unknown(label, &given)
            }
        }
    }

    /// A method found through a class: of an instance where there is a receiver, else of itself.
    fn member_method(
        &mut self,
        receiver: Option<&PyValue>,
        class: &Rc<PyClass>,
        name: &str,
        given: CallArguments,
        label: &str,
        site: usize,
    ) -> PyValue {
        match find_member(class, name) {
            Some(PyValue::Function(function)) => {
                let given = match (function.binding, receiver) {
                    (Binding::Class, _) => given.behind(PyValue::Class(Rc::clone(class))),
                    (Binding::Instance | Binding::Property, Some(receiver)) => {
                        given.behind(receiver.clone())
                    }
                    (Binding::Instance | Binding::Property, None) | (Binding::Static, _) => given,
                };
                self.invoke(&function, given, ArgumentSource::Given, site)
            }
            Some(value) => self.apply(&value, given, label, site),
            None => match inherited(class, name) {
                Some(full) => self.apply(&PyValue::name(full), given, label, site),
                None => self.unknown(label, &given),
            },
        }
    }

    /// `super().name(…)`: the method of every base that is not running yet.
    pub(super) fn super_call(
        &mut self,
        name: &str,
        given: &CallArguments,
        label: &str,
        site: usize,
    ) -> PyValue {
        let receiver = self
            .state
            .frames
            .last()
            .and_then(|frame| frame.receiver.clone());
        let class = match &receiver {
            Some(PyValue::Heap(at)) => match self.state.heap.get(at) {
                Some(HeapObject::Instance { class, .. }) => Rc::clone(class),
                Some(HeapObject::List { .. } | HeapObject::Dict { .. }) | None => {
                    return self.unknown(label, given);
                }
            },
            Some(PyValue::Class(class)) => Rc::clone(class),
            _ => return self.unknown(label, given),
        };
        let mut found: Option<PyValue> = None;
        for base in ancestors(&class) {
            let result = if let PyValue::Name(base) = base {
                let full = format!("{base}.{name}");
                self.apply(&PyValue::name(&full), given.clone(), &full, site)
            } else if let PyValue::Class(base) = base
                && let Some(PyValue::Function(function)) = base.members.get(name)
            {
                let mut running = self.running.iter();
                if running.any(|(running, _)| Rc::ptr_eq(running, function)) {
                    let function = Rc::clone(function);
                    self.comes_back(&function);
                    continue;
                }
                let function = Rc::clone(function);
                let given = match (&receiver, function.binding) {
                    (_, Binding::Static) | (None, _) => given.clone(),
                    (Some(receiver), _) => given.clone().behind(receiver.clone()),
                };
                self.invoke(&function, given, ArgumentSource::Given, site)
            } else {
                continue;
            };
            found = join_options(found, Some(result));
        }
        found.unwrap_or(PyValue::None)
    }

    /// One more element, behind the others or who knows where.
    fn add_item(&mut self, at: usize, name: &str, given: &CallArguments) {
        let value = given
            .positional
            .last()
            .cloned()
            .or_else(|| given.more.clone());
        if let (Some(HeapObject::List { items, rest }), Some(value)) =
            (self.state.heap.get_mut(&at), value)
        {
            if name == "append" && rest.is_none() && self.weak == 0 {
                items.push(value);
            } else {
                let all = items.drain(..).chain(rest.take()).chain([value]);
                if name == "append" {
                    // What was there stays in front; the new one may come any number of times.
                    let mut all: Vec<PyValue> = all.collect();
                    let last = all.pop();
                    *items = all;
                    *rest = last;
                } else {
                    *rest = all.reduce(|a, b| a.join(&b));
                }
            }
        }
    }

    /// The elements of another container.
    fn add_all(&mut self, at: usize, name: &str, given: &CallArguments) {
        let values: Vec<PyValue> = given
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
            Some(HeapObject::List { items, rest: None }) if exact.is_some() => {
                items.extend(exact.unwrap_or_default());
            }
            Some(HeapObject::List { rest, .. } | HeapObject::Dict { rest, .. }) => {
                *rest = rest
                    .take()
                    .into_iter()
                    .chain(values)
                    .reduce(|a, b| a.join(&b));
            }
            Some(HeapObject::Instance { .. }) | None => {}
        }
    }

    /// Methods of lists and dictionaries; those that change them keep both contents possible.
    fn container_method(
        &mut self,
        receiver: &PyValue,
        at: usize,
        name: &str,
        given: CallArguments,
        label: &str,
        site: usize,
    ) -> PyValue {
        let first = given
            .positional
            .first()
            .cloned()
            .or_else(|| given.more.clone());
        match name {
            "append" | "add" | "appendleft" | "insert" => {
                self.add_item(at, name, &given);
                PyValue::None
            }
            "extend" | "update" => {
                self.add_all(at, name, &given);
                PyValue::None
            }
            "get" | "pop" | "setdefault" | "popitem" | "popleft" => {
                if name == "setdefault"
                    && let Some(value) = given.positional.get(1).cloned()
                    && let Some(HeapObject::Dict { rest, .. }) = self.state.heap.get_mut(&at)
                {
                    *rest = join_options(rest.take(), Some(value));
                }
                let is_list = matches!(self.state.heap.get(&at), Some(HeapObject::List { .. }));
                let key = first.unwrap_or(PyValue::Number(None));
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
                let value = value.unwrap_or(PyValue::None);
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
                if let Some(HeapObject::List { items, rest }) = self.state.heap.get_mut(&at) {
                    items.clear();
                    *rest = Some(joined);
                }
                PyValue::None
            }
            _ => match PYTHON.method("data", name) {
                Some(behaviour) => self.perform(behaviour, Some(receiver), &given, label, site),
                None => self.unknown(label, &given),
            },
        }
    }

    fn element_or_value(&mut self, thing: &PyValue) -> PyValue {
        let held = thing.as_heap().and_then(|at| self.state.heap.get(at));
        let values = match held {
            Some(held @ HeapObject::Dict { .. }) => {
                held.values().cloned().reduce(|a, b| a.join(&b))
            }
            Some(HeapObject::List { .. } | HeapObject::Instance { .. }) | None => None,
        };
        values.unwrap_or_else(|| self.element(thing))
    }
}

/// What the library classes that a class comes from call of it by themselves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BaseCalls {
    Nothing,
    /// `get` of a mapping calls `__getitem__`, and `in` calls `__iter__`.
    Operators,
    /// A framework may call any method.
    Anything,
}

pub(super) fn base_calls(class: &PyClass) -> BaseCalls {
    let each = class.bases.iter().map(|base| match base {
        PyValue::Class(base) => base_calls(base),
        PyValue::Name(name) if is_inert_base(name) => BaseCalls::Nothing,
        PyValue::Name(name) if is_collection(name) => BaseCalls::Operators,
        PyValue::Name(_)
        | PyValue::None
        | PyValue::Number(_)
        | PyValue::Text(_)
        | PyValue::Data(_)
        | PyValue::Module(_)
        | PyValue::Object(_)
        | PyValue::Heap(_)
        | PyValue::Function(_)
        | PyValue::Method(..)
        | PyValue::Either(_)
        | PyValue::Unknown(_) => BaseCalls::Anything,
    });
    each.max().unwrap_or(BaseCalls::Nothing)
}

/// Library classes that call no method of those that come from them.
fn is_inert_base(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "object",
        "abc.ABC",
        "typing.Generic",
        "typing.NamedTuple",
        "typing.Protocol",
        "typing.TypedDict",
        "typing_extensions.Protocol",
        "typing_extensions.TypedDict",
        "enum.Enum",
        "enum.Flag",
        "enum.IntEnum",
        "enum.IntFlag",
        "enum.StrEnum",
    ];
    let is_exception = !name.contains('.')
        && ["Error", "Exception", "Warning"]
            .iter()
            .any(|end| name.ends_with(end));
    is_exception || NAMES.contains(&name)
}

/// Classes of values whose own methods only go through the operators.
fn is_collection(name: &str) -> bool {
    const BUILT_IN: &[&str] = &[
        "bytes",
        "dict",
        "float",
        "frozenset",
        "int",
        "list",
        "set",
        "str",
        "tuple",
        "collections.OrderedDict",
        "collections.UserDict",
        "collections.UserList",
        "collections.UserString",
        "typing.AsyncIterable",
        "typing.AsyncIterator",
        "typing.Collection",
        "typing.Container",
        "typing.Dict",
        "typing.FrozenSet",
        "typing.Hashable",
        "typing.Iterable",
        "typing.Iterator",
        "typing.List",
        "typing.Mapping",
        "typing.MutableMapping",
        "typing.MutableSequence",
        "typing.MutableSet",
        "typing.Sequence",
        "typing.Set",
        "typing.Sized",
        "typing.Tuple",
    ];
    name.starts_with("collections.abc.") || BUILT_IN.contains(&name)
}

/// All bases of a class, nearest first.
fn ancestors(class: &PyClass) -> Vec<PyValue> {
    let mut found = Vec::new();
    for base in &class.bases {
        found.push(base.clone());
        if let PyValue::Class(base) = base {
            found.extend(ancestors(base));
        }
    }
    found
}

/// A method that a class has from a library class: its full name.
fn inherited(class: &PyClass, name: &str) -> Option<String> {
    class.bases.iter().find_map(|base| {
        if let PyValue::Name(base) = base {
            return Some(format!("{base}.{name}"));
        }
        inherited(base.as_class()?, name)
    })
}
