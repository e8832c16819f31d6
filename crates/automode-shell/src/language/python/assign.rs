//! Names that are given values, alone or in parts.

use super::PyProgram;
use super::text::constant;
use super::value::{HeapObject, PyValue};
use ruff_python_ast::Expr;

/// Fields of library objects that make the library write a file or run code.
const WRITING_FIELDS: &[&str] = &[
    "keylog_filename",
    "__code__",
    "__class__",
    "__reduce__",
    "__import__",
    "sni_callback",
    "stream_opener",
    "meta_path",
    "path_hooks",
];

impl PyProgram<'_, '_> {
    pub(super) fn assign(&mut self, target: &Expr, value: PyValue) {
        match target {
            Expr::Name(node) => self.bind(&node.id, value),
            Expr::Tuple(node) => self.assign_each(&node.elts, &value),
            Expr::List(node) => self.assign_each(&node.elts, &value),
            Expr::Starred(node) => self.assign(&node.value, value),
            Expr::Subscript(node) => {
                let receiver = self.eval(&node.value);
                let key = self.eval(&node.slice);
                // `names[:] = …` puts in what the value holds.
                let value = if matches!(&*node.slice, Expr::Slice(_)) && self.is_list(&receiver) {
                    self.element(&value)
                } else {
                    value
                };
                self.put_item(&receiver, &key, value);
            }
            Expr::Attribute(node) => {
                let receiver = self.eval(&node.value);
                if WRITING_FIELDS.contains(&node.attr.as_str()) {
                    self.reading.unknown_call(&format!("{} = …", node.attr));
                }
                self.put_field(&receiver, node.attr.as_str(), value);
            }
            _ => {
                self.eval(target);
            }
        }
    }

    fn is_list(&self, thing: &PyValue) -> bool {
        thing.ways().iter().all(|way| {
            matches!(way, PyValue::Heap(at)
                if matches!(self.state.heap.get(at), Some(HeapObject::List { .. })))
        })
    }

    fn assign_each(&mut self, targets: &[Expr], value: &PyValue) {
        let starred = targets
            .iter()
            .any(|target| matches!(target, Expr::Starred(_)));
        let items = self.items(value).filter(|_| !starred);
        for (at, target) in targets.iter().enumerate() {
            let item = items
                .as_ref()
                .and_then(|items| items.get(at).cloned())
                .unwrap_or_else(|| self.element(value));
            let item = match target {
                Expr::Starred(node) => {
                    let site = usize::from(node.range.start());
                    self.list(site, Vec::new(), Some(item))
                }
                _ => item,
            };
            self.assign(target, item);
        }
    }

    pub(super) fn bind(&mut self, name: &str, value: PyValue) {
        let weak = self.weak > 0;
        let outer = self
            .state
            .frames
            .last()
            .is_some_and(|frame| frame.outer.contains(name));
        let names = match self.state.frames.last_mut() {
            Some(frame) if !outer => &mut frame.locals,
            Some(_) | None => {
                if outer {
                    // Whichever scope it belongs to may now hold it.
                    for frame in self.state.frames.iter_mut().rev().skip(1) {
                        if let Some(old) = frame.locals.get_mut(name) {
                            *old = old.join(&value);
                        }
                    }
                }
                match self.state.modules.get_mut(self.module) {
                    Some(names) => names,
                    None => return,
                }
            }
        };
        match names.get_mut(name) {
            Some(old) if weak || outer => *old = old.join(&value),
            Some(old) => *old = value,
            None => {
                names.insert(name.to_owned(), value);
            }
        }
    }

