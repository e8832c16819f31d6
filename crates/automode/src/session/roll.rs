//! The sessions that there ever were, so that a record that is gone is missed.
//!
//! A session without a record is a new one, unless its name stands here: then what it
//! knew was lost. The roll is read once, when a session has no record, and holds eight
//! bytes for each. It keeps the youngest: who comes back after so many others is new.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use crate::state::{State, open_private};

/// The most names that are kept, and how many stay when there are more.
const MOST: usize = 32 * 1024;
const KEPT: usize = 24 * 1024;
const WIDTH: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Roll {
    path: PathBuf,
}

impl Roll {
    pub(super) fn of(state: &State) -> Self {
        Self {
            path: state.path("sessions.roll"),
        }
    }

    /// Whether a session of this name was there before. A roll that cannot be read may hold it.
    pub(super) fn holds(&self, name: &str) -> bool {
        match self.read() {
            Ok(names) => is_among(&names, name),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    /// Adds a name. One append of a few bytes: writers do not mix.
    pub(super) fn add(&self, name: &str) -> io::Result<()> {
        let names = match self.read() {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        if is_among(&names, name) {
            return Ok(());
        }
        if names.len() >= MOST.saturating_mul(WIDTH) {
            self.shorten(&names)?;
        }
        open_private(&self.path)?.write_all(&key(name))
    }

    fn shorten(&self, names: &[u8]) -> io::Result<()> {
        let from = names.len().saturating_sub(KEPT.saturating_mul(WIDTH));
        let beside = self.path.with_extension("new");
        let _ = fs::remove_file(&beside);
        open_private(&beside)?.write_all(names.get(from..).unwrap_or_default())?;
        fs::rename(beside, &self.path)
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        let mut names = Vec::new();
        let most = MOST.saturating_mul(WIDTH).saturating_mul(2) as u64;
        File::open(&self.path)?.take(most).read_to_end(&mut names)?;
        Ok(names)
    }
}

fn is_among(names: &[u8], name: &str) -> bool {
    let key = key(name);
    names.chunks(WIDTH).any(|own| own == key)
}

/// The beginning of a digest.
fn key(name: &str) -> [u8; WIDTH] {
    let mut key = [0; WIDTH];
    for (to, from) in key.iter_mut().zip(automode_core::digest(name).bytes()) {
        *to = from;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_once_it_was_added() {
        let tree = tempfile::tempdir().unwrap();
        let roll = Roll::of(&State::at(tree.path().join("state")).unwrap());
        assert!(!roll.holds("a"));
        roll.add("a").unwrap();
        roll.add("a").unwrap();
        roll.add("b").unwrap();
        assert!(roll.holds("a") && roll.holds("b") && !roll.holds("c"));
        assert_eq!(fs::metadata(&roll.path).unwrap().len(), 16);
    }

    #[test]
    fn the_youngest_names_stay() {
        let tree = tempfile::tempdir().unwrap();
        let roll = Roll::of(&State::at(tree.path().join("state")).unwrap());
        fs::write(&roll.path, vec![b'x'; MOST * WIDTH]).unwrap();
        roll.add("a").unwrap();
        roll.add("b").unwrap();
        assert!(roll.holds("a") && roll.holds("b"));
        assert!(fs::metadata(&roll.path).unwrap().len() < (MOST * WIDTH) as u64);
    }
}
