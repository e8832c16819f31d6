//! What to look at before deciding.
//!
//! A plan is made from the action and from what the analysis asked for. It is
//! bounded: what does not fit is not observed, and what was not observed never
//! counts in favour.

use std::collections::BTreeSet;

use automode_shell::{
    Act, Code, Extent, FileChange, Host, Invocation, Nature, Need, Target, VcsOp, WriteHow,
};

use super::case::Case;
use super::project;

use crate::exceptions::manifest_names;
use crate::scene::{GIT_SETTINGS, certain, changes};
use crate::{
    Action, FileEdit, GitState, LeadDepth, NamePattern, PathKind, Query, fastpath, path, rules,
};

/// The most things looked at in one round.
const MOST: usize = 128;
/// Files of a directory that is about to go, and that are not the session's, of which git is
/// asked.
const STRANGE_FILES: usize = 32;

/// What should be observed and was not yet asked for.
pub(super) fn plan(case: &Case<'_>) -> Vec<Query> {
    let mut wanted = BTreeSet::new();
    surroundings(case, &mut wanted);
    files(case, &mut wanted);
    commands(case, &mut wanted);
    let open = |wanted: BTreeSet<Query>| -> Vec<Query> {
        let is_open = |query: &&Query| {
            // What a path is, is told with what git has of it.
            let is_told = matches!(query, Query::Path(path) if {
                let more = Query::GitState(path.clone());
                wanted.contains(&more) || case.asked.contains(&more)
            });
            !is_told && !case.asked.contains(*query)
        };
        wanted.iter().filter(is_open).take(MOST).cloned().collect()
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
    let leaves = matches!(
        case.action,
        Action::Fetch { .. } | Action::WebSearch { .. } | Action::Mcp { .. }
    );
    if leaves {
        // An address may spell what stands there.
        wanted.extend(kept_values(case));
    }
    let Some(named) = named else { return };
    for spelling in path::spellings(named, &case.context) {
        let canonical = case
            .facts
            .paths
            .get(&spelling)
            .and_then(|fact| fact.canonical.clone());
        if let Some(canonical) = canonical
            && case.session.written.find(&canonical).is_some()
        {
            wanted.insert(Query::File(canonical));
        }
        if matches!(case.action, Action::Edit { .. }) {
            wanted.insert(Query::File(spelling.clone()));
        }
        if overwrites(&case.action) {
            wanted.insert(Query::GitState(spelling.clone()));
        }
        // What git does not hold may be what is written, to the letter.
        let held = case.facts.paths.get(&spelling);
        if matches!(case.action.file_edit(), Some(FileEdit::Write { .. }))
            && held.is_some_and(|fact| fact.kind == PathKind::File && fact.git != GitState::Clean)
        {
            wanted.insert(Query::File(spelling.clone()));
        }
        wanted.insert(Query::Path(spelling));
    }
}

/// The files of variables of the project: what leaves may spell what stands there.
fn kept_values<'c>(case: &'c Case<'_>) -> impl Iterator<Item = Query> + 'c {
    let roots = case.context.roots.iter();
    roots.map(|root| Query::File(format!("{}/.env", root.trim_end_matches('/'))))
}

/// Whether an effect hands something to another machine, or to the history that goes there.
fn hands_out(act: &Act) -> bool {
    let connects = matches!(act, Act::Connect { host, .. } if *host != Host::Loopback);
    connects || matches!(act, Act::Vcs(VcsOp::Push { .. }))
}

/// What a shell command touches, runs and commits to.
fn commands(case: &Case<'_>, wanted: &mut BTreeSet<Query>) {
    let analysis = &case.effects.analysis;
    wanted.extend(analysis.needs.iter().flat_map(needed));
    // What git starts, its configuration says: it is looked at whenever git runs.
    let git = analysis.invocations.iter();
    let git = git.filter(|start| start.is_a(Nature::Git));
    wanted.extend(git.map(|start| Query::Repo(rules::git_directory(start, &case.context.cwd))));
    wanted.extend(rules::replaced_queries(
        &analysis.invocations,
        &case.context.cwd,
    ));
    wanted.extend(unreadable(case).into_iter().map(Query::Path));
    wanted.extend(uneditable(case).into_iter().map(Query::GitState));
    let brought: Vec<&str> = case
        .session
        .written
        .at(|path| path.ends_with('/'))
        .filter_map(|file| file.path.strip_suffix('/'))
        .collect();
    for effect in &analysis.effects {
        // Whether it came with a folder that was brought, or was there before.
        if let Act::Execute {
            code: Code::File(target),
            ..
        } = &effect.act
            && brought.iter().any(|folder| target.path.starts_with(folder))
        {
            wanted.insert(Query::GitState(target.path.clone()));
            wanted.insert(project::changes(case, case.context.cwd.clone()));
        }
        let touched = effect.act.touches().map(|(_, target)| target);
        if let Some(path) = touched.and_then(observable) {
            if loses(&effect.act) && !tells_what_it_takes(case, &path) {
                wanted.insert(Query::GitState(path.clone()));
            }
            wanted.insert(Query::Path(path));
        }
        if let Some(target) = touched.filter(|target| target.extent == Extent::Pattern)
            && (loses(&effect.act) || case.scene().place(target).secret.is_some())
        {
            wanted.extend(taken(case, target));
        }
        if loses(&effect.act) {
            // Whether it is still what the session left there.
            wanted.extend(touched.and_then(|target| own_file(case, &target.path)));
        }
        if let Some(target) = touched.filter(|_| loses(&effect.act)) {
            wanted.extend(emptied(case, target));
        }
        // The message of a commit goes where its files go.
        let history = matches!(effect.act, Act::Vcs(VcsOp::Local));
        if history || hands_out(&effect.act) {
            wanted.extend(kept_values(case));
        }
        if let Act::Read { target } = &effect.act {
            let start = analysis.invocations.get(effect.by);
            let leads = leads(case, target, start).filter(|(leads, directory)| {
                // Many reads of one directory ask the same.
                !wanted.contains(leads) && case.context.is_inside(directory)
            });
            wanted.extend(leads.map(|(leads, _)| leads));
            wanted.extend(rules::settings_around(target, &case.context.cwd).map(Query::Repo));
            let includes = start.is_some_and(|start| start.is_a(Nature::IncludesFiles));
            if includes && target.extent == Extent::Exact {
                wanted.insert(Query::File(target.path.clone()));
            }
        }
        if matches!(&effect.act, Act::Credential { what, .. } if what == GIT_SETTINGS) {
            let start = analysis.invocations.get(effect.by);
            let directory = start.map(|start| rules::git_directory(start, &case.context.cwd));
            wanted.extend(directory.map(Query::Repo));
        }
        if is_package(&effect.act) {
            wanted.extend(manifests(case));
        }
        if let Act::Vcs(op) = &effect.act {
            let invocation = analysis.invocations.get(effect.by);
            let cwd = invocation.and_then(|invocation| invocation.cwd.clone());
            repository(op, cwd.unwrap_or_else(|| case.context.cwd.clone()), wanted);
        }
    }
}

/// What goes with a directory that goes, and what git has of it where it is not the session's.
fn emptied(case: &Case<'_>, target: &Target) -> Vec<Query> {
    let taken = case.facts.matches.get(&target.path).into_iter().flatten();
    let mut wanted = Vec::new();
    for path in taken.chain([&target.path]) {
        let Some(folder) = case
            .facts
            .paths
            .get(path)
            .filter(|fact| fact.kind == PathKind::Directory && fact.git != GitState::Clean)
        else {
            continue;
        };
        let folder = folder.canonical.as_ref().unwrap_or(path);
        // What lies elsewhere is lost whatever it holds, unless the session made the folder.
        let own = case.session.written.find(path).is_some();
        if !own && !case.context.is_inside(path) && !case.context.is_inside(folder) {
            continue;
        }
        wanted.push(Query::Folder(folder.clone()));
        let files = case.facts.folders.get(folder).into_iter().flatten();
        let strange = files.filter(|file| !case.scene().is_own_file(file));
        wanted.extend(
            strange
                .take(STRANGE_FILES)
                .map(|file| Query::GitState(file.path.clone())),
        );
    }
    wanted
}

/// Where the names lead that a read of a whole directory takes, if it lies in the project.
fn leads(case: &Case<'_>, target: &Target, start: Option<&Invocation>) -> Option<(Query, String)> {
    let pattern = target.extent == Extent::Pattern;
    let directory = match target.extent {
        Extent::Pattern => certain(&target.path),
        Extent::Below => target.path.clone(),
        Extent::Exact => {
            let fact = case.facts.paths.get(&target.path)?;
            (fact.kind == PathKind::Directory).then(|| target.path.clone())?
        }
        Extent::Prefix | Extent::Unknown => return None,
    };
    let is = |nature| start.is_some_and(|start| start.is_a(nature));
    if is(Nature::Listing) {
        return None;
    }
    let depth = match start {
        None => LeadDepth::SecondNames,
        Some(start) if start.is_a(Nature::TextSearch) && !pattern && !follows_links(start) => {
            LeadDepth::SecondNames
        }
        Some(_) if pattern && !target.path.contains("**") => LeadDepth::Here,
        Some(_) => LeadDepth::Below,
    };
    let query = Query::Leads {
        directory: directory.clone(),
        depth,
    };
    Some((query, directory))
}

/// Whether a search is told to follow links.
fn follows_links(start: &Invocation) -> bool {
    start.argv.iter().skip(1).any(|word| match word.literal() {
        Some(word) => {
            let letters = word.starts_with('-') && !word.starts_with("--");
            letters && word.contains(['R', 'L', 'S'])
                || word.contains("follow")
                || word.contains("dereference")
        }
        None => true,
    })
}

/// What the analysis itself asks for.
fn needed(need: &Need) -> Vec<Query> {
    let path = need.path().to_owned();
    match need {
        Need::Below(_) => vec![Query::Tree(path)],
        Need::File(_) | Need::Tree(_) | Need::Secret(_) => {
            vec![Query::File(path.clone()), Query::Path(path)]
        }
    }
}

/// What a change to version control depends on, in the directory it works in.
fn repository(op: &VcsOp, cwd: String, wanted: &mut BTreeSet<Query>) {
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

/// Places that nobody may read, where something is read that may hold them.
fn unreadable(case: &Case<'_>) -> Vec<String> {
    let analysis = &case.effects.analysis;
    let reads = |act: &Act| matches!(act, Act::Read { .. });
    if analysis.invocations.is_empty() && !analysis.effects.iter().any(|effect| reads(&effect.act))
    {
        return Vec::new();
    }
    case.policy.unreadable_places(&case.subject())
}

/// Places that nobody may edit, where something changes that may hold them.
fn uneditable(case: &Case<'_>) -> Vec<String> {
    let changes = |act: &Act| match act.file_change() {
        FileChange::Repository(_) => true,
        FileChange::Write { target, .. } => {
            let fact = case.facts.paths.get(&target.path);
            let folder = fact.is_some_and(|fact| fact.kind == PathKind::Directory);
            target.extent == Extent::Below || folder
        }
        FileChange::Nothing | FileChange::Delete { .. } | FileChange::Untold => false,
    };
    let mut effects = case.effects.analysis.effects.iter();
    if !effects.any(|effect| changes(&effect.act)) {
        return Vec::new();
    }
    case.policy.uneditable_places(&case.subject())
}

/// The text of a file that this session made, where it is known what it was.
fn own_file(case: &Case<'_>, path: &str) -> Option<Query> {
    let record = case.session.written.find(path)?;
    (record.is_own() && !record.digest.is_empty()).then(|| Query::File(path.to_owned()))
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
            manifest_names()
                .map(move |name| Query::File(format!("{}/{name}", root.trim_end_matches('/'))))
        })
        .collect()
}

