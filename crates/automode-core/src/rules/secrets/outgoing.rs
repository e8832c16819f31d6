//! Secrets in commits that a push hands out.
//!
//! A push sends every commit that the other side does not have, not only the files as
//! they stand: what a later commit took away again leaves, and so does what messages and
//! names say. What could not be looked through is not taken for harmless.

use automode_shell::{Invocation, Nature, Target, Value};

use super::credential_leak::ID;
use super::history::is_packed_name;
use crate::effects::spells_kept_value;
use crate::rules::{git_directory, holds_credential};
use crate::scene::{Scene, is_fixture, report};
use crate::{Finding, OutgoingPart, Query, probe};

const INSTEAD: &str = "take it out of the history before the push, and replace the secret";

/// What has to be seen before a push is judged; nothing for any other start.
#[must_use]
pub fn outgoing_query(start: &Invocation, cwd: &str) -> Option<Query> {
    let pushed = Pushed::of(start)?;
    Some(Query::Outgoing {
        directory: git_directory(start, cwd),
        remote: pushed.remote,
        names: pushed.names,
    })
}

/// What a push hands out that it should not.
pub(super) fn handed_out(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    Pushed::of(start)?;
    let directory = git_directory(start, &scene.context.cwd);
    let unread = || {
        let what = "pushes commits that could not be looked through";
        scene.evidence(ID, start.span, what, INSTEAD)
    };
    let Some(outgoing) = scene.facts.outgoing.get(&directory) else {
        return Some(unread());
    };
    let part = outgoing
        .parts
        .iter()
        .find(|part| is_secret(scene, start, part));
    match part {
        Some(part) => {
            let place = part.path.as_deref().map_or_else(
                || "what a commit says of itself".to_owned(),
                |path| format!("an earlier or present {}", report::name(path)),
            );
            let what = format!("pushes {place}, which holds a secret");
            Some(scene.evidence(ID, start.span, &what, INSTEAD))
        }
        None => (!outgoing.whole).then(unread),
    }
}

fn is_secret(scene: &Scene<'_>, start: &Invocation, part: &OutgoingPart) -> bool {
    let spoken = || {
        let mut lines = part.text.lines();
        let coded = || {
            let codes = probe::decoded(&part.text);
            let mut codes = codes.iter();
            codes.any(|text| holds_credential(text) || text.contains("PRIVATE KEY-----"))
        };
        lines.any(holds_credential) || spells_kept_value(&part.text, &scene.facts.shell) || coded()
    };
    let Some(path) = &part.path else {
        return spoken();
    };
    let target = Target::locate(&Value::text(path.as_str(), start.span), None);
    let named = scene.place(&target).secret.is_some() && part.added;
    let packed = part.added && part.binary && is_packed_name(path);
    !is_fixture(scene, &target) && (named || packed || holds_credential(path) || spoken())
}

/// The words of a push that say what goes where.
struct Pushed {
    /// The remote by its name, `-` for an address; `None`: the usual one.
    remote: Option<String>,
    /// Revisions, and `--branches` or `--tags`.
    names: Vec<String>,
}

impl Pushed {
    fn of(start: &Invocation) -> Option<Self> {
        if !start.is_a(Nature::Git) {
            return None;
        }
        let mut words = start.argv.iter().skip(1).map(Value::literal);
        loop {
            let word = words.next()??;
            match word.as_ref() {
                "push" => break,
                "-C" | "-c" => {
                    words.next();
                }
                option if option.starts_with('-') => {}
                _ => return None,
            }
        }
        let mut remote = None;
        let mut names = Vec::new();
        let mut places = 0_usize;
        let mut skips = false;
        for word in words {
            let Some(word) = word else {
                // Which branch it is shows only when it runs.
                names.push("--branches".to_owned());
                places = places.saturating_add(1);
                continue;
            };
            match word.as_ref() {
                _ if skips => skips = false,
                "-o" | "--push-option" | "--receive-pack" | "--exec" | "--repo" => skips = true,
                "--all" | "--branches" => names.push("--branches".to_owned()),
                "--tags" | "--follow-tags" => names.push("--tags".to_owned()),
                "--mirror" => names.extend(["--branches".to_owned(), "--tags".to_owned()]),
                option if option.starts_with('-') => {}
                place if places == 0 => {
                    places = 1;
                    // Of an address, no ref of this repository tells what is there already.
                    let name = if is_remote(place) { place } else { "-" };
                    remote = Some(name.to_owned());
                }
                refspec => {
                    let source = refspec.trim_start_matches('+');
                    let source = source.split(':').next().unwrap_or_default();
                    names.extend(Some(source.to_owned()).filter(|name| is_plain(name)));
                    places = places.saturating_add(1);
                }
            }
        }
        // A push that names nothing hands out the branch it stands on; a deletion, nothing.
        if names.is_empty() && places < 2 {
            names.push("HEAD".to_owned());
        }
        Some(Self { remote, names })
    }
}

/// A name that can only be a revision, never an option or a range.
fn is_plain(name: &str) -> bool {
    let odd = name.starts_with(['-', '^']) || name.contains("..");
    !name.is_empty() && !odd && !name.contains(['\n', '*'])
}

/// The name of a remote, and no address, path or pattern.
fn is_remote(name: &str) -> bool {
    let usual = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-');
    name.chars().all(usual) && !name.starts_with(['.', '-'])
}
