//! Services of this machine that others could reach.

use automode_shell::{Act, Interface};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::Scene;

pub struct LocalService;

const ID: &str = "local-service";

impl Rule for LocalService {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("local_service.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| {
                let Act::Listen {
                    interface: Interface::Exposed,
                } = &effect.act
                else {
                    return None;
                };
                Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    "opens a service of this machine to others",
                    "bind it to 127.0.0.1",
                ))
            })
            .collect()
    }
}
