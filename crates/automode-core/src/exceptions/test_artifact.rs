//! Fixtures and mock data.
//!
//! A key or an environment file among a project's test fixtures is made up, and
//! reading it gives nothing away.

use automode_shell::place::Zone;
use automode_shell::{Act, Effect, Extent, Target};

use super::Exception;
use crate::Finding;
use crate::rules::Scene;

pub struct TestArtifact;

const ID: &str = "test-artifact";

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

impl Exception for TestArtifact {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("test_artifact.md")
    }

    fn covers(&self, effect: &Effect, scene: &Scene<'_>) -> bool {
        match &effect.act {
            Act::Read { target } => is_fixture(scene, target),
            _ => false,
        }
    }

    fn clears(&self, finding: &Finding, scene: &Scene<'_>) -> bool {
        finding.rule == "credential-browsing"
            && scene
                .effects()
                .filter(|effect| scene.part(effect) == finding.span)
                .all(|effect| match &effect.act {
                    Act::Read { target } => {
                        is_fixture(scene, target) || scene.place(target).secret.is_none()
                    }
                    _ => true,
                })
    }
}

/// A file below a fixture directory of the project, as named and as resolved.
pub fn is_fixture(scene: &Scene<'_>, target: &Target) -> bool {
    let inside = |path: &str| {
        scene.context.roots.iter().any(|root| {
            path.strip_prefix(root.trim_end_matches('/'))
                .is_some_and(|rest| {
                    rest.split('/')
                        .any(|name| DIRECTORIES.contains(&name.to_lowercase().as_str()))
                })
        })
    };
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
