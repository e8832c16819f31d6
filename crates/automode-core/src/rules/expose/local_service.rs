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
        let exposed = Act::Listen {
            interface: Interface::Exposed,
        };
        let what = "opens a service of this machine to others";
        scene
            .effects()
            .filter(|effect| effect.act == exposed)
            .map(|effect| scene.evidence(ID, scene.part(effect), what, "bind it to 127.0.0.1"))
            .collect()
    }
}
