//! Releases: code that reaches users.

use automode_shell::{Act, CloudVerb, Effect};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{CloudEnvironment, CloudTarget, Scene, report};

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
                Act::Cloud { service, verb } => rollout(scene, effect, service, *verb),
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

/// A roll-out, unless it is known to be a rehearsal; and any change where production is named.
fn rollout(scene: &Scene<'_>, effect: &Effect, service: &str, verb: CloudVerb) -> Option<Finding> {
    let target = CloudTarget::of(scene, effect);
    let does = match (verb, target.environment) {
        (CloudVerb::Deploy, CloudEnvironment::Production | CloudEnvironment::Unknown) => {
            "rolls out"
        }
        (CloudVerb::Change, CloudEnvironment::Production) => "changes",
        (
            CloudVerb::Read
            | CloudVerb::Create
            | CloudVerb::Change
            | CloudVerb::Delete
            | CloudVerb::Deploy
            | CloudVerb::Run
            | CloudVerb::Grant
            | CloudVerb::Secret,
            _,
        ) => return None,
    };
    Some(scene.evidence(
        ID,
        scene.part(effect),
        &target.phrase(does, service),
        "prepare the release and let the person roll it out",
    ))
}
