//! Names and attributes: what they stand for.

use super::super::library::PYTHON;
use super::PyProgram;
use super::arguments::CallArguments;
use super::state::PyScope;
use super::value::{Binding, HeapObject, PyObject, PyValue, TextForm};
use crate::Taint;
use ruff_python_ast::ExprAttribute;
use std::rc::Rc;

impl PyProgram<'_, '_> {
    pub(super) fn lookup(&mut self, name: &str) -> PyValue {
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
                    .filter(|frame| frame.scope == PyScope::Function)
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
            "__name__" => return PyValue::text("__main__"),
            "__file__" => {
                let file = self.files.get(self.module).cloned().flatten();
                return file.map_or(PyValue::Data(Taint::NONE), PyValue::text);
            }
            "__doc__" | "__builtins__" | "__spec__" => return PyValue::Unknown(Taint::NONE),
            _ => {}
        }
        let starred = self
            .stars
            .iter()
            .map(|module| format!("{module}.{name}"))
            .find(|full| PYTHON.call(full).is_some() || PYTHON.call(&format!("@{full}")).is_some());
        match starred {
            Some(full) => self.library(&full),
            None if PYTHON.call(name).is_some() => PyValue::name(name),
            None => PyValue::Unknown(Taint::UNKNOWN),
        }
    }

    /// A member of a library: a value with a description, or just its name.
    pub(super) fn library(&mut self, full: &str) -> PyValue {
        match PYTHON.call(&format!("@{full}")) {
            Some(behaviour) if !full.is_empty() => {
                self.perform(behaviour, None, &CallArguments::default(), full, 0)
            }
            Some(_) | None => PyValue::name(full),
        }
    }

    pub(super) fn attribute_of(&mut self, node: &ExprAttribute) -> PyValue {
        let receiver = self.eval(&node.value);
        let site = usize::from(node.range.start());
        let found: Vec<PyValue> = receiver
            .ways()
            .to_vec()
            .iter()
            .map(|way| self.attribute(way, node.attr.as_str(), site))
            .collect();
        found
            .into_iter()
            .reduce(|a, b| a.join(&b))
            .unwrap_or(PyValue::None)
    }

    pub(super) fn attribute(&mut self, receiver: &PyValue, name: &str, site: usize) -> PyValue {
        let method = || PyValue::Method(Rc::new(receiver.clone()), Rc::from(name));
        match receiver {
            PyValue::Name(module) => {
                let full = format!("{module}.{name}");
                self.library(&full)
            }
            PyValue::Module(at) => self
                .state
                .modules
                .get(*at)
                .and_then(|names| names.get(name))
                .cloned()
                .unwrap_or(PyValue::Unknown(Taint::UNKNOWN)),
            PyValue::Object(object) => self.object_attribute(receiver, object, name),
            PyValue::Text(text) if text.form == TextForm::Path => {
                match PYTHON.method("path", &format!("@{name}")) {
                    Some(behaviour) if !PYTHON.is_broad("path") => self.perform(
                        behaviour,
                        Some(receiver),
                        &CallArguments::default(),
                        name,
                        site,
                    ),
                    Some(_) | None => method(),
                }
            }
            PyValue::Text(_) | PyValue::Data(_) | PyValue::Number(_) | PyValue::None => {
                if PYTHON.method("data", name).is_some() {
                    method()
                } else {
                    PyValue::Data(receiver.taint())
                }
            }
            PyValue::Heap(at) => match self.state.heap.get(at) {
                Some(HeapObject::Instance { class, fields }) => {
                    if let Some(value) = fields.get(name) {
                        return value.clone();
                    }
                    let class = Rc::clone(class);
                    if name == "__class__" {
                        return PyValue::Class(class);
                    }
                    match find_member(&class, name) {
                        Some(PyValue::Function(function))
                            if function.binding == Binding::Property =>
                        {
                            self.invoke(
                                &function,
                                CallArguments::of(vec![receiver.clone()]),
                                super::ArgumentSource::Given,
                                site,
                            )
                        }
                        Some(PyValue::Function(_)) => method(),
                        Some(value) => value,
                        None => method(),
                    }
                }
                Some(HeapObject::List { .. } | HeapObject::Dict { .. }) | None => method(),
            },
            PyValue::Class(_) if matches!(name, "__name__" | "__qualname__" | "__module__") => {
                PyValue::Data(Taint::NONE)
            }
            PyValue::Class(class) => match find_member(class, name) {
                Some(PyValue::Function(_)) | None => method(),
                Some(value) => value,
            },
            // `args.path.name`: an attribute of plain data is plain data.
            PyValue::Method(inner, _) if self.state.is_plain(inner) => {
                let data = PyValue::Data(inner.taint());
                self.attribute(&data, name, site)
            }
            // `df.columns.tolist`: everything about a broad kind is of the kind itself.
            PyValue::Method(inner, _) if is_broad(inner) => {
                let whole = PyValue::clone(inner);
                self.attribute(&whole, name, site)
            }
            PyValue::Function(_) | PyValue::Method(..) => PyValue::Data(Taint::NONE),
            PyValue::Either(_) | PyValue::Unknown(_) => {
                PyValue::Method(Rc::new(PyValue::Unknown(receiver.taint())), Rc::from(name))
            }
        }
    }

    fn object_attribute(&mut self, receiver: &PyValue, object: &PyObject, name: &str) -> PyValue {
        let special = PYTHON.method(object.kind, &format!("@{name}"));
        if name.starts_with("__") {
            return PyValue::Unknown(object.taint);
        }
        if PYTHON.is_broad(object.kind) {
            // Everything about it is of its own kind, or a method that is described.
            return PyValue::Method(Rc::new(receiver.clone()), Rc::from(name));
        }
        match special {
            Some(behaviour) => self.perform(
                behaviour,
                Some(receiver),
                &CallArguments::default(),
                name,
                0,
            ),
            None if PYTHON.method(object.kind, name).is_some() => {
                PyValue::Method(Rc::new(receiver.clone()), Rc::from(name))
            }
            None => PyValue::Data(object.taint),
        }
    }

    /// A method that is not called stands for a value of its receiver.
    pub(super) fn settle(&self, thing: &PyValue) -> PyValue {
        let PyValue::Method(receiver, _) = thing else {
            return thing.clone();
        };
        if is_broad(receiver) {
            (**receiver).clone()
        } else if self.state.is_plain(receiver) {
            PyValue::Data(self.taint(receiver))
        } else {
            thing.clone()
        }
    }
}

/// Whether all that an object has is described at once.
fn is_broad(thing: &PyValue) -> bool {
    matches!(thing, PyValue::Object(object) if PYTHON.is_broad(object.kind))
}

/// A member of a class or of its bases.
pub(super) fn find_member(class: &super::value::PyClass, name: &str) -> Option<PyValue> {
    if let Some(member) = class.members.get(name) {
        return Some(member.clone());
    }
    let mut bases = class.bases.iter().filter_map(PyValue::as_class);
    bases.find_map(|base| find_member(base, name))
}
