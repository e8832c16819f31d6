//! Attempts to switch automode off, to go round it, or to answer for the person.

use automode_shell::place::{Place, Protected};
use automode_shell::{Act, Effect, Extent, Invocation, ProcessScope};

use crate::Finding;
use crate::rules::{Rule, Scene, certain, program_name, report};

pub struct ClassifierBypass;

const ID: &str = "classifier-bypass";
const INSTEAD: &str = "leave automode to the person";

/// Commands of automode that only a person may give.
const PERSONAL: &[&str] = &["allow", "allow-once", "uninstall", "install"];

impl Rule for ClassifierBypass {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("classifier_bypass.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| touches(scene, effect))
            .chain(scene.invocations().filter_map(|start| speaks(scene, start)))
            .collect()
    }
}

fn touches(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    match &effect.act {
        Act::Write { target, .. } | Act::Delete { target, .. } => {
            // A pattern that may also match such a file is not aimed at it.
            let aimed = target.extent != Extent::Pattern
                || Place::of_path(&certain(&target.path), scene.context).protected
                    == Some(Protected::Automode);
            let own = aimed
                && scene
                    .places(target)
                    .into_iter()
                    .any(|place| place.protected == Some(Protected::Automode));
            let binary = target.path.ends_with("/bin/automode");
            (own || binary).then(|| {
                let what = format!(
                    "changes {}, part of automode",
                    report::target(scene, target)
                );
                scene.veto(ID, scene.part(effect), &what, INSTEAD)
            })
        }
        Act::Process {
            scope: ProcessScope::Named(name),
        } if name.contains("automode") => {
            Some(scene.veto(ID, scene.part(effect), "stops automode", INSTEAD))
        }
        Act::Environment { name } if name.starts_with("AUTOMODE_") => Some(scene.veto(
            ID,
            scene.part(effect),
            &format!("sets {}, which steers automode", report::name(name)),
            INSTEAD,
        )),
        _ => None,
    }
}

/// An agent that answers for the person.
fn speaks(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    if program_name(start)? != "automode" {
        return None;
    }
    let command = start
        .argv
        .iter()
        .skip(1)
        .filter_map(|word| word.literal())
        .find(|word| !word.starts_with('-'))?;
    PERSONAL.contains(&command.as_ref()).then(|| {
        let what = format!(
            "runs automode {}, which only a person may",
            report::name(&command)
        );
        scene.veto(ID, start.span, &what, INSTEAD)
    })
}
