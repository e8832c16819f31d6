//! Files that the project's own tools make again.

use super::Zone;
use super::pattern::{PathName, name_matches, names_below};
use crate::Context;

/// Directories that build tools, package managers and test runners fill.
const DIRECTORIES: &[&str] = &[
    "target",
    "node_modules",
    "dist",
    "build",
    "out",
    "_build",
    "deps",
    ".next",
    ".nuxt",
    ".output",
    ".svelte-kit",
    ".parcel-cache",
    ".turbo",
    ".vite",
    ".angular",
    ".expo",
    ".cache",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
    ".venv",
    "venv",
    ".eggs",
    "htmlcov",
    "coverage",
    ".nyc_output",
    ".gradle",
    "obj",
    "cmakefiles",
    ".dart_tool",
    "pods",
    "deriveddata",
    ".build",
    ".bundle",
    ".terraform",
    ".ipynb_checkpoints",
    "elm-stuff",
    "zig-out",
    "zig-cache",
    ".zig-cache",
    "dist-newstyle",
    ".stack-work",
    "storybook-static",
    "site-packages",
    ".serverless",
    "test-results",
    "playwright-report",
];
/// The same, with names of their own.
const NAMED_DIRECTORIES: &[&str] = &["*.egg-info", "cmake-build-*", "bazel-*"];
/// Files of the same kind.
const FILES: &[&str] = &[
    ".coverage",
    "coverage.xml",
    ".eslintcache",
    ".stylelintcache",
    ".ds_store",
    "thumbs.db",
    "nohup.out",
    "core",
    "a.out",
];
/// The same, with names of their own.
const NAMED_FILES: &[&str] = &[
    "*.pyc",
    "*.pyo",
    "*.o",
    "*.obj",
    "*.a",
    "*.so",
    "*.dylib",
    "*.class",
    "*.log",
    "*.tmp",
    "*.temp",
    "*.swp",
    "*.bak~",
    "*~",
    ".coverage.*",
    "*.tsbuildinfo",
    "*.gcda",
    "*.gcno",
    "*.profraw",
];

/// Whether a path below a root is one of them.
pub(super) fn is(path: &str, context: &Context) -> bool {
    Zone::of(path, context) == Zone::Project
        && context.roots.iter().any(|root| is_regenerable(path, root))
}

/// Whether the tools of the project at `root` make this path below it again.
#[must_use]
pub fn is_regenerable(path: &str, root: &str) -> bool {
    names_below(path, Some(root)).is_some_and(|names| {
        let inside = names
            .iter()
            .any(|name| among(DIRECTORIES, NAMED_DIRECTORIES, name));
        let file = names
            .last()
            .is_some_and(|name| among(FILES, NAMED_FILES, name));
        inside || file
    })
}

fn among(whole: &[&str], patterns: &[&str], name: &PathName) -> bool {
    let name = name.as_str();
    whole.contains(&name) || patterns.iter().any(|pattern| name_matches(pattern, name))
}
