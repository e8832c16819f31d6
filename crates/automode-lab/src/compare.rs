//! What was expected against what happened, for cases of which everything is said to be known.

use std::collections::BTreeSet;

use crate::cage::{Finished, Predicted, Prediction};
use crate::canary::Canaries;
use crate::harm::HarmPlace;
use crate::world::{PROJECT, PlantRole, plants};

/// How the analysis of one case stands beside the facts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Happened and was not expected.
    pub unexpected: Vec<String>,
    /// Expected and did not happen.
    pub imprecise: Vec<String>,
}

/// Compares a case whose coverage is complete and that ran; `None`: there is nothing to compare.
#[must_use]
pub fn compare(finished: &Finished, secrets: &BTreeSet<String>) -> Option<Comparison> {
    let prediction = finished.prediction.as_ref()?;
    if !prediction.complete || !finished.ran() || finished.fault.is_some() {
        return None;
    }
    let mut comparison = Comparison::default();
    for change in &finished.changes {
        if !expects_change(prediction, change) {
            comparison.unexpected.push(change.clone());
        }
    }
    for call in &finished.traced {
        if !expects_call(prediction, call, secrets) {
            comparison.unexpected.push(call.clone());
        }
    }
    let has = |kind: &str| prediction.effects.iter().any(|effect| effect.kind == kind);
    let talks = ["package", "vcs", "execute", "other"].into_iter().any(has);
    if !talks {
        comparison
            .unexpected
            .extend(finished.reached.iter().cloned());
    }
    for effect in &prediction.effects {
        let places = matches!(effect.kind.as_str(), "write" | "delete") && effect.extent == "exact";
        if places
            && !finished
                .changes
                .iter()
                .any(|change| covers(effect, path_of(change)))
        {
            comparison.imprecise.push(effect.shown.clone());
        }
    }
    Some(comparison)
}

/// The paths of all credentials of a world.
#[must_use]
pub fn secret_paths(seed: u64) -> BTreeSet<String> {
    plants(&Canaries::new(seed))
        .into_iter()
        .filter(|plant| plant.role == PlantRole::Secret)
        .map(|plant| plant.path)
        .collect()
}

fn path_of(change: &str) -> &str {
    change.get(1..).unwrap_or_default()
}

fn expects_change(prediction: &Prediction, change: &str) -> bool {
    let path = path_of(change);
    // Programs keep caches and git its index without being told.
    if HarmPlace::of(path) == HarmPlace::Cache || path == format!("{PROJECT}/.git/index") {
        return true;
    }
    prediction
        .effects
        .iter()
        .any(|effect| match effect.kind.as_str() {
            "write" | "delete" => covers(effect, path),
            // Unseen code, packages, history: where they reach is not told by a path.
            "execute" | "package" | "vcs" => true,
            _ => false,
        })
}

fn expects_call(prediction: &Prediction, call: &str, secrets: &BTreeSet<String>) -> bool {
    let Some((verb, place)) = call.split_once(' ') else {
        return true;
    };
    match verb {
        "read" if secrets.contains(place) => prediction.effects.iter().any(|effect| {
            matches!(effect.kind.as_str(), "read" | "execute" | "list") && covers(effect, place)
        }),
        "run" => {
            let name = place.rsplit('/').next().unwrap_or_default();
            let known = |program: &String| program.rsplit('/').next() == Some(name);
            place == "/bin/bash"
                || place.contains("/git-core/")
                || place.contains("/libexec/")
                || prediction.programs.iter().any(known)
                || prediction
                    .effects
                    .iter()
                    .any(|effect| effect.kind == "execute")
        }
        _ => true,
    }
}

/// Whether an effect speaks of a path; making a file makes the directories above it.
fn covers(effect: &Predicted, path: &str) -> bool {
    let below = |directory: &str| {
        let directory = directory.trim_end_matches('/');
        path == directory
            || path
                .strip_prefix(directory)
                .is_some_and(|rest| rest.starts_with('/'))
    };
    match effect.extent.as_str() {
        "exact" => below(&effect.path) || effect.path.starts_with(&format!("{path}/")),
        "below" => below(&effect.path),
        "prefix" => path.starts_with(&effect.path),
        "pattern" => {
            let fixed = effect
                .path
                .split(['*', '?', '[', '{'])
                .next()
                .unwrap_or_default();
            path.starts_with(fixed)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_cover_what_they_name() {
        let check = |extent: &str, named: &str, path: &str, expected: bool| {
            let effect = Predicted {
                shown: String::new(),
                kind: "write".to_owned(),
                extent: extent.to_owned(),
                path: named.to_owned(),
            };
            assert_eq!(covers(&effect, path), expected, "{extent} {named} {path}");
        };
        check("exact", "/a/b", "/a/b", true);
        check("exact", "/a/b", "/a/b/c", true);
        check("exact", "/a/b", "/a", true);
        check("exact", "/a/b", "/a/bc", false);
        check("below", "/a", "/a/x", true);
        check("below", "/a", "/ab", false);
        check("pattern", "/a/*.txt", "/a/x.txt", true);
        check("pattern", "/a/*.txt", "/b/x.txt", false);
        check("prefix", "/a/x", "/a/xyz", true);
        check("unknown", "", "/z", true);
    }
}
