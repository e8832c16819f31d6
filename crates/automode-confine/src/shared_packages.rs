//! Folders of packages whose files are other names of files in a store.
//!
//! Some package managers put hard links into a project. Whoever writes through one writes into
//! the store, and into every project that was filled from it: code that runs there unconfined.
//! So such folders are read-only inside, but for the folders in them that tools keep caches in.

use std::fs;
use std::path::{Path, PathBuf};

use crate::gitconfig::small_text;

/// Folders that hold nothing but such links: those of pnpm and of bun.
const STORES: [&str; 2] = ["node_modules/.pnpm", "node_modules/.bun"];

/// Locks of bun, which may as well link into `node_modules` itself.
const BUN_LOCKS: [&str; 2] = ["bun.lock", "bun.lockb"];

const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];

/// What is read-only of one project, and what in it is not.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SharedPackages {
    pub(crate) unwritable: Vec<PathBuf>,
    pub(crate) caches: Vec<PathBuf>,
}

impl SharedPackages {
    pub(crate) fn of(root: &Path) -> Self {
        let mut found = Self::default();
        let stores = STORES.map(|store| root.join(store));
        found
            .unwritable
            .extend(stores.into_iter().filter(|store| is_own(store)));
        let packages = root.join("node_modules");
        let by_bun = BUN_LOCKS.iter().any(|lock| root.join(lock).is_file());
        if by_bun && found.unwritable.is_empty() && is_own(&packages) {
            found.caches = hidden_folders(&packages);
            found.unwritable.push(packages);
        }
        for environment in ENVIRONMENTS.map(|name| root.join(name)) {
            let library = environment.join("lib");
            if is_own(&environment) && is_own(&library) && is_made_by_uv(&environment) {
                found.unwritable.push(library);
            }
        }
        found
    }
}

/// A folder that is there as it is: what a link leads to is not the project's.
fn is_own(folder: &Path) -> bool {
    folder.symlink_metadata().is_ok_and(|found| found.is_dir())
}

fn is_made_by_uv(environment: &Path) -> bool {
    let text = small_text(&environment.join("pyvenv.cfg")).unwrap_or_default();
    let mut keys = text.lines().filter_map(|line| line.split_once('='));
    keys.any(|(key, _)| key.trim() == "uv")
}

/// `.cache`, `.vite` and their kin; programs lie in `.bin`.
fn hidden_folders(packages: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(packages).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| {
            let name = entry.file_name();
            name.as_encoded_bytes().starts_with(b".") && name != ".bin"
        })
        .map(|entry| entry.path())
        .filter(|folder| is_own(folder))
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[&str], unwritable: &[&str], caches: &[&str]) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path();
        for file in files {
            let (path, text) = file.split_once(' ').unwrap_or((file, ""));
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        let below = |names: &[&str]| names.iter().map(|name| root.join(name)).collect();
        let expected = SharedPackages {
            unwritable: below(unwritable),
            caches: below(caches),
        };
        assert_eq!(SharedPackages::of(root), expected, "{files:?}");
    }

    #[test]
    fn folders_that_are_linked_into_a_store_are_found() {
        check(
            &[
                "node_modules/x/a.js",
                ".venv/lib/a.py",
                ".venv/pyvenv.cfg home = /usr",
            ],
            &[],
            &[],
        );
        check(&["node_modules/.pnpm/x/a.js"], &["node_modules/.pnpm"], &[]);
        check(
            &[
                "bun.lock",
                "node_modules/x/a.js",
                "node_modules/.cache/a",
                "node_modules/.bin/a",
            ],
            &["node_modules"],
            &["node_modules/.cache"],
        );
        check(
            &[".venv/lib/a.py", ".venv/pyvenv.cfg uv = 0.9.1"],
            &[".venv/lib"],
            &[],
        );
    }
}
