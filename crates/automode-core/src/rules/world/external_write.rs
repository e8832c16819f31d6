//! Requests that change something outside, and messages that people read.

use automode_shell::{Act, Direction, Effect, Host, Taint};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{Scene, report};

pub struct ExternalWrite;

const ID: &str = "external-write";
const INSTEAD: &str = "show the person what would be sent, and let them send it";

impl Rule for ExternalWrite {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("external_write.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| outward(scene, effect))
            .collect()
    }
}

fn outward(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    let what = match &effect.act {
        Act::Message { service } => format!("writes to people through {}", report::name(service)),
        Act::Connect {
            host,
            direction: Direction::Send,
            data,
        } if !data.has(Taint::SECRET) && !scene.is_push(effect) && !scene.only_asks(effect) => {
            match host {
                Host::Loopback => return None,
                Host::Named(name) | Host::Default(name) => {
                    format!(
                        "sends {} a request that may change something there",
                        report::name(name)
                    )
                }
                Host::Unknown => {
                    "sends a request to a host that is only known at run time".to_owned()
                }
            }
        }
        _ => return None,
    };
    Some(scene.evidence(ID, scene.part(effect), &what, INSTEAD))
}
