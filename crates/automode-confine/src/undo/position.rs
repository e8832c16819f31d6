//! Where a repository's branches stood: told after a loss, never moved.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::repository::Repository;

/// The head, and every ref with what it named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub directory: PathBuf,
    pub head: String,
    pub refs: BTreeMap<String, String>,
    /// How many lines the head's log had.
    pub log: usize,
}

/// More refs than a person has branches.
const MOST_REFS: usize = 2_000;

impl Position {
    /// Of the repository around a project; nothing where there is none.
    pub(crate) fn of(project: &Path) -> Option<Self> {
        let directories = Repository::of(project).directories;
        let (first, last) = (
            directories.first()?,
            directories
                .iter()
                .find(|found| found.join("objects").is_dir()),
        );
        let common = last.unwrap_or(first);
        let mut refs = BTreeMap::new();
        for line in fs::read_to_string(common.join("packed-refs"))
            .unwrap_or_default()
            .lines()
        {
            if let Some((commit, name)) = line.split_once(' ')
                && name.starts_with("refs/")
                && refs.len() < MOST_REFS
            {
                refs.insert(name.to_owned(), commit.to_owned());
            }
        }
        loose(common, Path::new("refs"), &mut refs);
        let log = fs::read(first.join("logs/HEAD")).unwrap_or_default();
        Some(Self {
            head: fs::read_to_string(first.join("HEAD"))
                .unwrap_or_default()
                .trim()
                .to_owned(),
            log: log.iter().filter(|byte| **byte == b'\n').count(),
            directory: first.clone(),
            refs,
        })
    }

    /// What moved between two looks, as a person can type it back.
    #[must_use]
    pub fn told(&self, after: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.head != after.head {
            lines.push(format!(
                "the head was `{}` and is `{}`",
                self.head, after.head
            ));
        }
        for (name, commit) in &self.refs {
            match after.refs.get(name) {
                Some(now) if now == commit => {}
                Some(now) => lines.push(format!("`{name}` was {commit} and is {now}")),
                None => lines.push(format!(
                    "`{name}` is gone; it was {commit} (hint: git update-ref {name} {commit})"
                )),
            }
        }
        lines
    }
}

fn loose(common: &Path, below: &Path, refs: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(common.join(below))
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = below.join(entry.file_name());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            loose(common, &name, refs);
        } else if let (Some(name), Ok(commit)) = (name.to_str(), fs::read_to_string(entry.path()))
            && refs.len() < MOST_REFS
        {
            refs.insert(name.to_owned(), commit.trim().to_owned());
        }
    }
}
