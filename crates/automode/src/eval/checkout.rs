//! A real checkout as the world of cases.
//!
//! Facts are the machine's own, read and never changed; what a case's transcript
//! wrote lies over them, because it was never written there.

use automode_core::{Facts, PathKind, Query};

use super::world::World;
use crate::observe::Machine;
use crate::ports::FileSystem;

/// The machine, and over it what was written before a case.
#[derive(Clone, Debug)]
pub struct Checkout {
    pub written: World,
}

impl FileSystem for Checkout {
    fn observe(&self, queries: &[Query]) -> Facts {
        let mut facts = Machine.observe(queries);
        let imagined = self.written.observe(queries);
        let is_written = |path: &String| self.written.files.contains_key(path);
        facts.paths.extend(
            imagined
                .paths
                .into_iter()
                .filter(|(path, fact)| is_written(path) && fact.kind == PathKind::File),
        );
        facts.shell.files.extend(
            imagined
                .shell
                .files
                .into_iter()
                .filter(|(path, _)| is_written(path)),
        );
        for (pattern, taken) in &mut facts.matches {
            let written = imagined.matches.get(pattern).into_iter().flatten();
            taken.extend(written.cloned());
        }
        for (directory, changes) in &mut facts.changes {
            if let Some(written) = imagined.changes.get(directory) {
                changes.files.extend(written.files.iter().cloned());
            }
        }
        if !self.written.files.is_empty() {
            for repo in facts.repos.values_mut() {
                repo.dirty = true;
            }
        }
        facts
    }
}
