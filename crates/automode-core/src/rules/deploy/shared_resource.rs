//! Configurations, databases, queues and services that others share.

use automode_shell::place::Zone;
use automode_shell::{Act, CloudVerb, DatabaseVerb, SystemChange, Target};

use crate::Finding;
use crate::rules::{Rule, Scene, report};

pub struct SharedResource;

const ID: &str = "shared-resource";
const INSTEAD: &str = "make the change in a local or test copy first";

impl Rule for SharedResource {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("shared_resource.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| {
                let what = match &effect.act {
                    Act::Cloud {
                        service,
                        verb: CloudVerb::Create | CloudVerb::Change | CloudVerb::Run,
                    } => format!("changes {}", report::name(service)),
                    Act::Database {
                        verb: DatabaseVerb::Change,
                    } => "changes rows of a database".to_owned(),
                    Act::Database {
                        verb: DatabaseVerb::Admin,
                    } => "administers a database server".to_owned(),
                    Act::System(SystemChange::Service) => {
                        "starts or stops services of the machine".to_owned()
                    }
                    Act::System(SystemChange::Settings) => {
                        "changes settings of the machine".to_owned()
                    }
                    Act::Write { target, .. } if is_system_file(scene, target) => {
                        format!("changes {}", report::target(scene, target))
                    }
                    _ => return None,
                };
                Some(scene.evidence(ID, scene.part(effect), &what, INSTEAD))
            })
            .collect()
    }
}

fn is_system_file(scene: &Scene<'_>, target: &Target) -> bool {
    matches!(
        scene.place(target).zone,
        Zone::System | Zone::SystemTree | Zone::Root | Zone::Kernel
    )
}
