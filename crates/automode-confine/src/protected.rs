//! Names that other programs act on by themselves: hooks, settings of editors, agents and tools.
//!
//! Where they exist they are kept unwritable. Where they do not exist nothing is put in
//! their place, since an empty file is a change too; what appears is moved aside after the
//! run ([`Mending`](crate::mending::Mending)).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::repository::{RUNNING_FILES, Repository};
use automode_core::confine::Git;

/// In the directory of a project itself: what an agent may not edit without a question, a
/// confined command may not either.
const PROJECT_NAMES: &[&str] = &[
    ".aider.conf.yml",
    ".amazonq",
    ".augment",
    ".automode",
    ".automode.toml",
    ".bazelrc",
    ".buckconfig",
    ".buildkite",
    ".bundle/config",
    ".captainhook.json",
    ".cargo-husky",
    ".cargo/config",
    ".cargo/config.toml",
    ".ci",
    ".circleci",
    ".claude",
    ".cline",
    ".clinerules",
    ".codex",
    ".condarc",
    ".continue",
    ".copilot",
    ".crush.json",
    ".cursor",
    ".devcontainer",
    ".devcontainer.json",
    ".dir-locals.el",
    ".direnv",
    ".drone.yml",
    ".envrc",
    ".exrc",
    ".factory",
    ".fleet",
    ".forgejo",
    ".gdbinit",
    ".gemini",
    ".gemrc",
    ".git",
    ".git-hooks",
    ".gitattributes",
    ".gitconfig",
    ".gitea",
    ".githooks",
    ".github/actions",
    ".github/hooks",
    ".github/workflows",
    ".gitlab",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".goosehints",
    ".husky",
    ".huskyrc",
    ".idea",
    ".junie",
    ".kiro",
    ".lefthook",
    ".lefthook-local.yml",
    ".lefthook.yaml",
    ".lefthook.yml",
    ".lintstagedrc",
    ".lintstagedrc.json",
    ".lldbinit",
    ".mcp.json",
    ".mise",
    ".mise.toml",
    ".mvn",
    ".npmrc",
    ".nvim.lua",
    ".nvimrc",
    ".opencode",
    ".overcommit.yml",
    ".pi",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    ".pre-commit-config.yaml",
    ".pre-commit-hooks.yaml",
    ".qwen",
    ".roo",
    ".rtx.toml",
    ".rusty-hook.toml",
    ".sdkmanrc",
    ".simple-git-hooks.json",
    ".terraformrc",
    ".tool-versions",
    ".trae",
    ".travis.yml",
    ".vimrc",
    ".vscode",
    ".windsurf",
    ".woodpecker",
    ".woodpecker.yml",
    ".yarn/plugins",
    ".yarn/releases",
    ".yarnrc",
    ".yarnrc.yml",
    ".zed",
    "Jenkinsfile",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "bunfig.toml",
    "captainhook.json",
    "crush.json",
    "gradle/wrapper",
    "grumphp.yml",
    "init.gradle",
    "lefthook-local.yml",
    "lefthook.yaml",
    "lefthook.yml",
    "mcp.json",
    "mise.toml",
    "opencode.json",
    "opencode.jsonc",
    "pip.conf",
    "pnpmfile.js",
    "rust-toolchain",
    "rust-toolchain.toml",
    "simple-git-hooks.json",
];

/// What stays as it is, whatever the command does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProtectedFiles {
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

impl ProtectedFiles {
    /// Of a tree that may be written, and its repositories.
    pub(crate) fn add(&mut self, root: &Path, repository: &Repository, git: Git) {
        for name in PROJECT_NAMES {
            if git == Git::ReadOnly || *name != ".git" {
                self.keep(root.join(name));
            }
        }
        for name in &repository.named {
            self.keep(name.clone());
        }
        for directory in &repository.directories {
            match git {
                Git::ReadOnly => self.keep(directory.clone()),
                Git::Commit => self.add_running_files(directory),
            }
        }
        if git == Git::ReadOnly {
            for entry in &repository.entries {
                self.keep(entry.clone());
            }
        }
    }

    fn add_running_files(&mut self, directory: &Path) {
        for file in RUNNING_FILES {
            self.keep(directory.join(file));
        }
        // Every worktree has such files of its own, and most lie outside the project.
        let worktrees = fs::read_dir(directory.join("worktrees"));
        for worktree in worktrees.into_iter().flatten().flatten() {
            for file in ["commondir", "config.worktree", "gitdir"] {
                self.keep(worktree.path().join(file));
            }
        }
    }

    /// Notes whether a name is there, and that it stays so.
    pub(crate) fn keep(&mut self, name: PathBuf) {
        let list = match name.symlink_metadata() {
            Ok(_) => &mut self.present,
            Err(_) => &mut self.absent,
        };
        if !list.contains(&name) {
            list.push(name);
        }
    }
}

/// Renames, or copies and removes where the private place is on another file system.
///
/// Refused where a link has come to stand on the way: it would be somebody else's file.
pub(crate) fn set_aside(name: &Path, aside: &Path) -> io::Result<PathBuf> {
    check_way(name)?;
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

/// Names are kept resolved, so a way that leads elsewhere by now was changed.
pub(crate) fn check_way(name: &Path) -> io::Result<()> {
    let above = name.parent().ok_or_else(|| io::Error::other("no name"))?;
    if fs::canonicalize(above)? == above {
        Ok(())
    } else {
        Err(io::Error::other("a link stands on the way"))
    }
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
