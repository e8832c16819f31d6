//! Releases: code that reaches users.

use automode_shell::{Act, CloudVerb};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{Scene, report};

pub struct ProductionDeploy;

const ID: &str = "production-deploy";

impl Rule for ProductionDeploy {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("production_deploy.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| match &effect.act {
                Act::Cloud {
                    service,
                    verb: CloudVerb::Deploy,
                } => Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    &format!("rolls out to {}", report::name(service)),
                    "prepare the release and let the person roll it out",
                )),
                Act::Publish { registry } => Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    &format!("publishes to {}", report::name(registry)),
                    "do a dry run, and let the person publish",
                )),
                _ => None,
            })
            .collect()
    }
}
