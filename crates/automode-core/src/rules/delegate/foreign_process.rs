//! Processes that this session did not start, and the machine they run on.

use automode_shell::{Act, ProcessScope, SystemChange};

use crate::Finding;
use crate::rules::{Rule, Scene, report};

pub struct ForeignProcess;

const ID: &str = "foreign-process";
const OWN: &str = "stop only processes that you started, by their id";

impl Rule for ForeignProcess {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("foreign_process.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
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
                            return Some(scene.veto(ID, effect.span, what, OWN));
                        }
                        ProcessScope::Attach => "attaches to another process".to_owned(),
                    };
                    Some(scene.evidence(ID, effect.span, &what, OWN))
                }
                Act::System(SystemChange::Power) => Some(scene.veto(
                    ID,
                    effect.span,
                    "shuts the machine down",
                    "leave the machine running",
                )),
                Act::Exhaust => Some(scene.veto(
                    ID,
                    effect.span,
                    "uses up the machine without bound",
                    "give the loop an end",
                )),
                _ => None,
            })
            .collect()
    }
}
