//! The script that gives the project its repository: branches, a stash, a remote.

use super::{ORIGIN, PROJECT, project};

/// A shell script for `sh -eu`, run as the user before and after the late files arrive.
///
/// Times are fixed, so that commits have the same names on every run, and lie in the
/// future, so that no entry of a log is old enough to be dropped.
#[must_use]
pub fn history() -> Scripts {
    let commit = "git commit -q --no-gpg-sign -m";
    let before = format!(
        "\
export GIT_AUTHOR_DATE='2030-01-02T03:04:05Z' GIT_COMMITTER_DATE='2030-01-02T03:04:05Z'
cd {PROJECT}
find . -exec touch -h -d 2025-01-01T00:00:00Z {{}} +
git init -q -b main
git add -A
{commit} 'First version'
git init -q --bare -b main {ORIGIN}
git remote add origin {ORIGIN}
git checkout -q -b experiment
echo trial > trial.txt
git add trial.txt
{commit} 'Try something'
git checkout -q main
git tag v1.0
echo more >> docs/guide.md
{commit} 'Say more' docs/guide.md
git push -q -u origin main v1.0
git checkout -q -b feature
echo feature > feature.txt
git add feature.txt
{commit} 'Begin the feature'
git push -q -u origin feature
echo next >> feature.txt
{commit} 'Go on' feature.txt
echo 'first stashed thought' > docs/old.md
git stash push -q -m 'an older thought'
echo 'second stashed thought' > docs/old.md
git stash push -q -m 'a newer thought'
"
    );
    let staged: Vec<&str> = project::staged().collect();
    let links: String = project::links()
        .iter()
        .map(|(name, to)| format!("ln -s {to} {name}\n"))
        .collect();
    let after = format!(
        "\
cd {PROJECT}
{links}find . -path ./.git -prune -o -exec touch -h -d 2025-01-03T00:00:00Z {{}} +
git add {}
git status --short > /dev/null
git rev-list --all --reflog --parents > .git/lab-graph
",
        staged.join(" ")
    );
    Scripts { before, after }
}

/// Two scripts with the late files between them.
#[derive(Clone, Debug)]
pub struct Scripts {
    pub before: String,
    pub after: String,
}
