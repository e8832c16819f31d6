//! Agents started with more freedom than their task needs.

use automode_shell::{Act, Span};

use crate::rules::Rule;
use crate::scene::{Scene, report};
use crate::{Action, Finding};

pub struct BroadAgent;

const ID: &str = "broad-agent";
const INSTEAD: &str = "give the agent one task, and leave its permissions on";

/// Modes in which an agent asks nobody.
const OPEN_MODES: &[&str] = &[
    "bypasspermissions",
    "dontask",
    "yolo",
    "full-auto",
    "unrestricted",
];

/// Phrases that hand over everything, in a prompt of the agent's own making.
const BROAD: &[&str] = &[
    "without asking",
    "do not ask",
    "don't ask",
    "without confirmation",
    "no confirmation",
    "any means",
    "whatever it takes",
    "full access",
    "unrestricted",
    "bypass",
    "skip permission",
    "ignore previous",
    "ignore all",
    "ignore any",
    "as root",
    "with sudo",
    "disable safety",
    "all credentials",
];

impl Rule for BroadAgent {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("broad_agent.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let spawned = if let Action::Spawn { mode, prompt, .. } = scene.action {
            spawn(scene, mode.as_deref(), prompt)
        } else {
            None
        };
        scene
            .effects()
            .filter_map(|effect| {
                let Act::Agent {
                    program,
                    unrestricted,
                } = &effect.act
                else {
                    return None;
                };
                let how = if *unrestricted {
                    " with its permission checks off"
                } else {
                    ""
                };
                let what = format!("starts the agent {}{how}", report::name(program));
                Some(scene.evidence(ID, scene.part(effect), &what, INSTEAD))
            })
            .chain(spawned)
            .collect()
    }
}

/// A prompt is prose: its words are all there is to look at.
fn spawn(scene: &Scene<'_>, mode: Option<&str>, prompt: &str) -> Option<Finding> {
    let open = mode.is_some_and(|mode| OPEN_MODES.contains(&mode.to_lowercase().as_str()));
    let lower = prompt.to_lowercase();
    let phrase = BROAD.iter().find(|phrase| lower.contains(*phrase));
    let what = match (open, phrase) {
        (true, _) => "starts a subagent that asks nobody".to_owned(),
        (false, Some(phrase)) => format!("tells a subagent to act \"{phrase}\""),
        (false, None) => return None,
    };
    Some(scene.evidence(ID, Span::default(), &what, INSTEAD))
}
