//! Names and objects at one point of a Python program.
//!
//! A branch works on a copy; [`PyState::join`] brings two copies together. Copies share what
//! neither of them changed.

use std::collections::{BTreeMap, BTreeSet};

use super::value::{HeapObject, PyValue};
use crate::Taint;
use crate::shared::Shared;

pub(super) type Names = Shared<BTreeMap<String, PyValue>>;

#[derive(Clone, Debug, Default)]
pub(super) struct PyState {
    /// Global names, by module.
    pub(super) modules: Vec<Names>,
    /// Local names of the functions that are running.
    pub(super) frames: Vec<Frame>,
    pub(super) heap: Heap,
}

/// Objects by their place.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap(Shared<BTreeMap<usize, Shared<HeapObject>>>);

#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub(super) locals: Names,
    pub(super) captured: Names,
    /// Names that `global` or `nonlocal` hands outside.
    pub(super) outer: BTreeSet<String>,
    pub(super) returned: Option<PyValue>,
    pub(super) yielded: Option<PyValue>,
    pub(super) scope: PyScope,
    /// The first argument of the running function: `self` of a method.
    pub(super) receiver: Option<PyValue>,
}

/// Whose names a frame holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PyScope {
    #[default]
    Function,
    /// The body of a class: its functions do not see its names.
    Class,
}

impl PyState {
    /// A rough measure of what a copy costs: global names are shared until one is written,
    /// which a function hardly ever does.
    pub(super) fn size(&self) -> usize {
        let names = self.modules.len();
        let locals: usize = self.frames.iter().map(|frame| frame.locals.len()).sum();
        names
            .saturating_add(locals)
            .saturating_add(self.heap.0.len())
    }

    pub(super) fn join(&mut self, other: Self) {
        for (mine, others) in self.modules.iter_mut().zip(&other.modules) {
            join_shared(mine, others);
        }
        let known = self.modules.len();
        self.modules.extend(other.modules.into_iter().skip(known));
        for (mine, others) in self.frames.iter_mut().zip(other.frames) {
            join_shared(&mut mine.locals, &others.locals);
            mine.outer.extend(others.outer);
            mine.returned = join_options(mine.returned.take(), others.returned);
            mine.yielded = join_options(mine.yielded.take(), others.yielded);
        }
        self.heap.join(&other.heap);
    }

    /// Makes unstable whatever differs from an earlier state; tells whether anything did.
    pub(super) fn widen(&mut self, earlier: &Self) -> bool {
        let mut changed = false;
        for (names, before) in self.modules.iter_mut().zip(&earlier.modules) {
            changed |= widen_shared(names, before);
        }
        for (frame, before) in self.frames.iter_mut().zip(&earlier.frames) {
            changed |= widen_shared(&mut frame.locals, &before.locals);
        }
        changed | self.heap.widen(&earlier.heap)
    }

    /// All marks of a value and of what it holds.
    pub(super) fn taint(&self, thing: &PyValue) -> Taint {
        self.taint_within(thing, 4)
    }

    fn taint_within(&self, thing: &PyValue, depth: usize) -> Taint {
        let at = match thing {
            PyValue::Heap(at) => at,
            PyValue::Either(ways) => {
                return ways.iter().fold(Taint::NONE, |taint, way| {
                    taint.with(self.taint_within(way, depth))
                });
            }
            thing => return thing.taint(),
        };
        let (Some(held), Some(depth)) = (self.heap.get(at), depth.checked_sub(1)) else {
            return Taint::UNKNOWN;
        };
        held.values().fold(Taint::NONE, |taint, value| {
            taint.with(self.taint_within(value, depth))
        })
    }

    /// Whether a value holds nothing but plain data.
    pub(super) fn is_plain(&self, thing: &PyValue) -> bool {
        self.is_plain_within(thing, 4)
    }

    fn is_plain_within(&self, thing: &PyValue, depth: usize) -> bool {
        let at = match thing {
            PyValue::Heap(at) => at,
            PyValue::Either(ways) => {
                return ways.iter().all(|way| self.is_plain_within(way, depth));
            }
            thing => return thing.is_plain(),
        };
        let (Some(held), Some(depth)) = (self.heap.get(at), depth.checked_sub(1)) else {
            return false;
        };
        match held {
            HeapObject::Instance { .. } => false,
            HeapObject::List { .. } | HeapObject::Dict { .. } => held
                .values()
                .all(|value| self.is_plain_within(value, depth)),
        }
    }

