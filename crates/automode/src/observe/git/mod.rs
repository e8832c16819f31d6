//! Whether git has the content of a path, told from the repository's own files.
//!
//! The index says what is tracked and what it looked like; a file that looks the same
//! is the same, any other is compared by its content. What is tracked must also be what
//! the last commit holds. Directories are gone through entry by entry within a number
//! of steps that all paths of a call share: what is not seen counts as lost. git itself
//! is started only for an index that is not read here.

mod difference;
mod ignore;
mod index;
mod inflate;
mod object;
mod process;
mod replaced;
mod revision;
mod sha1;

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use automode_core::GitState;

pub(super) use self::difference::{GitDifference, since};
pub(super) use self::process::{history, output, texts};
pub(super) use self::replaced::replaced;

use self::ignore::Ignores;
use self::index::{CachedTree, Index, IndexEntry, Wanted};
use self::object::{Id, Objects};
use super::repo::{self, ObservedRepository};

/// Entries of directories that are looked at for all paths of a call.
const STEPS: usize = 20_000;
/// Bytes whose digest is taken for all paths of a call.
const BYTES: u64 = 32 * 1024 * 1024;

const REGULAR: u32 = 0o100_644;
const EXECUTABLE: u32 = 0o100_755;
const LINK: u32 = 0o120_000;

/// What is left to spend on the paths of a call.
struct LookBudget {
    steps: usize,
    bytes: u64,
    until: Option<Instant>,
}

impl LookBudget {
    fn step(&mut self) -> bool {
        let left = self.steps.checked_sub(1);
        self.steps = left.unwrap_or_default();
        left.is_some()
    }
}

/// The states of canonical paths; of a directory, the worst of everything in it.
pub(super) fn states(paths: &[PathBuf]) -> Vec<GitState> {
    let mut budget = LookBudget {
        steps: STEPS,
        bytes: BYTES,
        until: Instant::now().checked_add(process::BUDGET),
    };
    let mut roots: HashMap<PathBuf, Option<PathBuf>> = HashMap::new();
    let mut groups: HashMap<PathBuf, (ObservedRepository, Vec<usize>)> = HashMap::new();
    let found: Vec<Option<Metadata>> = paths
        .iter()
        .map(|path| fs::symlink_metadata(path).ok())
        .collect();
    for ((at, path), found) in paths.iter().enumerate().zip(&found) {
        let is_directory = found.as_ref().is_some_and(Metadata::is_dir);
        let directory = if is_directory {
            Some(path.as_path())
        } else {
            path.parent()
        };
        let Some(directory) = directory else { continue };
        if !roots.contains_key(directory) {
            let found = existing(directory).and_then(repo::find);
            let root = found.as_ref().map(|repository| repository.root.clone());
            roots.insert(directory.to_owned(), root.clone());
            if let (Some(root), Some(repository)) = (root, found) {
                groups.entry(root).or_insert((repository, Vec::new()));
            }
        }
        let root = roots.get(directory).and_then(Option::as_ref);
        if let Some((_, members)) = root.and_then(|root| groups.get_mut(root)) {
            members.push(at);
        }
    }
    let mut states = vec![GitState::None; paths.len()];
    for (repository, members) in groups.into_values() {
        let wanted: Vec<(&Path, Option<&Metadata>)> = members
            .iter()
            .filter_map(|at| Some((paths.get(*at)?.as_path(), found.get(*at)?.as_ref())))
            .collect();
        let told = in_repository(&repository, &wanted, &mut budget);
        for (at, state) in members.iter().zip(told) {
            if let Some(own) = states.get_mut(*at) {
                *own = state;
            }
        }
    }
    states
}

/// The nearest directory that is there.
fn existing(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|path| path.is_dir())
}

/// How much would be lost, the more the higher.
const fn loss(state: GitState) -> u8 {
    match state {
        GitState::Clean | GitState::None => 0,
        GitState::Ignored => 1,
        GitState::Dirty => 2,
        GitState::Untracked => 3,
    }
}

fn in_repository(
    repository: &ObservedRepository,
    paths: &[(&Path, Option<&Metadata>)],
    budget: &mut LookBudget,
) -> Vec<GitState> {
    let names: Vec<Option<Vec<u8>>> = paths
        .iter()
        .map(|(path, _)| {
            let below = path.strip_prefix(&repository.root).ok()?;
            let bytes = below.as_os_str().as_bytes().to_vec();
            // The repository's own files are no content of it.
            let inside = bytes == b".git" || bytes.starts_with(b".git/");
            (!inside).then_some(bytes)
        })
        .collect();
    let index = match repository.is_plain() {
        true => {
            let wanted = Wanted::of(names.iter().flatten().map(Vec::as_slice));
            Index::read(&repository.index(), &wanted)
        }
        false => None,
    };
    let Some(index) = index else {
        let ask = |(path, _): &(&Path, Option<&Metadata>)| match budget.until {
            Some(until) => process::state(repository, path, until),
            None => GitState::None,
        };
        return paths.iter().map(ask).collect();
    };
    let mut tree = WorkingTree {
        ignores: Ignores::new(&repository.root, &repository.ignore_lists()),
        root: &repository.root,
        objects: Objects::of(repository.common()),
        head: repository.head().and_then(|text| object::id(&text)),
        index: &index,
        unchanged: None,
        budget,
    };
    let told = names.iter().zip(paths).map(|(name, (path, found))| {
        name.as_ref()
            .map_or(GitState::None, |name| tree.state(name, path, *found))
    });
    told.collect()
}

