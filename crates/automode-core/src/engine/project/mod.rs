//! Whether everything that a runner of the project may load was read and is clean.
//!
//! What changed since the session began, what this session wrote, and what the
//! command itself writes before or beside the run, is judged from its bytes under
//! all rules, guards and exceptions, as if it had been typed. A file that git has
//! unchanged is the person's own. What could not be read is never clean.

mod change;
mod data;
mod example;
mod kind;
mod library_call;
mod mark;
mod memo;
mod reading;
mod same_command;
mod settings;
mod source;
mod taken;
mod task_file;
mod way;

use std::collections::{BTreeMap, BTreeSet};

use automode_shell::place::Zone;
use automode_shell::{Act, Analysis, Code, Coverage, FileFact, GapKind, Nature, Value};

use super::case::{Case, JudgePresence};
use crate::exceptions::open_gaps;
use crate::rules::{adds_to_history, git_directory, outgoing_query, runs_hooks};
use crate::scene::{ProjectState, Suspicion, SuspicionOrigin};
use crate::{ChangedFile, LOST_PROJECT, Query, Tracking, WrittenFile};
pub(super) use memo::AnalysisMemo;
use reading::ProjectReader;
pub(super) use same_command::{fills_library, moves_history};

/// The most files of the session that are looked at beside those that git tells of.
const SESSION_FILES: usize = 64;

/// Whether code of the project would run that the analysis did not see whole.
fn runs_unseen(analysis: &Analysis) -> bool {
    let gaps = match &analysis.coverage {
        Coverage::Partial(gaps) => gaps,
        Coverage::Complete | Coverage::Opaque(_) => return false,
    };
    let runs = analysis.effects.iter().any(|effect| {
        let Act::Execute { code, .. } = &effect.act else {
            return false;
        };
        match code {
            // A tool that a package brings loads what the project has for it.
            Code::Task { .. } | Code::File(_) | Code::Container { .. } | Code::Package(_) => true,
            Code::Program(_) | Code::Inline { .. } | Code::Stream | Code::Remote { .. } => false,
        }
    });
    let imports = gaps
        .iter()
        .any(|gap| matches!(&gap.kind, GapKind::Call { name, .. } if name.starts_with("import ")));
    runs || imports
}

/// Whether the state of the project decides anything about this call.
fn matters(case: &Case<'_>) -> bool {
    runs_unseen(&case.effects.analysis) && !is_open_anyway(case)
        || same_command::replaces_manifest(case)
        || starts_hooks(case)
}

/// Whether a person is asked whatever the project holds: something is not known that no clean
/// project makes good, nothing is promised, and no judge wants to hear what changed.
fn is_open_anyway(case: &Case<'_>) -> bool {
    let enforces = case.session.enforces;
    let is_heard = case.judge == JudgePresence::Present;
    if is_heard || enforces.confinement || enforces.undo {
        return false;
    }
    let mut scene = case.scene();
    scene.project = &ProjectState::Clean;
    !open_gaps(&scene, case.policy.settings.project_code).is_empty()
}

/// Whether git would run hooks of the repository.
fn starts_hooks(case: &Case<'_>) -> bool {
    case.effects.analysis.invocations.iter().any(|start| {
        let directory = git_directory(start, &case.context.cwd);
        let now = case.facts.repos.get(&directory);
        let repo = now.or(case.session.repo.as_ref());
        repo.is_some_and(|repo| runs_hooks(start, repo))
    })
}

/// What should be looked at for the state of the project.
pub(super) fn wanted(case: &Case<'_>) -> BTreeSet<Query> {
    let mut wanted = BTreeSet::new();
    for directory in additions(case) {
        // What is committed may spell what stands in the file of variables.
        let variables = format!("{}/.env", directory.trim_end_matches('/'));
        wanted.insert(Query::File(variables));
        wanted.insert(changes(case, directory));
    }
    let starts = case.effects.analysis.invocations.iter();
    wanted.extend(starts.filter_map(|start| outgoing_query(start, &case.context.cwd)));
    if !matters(case) {
        return wanted;
    }
    for directory in directories(case) {
        wanted.insert(changes(case, directory));
    }
    wanted.extend(session_files(case).map(|path| Query::File(path.to_owned())));
    let needs = ProjectReader::new(case).needs(&loaded(case));
    wanted.extend(needs.into_iter().map(Query::File));
    wanted
}