/// A whole file in place of another.
fn overwrites(action: &Action) -> bool {
    match action.file_edit() {
        Some(FileEdit::Write { .. }) => true,
        Some(FileEdit::Replace { old, steps, .. }) => {
            old.is_empty()
                || steps
                    .iter()
                    .any(|step| step.all || step.new.trim().is_empty())
        }
        Some(FileEdit::Notebook { mode, .. }) => mode != "insert",
        None => false,
    }
}

/// Whether the call is an edit that holds what it takes away, so that git need not have it. Its
/// file is looked at first; until then that is open.
fn tells_what_it_takes(case: &Case<'_>, path: &str) -> bool {
    let is_open = !case.facts.shell.files.contains_key(path);
    matches!(case.action, Action::Edit { .. })
        && (is_open || fastpath::tells_what_it_takes(path, &case.scene()))
}

/// What was there before is gone after.
fn loses(act: &Act) -> bool {
    let replaces = |how: &WriteHow| match how {
        WriteHow::Replace | WriteHow::Edit | WriteHow::Link | WriteHow::Raw => true,
        WriteHow::Touch | WriteHow::Append | WriteHow::Attributes => false,
    };
    matches!(act, Act::Delete { .. }) || matches!(act, Act::Write { how, .. } if replaces(how))
}

/// What a pattern takes, and then the state of each.
fn taken(case: &Case<'_>, target: &Target) -> Vec<Query> {
    if NamePattern::read(&target.path).is_none() {
        return Vec::new();
    }
    let mut wanted = vec![Query::Matches(target.path.clone())];
    let known = case.facts.matches.get(&target.path);
    wanted.extend(known.into_iter().flatten().cloned().map(Query::GitState));
    wanted
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
