//! Credentials in git's settings that a call shows.
//!
//! The settings are shown by commands of git that print them, and by whatever reads the file.
//! Trees count where all of what they hold is taken; a search for text goes through them too,
//! but shows what it was asked for.

use automode_shell::{Act, Effect, Extent, Target};

use crate::facts::{GitCredential, PathKind};
use crate::rules::git_directory;
use crate::scene::{GIT_SETTINGS, Scene, certain};

/// The first credential in git's settings that an effect brings into the open.
pub(super) fn shown_credential<'s>(
    scene: &'s Scene<'_>,
    effect: &Effect,
) -> Option<&'s GitCredential> {
    match &effect.act {
        Act::Credential { what, .. } if what == GIT_SETTINGS => {
            let start = scene.invocation(effect)?;
            let directory = git_directory(start, &scene.context.cwd);
            scene.facts.repos.get(&directory)?.credentials.first()
        }
        Act::Read { target } => {
            let repos = scene.facts.repos.values();
            repos
                .flat_map(|repo| &repo.credentials)
                .find(|found| takes(scene, target, &found.file))
        }
        _ => None,
    }
}

/// The directory whose repository may have its settings read, by the name that is read.
#[must_use]
pub fn settings_around(target: &Target, cwd: &str) -> Option<String> {
    let path = target.path.as_str();
    let inside = path.split_once("/.git/").map(|(root, _)| root);
    let itself = path.strip_suffix("/.git");
    if let Some(root) = inside.or(itself) {
        return Some(root.to_owned());
    }
    let user = path.ends_with("/.gitconfig") || path.contains("/git/");
    let whole = target.extent == Extent::Pattern && (path.contains("**") || path.contains("/.g"));
    (user || whole).then(|| cwd.to_owned())
}

/// Whether a target takes a file in.
fn takes(scene: &Scene<'_>, target: &Target, file: &str) -> bool {
    let fact = scene.path(&target.path);
    let canonical = fact.and_then(|fact| fact.canonical.as_deref());
    let named = target.path == file || canonical == Some(file);
    let is_below = |folder: &str| {
        let rest = file.strip_prefix(folder.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    // A folder that is named for what is in it: the one of git, or below the user's settings.
    let own = target.path.ends_with("/.git") || target.path.ends_with("/git");
    match target.extent {
        Extent::Exact => {
            let folder = fact.is_none_or(|fact| fact.kind == PathKind::Directory);
            named || folder && own && is_below(&target.path)
        }
        Extent::Below => named || own && is_below(&target.path),
        Extent::Pattern => is_below(&certain(&target.path)) && may_match(&target.path, file),
        Extent::Prefix | Extent::Unknown => false,
    }
}

/// Whether a pattern may stand for a file: as deep, unless it goes through folders, and with the
/// same end.
fn may_match(pattern: &str, file: &str) -> bool {
    let depth = |path: &str| path.matches('/').count();
    let end = pattern.rsplit(['*', '?', ']', '}', ')']).next();
    let ends = end.is_some_and(|end| file.ends_with(end));
    ends && (pattern.contains("**") || depth(pattern) == depth(file))
}