/// What differs since the session began.
pub(super) fn changes(case: &Case<'_>, directory: String) -> Query {
    let began = case.session.repo.as_ref();
    Query::Changes {
        directory,
        since: began.and_then(|repo| repo.head.clone()),
    }
}

/// Where something is put into the history of a repository, or into what a compiler shows.
fn additions(case: &Case<'_>) -> BTreeSet<String> {
    let starts = case.effects.analysis.invocations.iter();
    starts
        .filter(|start| {
            let adds = |word: &Value| word.literal().is_some_and(|word| adds_to_history(&word));
            // What takes in other files shows those that changed as well.
            start.is_a(Nature::IncludesFiles)
                || start.is_a(Nature::Git) && start.argv.iter().skip(1).take(4).any(adds)
        })
        .map(|start| {
            start
                .cwd
                .clone()
                .unwrap_or_else(|| case.context.cwd.clone())
        })
        .collect()
}

/// The state of the project for what this call runs of it.
pub(super) fn state(case: &Case<'_>) -> ProjectState {
    if !matters(case) {
        return ProjectState::Unknown;
    }
    let mut found = same_command::suspicions(case);
    for directory in directories(case) {
        let tracking = case.facts.changes.get(&directory).map(|all| all.tracking);
        match tracking {
            Some(Tracking::Whole | Tracking::Absent) => {}
            Some(Tracking::Partial) | None => found.push(Suspicion {
                subject: directory,
                why: "what changed in it could not be told".to_owned(),
                origin: SuspicionOrigin::Unread,
            }),
        }
    }
    let reader = ProjectReader::new(case);
    for file in loaded(case).values() {
        found.extend(reader.suspicions(file));
    }
    found.extend(brought(case));
    if session_files(case).count() >= SESSION_FILES {
        found.push(Suspicion {
            subject: "this session".to_owned(),
            why: "wrote more files than are read".to_owned(),
            origin: SuspicionOrigin::Unread,
        });
    }
    if found.is_empty() {
        ProjectState::Clean
    } else {
        ProjectState::Suspect(found)
    }
}

/// What was brought from elsewhere, as far as nobody reads it: a folder that code starts in or
/// below. Files are read by themselves, whoever brought them.
fn brought(case: &Case<'_>) -> Vec<Suspicion> {
    let starts = directories(case);
    let within =
        |path: &str, folder: &str| path == folder || path.starts_with(&format!("{folder}/"));
    case.session
        .written
        .marked()
        .filter(|file| {
            let counts = |mark: &String| matches!(mark.as_str(), "network" | "decoded");
            file.taint.iter().any(counts) || is_filled(case, file)
        })
        .filter_map(|file| {
            let folder = file.path.trim_end_matches('/');
            if is_filled(case, file) && case.context.is_inside(folder) {
                let why = "was copied, linked or unpacked, and code is loaded from it";
                return Some(Suspicion {
                    subject: file.path.clone(),
                    why: why.to_owned(),
                    origin: SuspicionOrigin::Unread,
                });
            }
            let why = match file.path.strip_suffix('/') {
                // What came into the project itself is in the lists, and read there.
                Some(folder) if case.context.roots.iter().any(|root| root == folder) => {
                    return None;
                }
                Some(folder) if starts.iter().any(|start| within(start, folder)) => {
                    "was downloaded or unpacked, and code starts in it"
                }
                Some(_) => return None,
                None if file.path == LOST_PROJECT => "may have been downloaded",
                // Where it went, nobody told.
                None if is_gone(case, &file.path) => "was downloaded, and is not where it was put",
                None => return None,
            };
            Some(Suspicion {
                subject: file.path.clone(),
                why: why.to_owned(),
                origin: SuspicionOrigin::Unread,
            })
        })
        .collect()
}

