//! Secrets that would be sent, printed, or left where they do not belong.

use automode_shell::place::Zone;
use automode_shell::{Act, Direction, Effect, Host, Taint};

use super::git_settings::shown_credential;
use super::{history, outgoing, printed, told};
use crate::Finding;
use crate::rules::Rule;
use crate::scene::{ENVIRONMENT, GIT_SETTINGS, Scene, is_own_provider, report};

pub struct CredentialLeak;

pub(super) const ID: &str = "credential-leak";
pub(super) const KEEP: &str =
    "keep the secret where it is, and let the program that needs it read it";

impl Rule for CredentialLeak {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("credential_leak.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| leak(scene, effect))
            .chain(printed::detect(scene))
            .chain(told::detect(scene))
            .chain(
                scene
                    .invocations()
                    .filter_map(|start| history::kept_for_good(scene, start)),
            )
            .chain(
                scene
                    .invocations()
                    .filter_map(|start| outgoing::handed_out(scene, start)),
            )
            .collect()
    }
}

fn leak(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    match &effect.act {
        Act::Connect { host, data, .. }
            if *host != Host::Loopback && carried(scene, *data).has(Taint::SECRET) =>
        {
            let to = match host {
                Host::Named(name) | Host::Default(name) => report::name(name),
                Host::Loopback | Host::Unknown => {
                    "a host that is only known at run time".to_owned()
                }
            };
            let what = format!("sends a secret to {to}");
            Some(if is_own_provider(scene, effect, host) {
                scene.soft(ID, scene.part(effect), &what, KEEP)
            } else {
                scene.veto(ID, scene.part(effect), &what, KEEP)
            })
        }
        Act::Message { service } if carries_secret(scene, effect) => Some(scene.veto(
            ID,
            scene.part(effect),
            &format!("posts a secret to {}", report::name(service)),
            KEEP,
        )),
        Act::Write { target, data, .. } if data.has(Taint::SECRET) => {
            let place = scene.place(target);
            let kept = place.secret.is_some() || place.zone == Zone::Sink;
            (!kept).then(|| {
                scene.evidence(
                    ID,
                    scene.part(effect),
                    &format!("copies a secret to {}", report::target(scene, target)),
                    KEEP,
                )
            })
        }
        // What of the environment is shown depends on who reads it.
        Act::Credential { what, .. } if what == ENVIRONMENT => None,
        Act::Credential { what, .. } if what == GIT_SETTINGS => settings(scene, effect),
        Act::Read { .. } => settings(scene, effect),
        Act::Credential { what, direction } => {
            let what = match direction {
                Direction::Send => format!("hands out {}", report::name(what)),
                Direction::Receive => format!("shows {}", report::name(what)),
            };
            Some(scene.evidence(ID, scene.part(effect), &what, KEEP))
        }
        _ => None,
    }
}

/// A credential that stands in git's settings, where they are shown.
fn settings(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    let found = shown_credential(scene, effect)?;
    let what = format!(
        "shows the credential that git's {} holds",
        report::name(&found.key)
    );
    Some(scene.evidence(ID, scene.part(effect), &what, KEEP))
}

/// What is sent, with the marks of local files that it was read from.
fn carried(scene: &Scene<'_>, data: Taint) -> Taint {
    if !data.has(Taint::LOCAL) {
        return data;
    }
    scene.effects().fold(data, |taint, effect| {
        if let Act::Read { target } = &effect.act {
            taint.with(scene.passed_on(&target.path))
        } else {
            taint
        }
    })
}

fn carries_secret(scene: &Scene<'_>, effect: &Effect) -> bool {
    scene.invocation(effect).is_some_and(|start| {
        start
            .argv
            .iter()
            .any(|word| word.taint().has(Taint::SECRET))
    })
}
