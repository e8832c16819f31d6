//! Test fixtures of the project: keys and environment files in them are made up.

use automode_shell::place::Zone;
use automode_shell::{Context, Extent, Target};

use super::Scene;

/// Directories that hold fixtures.
const DIRECTORIES: &[&str] = &[
    "test",
    "tests",
    "spec",
    "specs",
    "fixtures",
    "fixture",
    "testdata",
    "test-data",
    "__tests__",
    "__mocks__",
    "__fixtures__",
    "mocks",
    "mock",
    "samples",
    "examples",
];

/// A file below a fixture directory of the project, as named and as resolved.
pub fn is_fixture(scene: &Scene<'_>, target: &Target) -> bool {
    let inside = |path: &str| lies_among_fixtures(scene.context, path);
    target.extent == Extent::Exact
        && inside(&target.path)
        && scene
            .places(target)
            .iter()
            .all(|place| place.zone == Zone::Project)
        && scene
            .path(&target.path)
            .and_then(|fact| fact.canonical.as_deref())
            .is_some_and(inside)
}

/// Whether a path lies, by its name, in a directory of the project that holds test data.
#[must_use]
pub fn lies_among_fixtures(context: &Context, path: &str) -> bool {
    context.roots.iter().any(|root| {
        path.strip_prefix(root.trim_end_matches('/'))
            .is_some_and(|rest| {
                rest.split('/')
                    .any(|name| DIRECTORIES.contains(&name.to_lowercase().as_str()))
            })
    })
}
