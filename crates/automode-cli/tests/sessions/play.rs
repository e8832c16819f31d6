//! Plays a session: the hook is asked, the deed is done, the result is told.

use std::fs;

use serde_json::Value;

use crate::script::{Deed, Done, Ending, Script};
use crate::wire::Agent;
use crate::world::World;

/// What was said to one call.
pub struct Told {
    pub step: String,
    pub runs: bool,
    pub verdict: String,
    pub reason: String,
}

/// Every answer of a session; it ends with the first denial. `None`: the agent has no tool for
/// one of the steps.
pub fn play(script: &Script, agent: Agent, world: &mut World) -> Option<Vec<Told>> {
    let mut session = 1;
    let mut told = Vec::new();
    world.hook(agent.name(), &agent.start("s1", world));
    for (at, step) in script.steps.iter().enumerate() {
        let id = format!("s{session}");
        match &step.deed {
            Deed::Put { path, text } => world.put(&world.path(path), &world.filled(text)),
            Deed::Do(command) => assert!(world.shell(command), "{}: {command}", script.name),
            Deed::Rule { kind, rule } => world.rule(kind, rule),
            Deed::Session => {
                session += 1;
                world.hook(agent.name(), &agent.start(&format!("s{session}"), world));
            }
            Deed::Permit => world.permit(),
            Deed::Hidden(text) => told.push(Told {
                step: format!("hidden {text}"),
                runs: world.keeps(text),
                verdict: String::new(),
                reason: String::new(),
            }),
            Deed::Said(words) => {
                world.hook(agent.name(), &agent.prompt(words, &id, world));
            }
            deed => {
                let call = agent.call(deed, world, format!("call{at}"))?;
                let reply = world.hook(agent.name(), &agent.before(&call, &id, world));
                let entry = world.last_entry();
                let field = |name: &str| {
                    entry
                        .get(name)
                        .and_then(Value::as_str)
                        .unwrap_or_default()
                        .to_owned()
                };
                let (verdict, reason) = (field("verdict"), field("reason"));
                let runs = agent.runs(&reply);
                told.push(Told {
                    step: format!("{deed:?}").chars().take(160).collect(),
                    runs,
                    verdict: verdict.clone(),
                    reason,
                });
                if verdict == "deny"
                    && !script
                        .steps
                        .iter()
                        .any(|step| matches!(step.deed, Deed::Hidden(_) | Deed::Permit))
                {
                    return Some(told);
                }
                let done = step.ending == Ending::Succeeds;
                let done = if done { carry_out(deed, world) } else { false };
                let ending = if done || step.ending == Ending::Refused {
                    step.ending
                } else {
                    Ending::Fails
                };
                if ending != Ending::Refused {
                    world.hook(agent.name(), &agent.after(&call, ending, &id, world));
                }
            }
        }
    }
    Some(told)
}

/// Does what the call says; whether it could be done.
fn carry_out(deed: &Deed, world: &World) -> bool {
    match deed {
        Deed::Write { path, text } => {
            world.put(&world.path(path), &world.filled(text));
            true
        }
        Deed::Edit { path, all, edits } => {
            let path = world.path(path);
            let Ok(mut body) = fs::read_to_string(&path) else {
                return false;
            };
            for (old, new) in edits {
                let (old, new) = (world.filled(old), world.filled(new));
                assert!(
                    body.contains(&old),
                    "{}: {old:?} is not there",
                    path.display()
                );
                body = if *all {
                    body.replace(&old, &new)
                } else {
                    body.replacen(&old, &new, 1)
                };
            }
            fs::write(path, body).unwrap();
            true
        }
        Deed::Shell {
            command,
            done: Done::Really,
        } => world.shell(command),
        deed => deed.is_call(),
    }
}