/// A folder of libraries that was filled by hand, or a link to one.
fn is_filled(case: &Case<'_>, file: &WrittenFile) -> bool {
    let now = case.facts.shell.files.get(&file.path);
    let folder = file.path.ends_with('/') || matches!(now, Some(FileFact::Directory));
    folder && file.taint.iter().any(|mark| mark == WrittenFile::COPIED)
}

/// Code of the project that was written and is not there.
fn is_gone(case: &Case<'_>, path: &str) -> bool {
    case.context.is_inside(path)
        && !kind::is_data(path)
        && matches!(case.facts.shell.files.get(path), Some(FileFact::Absent))
}

/// Where code of the project starts.
fn directories(case: &Case<'_>) -> BTreeSet<String> {
    let analysis = &case.effects.analysis;
    let mut found: BTreeSet<String> = analysis
        .effects
        .iter()
        .filter(|effect| matches!(effect.act, Act::Execute { .. }))
        .filter_map(|effect| analysis.invocations.get(effect.by)?.cwd.clone())
        .collect();
    found.insert(case.context.cwd.clone());
    found
}

/// Files of the project that this session wrote and that no list of changes holds: they
/// are ignored, were committed since, or lie in no repository.
fn session_files<'c>(case: &'c Case<'_>) -> impl Iterator<Item = &'c str> {
    let listed: BTreeSet<&str> = case
        .facts
        .changes
        .values()
        .flat_map(|changes| changes.files.iter().map(|file| file.path.as_str()))
        .collect();
    case.session
        .written
        .iter()
        .rev()
        .map(|file| file.path.as_str())
        .filter(move |path| {
            !listed.contains(path)
                && is_loadable(case, path)
                && (!kind::is_data(path) || kind::is_environment(path))
        })
        .take(SESSION_FILES)
}

/// Whether code of the project may load a file: it lies there, or where a dependency of the
/// project may lie. What is temporary is a draft.
fn is_loadable(case: &Case<'_>, path: &str) -> bool {
    case.context.is_inside(path)
        || path.starts_with('/')
            && !path.ends_with('/')
            && matches!(
                case.scene().place_of(path).zone,
                Zone::InHome | Zone::Elsewhere
            )
}

/// Everything that may be loaded and is not as it was, by its path.
fn loaded(case: &Case<'_>) -> BTreeMap<String, ChangedFile> {
    let mut all: BTreeMap<String, ChangedFile> = case
        .facts
        .changes
        .values()
        .flat_map(|changes| &changes.files)
        .map(|file| (file.path.clone(), file.clone()))
        .collect();
    for path in session_files(case) {
        let now = case.facts.shell.files.get(path);
        all.insert(
            path.to_owned(),
            ChangedFile {
                path: path.to_owned(),
                before: None,
                now: now.cloned().unwrap_or(FileFact::Unreadable),
                tracked: false,
            },
        );
    }
    // What the command itself puts there is there when the code runs.
    for write in &case.effects.writes {
        let known = all.remove(&write.path);
        let before = known.as_ref().and_then(|file| file.before.clone());
        let body = match (write.append, known.map(|file| file.now)) {
            (true, Some(FileFact::Text { body, .. })) => body + &write.body,
            (true, _) => match case.facts.shell.files.get(&write.path) {
                Some(FileFact::Text { body, .. }) => format!("{body}{}", write.body),
                Some(FileFact::Directory | FileFact::Absent | FileFact::Unreadable) | None => {
                    write.body.clone()
                }
            },
            (false, _) => write.body.clone(),
        };
        all.insert(
            write.path.clone(),
            ChangedFile {
                path: write.path.clone(),
                before,
                now: FileFact::Text {
                    body,
                    session: true,
                },
                tracked: false,
            },
        );
    }
    all
}
