//! Names and attributes: what they stand for.

use super::super::known::PYTHON;
use super::Program;
use super::given::Given;
use super::state::Scope;
use super::value::{Binding, Form, Held, Object, Thing};
use crate::Taint;
use ruff_python_ast::ExprAttribute;
use std::rc::Rc;

impl Program<'_, '_> {
    pub(super) fn lookup(&mut self, name: &str) -> Thing {
        if let Some(frame) = self.state.frames.last() {
            if let Some(thing) = frame.locals.get(name) {
                // A local that is only set on some ways may still be the outer name on others.
                return thing.clone();
            }
            if let Some(captured) = frame.captured.get(name) {
                // The enclosing function may have given it another value since.
                return self
                    .state
                    .frames
                    .iter()
                    .rev()
                    .skip(1)
                    .filter(|frame| frame.scope == Scope::Function)
                    .filter_map(|frame| frame.locals.get(name))
                    .fold(captured.clone(), |value, other| value.join(other));
            }
        }
        if let Some(thing) = self
            .state
            .modules
            .get(self.module)
            .and_then(|names| names.get(name))
        {
            return thing.clone();
        }
        match name {
            "__name__" => return Thing::text("__main__"),
            "__file__" => {
                let file = self.files.get(self.module).cloned().flatten();
                return file.map_or(Thing::Data(Taint::NONE), Thing::text);
            }
            "__doc__" | "__builtins__" | "__spec__" => return Thing::Unknown(Taint::NONE),
            _ => {}
        }
        let starred = self
            .stars
            .iter()
            .map(|module| format!("{module}.{name}"))
            .find(|full| PYTHON.call(full).is_some() || PYTHON.call(&format!("@{full}")).is_some());
        match starred {
            Some(full) => self.library(&full),
            None if PYTHON.call(name).is_some() => Thing::name(name),
            None => Thing::Unknown(Taint::UNKNOWN),
        }
    }

    /// A member of a library: a value with a description, or just its name.
    pub(super) fn library(&mut self, full: &str) -> Thing {
        match PYTHON.call(&format!("@{full}")) {
            Some(behaviour) if !full.is_empty() => {
                self.perform(behaviour, None, &Given::default(), full, 0)
            }
            Some(_) | None => Thing::name(full),
        }
    }

    pub(super) fn attribute_of(&mut self, node: &ExprAttribute) -> Thing {
        let receiver = self.eval(&node.value);
        let site = usize::from(node.range.start());
        let found: Vec<Thing> = receiver
            .ways()
            .to_vec()
            .iter()
            .map(|way| self.attribute(way, node.attr.as_str(), site))
            .collect();
        found
            .into_iter()
            .reduce(|a, b| a.join(&b))
            .unwrap_or(Thing::None)
    }

    pub(super) fn attribute(&mut self, receiver: &Thing, name: &str, site: usize) -> Thing {
        let method = || Thing::Method(Rc::new(receiver.clone()), Rc::from(name));
        match receiver {
            Thing::Name(module) => {
                let full = format!("{module}.{name}");
                self.library(&full)
            }
            Thing::Module(at) => self
                .state
                .modules
                .get(*at)
                .and_then(|names| names.get(name))
                .cloned()
                .unwrap_or(Thing::Unknown(Taint::UNKNOWN)),
            Thing::Object(object) => self.object_attribute(receiver, object, name),
            Thing::Text(text) if text.form == Form::Path => {
                match PYTHON.method("path", &format!("@{name}")) {
                    Some(behaviour) if !PYTHON.is_broad("path") => {
                        self.perform(behaviour, Some(receiver), &Given::default(), name, site)
                    }
                    Some(_) | None => method(),
                }
            }
            Thing::Text(_) | Thing::Data(_) | Thing::Number(_) | Thing::None => {
                if PYTHON.method("data", name).is_some() {
                    method()
                } else {
                    Thing::Data(receiver.taint())
                }
            }
            Thing::Heap(at) => match self.state.heap.get(at) {
                Some(Held::Instance { class, fields }) => {
                    if let Some(value) = fields.get(name) {
                        return value.clone();
                    }
                    let class = Rc::clone(class);
                    match find_member(&class, name) {
                        Some(Thing::Function(function))
                            if function.binding == Binding::Property =>
                        {
                            self.invoke(
                                &function,
                                Given::of(vec![receiver.clone()]),
                                super::Arguments::Given,
                                site,
                            )
                        }
                        Some(Thing::Function(_)) => method(),
                        Some(value) => value,
                        None => method(),
                    }
                }
                Some(Held::List { .. } | Held::Dict { .. }) | None => method(),
            },
            Thing::Class(class) => match find_member(class, name) {
                Some(Thing::Function(_)) | None => method(),
                Some(value) => value,
            },
            // `args.path.name`: an attribute of plain data is plain data.
            Thing::Method(inner, _) if self.state.is_plain(inner) => {
                let data = Thing::Data(inner.taint());
                self.attribute(&data, name, site)
            }
            Thing::Function(_) | Thing::Method(..) => Thing::Data(Taint::NONE),
            Thing::Either(_) | Thing::Unknown(_) => {
                Thing::Method(Rc::new(Thing::Unknown(receiver.taint())), Rc::from(name))
            }
        }
    }

    fn object_attribute(&mut self, receiver: &Thing, object: &Object, name: &str) -> Thing {
        let special = PYTHON.method(object.kind, &format!("@{name}"));
        if name.starts_with("__") {
            return Thing::Unknown(object.taint);
        }
        if PYTHON.is_broad(object.kind) {
            // Everything about it is of its own kind, or a method that is described.
            return Thing::Method(Rc::new(receiver.clone()), Rc::from(name));
        }
        match special {
            Some(behaviour) => self.perform(behaviour, Some(receiver), &Given::default(), name, 0),
            None if PYTHON.method(object.kind, name).is_some() => {
                Thing::Method(Rc::new(receiver.clone()), Rc::from(name))
            }
            None => Thing::Data(object.taint),
        }
    }

    /// A method that is not called stands for a value of its receiver.
    pub(super) fn settle(&self, thing: &Thing) -> Thing {
        match thing {
            Thing::Method(receiver, _) => match &**receiver {
                object @ Thing::Object(kind) if PYTHON.is_broad(kind.kind) => object.clone(),
                receiver if self.state.is_plain(receiver) => Thing::Data(self.taint(receiver)),
                Thing::None
                | Thing::Number(_)
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
                | Thing::Unknown(_) => thing.clone(),
            },
            Thing::None
            | Thing::Number(_)
            | Thing::Text(_)
            | Thing::Data(_)
            | Thing::Name(_)
            | Thing::Module(_)
            | Thing::Object(_)
            | Thing::Heap(_)
            | Thing::Function(_)
            | Thing::Class(_)
            | Thing::Either(_)
            | Thing::Unknown(_) => thing.clone(),
        }
    }
}

/// A member of a class or of its bases.
pub(super) fn find_member(class: &super::value::Class, name: &str) -> Option<Thing> {
    if let Some(member) = class.members.get(name) {
        return Some(member.clone());
    }
    class.bases.iter().find_map(|base| match base {
        Thing::Class(base) => find_member(base, name),
        Thing::None
        | Thing::Number(_)
        | Thing::Text(_)
        | Thing::Data(_)
        | Thing::Name(_)
        | Thing::Module(_)
        | Thing::Object(_)
        | Thing::Heap(_)
        | Thing::Function(_)
        | Thing::Method(..)
        | Thing::Either(_)
        | Thing::Unknown(_) => None,
    })
}
