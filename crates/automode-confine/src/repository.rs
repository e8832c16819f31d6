//! Where the repository of a project keeps its own files.
//!
//! Follows `.git` files of worktrees and submodules to the directory they name, and from
//! there to the common one. What cannot be read is left out: it is then neither writable
//! nor put back.

use std::fs;
use std::path::{Path, PathBuf};

/// The places that belong to git rather than to the project.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Repository {
    /// `.git` entries inside the project: directories, or files that name one.
    pub entries: Vec<PathBuf>,
    /// The directories that hold refs and objects, resolved; inside the project or not.
    pub directories: Vec<PathBuf>,
    /// A directory of the project that the repository's settings name as its hooks.
    pub hooks: Vec<PathBuf>,
}

/// How many directory entries the search for nested repositories looks at.
const NESTED_BUDGET: usize = 4_000;
const NESTED_DEPTH: usize = 3;
/// Trees of other people's files, large and without a repository of the person's.
const SKIPPED: [&str; 5] = [".git", "node_modules", "target", ".venv", "vendor"];

impl Repository {
    /// Of the project itself, the one above it, and those nested in it.
    #[must_use]
    pub fn of(project: &Path) -> Self {
        let mut found = Self::default();
        for directory in project.ancestors() {
            let entry = directory.join(".git");
            if entry.symlink_metadata().is_ok() {
                found.add(directory, &entry, directory == project);
                break;
            }
        }
        let mut budget = NESTED_BUDGET;
        found.search(project, NESTED_DEPTH, &mut budget);
        found
    }

    fn add(&mut self, top: &Path, entry: &Path, inside: bool) {
        if inside && !self.entries.iter().any(|known| known == entry) {
            self.entries.push(entry.to_owned());
        }
        let Some(directory) = directory_of(entry) else {
            return;
        };
        let common = fs::read_to_string(directory.join("commondir"))
            .ok()
            .and_then(|text| fs::canonicalize(directory.join(text.trim_end())).ok());
        for directory in [Some(directory), common].into_iter().flatten() {
            self.note_hooks(top, &directory);
            if !self.directories.contains(&directory) {
                self.directories.push(directory);
            }
        }
    }

    fn note_hooks(&mut self, top: &Path, directory: &Path) {
        for settings in ["config", "config.worktree"] {
            let Ok(text) = fs::read_to_string(directory.join(settings)) else {
                continue;
            };
            for line in text.lines() {
                let Some((key, value)) = line.split_once('=') else {
                    continue;
                };
                if !key.trim().eq_ignore_ascii_case("hookspath") {
                    continue;
                }
                let path = top.join(value.trim().trim_matches('"'));
                if !self.hooks.contains(&path) {
                    self.hooks.push(path);
                }
            }
        }
    }

    fn search(&mut self, directory: &Path, depth: usize, budget: &mut usize) {
        let Ok(entries) = fs::read_dir(directory) else {
            return;
        };
        let mut below = Vec::new();
        for entry in entries.flatten() {
            if *budget == 0 {
                return;
            }
            *budget -= 1;
            let name = entry.file_name();
            if name == ".git" {
                self.add(directory, &entry.path(), true);
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir())
                && !SKIPPED.iter().any(|skipped| name == *skipped)
            {
                below.push(entry.path());
            }
        }
        if depth > 0 {
            for directory in below {
                self.search(&directory, depth - 1, budget);
            }
        }
    }
}

/// The directory that a `.git` entry is or names, resolved.
fn directory_of(entry: &Path) -> Option<PathBuf> {
    let resolved = fs::canonicalize(entry).ok()?;
    if resolved.is_dir() {
        return Some(resolved);
    }
    let text = fs::read_to_string(&resolved).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    let directory = fs::canonicalize(entry.parent()?.join(named)).ok()?;
    // A file that names just any directory, or a stranger's repository, opens nothing.
    let has_head = directory.join("HEAD").exists();
    (has_head && (knows(&directory, &resolved) || is_above(&directory, entry))).then_some(directory)
}

/// Whether a worktree's directory names the entry that names it.
fn knows(directory: &Path, entry: &Path) -> bool {
    fs::read_to_string(directory.join("gitdir"))
        .ok()
        .and_then(|text| fs::canonicalize(directory.join(text.trim_end())).ok())
        .is_some_and(|back| back == entry)
}

/// Whether a directory belongs to a repository around the entry, as a submodule's does.
fn is_above(directory: &Path, entry: &Path) -> bool {
    entry
        .ancestors()
        .skip(2)
        .filter_map(|above| fs::canonicalize(above.join(".git")).ok())
        .any(|git| directory.starts_with(git))
}

/// Files of a git directory that decide what later commands run.
pub(crate) const RUNNING_FILES: [&str; 7] = [
    "hooks",
    "config",
    "config.worktree",
    "info/attributes",
    "commondir",
    "gitdir",
    "modules",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_leads_to_the_common_directory() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let main = top.join("main/.git");
        let own = main.join("worktrees/side");
        let side = top.join("side");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir_all(&side).unwrap();
        fs::write(main.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(own.join("HEAD"), "ref: refs/heads/side\n").unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(main.join("config"), "[core]\n\thooksPath = \".githooks\"\n").unwrap();
        fs::write(side.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("gitdir"), format!("{}/.git\n", side.display())).unwrap();
        let found = Repository::of(&side);
        assert_eq!(found.entries, [side.join(".git")]);
        assert_eq!(found.directories, [own, main]);
        assert_eq!(found.hooks, [side.join(".githooks")]);
    }

    #[test]
    fn a_git_file_that_names_a_stranger_leads_nowhere() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("other/.git")).unwrap();
        fs::create_dir(top.join("app")).unwrap();
        fs::write(top.join("other/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(top.join("app/.git"), "gitdir: ../other/.git\n").unwrap();
        assert_eq!(
            Repository::of(&top.join("app")).directories,
            [] as [&Path; 0]
        );
    }

    #[test]
    fn nested_repositories_are_found() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("libs/inner/.git")).unwrap();
        fs::create_dir_all(top.join("node_modules/x/.git")).unwrap();
        assert_eq!(Repository::of(&top).entries, [top.join("libs/inner/.git")]);
    }
}
