//! Programs that git would start because its configuration says so.
//!
//! A repository that arrived as a folder may bring its own configuration, and an
//! ordinary `git status` runs what stands there. Hooks and filters that this session
//! put there count as well, whoever agreed to the file: git runs them without a word.

use std::cell::LazyCell;

use automode_shell::place::Protected;
use automode_shell::{Invocation, Nature, Target};

use crate::facts::HOOKS;
use crate::scene::{ProjectState, Scene, report};
use crate::{Finding, RepoFact};

/// Keys that any command of git obeys, and that nobody sets for a single repository but
/// who wants a program to run.
const RISKY: &[&str] = &[
    "core.fsmonitor",
    "core.alternaterefscommand",
    "core.gitproxy",
    "diff.external",
    "uploadpack.packobjectshook",
    "include.path",
];

pub(super) fn detect(scene: &Scene<'_>, id: &'static str) -> Vec<Finding> {
    let changed = LazyCell::new(|| changed(scene));
    scene
        .invocations()
        .filter(|start| start.is_a(Nature::Git))
        .filter_map(|start| {
            let what = configured(scene, start)
                .or_else(|| changed.clone())
                .or_else(|| hooked(scene, start))?;
            Some(scene.evidence(
                id,
                start.span,
                &what,
                "let the person look at the repository's configuration",
            ))
        })
        .collect()
}

/// The directory that a start of git works in: `-C` moves it.
#[must_use]
pub fn git_directory(start: &Invocation, otherwise: &str) -> String {
    let mut directory = start.cwd.as_deref().unwrap_or(otherwise).to_owned();
    let mut words = start.argv.iter().skip(1);
    while let Some(word) = words.next() {
        match word.literal().as_deref() {
            Some("-C") => {
                if let Some(next) = words.next() {
                    directory = Target::locate(next, Some(&directory)).path;
                }
            }
            Some(option) if option.starts_with('-') => {}
            Some(_) | None => break,
        }
    }
    directory
}

/// A program in the configuration, as it was when the session began or as it is.
fn configured(scene: &Scene<'_>, start: &Invocation) -> Option<String> {
    let now = scene
        .facts
        .repos
        .get(&git_directory(start, &scene.context.cwd));
    let began = scene.session.repo.as_ref();
    let risky = began
        .into_iter()
        .chain(now)
        .flat_map(|repo| &repo.helpers)
        .find(|key| RISKY.contains(&key.as_str()));
    if let Some(key) = risky {
        return Some(format!(
            "runs the program that the repository's {} names",
            report::name(key)
        ));
    }
    let now = now?;
    let ext = now
        .remotes
        .iter()
        .find(|remote| remote.url.starts_with("ext::"));
    if let Some(remote) = ext {
        return Some(format!(
            "runs the program that stands for the remote {}",
            report::name(&remote.name)
        ));
    }
    let key = added(scene, began?, now)?;
    Some(format!(
        "obeys the repository's {}, which was set since the session began",
        report::name(key)
    ))
}

/// A key that starts a program or leads elsewhere, and that was not there when the session
/// began; in another repository within the project, any such key.
fn added<'r>(scene: &Scene<'_>, began: &RepoFact, now: &'r RepoFact) -> Option<&'r String> {
    let root = now.root.as_deref()?;
    let same = began.root.as_deref() == Some(root);
    if !same && (began.root.is_none() || !scene.context.is_inside(root)) {
        return None;
    }
    let mut keys = now.helpers.iter();
    // Hooks run code of the project, which is read.
    keys.find(|key| {
        let known = same && began.helpers.contains(key);
        !known && !matches!(key.as_str(), "core.hookspath" | HOOKS)
    })
}

/// A hook, a filter or the configuration itself, written by this session.
fn changed(scene: &Scene<'_>) -> Option<String> {
    let home = scene.context.home.as_deref();
    let mut written = scene
        .session
        .written
        .at(|path| Protected::is_run_by_git(path, home));
    let file = written.next()?;
    Some(format!(
        "may run what this session wrote to {}",
        report::name(&file.path)
    ))
}

/// Hooks of the repository that would run code of the project which is not clean.
fn hooked(scene: &Scene<'_>, start: &Invocation) -> Option<String> {
    let directory = git_directory(start, &scene.context.cwd);
    let now = scene.facts.repos.get(&directory);
    let repo = now.or(scene.session.repo.as_ref())?;
    match scene.project {
        ProjectState::Suspect(found) if runs_hooks(start, repo) => {
            let first = found.first()?;
            Some(format!(
                "runs the repository's hooks, which may load {}: {}",
                report::name(&first.subject),
                first.why
            ))
        }
        ProjectState::Suspect(_) | ProjectState::Clean | ProjectState::Unknown => None,
    }
}

/// Whether a command of git starts hooks that the repository has.
#[must_use]
pub fn runs_hooks(start: &Invocation, repo: &RepoFact) -> bool {
    const STARTS: &[&str] = &[
        "am",
        "checkout",
        "cherry-pick",
        "commit",
        "merge",
        "pull",
        "push",
        "rebase",
        "revert",
        "switch",
    ];
    let has = |key: &String| matches!(key.as_str(), "core.hookspath" | HOOKS);
    let word = |words: &[&str]| {
        let mut own = start.argv.iter().filter_map(|word| word.literal());
        own.any(|word| words.contains(&word.as_ref()))
    };
    start.is_a(Nature::Git) && repo.helpers.iter().any(has) && word(STARTS)
}