/// A working tree and what its repository says of it.
struct WorkingTree<'a> {
    root: &'a Path,
    index: &'a Index,
    ignores: Ignores,
    objects: Objects,
    /// The last commit.
    head: Option<Id>,
    /// Whether the index is what the last commit holds, once that was looked at.
    unchanged: Option<bool>,
    budget: &'a mut LookBudget,
}

impl<'a> WorkingTree<'a> {
    fn state(&mut self, name: &[u8], path: &Path, found: Option<&Metadata>) -> GitState {
        if found.is_some_and(Metadata::is_dir) {
            return self.directory(name, path);
        }
        let index = self.index;
        let place = index
            .entries
            .binary_search_by(|entry| entry.path.as_slice().cmp(name));
        match place.ok().and_then(|at| index.entries.get(at)) {
            Some(entry) => self.tracked(entry, path, found),
            None if found.is_some() && self.ignores.leave_out(name, false) => self.left_out(name),
            None => GitState::Untracked,
        }
    }

    /// What no list and no index takes in: unless the last commit still holds it.
    fn left_out(&mut self, name: &[u8]) -> GitState {
        let is_committed = !self.whole_index_is_committed() && self.head_holds(name);
        match is_committed {
            true => GitState::Dirty,
            false => GitState::Ignored,
        }
    }

    /// Whether the last commit has something of that name, as far as that can be told.
    fn head_holds(&self, name: &[u8]) -> bool {
        let Some(head) = self.head else {
            return false;
        };
        let Some(mut tree) = self.objects.tree_of(&head) else {
            return true;
        };
        for part in name.split(|byte| *byte == b'/') {
            match self.objects.entry(&tree, part) {
                Some(Some((_, id))) => tree = id,
                Some(None) => return false,
                None => return true,
            }
        }
        true
    }

    /// A tracked file: as it was, and as it was committed.
    fn tracked(&mut self, entry: &IndexEntry, path: &Path, found: Option<&Metadata>) -> GitState {
        let is_unchanged = found.is_some_and(|found| self.looks_unchanged(entry, path, found));
        if !entry.odd && is_unchanged && self.is_committed(entry) {
            GitState::Clean
        } else {
            GitState::Dirty
        }
    }

