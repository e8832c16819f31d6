//! Configurations, databases, queues and services that others share.

use automode_shell::place::Zone;
use automode_shell::{Act, CloudVerb, DatabaseVerb, Direction, Effect, Host, SystemChange, Target};

use crate::effects::Verb;
use crate::rules::Rule;
use crate::rules::access::{guards_branch, lets_in};
use crate::scene::{CloudEnvironment, CloudTarget, Scene, report};
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
                        verb: verb @ (CloudVerb::Create | CloudVerb::Change | CloudVerb::Run),
                    } if !pays(scene) => change(scene, effect, service, *verb)?,
                    Act::Cloud {
                        service,
                        verb: CloudVerb::Deploy,
                    } => rehearsal(scene, effect, service)?,
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
                    Act::Connect {
                        host: Host::Loopback,
                        ..
                    } if asks_for_power(scene, effect) => {
                        "talks to a service of this machine that has power over it".to_owned()
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

/// A change of a service that no narrower rule speaks about.
fn change(scene: &Scene<'_>, effect: &Effect, service: &str, verb: CloudVerb) -> Option<String> {
    let target = CloudTarget::of(scene, effect);
    let produces = verb == CloudVerb::Change && target.environment == CloudEnvironment::Production;
    let narrower = produces || guards_branch(&target) || lets_in(&target);
    (!narrower).then(|| target.phrase("changes", service))
}

/// A roll-out that users do not meet, but others share.
fn rehearsal(scene: &Scene<'_>, effect: &Effect, service: &str) -> Option<String> {
    let target = CloudTarget::of(scene, effect);
    let rehearsed = target.environment == CloudEnvironment::Rehearsal;
    rehearsed.then(|| target.phrase("rolls out", service))
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

/// Whether a request goes to a port behind which everything of this machine or a cluster can
/// be read and started: container daemons, clusters, stores of keys and settings, debuggers.
fn asks_for_power(scene: &Scene<'_>, effect: &Effect) -> bool {
    const PORTS: &[&str] = &[
        "2375", "2376", "2379", "4646", "6443", "8001", "8200", "8500", "9222", "9229", "10250",
    ];
    let powerful = |text: &str| {
        let address = text.rsplit("://").next().unwrap_or_default();
        let authority = address.split(['/', '?', '#']).next().unwrap_or_default();
        let port = authority.rsplit_once(':');
        port.is_some_and(|(_, port)| PORTS.contains(&port))
    };
    if let Action::Fetch { url, .. } = scene.action {
        return powerful(url);
    }
    if let Action::Mcp { input, .. } = scene.action {
        let texts = input.values().filter_map(serde_json::Value::as_str);
        return texts.into_iter().any(powerful);
    }
    scene.invocation(effect).is_some_and(|start| {
        let mut words = start.argv.iter().skip(1);
        words.any(|word| powerful(&word.prefix()))
    })
}

/// The rule on transactions speaks about money.
fn pays(scene: &Scene<'_>) -> bool {
    matches!(scene.action, Action::Mcp { tool, .. } if Verb::of(tool) == Some(Verb::Pay))
}
