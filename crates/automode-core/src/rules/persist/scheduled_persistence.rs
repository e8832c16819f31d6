//! Things that would run later by themselves.

use automode_shell::place::Protected;
use automode_shell::{Act, Effect, Extent, Nature, PersistKind, WriteHow};

use super::git_helper;
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
        let scheduled = if let Action::Schedule { cron, .. } = scene.action {
            let what = format!(
                "schedules a prompt to run by itself ({})",
                report::name(cron)
            );
            Some(scene.evidence(ID, automode_shell::Span::default(), &what, INSTEAD))
        } else {
            None
        };
        scene
            .effects()
            .filter_map(|effect| stays(scene, effect))
            .chain(scheduled)
            .chain(unexplained(scene))
            .chain(git_helper::detect(scene, ID))
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
            let place = scene.place_of(path);
            let known = scene.effects().any(|effect| matches!(&effect.act, Act::Read { target }
                | Act::List { target }
                | Act::Write { target, .. }
                | Act::Delete { target, .. } if target.path == *path || path.starts_with(&format!("{}/", target.path))));
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

/// Folders of jobs that the system itself runs, with all rights.
const SYSTEM_JOBS: &[&str] = &[
    "/etc/cron.d/",
    "/etc/cron.hourly/",
    "/etc/cron.daily/",
    "/etc/cron.weekly/",
    "/etc/cron.monthly/",
    "/etc/crontab",
    "/var/spool/cron/",
];

/// New text for a job of the system: nobody who works on a project writes one.
fn is_system_job(effect: &Effect) -> bool {
    if let Act::Write { target, how, .. } = &effect.act {
        let writes = match how {
            WriteHow::Replace | WriteHow::Append | WriteHow::Edit | WriteHow::Link => true,
            WriteHow::Touch | WriteHow::Attributes | WriteHow::Raw => false,
        };
        writes
            && target.extent == Extent::Exact
            && SYSTEM_JOBS.iter().any(|job| target.path.starts_with(job))
    } else {
        false
    }
}

fn stays(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    if is_system_job(effect) {
        let what = "writes a job that the system runs by itself, with all rights";
        return Some(scene.veto(ID, scene.part(effect), what, INSTEAD));
    }
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