    fn is_unchanged(&mut self, entry: &IndexEntry, path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|found| self.looks_unchanged(entry, path, &found))
    }

    fn looks_unchanged(&mut self, entry: &IndexEntry, path: &Path, found: &Metadata) -> bool {
        let same_kind = match entry.mode {
            LINK => found.is_symlink(),
            REGULAR => found.is_file() && found.permissions().mode() & 0o100 == 0,
            EXECUTABLE => found.is_file() && found.permissions().mode() & 0o100 != 0,
            _ => false,
        };
        same_kind
            && (entry.looks_like(found, self.index) || self.content(path, found) == Some(entry.id))
    }

    /// The name that git would give to a file's content.
    fn content(&mut self, path: &Path, found: &Metadata) -> Option<Id> {
        let left = self.budget.bytes.checked_sub(found.len())?;
        self.budget.bytes = left;
        let bytes = if found.is_symlink() {
            fs::read_link(path).ok()?.into_os_string().into_vec()
        } else {
            fs::read(path).ok()?
        };
        Some(blob_id(&bytes))
    }

    fn is_committed(&mut self, entry: &IndexEntry) -> bool {
        if self.whole_index_is_committed() {
            return true;
        }
        let committed = || {
            let mut tree = self.objects.tree_of(&self.head?)?;
            let mut parts = entry.path.split(|byte| *byte == b'/').peekable();
            while let Some(part) = parts.next() {
                let (mode, id) = self.objects.entry(&tree, part)??;
                if parts.peek().is_none() {
                    return Some((mode, id) == (entry.mode, entry.id));
                }
                tree = id;
            }
            None
        };
        committed() == Some(true)
    }

    fn whole_index_is_committed(&mut self) -> bool {
        if let Some(known) = self.unchanged {
            return known;
        }
        let committed = self.head.and_then(|head| self.objects.tree_of(&head));
        let staged = self.index.tree(b"");
        let same = committed.is_some_and(|tree| staged == CachedTree::Is(tree));
        self.unchanged = Some(same);
        same
    }

    /// Whether nothing below a directory is staged.
    fn directory_is_committed(&mut self, name: &[u8]) -> bool {
        if self.whole_index_is_committed() {
            return true;
        }
        let committed = || {
            let mut tree = self.objects.tree_of(&self.head?)?;
            for part in name
                .split(|byte| *byte == b'/')
                .filter(|part| !part.is_empty())
            {
                tree = self.objects.entry(&tree, part)??.1;
            }
            Some(self.index.tree(name) == CachedTree::Is(tree))
        };
        committed() == Some(true)
    }

    fn directory(&mut self, name: &[u8], path: &Path) -> GitState {
        let below = self.below(name);
        if below.is_empty() && !name.is_empty() && self.ignores.leave_out(name, true) {
            return self.left_out(name);
        }
        let tracked: HashMap<&[u8], &IndexEntry> = below
            .iter()
            .map(|entry| (entry.path.as_slice(), entry))
            .collect();
        let mut walk = Walk {
            tracked,
            seen: 0,
            worst: None,
        };
        if !self.walk(name, path, &mut walk) {
            return GitState::Untracked;
        }
        let gone = walk.seen < below.len();
        match walk.worst {
            None if below.is_empty() => GitState::Untracked,
            Some(GitState::Untracked) => GitState::Untracked,
            worst if gone || !below.is_empty() && !self.directory_is_committed(name) => worst
                .map_or(GitState::Dirty, |worst| {
                    if loss(worst) > loss(GitState::Dirty) {
                        worst
                    } else {
                        GitState::Dirty
                    }
                }),
            Some(worst) => worst,
            None => GitState::Dirty,
        }
    }

    /// The entries below a directory, in git's order.
    fn below(&self, name: &[u8]) -> &'a [IndexEntry] {
        let entries = self.index.entries.as_slice();
        if name.is_empty() {
            return entries;
        }
        let mut first = name.to_vec();
        first.push(b'/');
        let from = entries.partition_point(|entry| entry.path.as_slice() < first.as_slice());
        let rest = entries.get(from..).unwrap_or_default();
        let count = rest.partition_point(|entry| entry.path.starts_with(&first));
        rest.get(..count).unwrap_or_default()
    }

    /// Goes through a directory. Whether all of it was seen and nothing in it is git's to lose.
    fn walk(&mut self, name: &[u8], path: &Path, walk: &mut Walk<'_>) -> bool {
        let Ok(children) = fs::read_dir(path) else {
            return false;
        };
        for child in children {
            let Ok(child) = child else { return false };
            if !self.budget.step() {
                return false;
            }
            let own = child.file_name();
            if own == ".git" {
                // A repository inside another one holds what this one knows nothing of.
                if name.is_empty() {
                    continue;
                } else {
                    return false;
                }
            }
            let mut below = name.to_vec();
            if !below.is_empty() {
                below.push(b'/');
            }
            below.extend_from_slice(own.as_bytes());
            let Ok(kind) = child.file_type() else {
                return false;
            };
            let state = if let Some(entry) = walk.tracked.get(below.as_slice()).copied() {
                walk.seen = walk.seen.saturating_add(1);
                self.as_it_was(entry, &child.path())
            } else if kind.is_dir() {
                if self.below(&below).is_empty() && self.ignores.leave_out(&below, true) {
                    self.left_out(&below)
                } else if self.walk(&below, &child.path(), walk) {
                    continue;
                } else {
                    return false;
                }
            } else if self.ignores.leave_out(&below, false) {
                self.left_out(&below)
            } else {
                return false;
            };
            walk.found(state);
        }
        true
    }

    /// A tracked file inside a directory, whose commit is looked at for the directory as a whole.
    fn as_it_was(&mut self, entry: &IndexEntry, path: &Path) -> GitState {
        if !entry.odd && self.is_unchanged(entry, path) {
            GitState::Clean
        } else {
            GitState::Dirty
        }
    }
}

/// What was found below a directory.
struct Walk<'a> {
    tracked: HashMap<&'a [u8], &'a IndexEntry>,
    /// Tracked files that are there.
    seen: usize,
    worst: Option<GitState>,
}

impl Walk<'_> {
    fn found(&mut self, state: GitState) {
        let is_worse = self.worst.is_none_or(|worst| loss(state) > loss(worst));
        if is_worse {
            self.worst = Some(state);
        }
    }
}

/// The name that git gives to content, in hex.
#[must_use]
pub fn blob_name(content: &[u8]) -> String {
    automode_core::hex(&blob_id(content))
}

fn blob_id(content: &[u8]) -> Id {
    let head = format!("blob {}\0", content.len());
    sha1::sha1(&[head.as_bytes(), content])
}

#[cfg(test)]
mod tests;
