//! Calls: of the program's own functions, of methods, of the library.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::known::PYTHON;
use super::express::{constant, find_member};
use super::state::{Frame, join_options};
use super::value::{Binding, Body, Class, Form, Function, Held, Thing};
use super::{Arguments, Program};
use crate::{GapKind, Taint};

/// Calls of the program's own functions inside each other.
const CALLS: usize = 24;

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) positional: Vec<Thing>,
    pub(super) keywords: Vec<(String, Thing)>,
    /// Any number of further arguments that are not known one by one.
    pub(super) more: Option<Thing>,
}

impl Given {
    pub(super) const fn of(positional: Vec<Thing>) -> Self {
        Self {
            positional,
            keywords: Vec::new(),
            more: None,
        }
    }

    /// Arguments of a call that someone else makes.
    pub(super) const fn any(taint: Taint) -> Self {
        Self {
            positional: Vec::new(),
            keywords: Vec::new(),
            more: Some(Thing::Data(taint)),
        }
    }

    pub(super) fn keyword(&self, name: &str) -> Option<&Thing> {
        self.keywords
            .iter()
            .find(|(keyword, _)| keyword == name)
            .map(|(_, value)| value)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Thing> {
        self.positional
            .iter()
            .chain(self.keywords.iter().map(|(_, value)| value))
            .chain(&self.more)
    }

    /// With a receiver in front.
    fn behind(mut self, receiver: Thing) -> Self {
        self.positional.insert(0, receiver);
        self
    }
}

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

