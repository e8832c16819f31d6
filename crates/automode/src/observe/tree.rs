//! Files of a secret's usual name, below a directory.
//!
//! Breadth first and bounded, so that the answer takes no longer in a large repository: what
//! lies near is found, what lies beyond the bound is not. Directories that tools make again,
//! git's own and those of test data are left out.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use automode_shell::place::has_secret_name;

/// Entries that are looked at.
const ENTRIES: usize = 2_000;

/// Directories that are not entered.
const LEFT_OUT: &[&str] = &[
    ".git",
    ".venv",
    "__pycache__",
    "__tests__",
    "build",
    "dist",
    "examples",
    "fixtures",
    "node_modules",
    "spec",
    "target",
    "test",
    "testdata",
    "tests",
    "vendor",
    "venv",
];

pub(super) fn secrets_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([directory.to_owned()]);
    let mut left = ENTRIES;
    while let Some(directory) = waiting.pop_front() {
        let Ok(entries) = fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries.flatten() {
            let Some(rest) = left.checked_sub(1) else {
                return found;
            };
            left = rest;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                continue;
            };
            // A link is not followed: what it leads to lies elsewhere.
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory && !LEFT_OUT.contains(&name) {
                waiting.push_back(entry.path());
            } else if !is_directory && has_secret_name(name) {
                found.push(entry.path());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_near_is_found() {
        let tree = tempfile::tempdir().unwrap();
        let root = tree.path();
        for name in [
            "apps/web/.env",
            "deploy/id_rsa",
            "node_modules/x/.env",
            "src/main.rs",
        ] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let mut found = secrets_below(root);
        found.sort();
        assert_eq!(
            found,
            [root.join("apps/web/.env"), root.join("deploy/id_rsa")]
        );
        for number in 0..ENTRIES {
            fs::write(root.join(format!("{number}")), "").unwrap();
        }
        assert!(secrets_below(root).len() <= 2);
    }
}