    /// One value for everything that a loop over this one may give.
    pub(super) fn element(&self, thing: &PyValue) -> Option<PyValue> {
        let PyValue::Heap(at) = thing else {
            return None;
        };
        match self.heap.get(at)? {
            HeapObject::List { items, rest } => Some(
                items
                    .iter()
                    .chain(rest)
                    .cloned()
                    .reduce(|a, b| a.join(&b))
                    .unwrap_or(PyValue::None),
            ),
            HeapObject::Dict { entries, rest } => Some(match rest {
                None => entries
                    .keys()
                    .map(PyValue::text)
                    .reduce(|a, b| a.join(&b))
                    .unwrap_or(PyValue::None),
                Some(rest) => PyValue::Data(rest.taint()),
            }),
            HeapObject::Instance { .. } => None,
        }
    }
}

impl Heap {
    /// Whether all objects of an earlier state are there and as they were.
    pub(super) fn holds(&self, earlier: &Self) -> bool {
        self.0.is(&earlier.0)
            || earlier.0.iter().all(|(at, before)| {
                let held = self.0.get(at);
                held.is_some_and(|held| held.is(before) || held.is_identical(before))
            })
    }

    /// Some of the objects.
    pub(super) fn only(&self, objects: &BTreeSet<usize>) -> Self {
        let some = objects
            .iter()
            .filter_map(|at| Some((*at, self.0.get(at)?.clone())));
        Self(Shared::new(some.collect()))
    }

    pub(super) fn get(&self, at: &usize) -> Option<&HeapObject> {
        self.0.get(at).map(|held| &**held)
    }

    pub(super) fn get_mut(&mut self, at: &usize) -> Option<&mut HeapObject> {
        if !self.0.contains_key(at) {
            return None;
        }
        self.0.get_mut(at).map(|held| &mut **held)
    }

    pub(super) fn insert(&mut self, at: usize, held: HeapObject) {
        self.0.insert(at, Shared::new(held));
    }

    fn join(&mut self, other: &Self) {
        if self.0.is(&other.0) {
            return;
        }
        let mine = &mut *self.0;
        for (at, others) in other.0.iter() {
            match mine.get_mut(at) {
                Some(held) if held.is(others) => {}
                Some(held) => held.join(others),
                None => {
                    mine.insert(*at, others.clone());
                }
            }
        }
    }

    fn widen(&mut self, earlier: &Self) -> bool {
        if self.0.is(&earlier.0) {
            return false;
        }
        let mut changed = false;
        for (at, held) in self.0.iter_mut() {
            if let Some(before) = earlier.0.get(at)
                && !held.is(before)
            {
                changed |= held.widen(before);
            }
        }
        changed
    }
}

