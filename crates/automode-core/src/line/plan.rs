//! What to look at before deciding.
//!
//! A plan is made from the action and from what the analysis asked for. It is
//! bounded: what does not fit is not observed, and what was not observed never
//! counts in favour.

use std::collections::BTreeSet;

use automode_shell::{Act, Code, Extent, Need, Target};

use super::case::Case;
use crate::guards::{changes, edited};
use crate::{Action, Query, path};

/// The most things looked at in one round.
const MOST: usize = 96;

/// What should be observed and was not yet asked for.
pub(super) fn plan(case: &Case<'_>) -> Vec<Query> {
    let mut wanted = BTreeSet::new();
    surroundings(case, &mut wanted);
    files(case, &mut wanted);
    commands(case, &mut wanted);
    wanted
        .into_iter()
        .filter(|query| !case.asked.contains(query))
        .take(MOST)
        .collect()
}

/// The places that containment and guards are held against.
fn surroundings(case: &Case<'_>, wanted: &mut BTreeSet<Query>) {
    let touches = !changes(&case.scene()).is_empty() || case.analysis.is_some();
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
        Action::Read { path } => Some(path.as_str()),
        action => edited(action),
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
        wanted.insert(Query::Path(spelling));
    }
}

/// What a shell command touches, runs and commits to.
fn commands(case: &Case<'_>, wanted: &mut BTreeSet<Query>) {
    let Some(analysis) = &case.analysis else {
        return;
    };
    for need in &analysis.needs {
        let Need::File(path) = need;
        wanted.insert(Query::File(path.clone()));
        wanted.insert(Query::Path(path.clone()));
    }
    for effect in &analysis.effects {
        if let Some(target) = touched(&effect.act) {
            wanted.extend(observable(target).map(Query::Path));
        }
        if matches!(effect.act, Act::Vcs(_)) {
            let cwd = analysis
                .invocations
                .get(effect.by)
                .and_then(|invocation| invocation.cwd.clone());
            wanted.insert(Query::Repo(cwd.unwrap_or_else(|| case.context.cwd.clone())));
        }
    }
}

fn touched(act: &Act) -> Option<&Target> {
    match act {
        Act::Read { target }
        | Act::List { target }
        | Act::Write { target, .. }
        | Act::Delete { target, .. }
        | Act::Execute {
            code: Code::File(target),
            ..
        } => Some(target),
        Act::Execute { .. }
        | Act::Connect { .. }
        | Act::Listen { .. }
        | Act::Vcs(_)
        | Act::Package { .. }
        | Act::Process { .. }
        | Act::Privilege(_)
        | Act::Persist { .. }
        | Act::System(_)
        | Act::Cloud { .. }
        | Act::Database { .. }
        | Act::Credential { .. }
        | Act::Publish { .. }
        | Act::Message { .. }
        | Act::Agent { .. }
        | Act::Environment { .. }
        | Act::Exhaust => None,
    }
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
