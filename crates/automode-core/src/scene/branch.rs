//! The branch that everybody builds on, and whether a push reaches it.

use automode_shell::{Nature, Value};

use super::Scene;

/// Names that are the default branch wherever the repository does not tell.
const USUAL: &[&str] = &[
    "main",
    "master",
    "trunk",
    "develop",
    "production",
    "release",
];

/// The default branch that a push reaches, in words. What is not known counts as reached.
pub fn default_branch_reached(scene: &Scene<'_>, refs: &[String], all: bool) -> Option<String> {
    if all {
        return Some("every branch, the default one among them".to_owned());
    }
    if refs.is_empty() {
        if let Some(branch) = switched_to(scene) {
            return is_default(scene, &branch).then(|| default_name(&branch));
        }
        let current = scene
            .session
            .repo
            .as_ref()
            .and_then(|repo| repo.branch.clone());
        let current = scene
            .facts
            .repos
            .get(&scene.context.cwd)
            .and_then(|repo| repo.branch.clone())
            .or(current);
        return match current {
            None => Some("whatever branch is checked out, which may be the default one".to_owned()),
            Some(branch) => is_default(scene, &branch).then(|| default_name(&branch)),
        };
    }
    refs.iter().find_map(|name| {
        let destination = name.rsplit(':').next().unwrap_or(name);
        let branch = destination
            .trim_start_matches('+')
            .trim_start_matches("refs/heads/");
        if branch.contains('*') {
            return default_branch_reached(scene, &[], true);
        }
        if branch == "HEAD" || branch.contains('$') {
            return default_branch_reached(scene, &[], false);
        }
        is_default(scene, branch).then(|| default_name(branch))
    })
}

/// The branch that this command itself checks out before it pushes.
fn switched_to(scene: &Scene<'_>) -> Option<String> {
    scene
        .invocations()
        .filter(|start| start.is_a(Nature::Git))
        .filter_map(|start| {
            let words: Vec<_> = start.argv.iter().skip(1).map(Value::shown).collect();
            let at = words
                .iter()
                .position(|word| matches!(word.as_str(), "checkout" | "switch"))?;
            let rest = words.get(at.saturating_add(1)..)?;
            // `checkout -- file` stays on its branch.
            let named = rest.iter().find(|word| !word.starts_with('-'))?;
            (!rest.iter().any(|word| word == "--")).then(|| named.clone())
        })
        .last()
}

fn default_name(branch: &str) -> String {
    if branch.starts_with("release/") {
        format!("{branch}, a release branch")
    } else {
        format!("{branch}, the default branch")
    }
}

/// The repository's default branch as of the start of the session, and the usual names.
fn is_default(scene: &Scene<'_>, branch: &str) -> bool {
    let named = scene
        .session
        .repo
        .as_ref()
        .and_then(|repo| repo.default_branch.as_deref());
    named == Some(branch) || USUAL.contains(&branch) || branch.starts_with("release/")
}
