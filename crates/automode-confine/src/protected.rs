//! Names that other programs act on by themselves: hooks, settings of editors and agents.
//!
//! Where they exist they are kept unwritable. Where they do not exist nothing is put in
//! their place, since an empty file is a change too; what appears is moved aside after the
//! run. A backend that cannot keep a file from being changed has it put back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::repository::{RUNNING_FILES, Repository};
use automode_core::confine::Git;

/// In the project's own directory.
const PROJECT_NAMES: &[&str] = &[
    ".automode.toml",
    ".automode",
    ".claude",
    ".cline",
    ".clinerules",
    ".codex",
    ".copilot",
    ".cursor",
    ".devcontainer",
    ".direnv",
    ".envrc",
    ".factory",
    ".gemini",
    ".git",
    ".gitmodules",
    ".husky",
    ".idea",
    ".mcp.json",
    ".opencode",
    ".pi",
    ".pre-commit-config.yaml",
    ".qwen",
    ".vscode",
    ".windsurf",
    "lefthook.yml",
    "opencode.json",
    "opencode.jsonc",
];

/// What stays as it is, whatever the command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Protected {
    /// Exist, and may not change.
    pub(crate) present: Vec<PathBuf>,
    /// Do not exist, and may not appear.
    pub(crate) absent: Vec<PathBuf>,
}

/// What was found changed after a run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mended {
    /// It appeared, and lies where the second path says.
    MovedAside(PathBuf, PathBuf),
    /// It was changed or gone, and is as it was.
    PutBack(PathBuf),
    /// It was changed, and could not be mended.
    Left(PathBuf),
}

impl Protected {
    /// Of a project and its repositories.
    #[must_use]
    pub(crate) fn of(project: &Path, repository: &Repository, git: Git) -> Self {
        let mut names: Vec<PathBuf> = PROJECT_NAMES
            .iter()
            .filter(|name| git == Git::ReadOnly || **name != ".git")
            .map(|name| project.join(name))
            .collect();
        names.extend(repository.hooks.iter().cloned());
        for directory in &repository.directories {
            match git {
                Git::ReadOnly => names.push(directory.clone()),
                Git::Commit => {
                    names.extend(RUNNING_FILES.iter().map(|file| directory.join(file)));
                }
            }
        }
        if git == Git::ReadOnly {
            names.extend(repository.entries.iter().cloned());
        }
        let mut found = Self {
            present: Vec::new(),
            absent: Vec::new(),
        };
        for name in names {
            let list = match name.symlink_metadata() {
                Ok(_) => &mut found.present,
                Err(_) => &mut found.absent,
            };
            if !list.contains(&name) {
                list.push(name);
            }
        }
        found
    }

    /// Moves what appeared into `aside`.
    pub(crate) fn move_aside(&self, aside: &Path) -> Vec<Mended> {
        self.absent
            .iter()
            .filter(|name| name.symlink_metadata().is_ok())
            .map(|name| match set_aside(name, aside) {
                Ok(place) => Mended::MovedAside(name.clone(), place),
                Err(_) => Mended::Left(name.clone()),
            })
            .collect()
    }
}

/// Renames, or copies and removes where the private place is on another file system.
pub(crate) fn set_aside(name: &Path, aside: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(aside)?;
    let flat = name.to_string_lossy().replace('/', "%");
    let mut place = aside.join(&flat);
    let mut number = 1_u32;
    while place.symlink_metadata().is_ok() {
        number += 1;
        place = aside.join(format!("{flat}.{number}"));
    }
    if fs::rename(name, &place).is_ok() {
        return Ok(place);
    }
    copy_tree(name, &place)?;
    if name.symlink_metadata()?.is_dir() {
        fs::remove_dir_all(name)?;
    } else {
        fs::remove_file(name)?;
    }
    Ok(place)
}

/// Copies files, directories and links; other kinds are left out.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    let kind = from.symlink_metadata()?.file_type();
    if kind.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(from)?, to)
    } else if kind.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_tree(&entry.path(), &to.join(entry.file_name()))?;
        }
        fs::set_permissions(to, from.metadata()?.permissions())
    } else if kind.is_file() {
        fs::copy(from, to).map(|_| ())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_appears_is_moved_aside_and_nothing_else_is_touched() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let project = top.join("app");
        fs::create_dir_all(project.join(".vscode")).unwrap();
        let found = Protected::of(&project, &Repository::default(), Git::ReadOnly);
        assert_eq!(found.present, [project.join(".vscode")]);
        fs::write(project.join(".envrc"), "evil").unwrap();
        fs::write(project.join("made.txt"), "fine").unwrap();
        let mended = found.move_aside(&top.join("aside"));
        assert_eq!(mended.len(), 1);
        assert!(!project.join(".envrc").exists());
        assert!(project.join("made.txt").exists());
        let Some(Mended::MovedAside(_, place)) = mended.first() else {
            panic!("{mended:?}")
        };
        assert_eq!(fs::read_to_string(place).unwrap(), "evil");
    }
}
