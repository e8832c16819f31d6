//! Task runners, and what they can be asked for.

use super::Value;

/// A program that runs tasks which a project declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Runner {
    Npm,
    Pnpm,
    Yarn,
    Bun,
    Deno,
    Make,
    Just,
    /// `task`, with a Taskfile.
    Task,
    Composer,
    Rake,
    /// Aliases in `.cargo/config.toml`.
    Cargo,
    Poe,
    Pdm,
    Hatch,
    Tox,
    Nox,
    /// The services of a compose file.
    Compose,
}

/// What a task runner is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskRequest {
    /// Tasks by name; none: the runner's default.
    Run(Vec<Value>),
    /// The scripts that run by themselves around an installation.
    Install,
    /// The scripts that run by themselves before and after packing or publishing.
    Publish,
}

impl Runner {
    pub const ALL: &'static [Self] = &[
        Self::Npm,
        Self::Pnpm,
        Self::Yarn,
        Self::Bun,
        Self::Deno,
        Self::Make,
        Self::Just,
        Self::Task,
        Self::Composer,
        Self::Rake,
        Self::Cargo,
        Self::Poe,
        Self::Pdm,
        Self::Hatch,
        Self::Tox,
        Self::Nox,
        Self::Compose,
    ];

    /// The program's name, as effects carry it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pnpm => "pnpm",
            Self::Yarn => "yarn",
            Self::Bun => "bun",
            Self::Deno => "deno",
            Self::Make => "make",
            Self::Just => "just",
            Self::Task => "task",
            Self::Composer => "composer",
            Self::Rake => "rake",
            Self::Cargo => "cargo",
            Self::Poe => "poe",
            Self::Pdm => "pdm",
            Self::Hatch => "hatch",
            Self::Tox => "tox",
            Self::Nox => "nox",
            Self::Compose => "compose",
        }
    }
}