    fn put_item(&mut self, receiver: &PyValue, key: &PyValue, value: PyValue) {
        for way in receiver.ways().to_vec() {
            match &way {
                PyValue::Heap(at) => {
                    let constant = constant(key);
                    match (self.state.heap.get_mut(at), constant) {
                        (Some(HeapObject::Dict { entries, .. }), Some(key)) => {
                            let joined = entries
                                .get(&key)
                                .map_or(value.clone(), |old| old.join(&value));
                            entries.insert(key, joined);
                        }
                        (
                            Some(HeapObject::Dict { rest, .. } | HeapObject::List { rest, .. }),
                            _,
                        ) => {
                            *rest = super::state::join_options(rest.take(), Some(value.clone()));
                        }
                        (Some(HeapObject::Instance { .. }) | None, _) => {
                            self.reading.unknown_call("__setitem__");
                        }
                    }
                    if let Some(HeapObject::List { items, .. }) = self.state.heap.get_mut(at) {
                        for item in items {
                            *item = item.join(&value);
                        }
                    }
                }
                PyValue::Object(object) if object.kind == "environ" => {
                    let name = self.word(key).literal().map(|name| name.into_owned());
                    self.set_variable(name.as_deref());
                }
                PyValue::Object(object) if object.kind == "modulepath" => {
                    self.reading
                        .unknown_call("sys.path changes where modules come from");
                }
                // `vars(json)['dumps'] = os.system`: a name means something else from now on.
                PyValue::Object(object) if object.kind == "namespace" => {
                    self.reading.unknown_call("assignment into a namespace");
                }
                PyValue::Object(_)
                | PyValue::Data(_)
                | PyValue::None
                | PyValue::Text(_)
                | PyValue::Number(_)
                | PyValue::Method(..) => {}
                PyValue::Name(name) if name.contains("rcParams") => {}
                PyValue::Name(_)
                | PyValue::Module(_)
                | PyValue::Function(_)
                | PyValue::Class(_)
                | PyValue::Either(_)
                | PyValue::Unknown(_) => {
                    self.reading
                        .unknown_call("assignment into an unknown object");
                }
            }
        }
    }

    fn put_field(&mut self, receiver: &PyValue, name: &str, value: PyValue) {
        for way in receiver.ways().to_vec() {
            match &way {
                PyValue::Heap(at) => {
                    if let Some(HeapObject::Instance { fields, .. }) = self.state.heap.get_mut(at) {
                        let joined = fields
                            .get(name)
                            .map_or(value.clone(), |old| old.join(&value));
                        fields.insert(name.to_owned(), joined);
                    }
                }
                // What it is given is what `fileinput` opens.
                PyValue::Name(module)
                    if &**module == "sys" && name == "argv" && self.reads_arguments() =>
                {
                    self.reading.unknown_call("assignment to sys.argv");
                }
                PyValue::Name(module) if is_plain_setting(module, name) => {}
                PyValue::Name(module) => {
                    // From here on the table's description of this name is wrong.
                    self.reading
                        .unknown_call(&format!("assignment to {module}.{name}"));
                }
                PyValue::Module(at) => {
                    if let Some(names) = self.state.modules.get_mut(*at) {
                        let joined = names
                            .get(name)
                            .map_or(value.clone(), |old| old.join(&value));
                        names.insert(name.to_owned(), joined);
                    }
                }
                PyValue::Class(class) => {
                    self.reading
                        .unknown_call(&format!("assignment to {}.{name}", class.name));
                }
                PyValue::Unknown(_) => {
                    self.reading
                        .unknown_call(&format!("assignment to a field {name}"));
                }
                // The directory that is removed in the end.
                PyValue::Object(object) if object.kind == "tempdir" => {
                    self.reading
                        .unknown_call(&format!("assignment to a field {name}"));
                }
                PyValue::None
                | PyValue::Number(_)
                | PyValue::Text(_)
                | PyValue::Data(_)
                | PyValue::Object(_)
                | PyValue::Function(_)
                | PyValue::Method(..)
                | PyValue::Either(_) => {}
            }
        }
    }

    /// Whether the program opens whatever files `sys.argv` names.
    pub(super) fn reads_arguments(&self) -> bool {
        self.reading.source.text.shown().contains("fileinput")
    }
}

/// Settings of library modules that programs commonly assign.
fn is_plain_setting(module: &str, name: &str) -> bool {
    matches!(
        (module, name),
        (
            "sys",
            "stdout" | "stderr" | "stdin" | "argv" | "tracebacklimit"
        ) | ("decimal", _)
            | ("pandas.options.display" | "pandas.options.mode", _)
            | ("torch.backends.cudnn", _)
            | ("PIL.Image", "MAX_IMAGE_PIXELS")
    )
}
