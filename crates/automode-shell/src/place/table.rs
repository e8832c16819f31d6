//! Kinds of places by the patterns of their paths.

use super::pattern::{PathName, begins, names, names_below};

/// The first kind whose pattern fits wins.
pub(super) type PlaceRows<K> = &'static [(K, &'static [&'static str])];

/// Where the kinds of one sort lie.
pub(super) struct PlaceTable<K: 'static> {
    /// Below a home directory.
    pub home: PlaceRows<K>,
    /// By absolute path.
    pub system: PlaceRows<K>,
    /// By name, wherever they lie.
    pub anywhere: PlaceRows<K>,
}

impl<K: Copy> PlaceTable<K> {
    /// The kind of a path. Another user's home has the same places, one or two
    /// names further down.
    pub fn find(&self, path: &str, home: Option<&str>) -> Option<K> {
        let all = names(path);
        let foreign = match all.first().map(PathName::as_str) {
            Some("root") => all.get(1..),
            Some("home" | "users") => all.get(2..),
            _ => None,
        };
        names_below(path, home)
            .and_then(|below| first(self.home, &below))
            .or_else(|| first(self.home, foreign?))
            .or_else(|| first(self.system, &all))
            .or_else(|| first(self.anywhere, &all))
    }
}

fn first<K: Copy>(rows: PlaceRows<K>, names: &[PathName]) -> Option<K> {
    let (kind, _) = rows
        .iter()
        .find(|(_, patterns)| patterns.iter().any(|pattern| begins(names, pattern)))?;
    Some(*kind)
}
