//! Records of what happened that would be edited or lost.

use automode_shell::place::Secret;
use automode_shell::{Act, CloudVerb, Effect, SystemChange, Target, WriteHow};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{Scene, report};

pub struct AuditTampering;

const ID: &str = "audit-tampering";
const INSTEAD: &str = "leave logs and histories as they are";

/// Variables that switch the shell's history off.
const HISTORY: &[&str] = &[
    "HISTFILE",
    "HISTSIZE",
    "HISTFILESIZE",
    "HISTCONTROL",
    "HISTIGNORE",
];

impl Rule for AuditTampering {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("audit_tampering.md")
    }

    fn consentable(&self) -> bool {
        true
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| tampering(scene, effect))
            .collect()
    }
}

fn tampering(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    match &effect.act {
        Act::System(SystemChange::Logs) => Some(scene.veto(
            ID,
            scene.part(effect),
            "removes or edits records of what happened",
            INSTEAD,
        )),
        Act::Delete { target, .. } => record(scene, effect, target),
        Act::Write { target, how, .. } if *how != WriteHow::Append && *how != WriteHow::Touch => {
            record(scene, effect, target)
        }
        Act::Environment { name } if HISTORY.contains(&name.as_str()) => Some(scene.evidence(
            ID,
            scene.part(effect),
            &format!(
                "sets {}, which keeps commands out of the history",
                report::name(name)
            ),
            INSTEAD,
        )),
        Act::Cloud {
            service,
            verb: CloudVerb::Delete | CloudVerb::Change,
        } if is_trail(scene, effect, service) => Some(scene.evidence(
            ID,
            scene.part(effect),
            &format!(
                "changes {}, which records what happens",
                report::name(service)
            ),
            INSTEAD,
        )),
        _ => None,
    }
}

/// A log of the system or a history of commands.
fn record(scene: &Scene<'_>, effect: &Effect, target: &Target) -> Option<Finding> {
    let log = is_log(&target.path);
    let history = scene.place(target).secret == Some(Secret::History);
    (log || history).then(|| {
        let what = format!(
            "removes or rewrites {}, a record",
            report::target(scene, target)
        );
        scene.veto(ID, scene.part(effect), &what, INSTEAD)
    })
}

fn is_log(path: &str) -> bool {
    const RECORDS: &[&str] = &[
        "/var/log",
        "/private/var/log",
        "/var/audit",
        "/var/run/utmp",
        "/run/utmp",
        "/run/log",
        "/library/logs",
        "/var/account",
    ];
    let path = path.to_lowercase();
    RECORDS.iter().any(|tree| {
        path.strip_prefix(tree)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// The service itself, or the first words of the command that speaks to it.
fn is_trail(scene: &Scene<'_>, effect: &Effect, service: &str) -> bool {
    const TRAILS: &[&str] = &[
        "cloudtrail",
        "logging",
        "logs",
        "audit",
        "cloudwatch",
        "configservice",
        "flow-logs",
    ];
    TRAILS.iter().any(|trail| service.contains(trail))
        || scene.invocation(effect).is_some_and(|start| {
            start.argv.iter().skip(1).take(3).any(|word| {
                word.literal()
                    .is_some_and(|word| TRAILS.contains(&word.as_ref()))
            })
        })
}