impl HeapObject {
    fn is_identical(&self, other: &Self) -> bool {
        let rests = |one: &Option<PyValue>, other: &Option<PyValue>| match (one, other) {
            (Some(one), Some(other)) => one.is_identical(other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        let named = |some: &BTreeMap<String, PyValue>, others: &BTreeMap<String, PyValue>| {
            some.len() == others.len()
                && some
                    .iter()
                    .zip(others)
                    .all(|((name, one), (key, other))| name == key && one.is_identical(other))
        };
        match (self, other) {
            (
                Self::List { items, rest },
                Self::List {
                    items: others,
                    rest: more,
                },
            ) => {
                items.len() == others.len()
                    && items.iter().zip(others).all(|(a, b)| a.is_identical(b))
                    && rests(rest, more)
            }
            (
                Self::Dict { entries, rest },
                Self::Dict {
                    entries: others,
                    rest: more,
                },
            ) => named(entries, others) && rests(rest, more),
            (
                Self::Instance { class, fields },
                Self::Instance {
                    class: kind,
                    fields: others,
                },
            ) => std::rc::Rc::ptr_eq(class, kind) && named(fields, others),
            (Self::List { .. } | Self::Dict { .. } | Self::Instance { .. }, _) => false,
        }
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &PyValue> {
        let (items, entries, rest) = match self {
            Self::List { items, rest } => (Some(items), None, rest.as_ref()),
            Self::Dict { entries, rest } => (None, Some(entries), rest.as_ref()),
            Self::Instance { fields, .. } => (None, Some(fields), None),
        };
        items
            .into_iter()
            .flatten()
            .chain(entries.into_iter().flat_map(BTreeMap::values))
            .chain(rest)
    }

    pub(super) fn join(&mut self, other: &Self) {
        match (self, other) {
            (
                Self::List { items, rest },
                Self::List {
                    items: others,
                    rest: more,
                },
            ) => {
                let common = items.len().min(others.len());
                let beyond = items
                    .split_off(common)
                    .into_iter()
                    .chain(others.iter().skip(common).cloned())
                    .chain(more.clone());
                *rest = rest
                    .take()
                    .into_iter()
                    .chain(beyond)
                    .reduce(|a, b| a.join(&b));
                for (item, other) in items.iter_mut().zip(others) {
                    *item = item.join(other);
                }
            }
            (
                Self::Dict { entries, rest },
                Self::Dict {
                    entries: others,
                    rest: more,
                },
            ) => {
                join_names(entries, others);
                *rest = rest
                    .take()
                    .into_iter()
                    .chain(more.clone())
                    .reduce(|a, b| a.join(&b));
            }
            (Self::Instance { fields, .. }, Self::Instance { fields: others, .. }) => {
                join_names(fields, others);
            }
            (mine, other) => {
                let rest = mine
                    .values()
                    .chain(other.values())
                    .cloned()
                    .reduce(|a, b| a.join(&b));
                *mine = Self::List {
                    items: Vec::new(),
                    rest,
                };
            }
        }
    }

    fn widen(&mut self, before: &Self) -> bool {
        match (self, before) {
            (
                Self::List { items, rest },
                Self::List {
                    items: old,
                    rest: old_rest,
                },
            ) => {
                let mut changed = false;
                if items.len() != old.len() {
                    let all = items.drain(..).chain(rest.take());
                    *rest = all.reduce(|a, b| a.join(&b));
                    changed = true;
                }
                for (item, old) in items.iter_mut().zip(old) {
                    changed |= widen_thing(item, Some(old));
                }
                if let Some(rest) = rest {
                    changed |= widen_thing(rest, old_rest.as_ref());
                }
                changed
            }
            (
                Self::Dict { entries, rest },
                Self::Dict {
                    entries: old,
                    rest: old_rest,
                },
            ) => {
                let mut changed = widen_names(entries, old);
                if let Some(rest) = rest {
                    changed |= widen_thing(rest, old_rest.as_ref());
                }
                changed
            }
            (Self::Instance { fields, .. }, Self::Instance { fields: old, .. }) => {
                widen_names(fields, old)
            }
            _ => false,
        }
    }
}

pub(super) fn join_options(a: Option<PyValue>, b: Option<PyValue>) -> Option<PyValue> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(&b)),
        (a, b) => a.or(b),
    }
}

fn join_shared(mine: &mut Names, others: &Names) {
    let differs =
        |(name, other): (&String, &PyValue)| !mine.get(name).is_some_and(|thing| thing.same(other));
    if !mine.is(others) && others.iter().any(differs) {
        join_names(mine, others);
    }
}

fn join_names(mine: &mut BTreeMap<String, PyValue>, others: &BTreeMap<String, PyValue>) {
    for (name, other) in others {
        match mine.get_mut(name) {
            Some(thing) => *thing = thing.join(other),
            None => {
                mine.insert(name.clone(), other.clone());
            }
        }
    }
}

fn widen_shared(names: &mut Names, before: &Names) -> bool {
    let differs =
        |(name, thing): (&String, &PyValue)| before.get(name).is_some_and(|old| !thing.same(old));
    !names.is(before) && names.iter().any(differs) && widen_names(names, before)
}

fn widen_names(names: &mut BTreeMap<String, PyValue>, before: &BTreeMap<String, PyValue>) -> bool {
    let mut changed = false;
    for (name, thing) in names {
        // A name that is new in the loop is set before it is read there.
        if let Some(old) = before.get(name) {
            changed |= widen_thing(thing, Some(old));
        }
    }
    changed
}

/// Gives up on a value that changes from one round of a loop to the next.
fn widen_thing(thing: &mut PyValue, before: Option<&PyValue>) -> bool {
    let Some(before) = before else { return true };
    if thing.same(before) {
        return false;
    }
    let taint = thing.taint().with(before.taint());
    let joined = before.join(thing);
    // A few things that are each followed stay what they are: there are only so many of them.
    if matches!(joined, PyValue::Either(_) | PyValue::Heap(_)) {
        let changed = !joined.same(before);
        *thing = joined;
        return changed;
    }
    *thing = match joined {
        joined @ (PyValue::Object(_) | PyValue::Number(_) | PyValue::Unknown(_)) => joined,
        joined if joined.is_plain() => PyValue::Data(taint),
        PyValue::Text(text) => PyValue::Text(super::value::PyText {
            pieces: vec![super::value::unknown_piece(taint)],
            form: text.form,
        }),
        PyValue::None
        | PyValue::Data(_)
        | PyValue::Name(_)
        | PyValue::Module(_)
        | PyValue::Heap(_)
        | PyValue::Function(_)
        | PyValue::Class(_)
        | PyValue::Method(..)
        | PyValue::Either(_) => PyValue::Unknown(taint),
    };
    true
}
