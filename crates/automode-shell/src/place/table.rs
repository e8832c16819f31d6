//! Kinds of places by the patterns of their paths.

use super::pattern::{Name, begins, names, names_below};

/// The first kind whose pattern fits wins.
pub(super) type Rows<K> = &'static [(K, &'static [&'static str])];

/// Where the kinds of one sort lie.
pub(super) struct Table<K: 'static> {
    /// Below a home directory.
    pub home: Rows<K>,
    /// By absolute path.
    pub system: Rows<K>,
    /// By name, wherever they lie.
    pub anywhere: Rows<K>,
}

impl<K: Copy> Table<K> {
    /// The kind of a path. Another user's home has the same places, one or two
    /// names further down.
    pub fn find(&self, path: &str, home: Option<&str>) -> Option<K> {
        let all = names(path);
        let foreign = match all.first().map(Name::as_str) {
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

fn first<K: Copy>(rows: Rows<K>, names: &[Name]) -> Option<K> {
    let (kind, _) = rows
        .iter()
        .find(|(_, patterns)| patterns.iter().any(|pattern| begins(names, pattern)))?;
    Some(*kind)
}
