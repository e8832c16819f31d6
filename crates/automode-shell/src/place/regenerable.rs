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
    "*.egg-info",
    "htmlcov",
    "coverage",
    ".nyc_output",
    ".gradle",
    "obj",
    "cmake-build-*",
    "cmakefiles",
    ".dart_tool",
    "pods",
    "deriveddata",
    ".build",
    ".bundle",
    ".terraform",
    ".ipynb_checkpoints",
    "elm-stuff",
    "bazel-*",
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
/// Files of the same kind.
const FILES: &[&str] = &[
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
    ".coverage",
    ".coverage.*",
    "coverage.xml",
    "*.tsbuildinfo",
    ".eslintcache",
    ".stylelintcache",
    ".ds_store",
    "thumbs.db",
    "*.gcda",
    "*.gcno",
    "*.profraw",
    "nohup.out",
    "core",
    "a.out",
];

/// Whether a path below a root is one of them.
pub(super) fn is(path: &str, context: &Context) -> bool {
    if Zone::of(path, context) != Zone::Project {
        return false;
    }
    context.roots.iter().any(|root| {
        names_below(path, Some(root)).is_some_and(|names| {
            let among = |patterns: &[&str], name: &PathName| {
                patterns
                    .iter()
                    .any(|pattern| name_matches(pattern, name.as_str()))
            };
            let inside = names.iter().any(|name| among(DIRECTORIES, name));
            let file = names.last().is_some_and(|name| among(FILES, name));
            inside || file
        })
    })
}
