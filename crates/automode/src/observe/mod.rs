//! Facts about this machine: paths, files, repositories.
//!
//! Everything is bounded in size and steps and nothing is changed. No program is
//! started but `git`, for a repository whose files are not read here and for the commits
//! of a push, with an environment in which it runs nothing else. What cannot be seen is left out, or
//! named as not readable.

mod canonical;
mod changes;
mod file;
mod folder;
mod git;
mod lead;
mod outgoing;
mod path;
mod pattern;
mod replaced;
mod repo;
mod second_name;
#[cfg(test)]
mod test_git;
mod tree;

use std::path::{Path, PathBuf};

use automode_core::{Facts, GitState, PathKind, Query};
use automode_shell::FileFact;

use self::canonical::Resolver;
pub use self::file::first_bytes;
pub use self::folder::look as files_below;
pub use self::git::blob_name;
use crate::ports::FileSystem;

/// The machine that the process runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine;

impl FileSystem for Machine {
    fn observe(&self, queries: &[Query]) -> Facts {
        let mut facts = Facts::default();
        let mut resolver = Resolver::default();
        // All that is asked about git is told in one go.
        let mut asked: Vec<(GitAsked<'_>, PathBuf)> = Vec::new();
        for query in queries {
            match query {
                Query::Path(path) => {
                    let fact = path::look(Path::new(path), &mut resolver);
                    facts.paths.insert(path.clone(), fact);
                }
                Query::GitState(path) => {
                    let fact = path::look(Path::new(path), &mut resolver);
                    // git has nothing to say of what is not there.
                    let canonical = fact.canonical.as_ref().map(PathBuf::from);
                    let canonical = canonical.filter(|_| fact.kind != PathKind::Absent);
                    asked.extend(canonical.map(|canonical| (GitAsked::Path(path), canonical)));
                    facts.paths.insert(path.clone(), fact);
                }
                Query::Matches(path) => {
                    let taken = pattern::look(path);
                    facts
                        .matches
                        .extend(taken.map(|taken| (path.clone(), taken)));
                }
                Query::Folder(directory) => {
                    let files = folder::look(Path::new(directory));
                    facts
                        .folders
                        .extend(files.map(|files| (directory.clone(), files)));
                }
                Query::Leads { directory, depth } => {
                    let found = lead::look(Path::new(directory), *depth);
                    facts
                        .leads
                        .entry(directory.clone())
                        .or_default()
                        .extend(found);
                }
                Query::File(path) => {
                    let known = facts.paths.get(path);
                    let program = file::linked_program(Path::new(path), known);
                    let found = text(path, known.map(|fact| fact.kind));
                    facts.shell.files.insert(path.clone(), found);
                    let linked = program.map(|program| (path.clone(), program));
                    facts.shell.programs.extend(linked);
                }
                Query::Tree(directory) => {
                    let files = &mut facts.shell.files;
                    files.insert(directory.clone(), FileFact::Directory);
                    for secret in tree::secrets_below(Path::new(directory)) {
                        let found = file::read(&secret);
                        files.insert(secret.display().to_string(), found);
                    }
                }
                Query::Repo(directory) => {
                    let repo = repo::look(Path::new(directory), &mut resolver);
                    facts.repos.insert(directory.clone(), repo);
                }
                Query::RepoState(directory) => {
                    let repo = repo::look(Path::new(directory), &mut resolver);
                    let root = repo.root.as_ref().map(PathBuf::from);
                    asked.extend(root.map(|root| (GitAsked::Repo(directory), root)));
                    facts.repos.insert(directory.clone(), repo);
                }
                Query::Changes { directory, since } => {
                    let changes = changes::look(Path::new(directory), since.as_deref());
                    facts.changes.insert(directory.clone(), changes);
                }
                Query::Outgoing {
                    directory,
                    remote,
                    names,
                } => {
                    let found = outgoing::look(Path::new(directory), remote.as_deref(), names);
                    // Two pushes of one command hand out what either does.
                    let all = match facts.outgoing.remove(directory) {
                        Some(known) => known.with(found),
                        None => found,
                    };
                    facts.outgoing.insert(directory.clone(), all);
                }
                Query::Replaced {
                    directory,
                    revision,
                } => {
                    let found = replaced::look(Path::new(directory), revision);
                    // Several names bring what any of them has.
                    let all = match facts.replaced.remove(directory) {
                        Some(known) => known.with(found),
                        None => found,
                    };
                    facts.replaced.insert(directory.clone(), all);
                }
                Query::Transcript | Query::Permit => {}
            }
        }
        tell_git(asked, &mut facts);
        facts
    }
}

/// What a file holds, where it is not known already that it holds nothing.
fn text(path: &str, known: Option<PathKind>) -> FileFact {
    match known {
        Some(PathKind::Absent) => FileFact::Absent,
        Some(PathKind::Directory) => FileFact::Directory,
        Some(PathKind::File | PathKind::Link | PathKind::Other | PathKind::Unreadable) | None => {
            file::read(Path::new(path))
        }
    }
}

/// Puts what git has of the paths into the facts.
fn tell_git(asked: Vec<(GitAsked<'_>, PathBuf)>, facts: &mut Facts) {
    let paths: Vec<PathBuf> = asked.iter().map(|(_, path)| path.clone()).collect();
    for ((asked, _), state) in asked.into_iter().zip(git::states(&paths)) {
        match asked {
            GitAsked::Path(path) => {
                if let Some(fact) = facts.paths.get_mut(path) {
                    fact.git = state;
                }
            }
            GitAsked::Repo(directory) => {
                if let Some(repo) = facts.repos.get_mut(directory) {
                    repo.dirty = state != GitState::Clean;
                }
            }
        }
    }
}

/// Whom an answer about git is for.
enum GitAsked<'a> {
    Path(&'a String),
    Repo(&'a String),
}
