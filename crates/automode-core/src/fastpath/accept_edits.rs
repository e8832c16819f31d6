//! An edit inside the project that can be taken back.
//!
//! Three proofs are needed: the file lies inside a root ([`ContainedPath`]), it
//! is no protected place, and what it replaces is not lost. An edit by
//! replacement shows what it changes; a whole file may only replace what git
//! has, what this session wrote, or nothing.

use super::{Answer, FastPath, View};
use crate::scene::Scene;
use crate::{ContainedPath, FileEdit, GitState, Mode, PathFact, PathKind, path};
use automode_shell::{Extent, FileFact, Target};

pub(super) struct AcceptEdits;

impl FastPath for AcceptEdits {
    fn id(&self) -> &'static str {
        "accept-edits"
    }

    fn page(&self) -> &'static str {
        include_str!("accept_edits.md")
    }

    fn consider(&self, view: &View<'_>) -> Answer {
        let applies = match view.mode {
            Mode::Auto | Mode::AcceptEdits => view.scene.action.edited_file().is_some(),
            Mode::Default | Mode::Plan | Mode::DontAsk | Mode::BypassPermissions => false,
        };
        if !applies {
            return Answer::open();
        }
        match proof(&view.scene) {
            Ok(reason) => Answer::allow(reason),
            Err(missing) => Answer::Open(missing),
        }
    }
}

/// The proof that an edit is contained, unprotected and recoverable.
///
/// # Errors
/// What is missing, in words.
pub fn proof(scene: &Scene<'_>) -> Result<String, String> {
    let path = scene.action.edited_file().ok_or("not an edit of a file")?;
    let mut canonical = String::new();
    for spelling in path::spellings(path, scene.context) {
        let fact = scene.facts.paths.get(&spelling);
        if fact.is_some_and(|fact| fact.other_names) {
            return Err(format!(
                "{spelling} has another name (a hard link), which may be anywhere"
            ));
        }
        let contained = ContainedPath::prove(&spelling, &scene.context.roots, scene.facts)
            .ok_or_else(|| format!("{spelling} is not proven to be inside the project"))?;
        contained.canonical().clone_into(&mut canonical);
        unprotected(&spelling, scene)?;
        recoverable(fact, &spelling, contained.canonical(), scene)?;
    }
    Ok(format!(
        "an edit inside the project that can be taken back: {canonical}"
    ))
}

fn unprotected(path: &str, scene: &Scene<'_>) -> Result<(), String> {
    let target = Target {
        path: path.to_owned(),
        extent: Extent::Exact,
        typed: path.to_owned(),
    };
    let places = scene.all_places(&target);
    match places.iter().find_map(|place| place.protected) {
        Some(kind) => Err(format!("{path} is protected: {}", kind.name())),
        None => Ok(()),
    }
}

/// Whether what the edit replaces can be had again.
fn recoverable(
    fact: Option<&PathFact>,
    spelling: &str,
    canonical: &str,
    scene: &Scene<'_>,
) -> Result<(), String> {
    let fact = fact.ok_or("the file was not looked at")?;
    match fact.kind {
        PathKind::Absent => return Ok(()),
        PathKind::File | PathKind::Link => {}
        PathKind::Directory | PathKind::Other | PathKind::Unreadable => {
            return Err(format!("{canonical} is not a plain file"));
        }
    }
    if tells_what_it_takes(spelling, scene) {
        return Ok(());
    }
    match fact.git {
        GitState::Clean => Ok(()),
        GitState::Dirty | GitState::Untracked | GitState::Ignored | GitState::None => {
            if own_work(canonical, scene) {
                Ok(())
            } else {
                Err(format!(
                    "{canonical} exists with content that git does not have and this session did not write"
                ))
            }
        }
    }
}

/// Whether the edit itself tells what it takes away, and where that stood.
#[must_use]
pub fn tells_what_it_takes(path: &str, scene: &Scene<'_>) -> bool {
    let body = match scene.facts.shell.files.get(path) {
        Some(FileFact::Text { body, .. }) => Some(body.as_str()),
        Some(FileFact::Directory | FileFact::Absent | FileFact::Unreadable) | None => None,
    };
    match scene.action.file_edit() {
        Some(FileEdit::Replace { old, steps, .. }) => {
            // What leaves nothing of a file has nothing to stand in its place.
            let empties = body.is_some_and(|body| {
                let after = steps
                    .iter()
                    .try_fold(body.to_owned(), |body, step| step.apply(&body));
                after.is_some_and(|after| after.trim().is_empty())
            });
            !old.is_empty() && !empties && steps.iter().all(|step| step.can_be_taken_back(body))
        }
        // A new cell takes nothing away; another cell's text is not in the call.
        Some(FileEdit::Notebook { mode, .. }) => mode == "insert",
        Some(FileEdit::Write { .. }) => scene.writes_what_is_there(path),
        None => false,
    }
}

/// The session wrote it, and as far as can be seen nobody changed it since.
fn own_work(canonical: &str, scene: &Scene<'_>) -> bool {
    let Some(record) = scene.written(canonical) else {
        return false;
    };
    if record.digest.is_empty() {
        return record.created;
    }
    match scene.facts.shell.files.get(canonical) {
        Some(FileFact::Text { body, .. }) => crate::digest(body) == record.digest,
        Some(FileFact::Directory | FileFact::Absent | FileFact::Unreadable) | None => false,
    }
}
