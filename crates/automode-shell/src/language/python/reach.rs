//! Which objects somebody can get at.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::state::{Heap, Names};
use super::value::{HeapObject, PyValue};

/// What can be reached, step by step.
#[derive(Clone, Default)]
pub(super) struct Reach {
    pub(super) objects: BTreeSet<usize>,
    /// Functions and classes that were looked through, by their place.
    looked: BTreeSet<usize>,
}

impl Reach {
    /// Takes in whatever values lead to.
    pub(super) fn from<'v>(&mut self, values: impl Iterator<Item = &'v PyValue>, heap: &Heap) {
        let mut open: Vec<PyValue> = values.cloned().collect();
        while let Some(value) = open.pop() {
            match &value {
                PyValue::Heap(at) => {
                    if !self.objects.insert(*at) {
                        continue;
                    }
                    let held = heap.get(at);
                    open.extend(held.into_iter().flat_map(HeapObject::values).cloned());
                    if let Some(HeapObject::Instance { class, .. }) = held {
                        open.push(PyValue::Class(Rc::clone(class)));
                    }
                }
                PyValue::Function(function) => {
                    if self
                        .looked
                        .insert(Rc::as_ptr(function).cast::<()>() as usize)
                    {
                        open.extend(function.defaults.values().cloned());
                        open.extend(function.captured.values().cloned());
                    }
                }
                PyValue::Class(class) => {
                    if self.looked.insert(Rc::as_ptr(class).cast::<()>() as usize) {
                        open.extend(class.members.values().cloned());
                        open.extend(class.bases.iter().cloned());
                    }
                }
                PyValue::Method(receiver, _) => open.push((**receiver).clone()),
                PyValue::Either(ways) => open.extend(ways.iter().cloned()),
                // Names of modules are looked through as such.
                PyValue::Module(_)
                | PyValue::None
                | PyValue::Number(_)
                | PyValue::Text(_)
                | PyValue::Data(_)
                | PyValue::Name(_)
                | PyValue::Object(_)
                | PyValue::Unknown(_) => {}
            }
        }
    }
}

/// What the names of all modules lead to, as long as neither they nor that changed.
#[derive(Default)]
pub(super) struct GlobalReach {
    modules: Vec<Names>,
    heap: Heap,
    reach: Reach,
}

impl GlobalReach {
    pub(super) fn of(&mut self, modules: &[Names], heap: &Heap) -> Reach {
        let is_known = self.modules.len() == modules.len()
            && self.modules.iter().zip(modules).all(|(a, b)| a.is(b))
            && heap.holds(&self.heap);
        if !is_known {
            let mut reach = Reach::default();
            reach.from(modules.iter().flat_map(|names| names.values()), heap);
            self.modules = modules.to_vec();
            self.heap = heap.only(&reach.objects);
            self.reach = reach;
        }
        self.reach.clone()
    }
}
