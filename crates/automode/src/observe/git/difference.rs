//! What a working tree holds that a commit does not, told from the repository's own files.
//!
//! The commit's trees are held against the index, the index against the files, and what
//! is neither tracked nor left out is new. Trees that git remembers as unchanged are not
//! opened. Within the steps of a call; beyond them, and where something is not
//! understood, there is no answer and git itself is asked.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::index::{CachedTree, Index, IndexEntry, Wanted};
use super::object::{self, Id, Objects};
use super::{BYTES, Ignores, LookBudget, STEPS, WorkingTree};
use crate::observe::repo::{self, ObservedRepository};

/// Another repository's commit in the place of a directory.
pub(super) const COMMIT: u32 = 0o160_000;
pub(super) const DIRECTORY: u32 = 0o040_000;

/// Names that differ, with the texts that the commit has of them.
pub(in super::super) struct GitDifference {
    pub(in super::super) names: BTreeSet<String>,
    /// Those among them that git does not follow.
    pub(in super::super) untracked: BTreeSet<String>,
    pub(in super::super) before: BTreeMap<String, String>,
}

/// The difference from a commit, or from the last one.
pub(in super::super) fn since(
    repository: &ObservedRepository,
    commit: Option<&str>,
) -> Option<GitDifference> {
    repository.is_plain().then_some(())?;
    let head = object::id(&repository.head()?)?;
    let commit = commit.and_then(object::id).unwrap_or(head);
    let index = Index::read(&repository.index(), &Wanted::everything())?;
    let mut budget = LookBudget {
        steps: STEPS.checked_sub(index.entries.len())?,
        bytes: BYTES,
        until: None,
    };
    let objects = Objects::of(repository.common());
    let mut committed = Committed::default();
    let tree = objects.tree_of(&commit)?;
    committed.collect(&objects, &index, tree, b"", &mut budget)?;
    let mut working = WorkingTree {
        root: &repository.root,
        ignores: Ignores::new(&repository.root, &repository.ignore_lists()),
        objects,
        head: Some(head),
        index: &index,
        unchanged: None,
        budget: &mut budget,
    };
    let mut names: BTreeSet<Vec<u8>> = committed.moved(&index, &repository.root);
    names.extend(committed.differs(&index));
    names.extend(working.changed());
    let mut untracked = BTreeSet::new();
    working.untracked(b"", &repository.root, &mut untracked)?;
    names.extend(untracked.iter().cloned());
    let texts = |name: &Vec<u8>| Some((text(name)?, working.committed_text(&tree, name)?));
    Some(GitDifference {
        before: names.iter().filter_map(texts).collect(),
        names: names.iter().map(|name| text(name)).collect::<Option<_>>()?,
        untracked: untracked
            .iter()
            .map(|name| text(name))
            .collect::<Option<_>>()?,
    })
}

fn text(name: &[u8]) -> Option<String> {
    str::from_utf8(name).ok().map(str::to_owned)
}

pub(super) fn joined(directory: &[u8], name: &[u8]) -> Vec<u8> {
    match directory {
        [] => name.to_vec(),
        _ => [directory, b"/", name].concat(),
    }
}

/// The files of a commit, without the directories that the index has as they are.
#[derive(Default)]
struct Committed {
    files: HashMap<Vec<u8>, (u32, Id)>,
    /// Commits of other repositories in the place of directories.
    commits: HashMap<Vec<u8>, Id>,
    /// Directories that are the same, each with a slash behind it.
    same: Vec<Vec<u8>>,
}

impl Committed {
    fn collect(
        &mut self,
        objects: &Objects,
        index: &Index,
        tree: Id,
        directory: &[u8],
        budget: &mut LookBudget,
    ) -> Option<()> {
        if index.tree(directory) == CachedTree::Is(tree) {
            self.same.push(match directory {
                [] => Vec::new(),
                _ => [directory, b"/"].concat(),
            });
            return Some(());
        }
        for (mode, name, id) in objects.list(&tree)? {
            budget.step().then_some(())?;
            let path = joined(directory, &name);
            match mode {
                DIRECTORY => self.collect(objects, index, id, &path, budget)?,
                COMMIT => {
                    self.commits.insert(path, id);
                }
                _ => {
                    self.files.insert(path, (mode, id));
                }
            }
        }
        Some(())
    }

