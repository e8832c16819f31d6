//! Secrets on their way into the history of a repository.
//!
//! What is committed once stays there and goes with every push. A file that is named,
//! a file that lies there unignored when everything is added, and files that are
//! ignored for a reason are looked at alike.

use std::collections::HashSet;

use automode_shell::{FileFact, Invocation, Nature, Taint, Target, Value};

use super::credential_leak::ID;
use crate::effects::spells_kept_value;
use crate::rules::holds_credential;
use crate::scene::{Scene, is_fixture, report};
use crate::{ChangedFile, Finding, Tracking, probe};

const INSTEAD: &str = "keep it out of git, and ignore it";

/// What a start puts into the history that does not belong there.
pub(super) fn kept_for_good(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    let words: Option<Vec<_>> = start.argv.iter().map(|word| word.literal()).collect();
    let words = words?;
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    if !start.is_a(Nature::Git) {
        return None;
    }
    let command = words.iter().skip(1).find(|word| !word.starts_with('-'));
    if command == Some(&"push") && words.iter().any(|word| word.contains("stash")) {
        let what = "hands out what was put aside and never committed";
        return Some(scene.evidence(ID, start.span, what, INSTEAD));
    }
    if words.contains(&"commit") || words.contains(&"push") {
        return committed(scene, start);
    }
    if !words.iter().any(|word| is_adding(word)) {
        return None;
    }
    if let Some(target) = named(scene, start, &words) {
        let what = format!(
            "puts {} into the history of the repository",
            report::target(scene, &target)
        );
        return Some(scene.evidence(ID, start.span, &what, INSTEAD));
    }
    if let Some(path) = named_content(scene, start, &words) {
        let what = format!(
            "puts {}, which holds a secret, into the history of the repository",
            report::name(path)
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

/// Whether a word of git is one that adds files, or hands on what was added.
#[must_use]
pub fn is_adding(word: &str) -> bool {
    matches!(word, "add" | "stage" | "update-index" | "commit" | "push")
}

/// What a commit newly holds: a secret by its name, or by what stands in it.
fn committed(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    let path = changed(scene, start)?
        .filter(|file| file.tracked)
        .find(|file| brings_secret(scene, start, file))
        .map(|file| file.path.as_str());
    if let Some(path) = path {
        let what = format!(
            "puts {}, which holds a secret, into the history of the repository",
            report::name(path)
        );
        return Some(scene.evidence(ID, start.span, &what, INSTEAD));
    }
    let packed = changed(scene, start)?.find(|file| file.tracked && is_packed(file))?;
    let what = format!(
        "puts {}, which nobody can look into, into the history of the repository",
        report::name(&packed.path)
    );
    Some(scene.evidence(ID, start.span, &what, INSTEAD))
}

/// A new archive, store of keys or database: what is in it does not show.
fn is_packed(file: &ChangedFile) -> bool {
    file.before.is_none() && file.now == FileFact::Unreadable && is_packed_name(&file.path)
}

/// The name of an archive, a store of keys or a database outside of test data.
pub(super) fn is_packed_name(path: &str) -> bool {
    const PACKED: &[&str] = &[
        "tar", "tgz", "gz", "zip", "7z", "bz2", "xz", "zst", "rar", "bundle", "enc", "gpg", "pgp",
        "kdbx", "p12", "pfx", "jks", "keystore", "sqlite", "sqlite3", "db", "dump", "bak", "age",
    ];
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    let packed = ending.is_some_and(|ending| PACKED.contains(&ending.to_lowercase().as_str()));
    let fixture = ["/test", "/fixture", "/spec", "/sample", "/example"];
    packed && !fixture.iter().any(|part| path.contains(part))
}

/// Whether a credential stands in the new lines of a file.
fn holds_secret(scene: &Scene<'_>, start: &Invocation, file: &ChangedFile) -> bool {
    let FileFact::Text { body, .. } = &file.now else {
        return false;
    };
    let known: HashSet<&str> = file.before.iter().flat_map(|text| text.lines()).collect();
    let target = Target::locate(&Value::text(file.path.as_str(), start.span), None);
    let new: Vec<&str> = body.lines().filter(|line| !known.contains(line)).collect();
    let kept = |line: &str| spells_kept_value(line, &scene.facts.shell);
    let shown = || new.iter().any(|line| holds_credential(line) || kept(line));
    // Only encoded is as good as plain.
    let coded = || {
        let codes = probe::decoded(&new.join("\n"));
        codes
            .iter()
            .any(|text| holds_credential(text) || text.contains("PRIVATE KEY-----"))
    };
    !is_fixture(scene, &target) && (shown() || coded())
}

fn is_secret(scene: &Scene<'_>, start: &Invocation, path: &str) -> bool {
    let target = Target::locate(&Value::text(path, start.span), None);
    scene.place(&target).secret.is_some() && !is_fixture(scene, &target)
}

/// What differs in the repository that a start works in.
fn changed<'a>(
    scene: &Scene<'a>,
    start: &Invocation,
) -> Option<impl Iterator<Item = &'a ChangedFile> + use<'a>> {
    let cwd = start.cwd.as_deref().unwrap_or(&scene.context.cwd);
    let changes = scene.facts.changes.get(cwd)?;
    match changes.tracking {
        Tracking::Whole | Tracking::Partial => Some(changes.files.iter()),
        Tracking::Absent => None,
    }
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

/// A file that is named, alone or with its folder, and that a credential stands in.
fn named_content<'a>(scene: &Scene<'a>, start: &Invocation, words: &[&str]) -> Option<&'a str> {
    let paths: Vec<String> = words
        .iter()
        .skip(2)
        .map(|word| Target::locate(&Value::text(*word, start.span), start.cwd.as_deref()).path)
        .collect();
    let is_named = |file: &ChangedFile| {
        paths.iter().any(|path| {
            let rest = file.path.strip_prefix(path.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    changed(scene, start)?
        .find(|file| is_named(file) && brings_secret(scene, start, file))
        .map(|file| file.path.as_str())
}

/// Whether a file newly holds a secret: by its name, by what went into it or by its text.
fn brings_secret(scene: &Scene<'_>, start: &Invocation, file: &ChangedFile) -> bool {
    let new = file.before.is_none() && is_secret(scene, start, &file.path);
    let copied = scene.carried(&file.path).has(Taint::SECRET);
    new || copied || holds_secret(scene, start, file)
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
    changed(scene, start)?
        .find(|file| brings_secret(scene, start, file))
        .map(|file| file.path.as_str())
}
