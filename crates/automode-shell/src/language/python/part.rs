//! Parts of a whole: subscripts, slices, elements, displays.

use super::super::known::PYTHON;
use super::Program;
use super::given::Given;
use super::state::join_options;
use super::text::constant;
use super::value::{Form, Held, Thing};
use crate::Taint;
use ruff_python_ast::{Expr, ExprSubscript, Number};

impl Program<'_, '_> {
    pub(super) fn subscript(&mut self, node: &ExprSubscript) -> Thing {
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
        let found: Vec<Thing> = receiver
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
            .unwrap_or(Thing::None)
    }

    fn slice(&mut self, receiver: &Thing, site: usize) -> Thing {
        match receiver {
            Thing::Heap(_) => {
                let element = self.element(receiver);
                self.list(site, Vec::new(), Some(element))
            }
            Thing::Text(_) | Thing::Number(_) | Thing::None => Thing::Data(receiver.taint()),
            other => other.clone(),
        }
    }

    pub(super) fn item(&mut self, receiver: &Thing, key: &Thing, index: Option<usize>) -> Thing {
        match receiver {
            Thing::Heap(at) => match self.state.heap.get(at) {
                Some(Held::List { items, rest }) => {
                    match index.and_then(|index| items.get(index)) {
                        Some(item) => item.clone(),
                        None if index.is_some() && rest.is_none() => Thing::None,
                        None => self.element(receiver),
                    }
                }
                Some(Held::Dict { entries, rest }) => {
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
                        (Some(_), None, None) => Thing::None,
                        (None, ..) => any.unwrap_or(Thing::None),
                    }
                }
                Some(Held::Instance { .. }) if self.has_method(receiver, "__getitem__") => self
                    .call_method(
                        receiver,
                        "__getitem__",
                        Given::of(vec![key.clone()]),
                        "__getitem__",
                        0,
                    ),
                Some(Held::Instance { .. }) | None => Thing::Unknown(Taint::UNKNOWN),
            },
            Thing::Object(object) if object.kind == "environ" => {
                let name = constant(key);
                self.variable(name.as_deref())
            }
            Thing::Object(_) => self.element(receiver),
            Thing::Text(_) | Thing::Number(_) | Thing::None | Thing::Data(_) => {
                Thing::Data(receiver.taint())
            }
            // `list[int]`, `Callable[[str], None]`.
            Thing::Name(_) | Thing::Class(_) => receiver.clone(),
            Thing::Module(_)
            | Thing::Function(_)
            | Thing::Method(..)
            | Thing::Either(_)
            | Thing::Unknown(_) => Thing::Unknown(receiver.taint()),
        }
    }

    pub(super) fn display(&mut self, elements: &[Expr], site: usize) -> Thing {
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
        value: &Thing,
        entries: &mut std::collections::BTreeMap<String, Thing>,
        rest: &mut Option<Thing>,
    ) {
        let held = match value {
            Thing::Heap(at) => self.state.heap.get(at).cloned(),
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
        match held {
            Some(Held::Dict {
                entries: more,
                rest: others,
            }) => {
                entries.extend(more);
                *rest = join_options(rest.take(), others);
            }
            Some(Held::List { .. } | Held::Instance { .. }) | None => {
                let taint = self.taint(value);
                *rest = join_options(rest.take(), Some(Thing::Data(taint)));
            }
        }
    }

    /// The exact items of a list.
    pub(super) fn items(&self, thing: &Thing) -> Option<Vec<Thing>> {
        let Thing::Heap(at) = thing else { return None };
        match self.state.heap.get(at)? {
            Held::List { items, rest: None } => Some(items.clone()),
            Held::List { .. } | Held::Dict { .. } | Held::Instance { .. } => None,
        }
    }

    /// One value for everything that a loop over this one gives.
    pub(super) fn element(&mut self, thing: &Thing) -> Thing {
        match thing {
            Thing::Heap(_) => match self.state.element(thing) {
                Some(element) => element,
                None if self.has_method(thing, "__iter__") => {
                    let over = self.call_method(thing, "__iter__", Given::default(), "__iter__", 0);
                    if over.same(thing) {
                        return self.call_method(
                            thing,
                            "__next__",
                            Given::default(),
                            "__next__",
                            0,
                        );
                    }
                    self.element(&over)
                }
                None => Thing::Unknown(Taint::UNKNOWN),
            },
            Thing::Object(object) => match PYTHON.method(object.kind, "for") {
                Some(behaviour) => {
                    self.perform(behaviour, Some(thing), &Given::default(), "for", 0)
                }
                None => Thing::Data(object.taint),
            },
            Thing::Text(text) if text.form == Form::Path => thing.clone(),
            Thing::None | Thing::Text(_) | Thing::Data(_) => Thing::Data(thing.taint()),
            Thing::Number(_) => Thing::Number(None),
            Thing::Either(ways) => ways
                .iter()
                .map(|way| self.element(way))
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|a, b| a.join(&b))
                .unwrap_or(Thing::None),
            Thing::Method(..) => {
                let settled = self.settle(thing);
                match settled {
                    Thing::Method(..) => Thing::Unknown(Taint::UNKNOWN),
                    settled => self.element(&settled),
                }
            }
            // An enumeration lists its members.
            Thing::Class(_) => Thing::Data(Taint::NONE),
            Thing::Name(_) | Thing::Module(_) | Thing::Function(_) | Thing::Unknown(_) => {
                Thing::Unknown(thing.taint())
            }
        }
    }
}
