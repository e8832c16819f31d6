//! Which calls a promise may turn into an allow.
//!
//! Both types have one way to be made, and it looks at everything that stands in the way
//! of the call: only unread code, or only a loss that a snapshot makes good. A veto, a
//! guard, a rule of a person, any other finding or effect leaves nothing to build them of.

use std::path::PathBuf;

use automode_shell::place::Zone;
use automode_shell::{
    Act, Code, Coverage, Effect, Extent, FileChange, GapKind, Host, Invocation, Nature,
    ProcessScope, Taint, Target, Touch, Value, VcsOp, WriteHow,
};

use crate::confine::{ConfineSettings, Confinement, Git, SnapshotPlan, rewrite};
use crate::escape::is_invisible;
use crate::exceptions::{self, ProjectCode};
use crate::rules::LOCAL_DATA;
use crate::scene::{Scene, Suspicion, certain, report};
use crate::{Action, Finding, Weight};

/// Proof that unread code is all that stands in the way of a call, or nothing at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinable {
    /// What was not read, for people.
    unread: Vec<String>,
    git: Git,
    read: Vec<String>,
}

impl Confinable {
    /// # Errors
    /// What else stands in the way.
    pub fn of(
        scene: &Scene<'_>,
        findings: &[Finding],
        project_code: ProjectCode,
    ) -> Result<Self, String> {
        let Action::Shell { command } = scene.action else {
            return Err("it is no shell command".to_owned());
        };
        let Some(analysis) = scene.analysis else {
            return Err("nothing is known about what it does".to_owned());
        };
        let hides = |letter: char| {
            is_invisible(letter) || (letter.is_control() && !"\n\t".contains(letter))
        };
        if matches!(analysis.coverage, Coverage::Opaque(_)) || command.contains(hides) {
            return Err("the command was not understood".to_owned());
        }
        if rewrite("automode", "id", command).is_none() {
            return Err("its text cannot be wrapped".to_owned());
        }
        if let Some(finding) = exceptions::standing(scene, findings).next() {
            return Err(format!("a finding stands: {}", finding.rule));
        }
        if let Some(Suspicion { subject, why, .. }) = scene.project.found() {
            return Err(format!(
                "it runs code in which something was found: {subject} {why}"
            ));
        }
        // All gaps, also those that a setting accepts: every one must be of unread code.
        if let Some(gap) = analysis
            .coverage
            .gaps()
            .iter()
            .find(|gap| !is_unread(&gap.kind))
        {
            return Err(format!(
                "the command itself was not understood: {}",
                report::gap(&gap.kind)
            ));
        }
        for effect in &analysis.effects {
            if !fits(scene, effect) {
                return Err("it does something that confinement would break or not hold".to_owned());
            }
            if !exceptions::is_covered(effect, scene, project_code) && !is_unread_code(effect) {
                return Err("it does something that is not routine".to_owned());
            }
        }
        let unread = exceptions::open_gaps(scene, project_code)
            .into_iter()
            .map(|gap| report::gap(&gap.kind))
            .collect();
        Ok(Self {
            unread,
            git: git(scene),
            read: named(scene),
        })
    }

    /// Proof that confinement alone makes a call good that asks without it.
    ///
    /// Not where the repository is written beside unread code: its objects could be destroyed,
    /// and no copy of files brings a history back.
    ///
    /// # Errors
    /// What confinement leaves open.
    pub fn alone(self) -> Result<Self, String> {
        match self.git {
            Git::ReadOnly => Ok(self),
            Git::Commit => Err("it writes the repository beside code that was not read".to_owned()),
        }
    }

    /// What confined code could lose, since it may change the project at will.
    #[must_use]
    pub fn plan(roots: &[String]) -> SnapshotPlan {
        SnapshotPlan {
            unheld_in: roots.iter().map(Into::into).collect(),
            ..SnapshotPlan::default()
        }
    }

    /// Whether it runs code that nobody read.
    #[must_use]
    pub fn starts_unread_code(scene: &Scene<'_>) -> bool {
        let gaps = scene
            .analysis
            .is_some_and(|analysis| !analysis.coverage.is_complete());
        gaps || scene
            .effects()
            .any(|effect| matches!(&effect.act, Act::Execute { origin, .. } if !origin.seen))
    }

    /// Whether all it does is to set the shell for the calls that follow.
    ///
    /// A shell of its own would forget it, and there is nothing to confine.
    #[must_use]
    pub fn only_sets_the_shell(scene: &Scene<'_>) -> bool {
        let Some(analysis) = scene.analysis else {
            return false;
        };
        let sets = |start: &Invocation| {
            let bare = start.argv.first().and_then(Value::literal);
            start.redirects.is_empty()
                && bare.is_some_and(|name| !name.contains('/'))
                && start.is_a(Nature::SetsShell)
        };
        analysis.coverage.is_complete() && analysis.invocations.iter().all(sets)
    }

