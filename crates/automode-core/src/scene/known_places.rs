//! Places that were looked up before.
//!
//! Guards, rules and exceptions ask for the same targets one after the other, and a command
//! may name hundreds. The answers hold for the one context of a call.

use std::cell::RefCell;
use std::collections::HashMap;

use automode_shell::place::Place;
use automode_shell::{Context, Extent, Target};

/// The places of paths in one context.
#[derive(Debug, Default)]
pub struct KnownPlaces {
    by_path: RefCell<HashMap<String, Place>>,
}

impl KnownPlaces {
    pub(super) fn of(&self, target: &Target, context: &Context) -> Place {
        match target.extent {
            Extent::Exact => self.of_path(&target.path, context),
            Extent::Pattern | Extent::Below | Extent::Prefix | Extent::Unknown => {
                Place::of(target, context)
            }
        }
    }

    pub(super) fn of_path(&self, path: &str, context: &Context) -> Place {
        if let Some(known) = self.by_path.borrow().get(path) {
            return *known;
        }
        let place = Place::of_path(path, context);
        self.by_path.borrow_mut().insert(path.to_owned(), place);
        place
    }
}
