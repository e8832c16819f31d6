//! Secrets that would be sent, printed, or left where they do not belong.

use automode_shell::place::Zone;
use automode_shell::{
    Act, Direction, DynamicSource, Effect, Host, Invocation, Piece, Stdout, Taint,
};

use crate::Finding;
use crate::exceptions::standard_credential;
use crate::rules::{Rule, Scene, program_name, report};

pub struct CredentialLeak;

const ID: &str = "credential-leak";
const KEEP: &str = "keep the secret where it is, and let the program that needs it read it";

impl Rule for CredentialLeak {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("credential_leak.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let printed = scene
            .invocations()
            .filter(|start| prints_secret_variable(start))
            .map(|start| scene.evidence(ID, start.span, "prints a secret variable", KEEP));
        scene
            .effects()
            .filter_map(|effect| leak(scene, effect))
            .chain(printed)
            .collect()
    }
}

fn leak(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    match &effect.act {
        Act::Connect {
            host,
            direction: Direction::Send,
            data,
        } if data.has(Taint::SECRET) && *host != Host::Loopback => {
            let to = match host {
                Host::Named(name) | Host::Default(name) => report::name(name),
                Host::Loopback | Host::Unknown => {
                    "a host that is only known at run time".to_owned()
                }
            };
            let what = format!("sends a secret to {to}");
            Some(
                if standard_credential::is_own_provider(scene, effect, host) {
                    scene.soft(ID, effect.span, &what, KEEP)
                } else {
                    scene.veto(ID, effect.span, &what, KEEP)
                },
            )
        }
        Act::Message { service } if carries_secret(scene, effect) => Some(scene.veto(
            ID,
            effect.span,
            &format!("posts a secret to {}", report::name(service)),
            KEEP,
        )),
        Act::Write { target, data, .. } if data.has(Taint::SECRET) => {
            let place = scene.place(target);
            let kept = place.secret.is_some() || place.zone == Zone::Sink;
            (!kept).then(|| {
                scene.evidence(
                    ID,
                    effect.span,
                    &format!("copies a secret to {}", report::target(scene, target)),
                    KEEP,
                )
            })
        }
        Act::Credential { what, direction } => {
            let what = match direction {
                Direction::Send => format!("hands out {}", report::name(what)),
                Direction::Receive => format!("shows {}", report::name(what)),
            };
            Some(scene.evidence(ID, effect.span, &what, KEEP))
        }
        _ => None,
    }
}

fn carries_secret(scene: &Scene<'_>, effect: &Effect) -> bool {
    scene.invocation(effect).is_some_and(|start| {
        start
            .argv
            .iter()
            .any(|word| word.taint().has(Taint::SECRET))
    })
}

/// `echo $API_TOKEN` with the output coming back to the agent.
fn prints_secret_variable(start: &Invocation) -> bool {
    let prints = program_name(start)
        .is_some_and(|name| matches!(name.as_str(), "echo" | "printf" | "print" | "printenv"));
    let named = start.argv.iter().skip(1).any(|word| {
        word.pieces.iter().any(|piece| match piece {
            Piece::Dynamic(dynamic) => match &dynamic.source {
                DynamicSource::Variable(name) => is_secret_name(name),
                _ => false,
            },
            Piece::Text(text) => {
                start.argv.len() == 2 && is_printenv(start) && is_secret_name(text)
            }
            Piece::Glob(_) => false,
        })
    });
    prints && named && matches!(start.stdout, Stdout::Shown | Stdout::File(_))
}

fn is_printenv(start: &Invocation) -> bool {
    program_name(start).as_deref() == Some("printenv")
}

/// Names by which variables hold secrets.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_uppercase();
    let words: Vec<&str> = name.split('_').collect();
    let last = |word: &str| words.last() == Some(&word);
    let has = |word: &str| words.contains(&word);
    has("SECRET")
        || has("PASSWORD")
        || has("PASSWD")
        || has("CREDENTIALS")
        || has("APIKEY")
        || last("TOKEN")
        || last("PAT")
        || has("PRIVATE")
        || (last("KEY")
            && words.len() > 1
            && (has("API") || has("ACCESS") || has("AUTH") || has("ENCRYPTION") || has("SIGNING")))
}
