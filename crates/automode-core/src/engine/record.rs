//! What a settled call leaves in the session.

use std::collections::BTreeSet;

use automode_shell::{
    Act, Direction, Effect, Extent, FileChange, FileFact, Host, Nature, Taint, Target, Value, VcsOp,
};

use serde::{Deserialize, Serialize};

use super::case::Case;
use super::project;
use crate::effects::Effects;
use crate::scene::{ProjectState, certain};
use crate::{
    Action, CallRecord, Decision, Ledger, Outcome, PathKind, Session, Verdict, WrittenFile, brief,
    digest, judge, path, rules, transcript,
};

/// A decision, and what it changes in the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    pub decision: Decision,
    /// The ledger after this call.
    pub ledger: Ledger,
    /// The call for the session's record.
    pub call: CallRecord,
    /// Files that the call writes if it runs.
    pub written: Vec<WrittenFile>,
    /// What the call has to do with the code of the project.
    pub project: ProjectStep,
    /// The judge's part, where one was asked.
    pub judged: Option<Judged>,
    /// What the call would do; `None`: the engine broke before it was known.
    pub effects: Option<Effects>,
}

/// What a call has to do with the code of the project, for those that come after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProjectStep {
    #[default]
    Nothing,
    /// It moves the history on: what later sessions find committed is not read for that.
    MovesHistory,
    /// It runs code of the project, all of which was read and is clean.
    RunsRead,
    /// It runs code of the project that was not read, or is not clean.
    RunsUnread,
}

impl ProjectStep {
    /// Whether there is nothing to note.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// The step that a call is.
pub(super) fn project_step(case: &Case<'_>) -> ProjectStep {
    if project::moves_history(case) {
        return ProjectStep::MovesHistory;
    }
    match &case.project {
        ProjectState::Unknown => ProjectStep::Nothing,
        ProjectState::Clean => ProjectStep::RunsRead,
        ProjectState::Suspect(_) => ProjectStep::RunsUnread,
    }
}

/// The judge's part in a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub stage: judge::JudgeStage,
    pub usage: judge::Usage,
    pub model: String,
}

impl Settlement {
    /// Writes the settlement into the session.
    pub fn record(&self, session: &mut Session) {
        session.ledger = self.ledger;
        if !self.call.brief.is_empty() {
            session.transcript.push(transcript::Entry::Call {
                tool: self.call.tool.clone(),
                brief: self.call.brief.clone(),
            });
        }
        session.calls.push(self.call.clone());
        let runs = match self.decision.verdict {
            Verdict::Allow => self.written.as_slice(),
            // Whoever lets it run after all knows what it wrote.
            Verdict::Ask | Verdict::Deny => &[],
        };
        for file in runs {
            let known = session.written.iter().position(|own| own.path == file.path);
            let before = known.map(|at| session.written.remove(at));
            // What was put in its place is another file.
            let made = file.created || before.as_ref().is_some_and(|own| own.created);
            let created = made && !file.is_moved();
            session.written.push(WrittenFile {
                created,
                ..file.clone()
            });
        }
    }
}

/// Whether the program that writes also takes something away that this session did not make:
/// it moves it there.
fn moves_strange_work(case: &Case<'_>, write: &Effect) -> bool {
    let scene = case.scene();
    let is_own = |path: &str| match scene.path(path).map(|fact| fact.kind) {
        // With a folder goes what is in it.
        Some(PathKind::Directory) => {
            let files = scene.folder(path);
            files.is_some_and(|files| files.iter().all(|file| scene.is_own_file(file)))
        }
        Some(_) | None => scene.written(path).is_some_and(|file| file.created),
    };
    let effects = case.effects.analysis.effects.iter();
    effects
        .filter(|effect| effect.by == write.by)
        .any(|effect| matches!(&effect.act, Act::Delete { target, .. } if !is_own(&target.path)))
}

pub(super) fn call(case: &Case<'_>, verdict: Verdict) -> CallRecord {
    CallRecord {
        tool: case.tool.to_string(),
        brief: brief::brief(&case.action),
        outcome: match verdict {
            Verdict::Allow | Verdict::Ask => Outcome::Pending,
            Verdict::Deny => Outcome::Denied,
        },
    }
}

