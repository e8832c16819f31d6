//! Facts about this machine: paths, files, repositories.
//!
//! Everything is bounded in size and time, nothing is changed, and no program
//! is started but `git`, with an environment in which it runs nothing else.
//! What cannot be seen is left out, or named as not readable.

mod canonical;
mod file;
mod git;
mod path;
mod repo;

use std::path::Path;

use automode_core::{Facts, GitState, Query};

use crate::ports::FileSystem;

/// The machine that the process runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine;

impl FileSystem for Machine {
    fn observe(&self, queries: &[Query]) -> Facts {
        let mut facts = Facts::default();
        for query in queries {
            match query {
                Query::Path(path) => {
                    facts
                        .paths
                        .insert(path.clone(), path::look(Path::new(path)));
                }
                Query::GitState(path) => {
                    let mut fact = path::look(Path::new(path));
                    let canonical = fact.canonical.as_deref().map(Path::new);
                    fact.git = canonical.map_or(GitState::None, git::state);
                    facts.paths.insert(path.clone(), fact);
                }
                Query::File(path) => {
                    let file = file::read(Path::new(path));
                    facts.shell.files.insert(path.clone(), file);
                }
                Query::Repo(directory) => {
                    let repo = repo::look(Path::new(directory));
                    facts.repos.insert(directory.clone(), repo);
                }
                Query::RepoState(directory) => {
                    let mut repo = repo::look(Path::new(directory));
                    let root = repo.root.as_deref().map(Path::new);
                    repo.dirty = root.is_none_or(|root| git::state(root) != GitState::Clean);
                    facts.repos.insert(directory.clone(), repo);
                }
                Query::Transcript => {}
            }
        }
        facts
    }
}
