//! Deletions in clouds, clusters and hosted services.

use automode_shell::{Act, CloudVerb};

use crate::Finding;
use crate::rules::Rule;
use crate::rules::access::{guards_branch, lets_in};
use crate::scene::{CloudTarget, Scene, is_local_service};

pub struct CloudStorage;

pub const CLOUD_STORAGE: &str = "cloud-storage";

impl Rule for CloudStorage {
    fn id(&self) -> &'static str {
        CLOUD_STORAGE
    }

    fn page(&self) -> &'static str {
        include_str!("cloud_storage.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| {
                if let Act::Cloud {
                    service,
                    verb: CloudVerb::Delete,
                } = &effect.act
                    && !is_local_service(service)
                {
                    let target = CloudTarget::of(scene, effect);
                    if guards_branch(&target) || lets_in(&target) {
                        return None;
                    }
                    let unnamed = match target.things.is_empty() {
                        true => ", and names no target",
                        false => "",
                    };
                    Some(scene.evidence(
                        CLOUD_STORAGE,
                        scene.part(effect),
                        &format!("{}{unnamed}", target.phrase("deletes", service)),
                        "list what would go first, and name it in the request",
                    ))
                } else {
                    None
                }
            })
            .collect()
    }
}
