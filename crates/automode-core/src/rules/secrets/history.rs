//! Secrets on their way into the history of a repository.
//!
//! What is committed once stays there and goes with every push. A file that is named,
//! a file that lies there unignored when everything is added, and files that are
//! ignored for a reason are looked at alike.

use automode_shell::{Invocation, Nature, Target, Value};

use super::credential_leak::ID;
use crate::scene::{Scene, is_fixture, report};
use crate::{Finding, Tracking};

const INSTEAD: &str = "keep it out of git, and ignore it";

/// What a start puts into the history that does not belong there.
pub(super) fn kept_for_good(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    let words: Option<Vec<_>> = start.argv.iter().map(|word| word.literal()).collect();
    let words = words?;
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let adds = start.is_a(Nature::Git) && words.iter().any(|word| is_adding(word));
    if !adds {
        return None;
    }
    if let Some(target) = named(scene, start, &words) {
        let what = format!(
            "puts {} into the history of the repository",
            report::target(scene, &target)
        );
        return Some(scene.evidence(ID, start.span, &what, INSTEAD));
    }
    if is_forced(&words) && is_wide(&words) {
        let what = "adds files that are ignored for a reason to the repository";
        return Some(scene.evidence(ID, start.span, what, INSTEAD));
    }
    let path = is_wide(&words)
        .then(|| lying_there(scene, start))
        .flatten()?;
    let what = format!(
        "puts {} into the history of the repository, which is not ignored",
        report::name(path)
    );
    Some(scene.evidence(ID, start.span, &what, INSTEAD))
}

/// Whether a word of git is one that adds files.
#[must_use]
pub fn is_adding(word: &str) -> bool {
    matches!(word, "add" | "stage" | "update-index")
}

/// A secret that is named.
fn named(scene: &Scene<'_>, start: &Invocation, words: &[&str]) -> Option<Target> {
    words.iter().skip(1).find_map(|word| {
        let bare = word.trim_matches(['*', '?']);
        let target = Target::locate(&Value::text(*word, start.span), start.cwd.as_deref());
        let pattern = Target::locate(&Value::text(bare, start.span), start.cwd.as_deref());
        let secret =
            |target: &Target| scene.place(target).secret.is_some() && !is_fixture(scene, target);
        let plain = |word: &str| !word.is_empty() && !word.contains(['*', '?', '[']);
        (plain(word) && secret(&target) || plain(bare) && secret(&pattern)).then_some(target)
    })
}

/// `-f`, also among other letters.
fn is_forced(words: &[&str]) -> bool {
    words.iter().any(|word| {
        let bundle = word.starts_with('-') && !word.starts_with("--") && word.contains('f');
        bundle || *word == "--force"
    })
}

/// Everything, a folder or a pattern.
fn is_wide(words: &[&str]) -> bool {
    words.iter().skip(1).any(|word| {
        let all = word.starts_with('-') && !word.starts_with("--") && word.contains('A');
        all || matches!(*word, "--all" | "." | "./" | ":/" | "--no-ignore-removal")
            || word.contains(['*', '?', '['])
            || word.ends_with('/')
    })
}

/// A secret that is new in the tree and that nothing ignores.
fn lying_there<'a>(scene: &Scene<'a>, start: &Invocation) -> Option<&'a str> {
    let cwd = start.cwd.as_deref().unwrap_or(&scene.context.cwd);
    let changes = scene.facts.changes.get(cwd)?;
    match changes.tracking {
        Tracking::Whole | Tracking::Partial => {}
        Tracking::Absent => return None,
    }
    changes
        .files
        .iter()
        .filter(|file| file.before.is_none())
        .find(|file| {
            let target = Target::locate(&Value::text(file.path.as_str(), start.span), None);
            scene.place(&target).secret.is_some() && !is_fixture(scene, &target)
        })
        .map(|file| file.path.as_str())
}
