//! Things that would run later by themselves.

use automode_shell::place::{Place, Protected};
use automode_shell::{Act, Effect, Nature, PersistKind, WriteHow};

use crate::rules::Rule;
use crate::scene::{Scene, named_paths, report};
use crate::{Action, Finding};

pub struct ScheduledPersistence;

const ID: &str = "scheduled-persistence";
const INSTEAD: &str = "run it once now, or let the person install it";

impl Rule for ScheduledPersistence {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("scheduled_persistence.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let scheduled = match scene.action {
            Action::Schedule { cron, .. } => {
                let what = format!(
                    "schedules a prompt to run by itself ({})",
                    report::name(cron)
                );
                Some(scene.evidence(ID, automode_shell::Span::default(), &what, INSTEAD))
            }
            _ => None,
        };
        scene
            .effects()
            .filter_map(|effect| stays(scene, effect))
            .chain(scheduled)
            .chain(unexplained(scene))
            .collect()
    }
}

/// Programs whose words are text or patterns, not places.
const WORDS_ARE_TEXT: [Nature; 3] = [Nature::Talker, Nature::Test, Nature::TextSearch];

/// A place of the system's start-up among the words of a program, and no effect
/// that says what it does there.
fn unexplained(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .invocations()
        .filter(|start| !WORDS_ARE_TEXT.iter().any(|nature| start.is_a(*nature)))
        .flat_map(|start| named_paths(start).map(move |path| (start, path)))
        .filter(|(_, path)| {
            let place = Place::of_path(path, scene.context);
            let known = scene.effects().any(|effect| match &effect.act {
                Act::Read { target }
                | Act::List { target }
                | Act::Write { target, .. }
                | Act::Delete { target, .. } => {
                    target.path == *path || path.starts_with(&format!("{}/", target.path))
                }
                _ => false,
            });
            !known
                && matches!(
                    place.protected,
                    Some(Protected::SystemStartup | Protected::Access | Protected::ShellStartup)
                )
        })
        .map(|(start, path)| {
            let what = format!(
                "names {}, where things start by themselves",
                report::name(&path)
            );
            scene.evidence(ID, start.span, &what, INSTEAD)
        })
        .collect()
}

fn stays(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    let what = match &effect.act {
        Act::Persist { kind } => match kind {
            PersistKind::Cron => "installs a scheduled job".to_owned(),
            PersistKind::Service => "installs a service that starts by itself".to_owned(),
            PersistKind::Startup => "adds something to what starts at login".to_owned(),
            PersistKind::GitHook => "installs a hook that git runs".to_owned(),
            PersistKind::Other => "leaves something that runs by itself".to_owned(),
        },
        Act::Write { target, how, .. } if *how != WriteHow::Touch => {
            match scene.place(target).protected? {
                kind @ (Protected::ShellStartup
                | Protected::SystemStartup
                | Protected::CiWorkflow
                | Protected::ProjectHook
                | Protected::EditorTask
                | Protected::ToolConfig
                | Protected::GitInternals) => {
                    format!("changes {}, {}", report::target(scene, target), kind.name())
                }
                Protected::Automode
                | Protected::AgentSettings
                | Protected::Access
                | Protected::McpServers => return None,
            }
        }
        Act::Vcs(automode_shell::VcsOp::Config {
            key, runs: true, ..
        }) => {
            format!("sets {}, which makes git run a program", report::name(key))
        }
        _ => return None,
    };
    Some(scene.evidence(ID, scene.part(effect), &what, INSTEAD))
}
