//! Configurations, databases, queues and services that others share.

use automode_shell::place::Zone;
use automode_shell::{Act, CloudVerb, DatabaseVerb, Direction, Effect, Host, SystemChange, Target};

use crate::effects::Verb;
use crate::rules::Rule;
use crate::scene::{Scene, report};
use crate::{Action, Finding};

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
                    } if !pays(scene) => format!("changes {}", report::name(service)),
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
                    Act::Connect {
                        host: Host::Loopback,
                        direction: Direction::Send,
                        ..
                    } if reaches_store(scene, effect) => {
                        "changes a data store or a daemon of this machine".to_owned()
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

/// A request to a port on which stores and daemons are administered.
fn reaches_store(scene: &Scene<'_>, effect: &Effect) -> bool {
    /// Container daemons, clusters, search and document stores, queues, key stores.
    const PORTS: &[&str] = &[
        "2375", "2376", "2379", "5984", "6443", "8086", "8200", "8500", "9200", "9201", "10250",
        "15672",
    ];
    scene.invocation(effect).is_some_and(|start| {
        start.argv.iter().skip(1).any(|word| {
            let text = word.prefix();
            let address = text.rsplit("://").next().unwrap_or_default();
            let authority = address.split('/').next().unwrap_or_default();
            authority
                .rsplit_once(':')
                .is_some_and(|(_, port)| PORTS.contains(&port))
        })
    })
}

/// The rule on transactions speaks about money.
fn pays(scene: &Scene<'_>) -> bool {
    matches!(scene.action, Action::Mcp { tool, .. } if Verb::of(tool) == Some(Verb::Pay))
}