    // --- methods ---

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
                    _ => self.unknown(label, &given),
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
                _ => continue,
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
            _ => None,
        };
        values.unwrap_or_else(|| self.element(thing))
    }

    // --- the program's own functions ---

    pub(super) fn invoke(
        &mut self,
        function: &Rc<Function>,
        given: Given,
        arguments: Arguments,
        site: usize,
    ) -> Thing {
        let identity = Rc::as_ptr(function).cast::<()>() as usize;
        let nested = self
            .running
            .iter()
            .filter(|(other, _)| *other == identity)
            .count();
        let widened = self
            .running
            .iter()
            .any(|(other, arguments)| *other == identity && *arguments == Arguments::Any);
        if widened {
            // The body is being walked for every possible call already.
            return Thing::Data(self.given_taint(&given));
        }
        if self.running.len() >= CALLS {
            self.reading.gap(GapKind::Budget);
            return Thing::Unknown(Taint::UNKNOWN);
        }
        let (given, arguments) = if nested > 0 && arguments == Arguments::Given {
            self.recursive(given)
        } else {
            (given, arguments)
        };
        self.running.push((identity, arguments));
        let outer = std::mem::replace(&mut self.module, function.module);
        let weak = std::mem::take(&mut self.weak);
        let receiver = given.positional.first().cloned();
        let frame = Frame {
            receiver,
            locals: self.parameters(function, given, site),
            captured: function.captured.clone(),
            ..Frame::default()
        };
        self.state.frames.push(frame);
        let result = match &function.body {
            Body::Block(body) => {
                self.block(body);
                None
            }
            Body::Expression(body) => Some(self.eval(body)),
        };
        let frame = self.state.frames.pop().unwrap_or_default();
        self.weak = weak;
        self.module = outer;
        self.running.pop();
        match frame.yielded {
            Some(yielded) => self.list(site, Vec::new(), Some(yielded)),
            None => result.or(frame.returned).unwrap_or(Thing::None),
        }
    }

    /// A call of a function inside itself stands for all deeper ones.
    fn recursive(&mut self, given: Given) -> (Given, Arguments) {
        let stand_in = |program: &Self, thing: &Thing| match thing {
            Thing::Heap(_) if !program.state.is_plain(thing) => thing.clone(),
            Thing::Text(text) if text.form == Form::Path => Thing::Text(super::value::Text {
                pieces: vec![super::value::unknown_piece(text.taint())],
                form: Form::Path,
            }),
            thing if program.state.is_plain(thing) => Thing::Data(program.taint(thing)),
            thing => thing.clone(),
        };
        let given = Given {
            positional: given
                .positional
                .iter()
                .map(|thing| stand_in(self, thing))
                .collect(),
            keywords: given
                .keywords
                .iter()
                .map(|(name, thing)| (name.clone(), stand_in(self, thing)))
                .collect(),
            more: given.more,
        };
        (given, Arguments::Any)
    }

    pub(super) fn given_taint(&self, given: &Given) -> Taint {
        given
            .all()
            .fold(Taint::NONE, |taint, thing| taint.with(self.taint(thing)))
    }

    fn parameters(
        &mut self,
        function: &Function,
        given: Given,
        site: usize,
    ) -> BTreeMap<String, Thing> {
        let mut locals = BTreeMap::new();
        let mut positional = given.positional.into_iter();
        let parameters = &function.parameters;
        for parameter in parameters.posonlyargs.iter().chain(&parameters.args) {
            let name = parameter.name().to_string();
            let keyword = given.keywords.iter().find(|(keyword, _)| *keyword == name);
            let value = positional
                .next()
                .or_else(|| keyword.map(|(_, value)| value.clone()))
                .or_else(|| given.more.clone())
                .or_else(|| function.defaults.get(&name).cloned());
            locals.insert(name, value.unwrap_or(Thing::Data(Taint::UNKNOWN)));
        }
        for parameter in &parameters.kwonlyargs {
            let name = parameter.name().to_string();
            let keyword = given.keywords.iter().find(|(keyword, _)| *keyword == name);
            let value = keyword
                .map(|(_, value)| value.clone())
                .or_else(|| given.more.clone())
                .or_else(|| function.defaults.get(&name).cloned());
            locals.insert(name, value.unwrap_or(Thing::Data(Taint::UNKNOWN)));
        }
        if let Some(parameter) = &parameters.vararg {
            let items: Vec<Thing> = positional.collect();
            let list = self.list(site.saturating_add(1), items, given.more.clone());
            locals.insert(parameter.name.to_string(), list);
        }
        if let Some(parameter) = &parameters.kwarg {
            let entries = given
                .keywords
                .iter()
                .filter(|(name, _)| !locals.contains_key(name))
                .cloned()
                .collect();
            let dict = self.hold(
                site.saturating_add(2),
                Held::Dict {
                    entries,
                    rest: given.more,
                },
            );
            locals.insert(parameter.name.to_string(), dict);
        }
        locals
    }

    pub(super) fn instantiate(&mut self, class: &Rc<Class>, given: Given, site: usize) -> Thing {
        let instance = self.hold(
            site.saturating_add(3),
            Held::Instance {
                class: Rc::clone(class),
                fields: BTreeMap::new(),
            },
        );
        let library = has_library_base(class);
        match find_member(class, "__init__") {
            Some(Thing::Function(init)) => {
                self.invoke(
                    &init,
                    given.behind(instance.clone()),
                    Arguments::Given,
                    site,
                );
            }
            Some(_) | None => {
                self.escape_all(&given, Taint::UNKNOWN);
                let taint = self.given_taint(&given);
                // The fields of a data class are its arguments.
                if let Thing::Heap(at) = &instance
                    && let Some(Held::Instance { fields, .. }) = self.state.heap.get_mut(at)
                {
                    let names: Vec<String> = class.members.keys().cloned().collect();
                    for (name, value) in given.keywords {
                        fields.insert(name, value);
                    }
                    if !given.positional.is_empty() || given.more.is_some() {
                        for name in names {
                            fields.entry(name).or_insert(Thing::Data(taint));
                        }
                    }
                }
            }
        }
        // Operators, `with` and frameworks call these by themselves.
        let implicit = move |name: &str| {
            library && name != "__init__"
                || (name.starts_with("__")
                    && !matches!(
                        name,
                        "__init__"
                            | "__call__"
                            | "__enter__"
                            | "__exit__"
                            | "__iter__"
                            | "__next__"
                            | "__getitem__"
                    ))
        };
        self.run_methods(class, &instance, implicit);
        instance
    }

    pub(super) fn run_methods(
        &mut self,
        class: &Rc<Class>,
        instance: &Thing,
        wanted: impl Fn(&str) -> bool,
    ) {
        let methods: Vec<Rc<Function>> = class
            .members
            .iter()
            .filter(|(name, _)| wanted(name))
            .filter_map(|(_, member)| match member {
                Thing::Function(function) => Some(Rc::clone(function)),
                _ => None,
            })
            .collect();
        for method in methods {
            let mut given = Given::any(Taint::UNKNOWN);
            match method.binding {
                Binding::Instance | Binding::Property => given.positional.push(instance.clone()),
                Binding::Class => given.positional.push(Thing::Class(Rc::clone(class))),
                Binding::Static => {}
            }
            self.invoke(&method, given, Arguments::Any, 0);
        }
    }
}

/// Whether a framework may call the methods of a class by itself.
fn has_library_base(class: &Class) -> bool {
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
        _ => true,
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
        _ => None,
    })
}

/// `socket.AF_INET`, `logging.INFO`: named like a constant, so nobody calls it.
fn is_constant(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    last.chars().any(|c| c.is_ascii_uppercase())
        && last
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// The constant text of an argument.
pub(super) fn text_of(thing: Option<&Thing>) -> Option<String> {
    thing.and_then(constant)
}
