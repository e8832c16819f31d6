//! Facts about this machine: paths, files, repositories.
//!
//! Everything is bounded in size and steps and nothing is changed. No program is
//! started but `git`, for a repository whose files are not read here, with an
//! environment in which it runs nothing else. What cannot be seen is left out, or
//! named as not readable.

mod canonical;
mod changes;
mod file;
mod git;
mod path;
mod repo;

use std::path::{Path, PathBuf};

use automode_core::{Facts, GitState, Query};

use self::canonical::Resolver;
use crate::ports::FileSystem;

/// The machine that the process runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine;

impl FileSystem for Machine {
    fn observe(&self, queries: &[Query]) -> Facts {
        let mut facts = Facts::default();
        let mut resolver = Resolver::default();
        // All that is asked about git is told in one go.
        let mut asked: Vec<(Asked<'_>, PathBuf)> = Vec::new();
        for query in queries {
            match query {
                Query::Path(path) => {
                    let fact = path::look(Path::new(path), &mut resolver);
                    facts.paths.insert(path.clone(), fact);
                }
                Query::GitState(path) => {
                    let fact = path::look(Path::new(path), &mut resolver);
                    let canonical = fact.canonical.as_ref().map(PathBuf::from);
                    asked.extend(canonical.map(|canonical| (Asked::Path(path), canonical)));
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
                    let repo = repo::look(Path::new(directory));
                    let root = repo.root.as_ref().map(PathBuf::from);
                    asked.extend(root.map(|root| (Asked::Repo(directory), root)));
                    facts.repos.insert(directory.clone(), repo);
                }
                Query::Changes { directory, since } => {
                    let changes = changes::look(Path::new(directory), since.as_deref());
                    facts.changes.insert(directory.clone(), changes);
                }
                Query::Transcript | Query::Permit => {}
            }
        }
        let paths: Vec<PathBuf> = asked.iter().map(|(_, path)| path.clone()).collect();
        for ((asked, _), state) in asked.into_iter().zip(git::states(&paths)) {
            match asked {
                Asked::Path(path) => {
                    if let Some(fact) = facts.paths.get_mut(path) {
                        fact.git = state;
                    }
                }
                Asked::Repo(directory) => {
                    if let Some(repo) = facts.repos.get_mut(directory) {
                        repo.dirty = state != GitState::Clean;
                    }
                }
            }
        }
        facts
    }
}

/// Whom an answer about git is for.
enum Asked<'a> {
    Path(&'a String),
    Repo(&'a String),
}
