//! What is promised about a confined run, as a value.
//!
//! A confinement says what may be written, read and reached; everything else may not.
//! Two of them combine to what both permit, so a second voice can only take away.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What a confined command may touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confinement {
    /// The directory tree the command may change.
    pub project: PathBuf,
    /// Other trees it may change.
    #[serde(default)]
    pub write: Vec<PathBuf>,
    /// Places it may read beside the system, the project and the toolchains.
    #[serde(default)]
    pub read: Vec<PathBuf>,
    /// Files of the project that stand empty inside: they hold secrets, and what code prints
    /// that nobody read reaches the model.
    #[serde(default)]
    pub hide: Vec<PathBuf>,
    #[serde(default)]
    pub home: Home,
    #[serde(default)]
    pub git: Git,
    #[serde(default)]
    pub network: Network,
    /// Ports of services on this machine that it may reach.
    #[serde(default)]
    pub loopback: Vec<u16>,
}

/// What stands at the place of the person's home.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Home {
    /// Nothing but toolchains; what is written there vanishes.
    #[default]
    Empty,
    /// All of it, unwritable, without the places that are known to hold secrets.
    Hide,
}

/// What the repository's own files may become.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Git {
    #[default]
    ReadOnly,
    /// The command's own text is a git write that was read. Hooks and settings stay as they are.
    Commit,
}

/// Which hosts answer.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    #[default]
    Off,
    /// These hosts, at port 443, through a proxy that refuses the others.
    Registries(Vec<String>),
}

impl Confinement {
    /// The narrowest useful one: the project alone.
    #[must_use]
    pub fn of_project(project: impl Into<PathBuf>) -> Self {
        Self {
            project: project.into(),
            write: Vec::new(),
            read: Vec::new(),
            hide: Vec::new(),
            home: Home::Empty,
            git: Git::ReadOnly,
            network: Network::Off,
            loopback: Vec::new(),
        }
    }

    /// What both permit.
    ///
    /// The projects must be the same, or one inside the other: else nothing is left to run in.
    #[must_use]
    pub fn tighten(&self, other: &Self) -> Option<Self> {
        let project = inner(&self.project, &other.project)?;
        Some(Self {
            project,
            write: meet(&self.write, &other.write),
            read: meet(&self.read, &other.read),
            hide: either(&self.hide, &other.hide),
            home: match (self.home, other.home) {
                (Home::Hide, Home::Hide) => Home::Hide,
                (Home::Empty, Home::Empty | Home::Hide) | (Home::Hide, Home::Empty) => Home::Empty,
            },
            git: match (self.git, other.git) {
                (Git::Commit, Git::Commit) => Git::Commit,
                (Git::ReadOnly, Git::ReadOnly | Git::Commit) | (Git::Commit, Git::ReadOnly) => {
                    Git::ReadOnly
                }
            },
            network: self.network.tighten(&other.network),
            loopback: shared(&self.loopback, &other.loopback),
        })
    }
}

impl Network {
    #[must_use]
    pub fn tighten(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Registries(mine), Self::Registries(theirs)) => {
                let both = shared(mine, theirs);
                if both.is_empty() {
                    Self::Off
                } else {
                    Self::Registries(both)
                }
            }
            (Self::Off, Self::Off | Self::Registries(_)) | (Self::Registries(_), Self::Off) => {
                Self::Off
            }
        }
    }

    /// The hosts that answer.
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        match self {
            Self::Off => &[],
            Self::Registries(hosts) => hosts,
        }
    }
}

/// What one of both names.
fn either(first: &[PathBuf], second: &[PathBuf]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = first.iter().chain(second).cloned().collect();
    all.sort();
    all.dedup();
    all
}

/// The one that lies inside the other.
fn inner(first: &Path, second: &Path) -> Option<PathBuf> {
    if first.starts_with(second) {
        Some(first.to_owned())
    } else if second.starts_with(first) {
        Some(second.to_owned())
    } else {
        None
    }
}

/// The trees that lie in a tree of both lists.
fn meet(first: &[PathBuf], second: &[PathBuf]) -> Vec<PathBuf> {
    let mut both: Vec<PathBuf> = first
        .iter()
        .flat_map(|mine| second.iter().filter_map(|theirs| inner(mine, theirs)))
        .collect();
    both.sort();
    both.dedup();
    both
}

fn shared<T: PartialEq + Clone>(first: &[T], second: &[T]) -> Vec<T> {
    let mut both: Vec<T> = Vec::new();
    for item in first {
        if second.contains(item) && !both.contains(item) {
            both.push(item.clone());
        }
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide() -> Confinement {
        Confinement {
            write: vec!["/data".into()],
            read: vec!["/srv".into(), "/opt/x".into()],
            home: Home::Hide,
            git: Git::Commit,
            network: Network::Registries(vec!["a.example".into(), "b.example".into()]),
            loopback: vec![5432, 6379],
            ..Confinement::of_project("/work/app")
        }
    }

    #[test]
    fn combining_only_takes_away() {
        let other = Confinement {
            write: vec!["/data/in".into(), "/else".into()],
            read: vec!["/srv/a".into()],
            hide: vec!["/work/app/.env".into()],
            home: Home::Empty,
            git: Git::Commit,
            network: Network::Registries(vec!["b.example".into(), "c.example".into()]),
            loopback: vec![6379, 1],
            ..Confinement::of_project("/work/app")
        };
        let expected = Confinement {
            write: vec!["/data/in".into()],
            read: vec!["/srv/a".into()],
            hide: vec!["/work/app/.env".into()],
            home: Home::Empty,
            git: Git::Commit,
            network: Network::Registries(vec!["b.example".into()]),
            loopback: vec![6379],
            ..Confinement::of_project("/work/app")
        };
        assert_eq!(wide().tighten(&other), Some(expected.clone()));
        assert_eq!(other.tighten(&wide()), Some(expected));
        assert_eq!(wide().tighten(&wide()).unwrap().network, wide().network);
    }

    #[test]
    fn another_project_leaves_nothing() {
        let other = Confinement::of_project("/work/app-evil");
        assert_eq!(wide().tighten(&other), None);
        let inside = Confinement::of_project("/work/app/sub");
        assert_eq!(
            wide().tighten(&inside).unwrap().project,
            PathBuf::from("/work/app/sub")
        );
    }
}