/// The files that the call writes if it runs, by their canonical paths. A call that was
/// not allowed may run all the same: a person says yes, or nobody enforces the verdict.
pub(super) fn written(case: &Case<'_>) -> Vec<WrittenFile> {
    // What an opaque call does is only suspected.
    if matches!(case.action, Action::Opaque { .. }) {
        return Vec::new();
    }
    // With two directories that it may run in, a new file need not be this session's.
    let certain = case.context.cwd == case.call.cwd;
    // What the text of the file is suspected of; the command that wrote it is another matter.
    let findings: Vec<String> = rules::suspected_content(&case.scene())
        .into_iter()
        .map(str::to_owned)
        .collect();
    let file = |path: &str, digest: String, taint: Vec<String>| {
        let fact = case.facts.paths.get(path);
        let canonical = fact.and_then(|fact| fact.canonical.clone());
        WrittenFile {
            path: canonical.unwrap_or_else(|| path.to_owned()),
            digest,
            created: certain && fact.is_some_and(|fact| fact.kind == PathKind::Absent),
            findings: findings.clone(),
            taint,
        }
    };
    if let Some(path) = case.action.edited_file() {
        return path::spellings(path, &case.context)
            .iter()
            .map(|path| file(path, digest_after(case, path), Vec::new()))
            .collect();
    }
    let inherited = inherited(case);
    let effects = case.effects.analysis.effects.iter();
    effects
        .flat_map(|effect| {
            let (target, data) = match effect.act.file_change() {
                FileChange::Write { target, data, .. } => (target, data),
                // What is gone is nobody's: another file of that name is another file.
                FileChange::Delete { target, .. } => return forgotten(case, target),
                FileChange::Repository(VcsOp::Apply | VcsOp::Fetch)
                    if reaches_stranger(case, effect) =>
                {
                    return brought(case);
                }
                FileChange::Repository(_) | FileChange::Nothing | FileChange::Untold => {
                    return Vec::new();
                }
            };
            written_at(
                case,
                effect,
                target,
                marks(case, effect, data, &inherited),
                &file,
            )
        })
        .collect()
}

/// The files that a write may put at a target, made by `file` of a path, a digest and marks.
fn written_at(
    case: &Case<'_>,
    effect: &Effect,
    target: &Target,
    taint: Vec<String>,
    file: &dyn Fn(&str, String, Vec<String>) -> WrittenFile,
) -> Vec<WrittenFile> {
    let known = case.facts.paths.get(&target.path);
    let into = known.is_some_and(|fact| fact.kind == PathKind::Directory);
    let marked = taint.iter().any(|mark| counts(mark));
    if target.extent == Extent::Exact && !(into && marked) {
        return vec![file(&target.path, String::new(), taint)];
    }
    // A folder that was filled counts as written with all that is in it; the
    // project itself is no such folder.
    let mut roots = case.context.roots.iter().chain([&case.context.cwd]);
    if target.extent == Extent::Below
        && !target.path.is_empty()
        && !roots.any(|root| *root == target.path)
    {
        let tree = format!("{}/", target.path.trim_end_matches('/'));
        return vec![WrittenFile {
            created: false,
            ..file(&tree, String::new(), taint)
        }];
    }
    let trees = if marked {
        trees(case, effect, target)
    } else {
        Vec::new()
    };
    trees
        .into_iter()
        .map(|path| WrittenFile {
            created: false,
            ..file(&path, String::new(), taint.clone())
        })
        .collect()
}

/// The marks that a written file carries on, in order and each once.
fn marks(
    case: &Case<'_>,
    effect: &Effect,
    data: Taint,
    inherited: &BTreeSet<String>,
) -> Vec<String> {
    let mut marks: Vec<String> = data.names().map(str::to_owned).collect();
    marks.extend(inherited.iter().cloned());
    if is_fetched(case, effect) {
        marks.push("network".to_owned());
    }
    if moves_strange_work(case, effect) {
        marks.push(WrittenFile::MOVED.to_owned());
    }
    if project::fills_library(case, effect) {
        marks.push(WrittenFile::COPIED.to_owned());
    }
    marks.sort();
    marks.dedup();
    marks
}

/// The whole project, into which strangers' work was taken.
fn brought(case: &Case<'_>) -> Vec<WrittenFile> {
    let roots = case.context.roots.iter();
    roots
        .map(|root| WrittenFile {
            path: format!("{}/", root.trim_end_matches('/')),
            digest: String::new(),
            created: false,
            findings: Vec::new(),
            taint: vec!["network".to_owned()],
        })
        .collect()
}

/// The session's record of what a call takes away, without its claim.
fn forgotten(case: &Case<'_>, target: &Target) -> Vec<WrittenFile> {
    let below = format!("{}/", target.path.trim_end_matches('/'));
    let gone = |path: &str| path == target.path || path.starts_with(&below);
    let written = case.session.written.at(gone);
    written
        .filter(|file| file.created)
        .map(|file| WrittenFile {
            created: false,
            taint: [&file.taint[..], &[WrittenFile::MOVED.to_owned()]].concat(),
            ..file.clone()
        })
        .collect()
}

