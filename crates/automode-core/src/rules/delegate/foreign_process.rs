//! Processes that this session did not start, and the machine they run on.

use automode_shell::{Act, Effect, Invocation, Nature, ProcessScope, Stdout, SystemChange, Taint};

use super::endless;
use crate::Finding;
use crate::rules::Rule;
use crate::scene::{Scene, report};

pub struct ForeignProcess;

pub(super) const ID: &str = "foreign-process";
const OWN: &str = "stop only processes that you started, by their id";

impl Rule for ForeignProcess {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("foreign_process.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let everybody = scene
            .invocations()
            .filter(|start| is_for_everybody(start))
            .map(|start| scene.veto(ID, start.span, "signals every process it can reach", OWN));
        scene
            .effects()
            .filter_map(|effect| match &effect.act {
                Act::Process { scope } => {
                    let what = match scope {
                        ProcessScope::Own => return None,
                        ProcessScope::Pid(pid) => {
                            format!(
                                "signals process {}, whoever it belongs to",
                                report::name(pid)
                            )
                        }
                        ProcessScope::Named(name) => {
                            format!("signals every process named {}", report::name(name))
                        }
                        ProcessScope::All => {
                            let what = "signals every process it can reach";
                            return Some(scene.veto(ID, scene.part(effect), what, OWN));
                        }
                        ProcessScope::Attach => "attaches to another process".to_owned(),
                    };
                    Some(scene.evidence(ID, scene.part(effect), &what, OWN))
                }
                Act::System(SystemChange::Power) => Some(scene.veto(
                    ID,
                    scene.part(effect),
                    "shuts the machine down",
                    "leave the machine running",
                )),
                Act::Exhaust if only_shows(scene, effect) => Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    "prints without end",
                    "take a part of it, with `head`",
                )),
                Act::Exhaust if !scene.is_fed_on(effect) => Some(scene.veto(
                    ID,
                    scene.part(effect),
                    "uses up the machine without bound",
                    "give the loop an end",
                )),
                _ => None,
            })
            .chain(everybody)
            .chain(
                scene
                    .invocations()
                    .filter_map(|start| endless::detect(scene, start)),
            )
            .collect()
    }
}

/// An endless stream that fills nothing: the agent's patience ends it.
fn only_shows(scene: &Scene<'_>, effect: &Effect) -> bool {
    let fills = |other: &Effect| {
        other.by == effect.by
            && matches!(&other.act, Act::Write { data, .. } if data.has(Taint::ENDLESS))
    };
    scene.invocation(effect).is_some_and(|start| {
        matches!(start.stdout, Stdout::Shown) && start.output.has(Taint::ENDLESS)
    }) && !scene.effects().any(fills)
}

/// `kill -9 -1`: after a signal, `-1` is no signal but everybody.
fn is_for_everybody(start: &Invocation) -> bool {
    let words: Vec<_> = start
        .argv
        .iter()
        .filter_map(|word| word.literal())
        .collect();
    start.is_a(Nature::Kill) && words.len() > 2 && words.last().is_some_and(|word| word == "-1")
}
