//! Names that are given values, alone or in parts.

use super::Program;
use super::value::{Held, Thing};
use ruff_python_ast::Expr;

impl Program<'_, '_> {
    pub(super) fn assign(&mut self, target: &Expr, value: Thing) {
        match target {
            Expr::Name(node) => self.bind(&node.id, value),
            Expr::Tuple(node) => self.assign_each(&node.elts, &value),
            Expr::List(node) => self.assign_each(&node.elts, &value),
            Expr::Starred(node) => self.assign(&node.value, value),
            Expr::Subscript(node) => {
                let receiver = self.eval(&node.value);
                let key = self.eval(&node.slice);
                self.put_item(&receiver, &key, value);
            }
            Expr::Attribute(node) => {
                let receiver = self.eval(&node.value);
                self.put_field(&receiver, node.attr.as_str(), value);
            }
            _ => {
                self.eval(target);
            }
        }
    }

    fn assign_each(&mut self, targets: &[Expr], value: &Thing) {
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

    pub(super) fn bind(&mut self, name: &str, value: Thing) {
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

    fn put_item(&mut self, receiver: &Thing, key: &Thing, value: Thing) {
        for way in receiver.ways().to_vec() {
            match &way {
                Thing::Heap(at) => {
                    let constant = match key {
                        Thing::Text(text) => text.literal(),
                        Thing::None
                        | Thing::Number(_)
                        | Thing::Data(_)
                        | Thing::Name(_)
                        | Thing::Module(_)
                        | Thing::Object(_)
                        | Thing::Heap(_)
                        | Thing::Function(_)
                        | Thing::Class(_)
                        | Thing::Method(..)
                        | Thing::Either(_)
                        | Thing::Unknown(_) => None,
                    };
                    match (self.state.heap.get_mut(at), constant) {
                        (Some(Held::Dict { entries, .. }), Some(key)) => {
                            let joined = entries
                                .get(&key)
                                .map_or(value.clone(), |old| old.join(&value));
                            entries.insert(key, joined);
                        }
                        (Some(Held::Dict { rest, .. } | Held::List { rest, .. }), _) => {
                            *rest = super::state::join_options(rest.take(), Some(value.clone()));
                        }
                        (Some(Held::Instance { .. }) | None, _) => {
                            self.reading.unknown_call("__setitem__");
                        }
                    }
                    if let Some(Held::List { items, .. }) = self.state.heap.get_mut(at) {
                        for item in items {
                            *item = item.join(&value);
                        }
                    }
                }
                Thing::Object(object) if object.kind == "environ" => {
                    let name = self.word(key).literal().map(|name| name.into_owned());
                    self.set_variable(name.as_deref());
                }
                Thing::Object(_)
                | Thing::Data(_)
                | Thing::None
                | Thing::Text(_)
                | Thing::Number(_)
                | Thing::Method(..) => {}
                Thing::Name(name) if name.contains("rcParams") => {}
                Thing::Name(_)
                | Thing::Module(_)
                | Thing::Function(_)
                | Thing::Class(_)
                | Thing::Either(_)
                | Thing::Unknown(_) => {
                    self.reading
                        .unknown_call("assignment into an unknown object");
                }
            }
        }
    }

    fn put_field(&mut self, receiver: &Thing, name: &str, value: Thing) {
        for way in receiver.ways().to_vec() {
            match &way {
                Thing::Heap(at) => {
                    if let Some(Held::Instance { fields, .. }) = self.state.heap.get_mut(at) {
                        let joined = fields
                            .get(name)
                            .map_or(value.clone(), |old| old.join(&value));
                        fields.insert(name.to_owned(), joined);
                    }
                }
                Thing::Name(module) if is_plain_setting(module, name) => {}
                Thing::Name(module) => {
                    // From here on the table's description of this name is wrong.
                    self.reading
                        .unknown_call(&format!("assignment to {module}.{name}"));
                }
                Thing::Module(at) => {
                    if let Some(names) = self.state.modules.get_mut(*at) {
                        let joined = names
                            .get(name)
                            .map_or(value.clone(), |old| old.join(&value));
                        names.insert(name.to_owned(), joined);
                    }
                }
                Thing::Class(class) => {
                    self.reading
                        .unknown_call(&format!("assignment to {}.{name}", class.name));
                }
                Thing::Unknown(_) => {
                    self.reading
                        .unknown_call(&format!("assignment to a field {name}"));
                }
                Thing::None
                | Thing::Number(_)
                | Thing::Text(_)
                | Thing::Data(_)
                | Thing::Object(_)
                | Thing::Function(_)
                | Thing::Method(..)
                | Thing::Either(_) => {}
            }
        }
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
