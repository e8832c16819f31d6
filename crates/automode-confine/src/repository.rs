//! Where the repository of a project keeps its own files.
//!
//! Follows `.git` files of worktrees and submodules to the directory they name, and from
//! there to the common one. What cannot be read is left out: it is then neither writable
//! nor put back.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use crate::gitconfig;

/// The places that belong to git rather than to the project.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Repository {
    /// `.git` entries inside the project: directories, or files that name one.
    pub entries: Vec<PathBuf>,
    /// The directories that hold refs and objects, resolved; inside the project or not.
    pub directories: Vec<PathBuf>,
    /// Files and directories that the repository's settings name as hooks or more settings.
    pub named: Vec<PathBuf>,
}

/// How many directory entries the search for nested repositories looks at, nearest first.
const NESTED_BUDGET: usize = 6_000;
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
                found.add(project, directory, &entry);
                break;
            }
        }
        for entry in nested(project) {
            if let Some(top) = entry.parent() {
                found.add(project, top, &entry);
            }
        }
        found
    }

    /// Adds what a person's own settings name for every repository.
    pub fn add_settings_of(&mut self, project: &Path, home: &Path) {
        let files = [
            home.join(".gitconfig"),
            home.join(".config/git/config"),
            "/etc/gitconfig".into(),
        ];
        for file in files {
            self.note_named(project, &file);
        }
    }

    fn add(&mut self, project: &Path, top: &Path, entry: &Path) {
        if entry.starts_with(project) && !self.entries.iter().any(|known| known == entry) {
            self.entries.push(entry.to_owned());
        }
        let Some(directory) = directory_of(project, entry) else {
            return;
        };
        let common = common_of(&directory);
        for directory in [Some(directory), common].into_iter().flatten() {
            for settings in ["config", "config.worktree"] {
                self.note_named(top, &directory.join(settings));
            }
            if !self.directories.contains(&directory) {
                self.directories.push(directory);
            }
        }
    }

    fn note_named(&mut self, top: &Path, settings: &Path) {
        for path in gitconfig::named(top, settings) {
            if !self.named.contains(&path) {
                self.named.push(path);
            }
        }
    }
}

/// Every `.git` below a directory, the nearest first, as far as the search goes.
#[must_use]
pub(crate) fn nested(top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut budget = NESTED_BUDGET;
    let mut waiting = VecDeque::from([top.to_owned()]);
    while let Some(directory) = waiting.pop_front() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let Some(left) = budget.checked_sub(1) else {
                return found;
            };
            budget = left;
            let name = entry.file_name();
            if name == ".git" {
                found.push(entry.path());
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir())
                && !SKIPPED.iter().any(|skipped| name == *skipped)
            {
                waiting.push_back(entry.path());
            }
        }
    }
    found
}

/// The repository that a worktree's own directory lies in. Git keeps them nowhere else, and
/// a file that says otherwise could name any directory.
fn common_of(directory: &Path) -> Option<PathBuf> {
    let text = gitconfig::small_text(&directory.join("commondir"))?;
    let common = fs::canonicalize(directory.join(text.trim_end())).ok()?;
    let worktrees = directory.parent()?;
    let is_one = worktrees.file_name()? == "worktrees" && worktrees.parent()? == common;
    (is_one && common.join("HEAD").exists()).then_some(common)
}

/// The directory that a `.git` entry is or names, resolved.
fn directory_of(project: &Path, entry: &Path) -> Option<PathBuf> {
    let resolved = fs::canonicalize(entry).ok()?;
    // A link that leads out of the project could lead anywhere.
    if entry.symlink_metadata().ok()?.is_symlink() && !resolved.starts_with(project) {
        return None;
    }
    if resolved.is_dir() {
        return Some(resolved);
    }
    let text = gitconfig::small_text(&resolved)?;
    let named = text.strip_prefix("gitdir:")?.trim();
    let directory = fs::canonicalize(entry.parent()?.join(named)).ok()?;
    // A file that names just any directory, or a stranger's repository, opens nothing.
    let has_head = directory.join("HEAD").exists();
    (has_head && (knows(&directory, &resolved) || is_above(&directory, entry))).then_some(directory)
}

/// Whether a worktree's directory names the entry that names it.
fn knows(directory: &Path, entry: &Path) -> bool {
    gitconfig::small_text(&directory.join("gitdir"))
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
        assert_eq!(found.named, [side.join(".githooks")]);
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
        fs::create_dir_all(top.join("a/b/c/d/e/f/.git")).unwrap();
        assert_eq!(
            Repository::of(&top).entries,
            [top.join("libs/inner/.git"), top.join("a/b/c/d/e/f/.git")]
        );
    }

    #[test]
    fn a_planted_repository_opens_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let (project, secret) = (top.join("app"), top.join("secret"));
        fs::create_dir_all(project.join("linked")).unwrap();
        fs::create_dir_all(project.join("shared/.git")).unwrap();
        fs::create_dir(&secret).unwrap();
        for directory in [&secret, &project.join("shared/.git")] {
            fs::write(directory.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        }
        std::os::unix::fs::symlink(&secret, project.join("linked/.git")).unwrap();
        let text = secret.to_str().unwrap();
        fs::write(project.join("shared/.git/commondir"), text).unwrap();
        assert_eq!(
            Repository::of(&project).directories,
            [project.join("shared/.git")]
        );
    }
}