    /// The promise for this call under a person's settings.
    #[must_use]
    pub fn confinement(&self, settings: &ConfineSettings, roots: &[String]) -> Option<Confinement> {
        let (project, others) = roots.split_first()?;
        let mut confinement = settings.confinement(project);
        confinement.git = self.git;
        confinement.write.extend(others.iter().map(Into::into));
        confinement.read.extend(self.read.iter().map(Into::into));
        Some(confinement)
    }

    /// One sentence for a person.
    #[must_use]
    pub fn reason(&self, settings: &ConfineSettings) -> String {
        let network = if settings.net.is_empty() {
            "no network"
        } else {
            "listed hosts only"
        };
        let what = self
            .unread
            .first()
            .map_or("it runs the project's code", String::as_str);
        format!("confined: {what}; {network}, changes only in the project")
    }
}

/// Gaps in what is known about code; a command that was not understood is another matter.
///
/// A file that was refused is code that nobody read. A command that was refused is opaque.
fn is_unread(kind: &GapKind) -> bool {
    match kind {
        GapKind::Program(_)
        | GapKind::Argument { .. }
        | GapKind::DynamicWord { .. }
        | GapKind::Unseen(_)
        | GapKind::Call { .. }
        | GapKind::Refused(_) => true,
        GapKind::Syntax(_) | GapKind::DynamicProgram | GapKind::Budget => false,
    }
}

/// Code of this machine that did not come from elsewhere.
fn is_unread_code(effect: &Effect) -> bool {
    let Act::Execute { code, origin } = &effect.act else {
        return false;
    };
    let foreign = origin.taint.has(Taint::NETWORK) || origin.taint.has(Taint::DECODED);
    match code {
        Code::Task { .. } | Code::File(_) | Code::Program(_) | Code::Inline { .. } => !foreign,
        Code::Stream | Code::Package(_) | Code::Container { .. } | Code::Remote { .. } => false,
    }
}

/// Whether an effect means the same inside: no network, no other process, the project's files.
fn fits(scene: &Scene<'_>, effect: &Effect) -> bool {
    let is_local = |target: &Target| {
        scene.places(target).iter().all(|place| {
            place.protected.is_none()
                && matches!(place.zone, Zone::Project | Zone::ProjectRoot | Zone::Sink)
        })
    };
    match effect.act.file_change() {
        FileChange::Write { target, .. } | FileChange::Delete { target, .. } => is_local(target),
        FileChange::Repository(op) => match op {
            VcsOp::Local
            | VcsOp::DiscardChanges { .. }
            | VcsOp::Clean { .. }
            | VcsOp::Rewrite
            | VcsOp::Apply => true,
            VcsOp::DropHistory
            | VcsOp::Fetch
            | VcsOp::Push { .. }
            | VcsOp::Remote { .. }
            | VcsOp::Config { .. } => false,
        },
        FileChange::Nothing | FileChange::Untold => matches!(
            effect.act,
            Act::Read { .. }
                | Act::List { .. }
                | Act::Execute { .. }
                | Act::Connect {
                    host: Host::Loopback,
                    ..
                }
                | Act::Process {
                    scope: ProcessScope::Own,
                }
                | Act::Environment { .. }
        ),
    }
}

/// The repository may be written only where the command's own text is a git write.
fn git(scene: &Scene<'_>) -> Git {
    let own = |effect: &Effect| {
        matches!(effect.act, Act::Vcs(_))
            && scene
                .invocation(effect)
                .is_some_and(|start| start.layers.is_empty())
    };
    if scene.effects().any(own) {
        Git::Commit
    } else {
        Git::ReadOnly
    }
}

/// Files outside the project that the command names to read or run.
fn named(scene: &Scene<'_>) -> Vec<String> {
    let mut paths: Vec<String> = scene
        .effects()
        .filter_map(|effect| effect.act.touches())
        .filter(|(touch, target)| match touch {
            Touch::Read | Touch::Run => true,
            // Names alone were asked for; a tree that is shown shows its files as well.
            Touch::List => scene.place(target).zone != Zone::InHome,
            Touch::Write | Touch::Delete | Touch::DeleteTree => false,
        })
        .map(|(_, target)| target)
        .filter(|target| target.extent == Extent::Exact)
        .filter(|target| {
            matches!(
                scene.place(target).zone,
                Zone::Temp | Zone::InHome | Zone::Elsewhere
            )
        })
        .map(|target| target.path.clone())
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

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
