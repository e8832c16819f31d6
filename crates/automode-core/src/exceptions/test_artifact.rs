//! Fixtures and mock data.
//!
//! A key or an environment file among a project's test fixtures is made up, and
//! reading it gives nothing away.

use automode_shell::{Act, Effect};

use super::Exception;
use crate::Finding;
use crate::scene::{Scene, is_fixture};

pub struct TestArtifact;

const ID: &str = "test-artifact";

impl Exception for TestArtifact {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("test_artifact.md")
    }

    fn covers(&self, effect: &Effect, scene: &Scene<'_>) -> bool {
        matches!(&effect.act, Act::Read { target } if is_fixture(scene, target))
    }

    fn clears(&self, finding: &Finding, scene: &Scene<'_>) -> bool {
        finding.rule == "credential-browsing"
            && scene
                .effects()
                .filter(|effect| scene.part(effect) == finding.span)
                .all(|effect| {
                    if let Act::Read { target } = &effect.act {
                        is_fixture(scene, target) || scene.place(target).secret.is_none()
                    } else {
                        true
                    }
                })
    }
}
