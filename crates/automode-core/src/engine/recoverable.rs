//! Which losses a copy of files makes good.
//!
//! [`Recoverable`] has one way to be made, and it looks at everything that stands in the way of
//! the call: only a loss inside the project, of files that can be named beforehand.

use std::path::PathBuf;

use automode_shell::place::Zone;
use automode_shell::{Effect, Extent, FileChange, Invocation, Target, Value, VcsOp, WriteHow};

use crate::confine::SnapshotPlan;
use crate::exceptions::{self, ProjectCode};
use crate::rules::LOCAL_DATA;
use crate::scene::{Scene, certain, report};
use crate::{Action, Finding, Weight};

/// Proof that a loss of local work is all that stands in the way, and that it can be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recoverable {
    plan: SnapshotPlan,
    what: String,
}

impl Recoverable {
    /// # Errors
    /// What else stands in the way.
    pub fn of(
        scene: &Scene<'_>,
        findings: &[Finding],
        project_code: ProjectCode,
    ) -> Result<Self, String> {
        if !matches!(scene.action, Action::Shell { .. }) {
            return Err("it is no shell command".to_owned());
        }
        let standing: Vec<&Finding> = exceptions::standing(scene, findings).collect();
        let Some(first) = standing.first() else {
            return Err("no loss stands in its way".to_owned());
        };
        let other = standing
            .iter()
            .find(|finding| finding.rule != LOCAL_DATA || finding.weight == Weight::Veto);
        if let Some(finding) = other {
            return Err(format!("a finding stands: {}", finding.rule));
        }
        if let Some(gap) = exceptions::open_gaps(scene, project_code).first() {
            return Err(report::gap(&gap.kind));
        }
        let mut plan = SnapshotPlan::default();
        for effect in scene.effects() {
            if !keep(scene, effect, &mut plan)
                && !exceptions::is_covered(effect, scene, project_code)
            {
                return Err("it does something that no copy makes good".to_owned());
            }
        }
        if plan == SnapshotPlan::default() {
            return Err("what would be lost is not known by name".to_owned());
        }
        Ok(Self {
            plan,
            what: first.evidence.clone(),
        })
    }

    #[must_use]
    pub fn into_parts(self) -> (SnapshotPlan, String) {
        (
            self.plan,
            format!("{}; the files are kept first (automode undo)", self.what),
        )
    }
}

/// Adds what an effect takes away; false where a copy of files does not make it good.
fn keep(scene: &Scene<'_>, effect: &Effect, plan: &mut SnapshotPlan) -> bool {
    let in_project = |target: &Target| {
        scene
            .places(target)
            .iter()
            .all(|place| place.protected.is_none() && place.zone == Zone::Project)
    };
    let path = |target: &Target| match target.extent {
        Extent::Exact => Some(target.path.clone()),
        Extent::Pattern | Extent::Below => Some(certain(&target.path)),
        Extent::Prefix | Extent::Unknown => None,
    };
    match effect.act.file_change() {
        FileChange::Delete { target, .. }
        | FileChange::Write {
            target,
            how: WriteHow::Replace | WriteHow::Edit,
            ..
        } => match path(target) {
            Some(path) if in_project(target) => {
                plan.paths.push(path.into());
                true
            }
            Some(_) | None => false,
        },
        FileChange::Repository(VcsOp::Clean { ignored: false, .. })
            if scene
                .invocation(effect)
                .is_none_or(names_its_own_exclusions) =>
        {
            false
        }
        FileChange::Repository(
            VcsOp::DiscardChanges { .. } | VcsOp::Clean { ignored: false, .. },
        ) => match scene.invocation(effect).and_then(working_tree) {
            Some((tree, words)) => {
                plan.changed_in.push(tree);
                plan.taken_from.extend(words);
                true
            }
            None => false,
        },
        FileChange::Repository(_)
        | FileChange::Write { .. }
        | FileChange::Nothing
        | FileChange::Untold => false,
    }
}

/// Where a git command works (`git -C sub` means another tree than where it was typed), and
/// the words behind it that may name a commit.
///
/// Nothing where its own options name a repository or settings that change what counts as
/// untracked, or where it empties whole trees of others, which hold more than git would list.
fn working_tree(start: &Invocation) -> Option<(PathBuf, Vec<String>)> {
    let mut tree = PathBuf::from(start.cwd.as_ref()?);
    let mut words = start.argv.iter().skip(1);
    while let Some(word) = words.next() {
        let word = word.literal()?;
        match word.as_ref() {
            "-C" => tree.push(words.next()?.literal()?.as_ref()),
            "-c" if is_inert_setting(words.next()?.literal()?.as_ref()) => {}
            "--no-pager" | "-p" | "-P" | "--paginate" | "--no-optional-locks" => {}
            "submodule" | "worktree" => return None,
            other if other.starts_with('-') => return None,
            _ => return Some((tree, revisions(words)?)),
        }
    }
    None
}

/// Whether a command says itself what is ignored: `git clean -e '!local*'` deletes files that
/// no list of untracked ones holds.
fn names_its_own_exclusions(start: &Invocation) -> bool {
    start.argv.iter().any(|word| {
        let Some(word) = word.literal() else {
            return true;
        };
        match word.strip_prefix('-') {
            Some(long) if long.starts_with('-') => long.starts_with("-e"),
            Some(short) => short.contains('e'),
            None => false,
        }
    })
}

/// Settings of one command that say how it looks, not what it does.
fn is_inert_setting(setting: &str) -> bool {
    const INERT: [&str; 6] = [
        "advice.",
        "color.",
        "core.pager=",
        "core.quotepath=",
        "pager.",
        "user.",
    ];
    let lower = setting.to_ascii_lowercase();
    INERT.iter().any(|inert| lower.starts_with(inert))
}

/// Words that may name a commit: all but patterns, which cannot, and what follows `--`.
fn revisions<'a>(words: impl Iterator<Item = &'a Value>) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for word in words {
        let Some(text) = word.literal() else {
            if word.shown().contains(['*', '?', '[']) {
                continue;
            }
            return None;
        };
        match text.as_ref() {
            "--" => break,
            "-" => found.push("@{-1}".to_owned()),
            option if option.starts_with("--") => {
                found.extend(option.split_once('=').map(|(_, value)| value.to_owned()));
            }
            // The value of a short option may stand right behind it.
            option if option.starts_with('-') => {
                found.extend(
                    option
                        .get(2..)
                        .filter(|rest| !rest.is_empty())
                        .map(str::to_owned),
                );
            }
            other => found.push(other.to_owned()),
        }
    }
    Some(found)
}
