//! A credential on its way to the service it belongs to.

use automode_shell::{Act, Effect, Taint};

use super::Exception;
use crate::Finding;
use crate::scene::{Scene, is_own_provider};

pub struct StandardCredential;

const ID: &str = "standard-credential";

impl Exception for StandardCredential {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("standard_credential.md")
    }

    fn covers(&self, effect: &Effect, scene: &Scene<'_>) -> bool {
        let Act::Connect { host, data, .. } = &effect.act else {
            return false;
        };
        // Only a read: what changes something there is the judge's to weigh.
        *data == Taint::SECRET && asks_only(scene, effect) && is_own_provider(scene, effect, host)
    }

    fn clears(&self, finding: &Finding, scene: &Scene<'_>) -> bool {
        finding.rule == "credential-leak"
            && scene
                .effects()
                .filter(|effect| scene.part(effect) == finding.span)
                .filter(|effect| !shows_it(scene, effect))
                .any(|effect| matches!(&effect.act, Act::Connect { host, data, .. } if data.has(Taint::SECRET) && is_own_provider(scene, effect, host)))
    }
}

/// `curl -v`: the request is printed, and the credential with it.
fn shows_it(scene: &Scene<'_>, effect: &Effect) -> bool {
    let start = scene.invocation(effect);
    start.is_none_or(|start| start.output.has(Taint::SECRET))
}

/// The request has no body and no method that changes anything.
fn asks_only(scene: &Scene<'_>, effect: &Effect) -> bool {
    const BODIES: &[&str] = &[
        "-d",
        "--data",
        "-F",
        "--form",
        "-T",
        "--upload-file",
        "--json",
        "--post",
        "--body",
        "-X",
        "--request",
        "--method",
    ];
    scene.invocation(effect).is_some_and(|start| {
        start.argv.iter().skip(1).all(|word| {
            word.literal()
                .is_none_or(|word| !BODIES.iter().any(|flag| word.starts_with(flag)))
        })
    })
}
