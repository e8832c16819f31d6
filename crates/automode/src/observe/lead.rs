//! Names that lead from a directory to somewhere else than they say: links, and second names
//! of the user's secrets.
//!
//! What shows a whole directory shows what its names lead to. Links are found by what the
//! directory itself says of its entries, so that no file is looked at; second names by asking
//! the few secrets whether they have any, which is nearly always answered with no.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use automode_core::{Lead, LeadDepth};

use super::second_name;

/// Entries that are looked at for links.
const ENTRIES: usize = 2_000;
/// Entries that are looked at where a secret has a second name.
const SECOND: usize = 20_000;
/// The most links that are followed.
const LEADS: usize = 64;
/// Directories that are not entered for links: tools fill them, with thousands of their own.
const LEFT_OUT: &[&str] = &[
    ".git",
    ".venv",
    "__pycache__",
    "node_modules",
    "target",
    "venv",
];

pub(super) fn look(directory: &Path, depth: LeadDepth) -> Vec<Lead> {
    let mut found = match depth {
        LeadDepth::SecondNames => Vec::new(),
        LeadDepth::Here | LeadDepth::Below => links(directory, depth),
    };
    let secrets = second_name::with_second_names();
    if !secrets.is_empty() {
        found.extend(second_names(directory, &secrets));
    }
    found
}

fn lead(name: &Path, to: &Path) -> Option<Lead> {
    let text = |path: &Path| path.to_str().map(str::to_owned);
    text(name).zip(text(to)).map(|(name, to)| Lead { name, to })
}

fn links(directory: &Path, depth: LeadDepth) -> Vec<Lead> {
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([directory.to_owned()]);
    let mut left = ENTRIES;
    while let Some(folder) = waiting.pop_front() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Some(rest) = left.checked_sub(1) else {
                return found;
            };
            left = rest;
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_symlink() && found.len() < LEADS {
                let path = entry.path();
                let to = fs::canonicalize(&path).ok();
                found.extend(to.and_then(|to| lead(&path, &to)));
            } else if kind.is_dir() && depth == LeadDepth::Below && !is_left_out(&entry) {
                waiting.push_back(entry.path());
            }
        }
    }
    found
}

fn is_left_out(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    name.to_str().is_some_and(|name| LEFT_OUT.contains(&name))
}

/// Names below the directory of secrets that have several. Where they are not found within
/// the bound, the directory itself is said to lead there.
fn second_names(directory: &Path, secrets: &[PathBuf]) -> Vec<Lead> {
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([directory.to_owned()]);
    let mut left = SECOND;
    while let Some(folder) = waiting.pop_front() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Some(rest) = left.checked_sub(1) else {
                found.extend(secrets.iter().filter_map(|secret| lead(directory, secret)));
                return found;
            };
            left = rest;
            match entry.metadata() {
                Ok(about) if about.is_dir() => waiting.push_back(entry.path()),
                Ok(about) if about.is_file() && second_name::is_shared(&about) => {
                    let secret = secrets
                        .iter()
                        .find(|secret| second_name::is(secret, &about));
                    found.extend(secret.and_then(|secret| lead(&entry.path(), secret)));
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_second_names_are_found() {
        let tree = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(tree.path()).unwrap();
        let at = |name: &str| root.join(name);
        fs::create_dir_all(at("docs/deep")).unwrap();
        fs::write(at("key"), "x").unwrap();
        std::os::unix::fs::symlink(at("key"), at("docs/deep/link")).unwrap();
        fs::hard_link(at("key"), at("docs/deep/other")).unwrap();
        let to_key = |name: &str| lead(&at(name), &at("key")).unwrap();
        assert_eq!(links(&at("docs"), LeadDepth::Here), []);
        assert_eq!(
            links(&at("docs"), LeadDepth::Below),
            [to_key("docs/deep/link")]
        );
        assert_eq!(
            second_names(&at("docs"), &[at("key")]),
            [to_key("docs/deep/other")]
        );
    }
}
