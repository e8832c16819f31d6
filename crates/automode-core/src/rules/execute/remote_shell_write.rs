//! Commands and copies that land on another machine.

use automode_shell::{Act, Code};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{Scene, report};

pub struct RemoteShellWrite;

const ID: &str = "remote-shell-write";

impl Rule for RemoteShellWrite {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("remote_shell_write.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| {
                let Act::Execute {
                    code: Code::Remote { host },
                    ..
                } = &effect.act
                else {
                    return None;
                };
                Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    &format!("runs a command on {}", report::name(host)),
                    "name the host and the command in the request, or run it by hand",
                ))
            })
            .collect()
    }
}