    fn is_same(&self, path: &[u8]) -> bool {
        self.same
            .iter()
            .any(|directory| path.starts_with(directory))
    }

    /// Repositories in the tree that stand at another commit than the one that is held here:
    /// what they brought, nobody read. Each with a slash behind it.
    fn moved(&self, index: &Index, root: &Path) -> BTreeSet<Vec<u8>> {
        let held = |entry: &IndexEntry| match self.commits.get(&entry.path) {
            Some(id) => Some(*id),
            None => self.is_same(&entry.path).then_some(entry.id),
        };
        let stands = |entry: &IndexEntry| {
            let path = root.join(OsStr::from_bytes(&entry.path));
            let own = repo::find(&path).filter(|found| found.root != root)?;
            object::id(&own.head()?)
        };
        let links = index.entries.iter().filter(|entry| entry.mode == COMMIT);
        links
            .filter(|entry| stands(entry).is_some_and(|at| held(entry) != Some(at)))
            .map(|entry| [entry.path.as_slice(), b"/"].concat())
            .collect()
    }

    /// What is staged: added, changed or taken away.
    fn differs(mut self, index: &Index) -> BTreeSet<Vec<u8>> {
        let mut names = BTreeSet::new();
        for entry in &index.entries {
            let committed = self.files.remove(&entry.path);
            let is_same = committed == Some((entry.mode, entry.id)) || self.is_same(&entry.path);
            if !is_same && entry.mode != COMMIT {
                names.insert(entry.path.clone());
            }
        }
        names.extend(self.files.into_keys());
        names
    }
}

impl WorkingTree<'_> {
    /// Tracked files that are not as the index has them.
    fn changed(&mut self) -> Vec<Vec<u8>> {
        let (root, index) = (self.root, self.index);
        let is_changed = |entry: &&IndexEntry| {
            let path = root.join(OsStr::from_bytes(&entry.path));
            entry.mode != COMMIT && (entry.odd || !self.is_unchanged(entry, &path))
        };
        let changed = index.entries.iter().filter(is_changed);
        changed.map(|entry| entry.path.clone()).collect()
    }

    /// Files that are not tracked and not left out. `None`: there are too many to look at.
    fn untracked(&mut self, name: &[u8], path: &Path, names: &mut BTreeSet<Vec<u8>>) -> Option<()> {
        for child in fs::read_dir(path).ok()? {
            let child = child.ok()?;
            self.budget.step().then_some(())?;
            if child.file_name() == ".git" {
                continue;
            }
            let below = joined(name, child.file_name().as_bytes());
            if !child.file_type().ok()?.is_dir() {
                if !self.is_tracked(&below) && !self.ignores.leave_out(&below, false) {
                    names.insert(below);
                }
                continue;
            }
            let holds_tracked = !self.below(&below).is_empty();
            if !holds_tracked && self.ignores.leave_out(&below, true) {
                continue;
            }
            let path = child.path();
            if !holds_tracked && fs::symlink_metadata(path.join(".git")).is_ok() {
                // Another repository, or a place for one.
                if !self.is_tracked(&below) {
                    names.insert([below.as_slice(), b"/"].concat());
                }
                continue;
            }
            self.untracked(&below, &path, names)?;
        }
        Some(())
    }

    fn is_tracked(&self, name: &[u8]) -> bool {
        let entries = &self.index.entries;
        entries
            .binary_search_by(|entry| entry.path.as_slice().cmp(name))
            .is_ok()
    }

    /// The text that a commit's tree has of a file.
    fn committed_text(&self, tree: &Id, name: &[u8]) -> Option<String> {
        let mut at = *tree;
        for part in name.split(|byte| *byte == b'/') {
            at = self.objects.entry(&at, part)??.1;
        }
        String::from_utf8(self.objects.file(&at)?).ok()
    }
}
