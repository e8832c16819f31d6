//! Secrets that would be sent, printed, or left where they do not belong.

use automode_shell::place::Zone;
use automode_shell::{Act, Direction, Effect, Host, Invocation, Taint, Target, Value};

use super::printed;
use crate::Finding;
use crate::rules::Rule;
use crate::scene::{ENVIRONMENT, Scene, is_fixture, is_own_provider, program_name, report};

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
            .chain(
                scene
                    .invocations()
                    .filter_map(|start| kept_for_good(scene, start)),
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

/// What is sent, with the marks of local files that it was read from.
fn carried(scene: &Scene<'_>, data: Taint) -> Taint {
    if !data.has(Taint::LOCAL) {
        return data;
    }
    scene
        .effects()
        .fold(data, |taint, effect| match &effect.act {
            Act::Read { target } => taint.with(scene.passed_on(&target.path)),
            _ => taint,
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

/// `git add .env`: what is in the history once stays there.
fn kept_for_good(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    let words: Option<Vec<_>> = start.argv.iter().map(|word| word.literal()).collect();
    let words = words?;
    let adds = program_name(start).as_deref() == Some("git")
        && words
            .iter()
            .any(|word| matches!(word.as_ref(), "add" | "stage"));
    let path = words.iter().skip(1).filter(|_| adds).find_map(|word| {
        let target = Target::locate(
            &Value::text(word.as_ref(), start.span),
            start.cwd.as_deref(),
        );
        let secret = !word.contains(['*', '?', '['])
            && scene.place(&target).secret.is_some()
            && !is_fixture(scene, &target);
        secret.then_some(target)
    })?;
    let what = format!(
        "puts {} into the history of the repository",
        report::target(scene, &path)
    );
    Some(scene.evidence(ID, start.span, &what, "keep it out of git, and ignore it"))
}