/// Whether the program that writes also fetches, so that the one may be the other.
fn is_fetched(case: &Case<'_>, effect: &Effect) -> bool {
    let start = case.effects.analysis.invocations.get(effect.by);
    let code = start.is_none_or(|start| !start.is_a(Nature::Git));
    // A tool that is no program brings something whichever way it is said to talk.
    let either = start.is_none();
    code && case.effects.analysis.effects.iter().any(|other| {
        let receives = matches!(
            &other.act,
            Act::Connect {
                host: Host::Named(_) | Host::Unknown,
                direction,
                ..
            } if either || *direction == Direction::Receive
        );
        other.by == effect.by && receives
    })
}

/// Whether git talks to a repository that was no remote of the project when the session began.
fn reaches_stranger(case: &Case<'_>, effect: &Effect) -> bool {
    let start = case.effects.analysis.invocations.get(effect.by);
    start.is_some_and(|start| case.scene().stranger(start).is_some())
}

/// Marks that count against what is done with a file later.
fn counts(mark: &str) -> bool {
    matches!(mark, "network" | "decoded" | "secret")
}

/// The marks of everything that the call reads or moves: a copy has them too.
fn inherited(case: &Case<'_>) -> BTreeSet<String> {
    let scene = case.scene();
    let effects = case.effects.analysis.effects.iter();
    effects
        .filter_map(|effect| {
            let (Act::Read { target } | Act::Delete { target, .. }) = &effect.act else {
                return None;
            };
            Some(target)
        })
        .flat_map(|target| scene.marks_at(target))
        .filter(|mark| counts(mark))
        .cloned()
        .collect()
}

/// What a program names itself when it brings something: by the address that it is given, or
/// all of the folder. A folder ends in a slash.
fn trees(case: &Case<'_>, effect: &Effect, target: &Target) -> Vec<String> {
    let folder = format!("{}/", certain(&target.path).trim_end_matches('/'));
    let start = case.effects.analysis.invocations.get(effect.by);
    let addressed: Vec<String> = start
        .into_iter()
        .flat_map(|start| start.argv.iter().skip(1))
        .filter_map(Value::literal)
        .filter(|word| word.contains("://") || is_remote_path(word))
        .filter_map(|word| named_by(&word))
        .collect();
    let clones = start.is_some_and(|start| start.is_a(Nature::Git));
    let names_itself = start.is_some_and(|start| start.is_a(Nature::NamesItsOutput)) || clones;
    // The folder is the program's own where it was named.
    let given = case.facts.paths.get(folder.trim_end_matches('/'));
    let new = given.is_some_and(|fact| fact.kind == PathKind::Absent);
    if addressed.is_empty() || !names_itself || new {
        return vec![folder];
    }
    addressed
        .into_iter()
        .flat_map(|name| {
            let path = format!("{folder}{name}");
            if clones {
                vec![format!("{}/", path.trim_end_matches(".git"))]
            } else {
                vec![path]
            }
        })
        .collect()
}

/// `host:path`, as programs that copy over the network take it.
fn is_remote_path(word: &str) -> bool {
    word.split_once(':')
        .is_some_and(|(host, path)| !host.is_empty() && !host.contains('/') && !path.is_empty())
        && !word.starts_with('-')
}

/// The last name of an address, under which its content is kept.
fn named_by(address: &str) -> Option<String> {
    let bare = address.split(['?', '#']).next()?;
    let (_, path) = bare.split_once("://").unwrap_or(("", bare));
    let name = path.trim_end_matches('/').rsplit(['/', ':']).next()?;
    let named = path.contains('/') || path.contains(':');
    Some(if named && !name.is_empty() {
        name.to_owned()
    } else {
        "index.html".to_owned()
    })
}

/// The digest of what an edit leaves behind, where that is known and all of it is the
/// session's own: a person's text with one word replaced stays a person's text.
fn digest_after(case: &Case<'_>, path: &str) -> String {
    if let Action::Write { content, .. } = &case.action {
        return digest(content);
    }
    let after = own_text(case, path).and_then(|body| replaced(case, body));
    after.map_or_else(String::new, |body| digest(&body))
}

/// The text of the file, where it is still what this session wrote.
fn own_text<'c>(case: &'c Case<'_>, path: &str) -> Option<&'c str> {
    let canonical = case.facts.paths.get(path)?.canonical.as_deref()?;
    let FileFact::Text { body, .. } = case.facts.shell.files.get(canonical)? else {
        return None;
    };
    let record = case.session.written.find(canonical)?;
    (record.digest == digest(body)).then_some(body)
}

/// The text after all replacements.
fn replaced(case: &Case<'_>, body: &str) -> Option<String> {
    let Action::Edit { steps, .. } = &case.action else {
        return None;
    };
    steps
        .iter()
        .try_fold(body.to_owned(), |body, step| step.apply(&body))
}
