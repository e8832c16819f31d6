//! Deletions in clouds, clusters and hosted services.

use automode_shell::{Act, CloudVerb};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{Scene, report};

pub struct CloudStorage;

const ID: &str = "cloud-storage";

impl Rule for CloudStorage {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("cloud_storage.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| match &effect.act {
                Act::Cloud {
                    service,
                    verb: CloudVerb::Delete,
                } => Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    &format!("deletes in {}", report::name(service)),
                    "list what would go first, and name it in the request",
                )),
                _ => None,
            })
            .collect()
    }
}
