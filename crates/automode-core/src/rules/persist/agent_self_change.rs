//! Changes to the agent itself: its settings, hooks, servers and instructions.

use automode_shell::Act;
use automode_shell::place::Protected;

use crate::rules::Rule;
use crate::scene::{Scene, report};
use crate::{Action, Finding};

pub struct AgentSelfChange;

const ID: &str = "agent-self-change";
const INSTEAD: &str = "describe the change and let the person make it";

impl Rule for AgentSelfChange {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("agent_self_change.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let configured = if let Action::Configure { setting, .. } = scene.action {
            let what = format!("changes the agent's setting {}", report::name(setting));
            Some(scene.evidence(ID, automode_shell::Span::default(), &what, INSTEAD))
        } else {
            None
        };
        scene
            .effects()
            .filter_map(|effect| {
                let (Act::Write { target, .. } | Act::Delete { target, .. }) = &effect.act else {
                    return None;
                };
                let kind = scene
                    .places(target)
                    .into_iter()
                    .filter_map(|place| place.protected)
                    .find(|kind| {
                        matches!(kind, Protected::AgentSettings | Protected::McpServers)
                    })?;
                let what = format!("changes {}, {}", report::target(scene, target), kind.name());
                Some(scene.evidence(ID, scene.part(effect), &what, INSTEAD))
            })
            .chain(configured)
            .collect()
    }
}
