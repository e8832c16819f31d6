//! What to look at before deciding.
//!
//! A plan is made from the action and from what the analysis asked for. It is
//! bounded: what does not fit is not observed, and what was not observed never
//! counts in favour.

use std::collections::BTreeSet;

use automode_shell::{Act, Code, Extent, Need, Target, VcsOp, WriteHow};

use super::case::Case;
use super::project;
use crate::exceptions::MANIFESTS;
use crate::scene::changes;
use crate::{Action, PathKind, Query, path};

/// The most things looked at in one round.
const MOST: usize = 96;

/// What should be observed and was not yet asked for.
pub(super) fn plan(case: &Case<'_>) -> Vec<Query> {
    let mut wanted = BTreeSet::new();
    surroundings(case, &mut wanted);
    files(case, &mut wanted);
    commands(case, &mut wanted);
    let open = |wanted: BTreeSet<Query>| -> Vec<Query> {
        wanted
            .into_iter()
            .filter(|query| !case.asked.contains(query))
            .take(MOST)
            .collect()
    };
    let first = open(wanted);
    if first.is_empty() {
        // What changed is asked last: it costs the most, and only what would run
        // unseen after everything else is known needs it.
        return open(project::wanted(case));
    }
    first
}

/// The places that containment and guards are held against.
fn surroundings(case: &Case<'_>, wanted: &mut BTreeSet<Query>) {
    let touches = !changes(&case.scene()).is_empty() || case.analysis().is_some();
    if !touches {
        return;
    }
    let context = &case.context;
    wanted.extend(context.roots.iter().cloned().map(Query::Path));
    wanted.extend(context.home.iter().cloned().map(Query::Path));
    wanted.insert(Query::Path(context.cwd.clone()));
}

/// The file that a tool names, and its text where the session wrote it before.
fn files(case: &Case<'_>, wanted: &mut BTreeSet<Query>) {
    let named = match &case.action {
        Action::Read { path }
        | Action::Search {
            path: Some(path), ..
        } => Some(path.as_str()),
        action => action.edited_file(),
    };
    let Some(named) = named else { return };
    for spelling in path::spellings(named, &case.context) {
        let canonical = case
            .facts
            .paths
            .get(&spelling)
            .and_then(|fact| fact.canonical.clone());
        if let Some(canonical) = canonical
            && case
                .session
                .written
                .iter()
                .any(|file| file.path == canonical)
        {
            wanted.insert(Query::File(canonical));
        }
        if matches!(case.action, Action::Edit { .. }) {
            wanted.insert(Query::File(spelling.clone()));
        }
        if overwrites(&case.action) && exists(case, &spelling) {
            wanted.insert(Query::GitState(spelling.clone()));
        }
        wanted.insert(Query::Path(spelling));
    }
}

/// What a shell command touches, runs and commits to.
fn commands(case: &Case<'_>, wanted: &mut BTreeSet<Query>) {
    let analysis = &case.effects.analysis;
    for need in &analysis.needs {
        let Need::File(path) = need;
        wanted.insert(Query::File(path.clone()));
        wanted.insert(Query::Path(path.clone()));
    }
    for effect in &analysis.effects {
        let touched = effect.act.touches().map(|(_, target)| target);
        if let Some(path) = touched.and_then(observable) {
            if loses(&effect.act) && exists(case, &path) {
                wanted.insert(Query::GitState(path.clone()));
            }
            wanted.insert(Query::Path(path));
        }
        if is_package(&effect.act) {
            wanted.extend(manifests(case));
        }
        if let Act::Vcs(op) = &effect.act {
            let invocation = analysis.invocations.get(effect.by);
            let cwd = invocation.and_then(|invocation| invocation.cwd.clone());
            let cwd = cwd.unwrap_or_else(|| case.context.cwd.clone());
            if let VcsOp::DiscardChanges {
                target: Some(target),
            } = op
            {
                wanted.extend(observable(target).map(Query::GitState));
            }
            wanted.insert(match op {
                VcsOp::DiscardChanges { .. } | VcsOp::Clean { .. } => Query::RepoState(cwd),
                VcsOp::Local
                | VcsOp::DropHistory
                | VcsOp::Rewrite
                | VcsOp::Fetch
                | VcsOp::Push { .. }
                | VcsOp::Remote { .. }
                | VcsOp::Config { .. }
                | VcsOp::Apply => Query::Repo(cwd),
            });
        }
    }
}

/// Whether a manifest may speak for it.
fn is_package(act: &Act) -> bool {
    matches!(
        act,
        Act::Package { .. }
            | Act::Execute {
                code: Code::Package(_),
                ..
            }
    )
}

/// Where the project may declare its dependencies.
fn manifests(case: &Case<'_>) -> Vec<Query> {
    let context = &case.context;
    let mut places: Vec<_> = context.roots.iter().collect();
    if !places.contains(&&context.cwd) {
        places.push(&context.cwd);
    }
    places
        .into_iter()
        .flat_map(|root| {
            MANIFESTS
                .iter()
                .map(move |name| Query::File(format!("{}/{name}", root.trim_end_matches('/'))))
        })
        .collect()
}

/// A whole file in place of another.
fn overwrites(action: &Action) -> bool {
    matches!(action, Action::Write { .. })
        || matches!(action, Action::Edit { old, .. } if old.is_empty())
}

fn exists(case: &Case<'_>, path: &str) -> bool {
    case.facts
        .paths
        .get(path)
        .is_some_and(|fact| fact.kind != PathKind::Absent)
}

/// What was there before is gone after.
fn loses(act: &Act) -> bool {
    let replaces = |how: &WriteHow| match how {
        WriteHow::Replace | WriteHow::Edit | WriteHow::Link | WriteHow::Raw => true,
        WriteHow::Touch | WriteHow::Append | WriteHow::Attributes => false,
    };
    matches!(act, Act::Delete { .. }) || matches!(act, Act::Write { how, .. } if replaces(how))
}

/// The part of a target that can be looked at: of a pattern, its certain directory.
fn observable(target: &Target) -> Option<String> {
    match target.extent {
        Extent::Exact | Extent::Below => Some(target.path.clone()),
        Extent::Pattern => {
            let certain = target
                .path
                .split('/')
                .take_while(|name| !name.contains(['*', '?', '[', '(', '{']))
                .collect::<Vec<_>>()
                .join("/");
            (!certain.is_empty()).then_some(certain)
        }
        Extent::Prefix | Extent::Unknown => None,
    }
    .filter(|path| path.starts_with('/'))
}
