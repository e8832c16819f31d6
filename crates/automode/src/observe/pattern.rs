//! What a pattern of names takes in its directory.

use std::fs;
use std::io::ErrorKind;

use automode_core::{MAX_MATCHES, NamePattern};

/// The most entries of a directory that are looked at.
const MAX_ENTRIES: usize = 20_000;

/// The paths that a pattern takes; nothing where that cannot be told.
pub(super) fn look(path: &str) -> Option<Vec<String>> {
    let pattern = NamePattern::read(path)?;
    let entries = match fs::read_dir(pattern.directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Some(Vec::new()),
        Err(_) => return None,
    };
    let mut taken = Vec::new();
    for (count, entry) in entries.enumerate() {
        // A name that is no text may be taken, and cannot be asked about.
        let name = entry.ok()?.file_name().into_string().ok()?;
        if count >= MAX_ENTRIES || taken.len() >= MAX_MATCHES {
            return None;
        }
        if pattern.may_take(&name) {
            taken.push(format!("{}/{name}", pattern.directory));
        }
    }
    Some(taken)
}
