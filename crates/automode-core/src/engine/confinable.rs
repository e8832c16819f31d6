//! Which calls confinement may turn into an allow.
//!
//! [`Confinable`] has one way to be made, and it looks at everything that stands in the way
//! of the call: only unread code, and losses inside the project that such code is known to bring.
//! A veto, a guard, a rule of a person, any other finding or effect leaves nothing to build it
//! of.

use automode_shell::place::Zone;
use automode_shell::{
    Act, Code, Coverage, Effect, Extent, Facts, FileChange, FileFact, GapKind, Host, Invocation,
    Nature, ProcessScope, Taint, Target, Touch, Value, VcsOp, WriteHow, analyse,
};

use crate::confine::{ConfineSettings, Confinement, Git, SnapshotPlan, rewrite};
use crate::escape::is_invisible;
use crate::exceptions::{self, ProjectCode};
use crate::rules::{self, LOCAL_DATA};
use crate::scene::{Scene, Suspicion, report};
use crate::{Action, Finding, Weight, guards};

/// Proof that unread code is all that stands in the way of a call, or nothing at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinable {
    /// What was not read, for people.
    unread: Vec<String>,
    git: Git,
    read: Vec<String>,
    losses: Losses,
}

/// Whether the code is known to take away work that git does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Losses {
    None,
    /// Some, inside the project, and only good where all of it is kept first.
    Kept,
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
        let hides = |letter: char| {
            is_invisible(letter) || (letter.is_control() && !"\n\t".contains(letter))
        };
        if command.contains(hides) {
            return Err("the command was not understood".to_owned());
        }
        if rewrite("automode", "id", command).is_none() {
            return Err("its text cannot be wrapped".to_owned());
        }
        if let Some(Suspicion { subject, why, .. }) = scene.project.found() {
            return Err(format!(
                "it runs code in which something was found: {subject} {why}"
            ));
        }
        Self::as_read(scene, findings, project_code).or_else(|_| {
            let facts = own_text(&scene.facts.shell);
            let own = analyse(command, scene.context, &facts);
            let own = Scene {
                analysis: Some(&own),
                ..*scene
            };
            Self::as_unread(scene, findings, &own, project_code)
        })
    }

    /// Every file as far as it was read.
    fn as_read(
        scene: &Scene<'_>,
        findings: &[Finding],
        project_code: ProjectCode,
    ) -> Result<Self, String> {
        let Some(analysis) = scene.analysis else {
            return Err("nothing is known about what it does".to_owned());
        };
        if matches!(analysis.coverage, Coverage::Opaque(_)) {
            return Err("the command was not understood".to_owned());
        }
        if let Some(finding) = exceptions::standing(scene, findings).next() {
            return Err(format!("a finding stands: {}", finding.rule));
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
            if is_put_there(scene, effect) {
                return Err("it runs what it put there itself, which was not read".to_owned());
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
            losses: Losses::None,
        })
    }

    /// Code that was read in part is code that nobody read: what the reading left open in it
    /// is no worse than if it had not begun. So the command's `own` text must be confinable
    /// with no file read, and what was seen in the files must stay inside.
    fn as_unread(
        scene: &Scene<'_>,
        findings: &[Finding],
        own: &Scene<'_>,
        project_code: ProjectCode,
    ) -> Result<Self, String> {
        let confinable = Self::as_read(own, &rules::detect(own), project_code)?;
        let mut losses = Losses::None;
        for finding in exceptions::standing(scene, findings) {
            if finding.rule != LOCAL_DATA || finding.weight == Weight::Veto {
                return Err(format!("a finding stands: {}", finding.rule));
            }
            losses = Losses::Kept;
        }
        // What it was not followed to is in no list of effects and findings.
        let coverage = scene.analysis.map(|analysis| &analysis.coverage);
        let followed = coverage.is_some_and(|coverage| {
            let mut gaps = coverage.gaps().iter();
            !matches!(coverage, Coverage::Opaque(_)) && !gaps.any(|gap| gap.kind == GapKind::Budget)
        });
        if !followed || guards::check(own).is_some() {
            return Err("the command was not understood".to_owned());
        }
        if !scene.effects().all(|effect| stays_inside(scene, effect)) {
            return Err("its code does something that confinement would break".to_owned());
        }
        Ok(Self {
            losses,
            ..confinable
        })
    }

    /// Whether it is only good where what it could lose is kept first.
    #[must_use]
    pub fn needs_keeping(&self) -> bool {
        match self.losses {
            Losses::None => false,
            Losses::Kept => true,
        }
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

/// The files without what they hold, but for those that the session itself wrote: these are its
/// own words.
fn own_text(facts: &Facts) -> Facts {
    let files = facts.files.iter().map(|(path, fact)| {
        let fact = match fact {
            FileFact::Text { session: false, .. } => FileFact::Unreadable,
            FileFact::Text { session: true, .. }
            | FileFact::Directory
            | FileFact::Absent
            | FileFact::Unreadable => fact.clone(),
        };
        (path.clone(), fact)
    });
    Facts {
        files: files.collect(),
        programs: facts.programs.clone(),
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

/// Whether it runs a file that the command itself copied, linked or wrote: any program under
/// another name (`ln -s /bin/rm x; ./x notes.txt`). What a compiler or a build makes is the
/// project's code.
fn is_put_there(scene: &Scene<'_>, effect: &Effect) -> bool {
    const MAKERS: [Nature; 8] = [
        Nature::BuildWrapper,
        Nature::BuildsDependencies,
        Nature::Compiler,
        Nature::ProjectTool,
        Nature::RunsGoals,
        Nature::RunsProject,
        Nature::RunsRecipes,
        Nature::Toolchain,
    ];
    let Act::Execute {
        code: Code::File(run),
        origin,
    } = &effect.act
    else {
        return false;
    };
    let is_run = |target: &Target| {
        let rest = run.path.strip_prefix(target.path.as_str());
        match target.extent {
            // What is copied to a place may be a tree.
            Extent::Exact | Extent::Below => {
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Extent::Pattern | Extent::Prefix | Extent::Unknown => true,
        }
    };
    let puts = |written: &Effect| {
        let is_typed = |start: &Invocation| {
            start.layers.is_empty() && !MAKERS.into_iter().any(|maker| start.is_a(maker))
        };
        match written.act.file_change() {
            FileChange::Write {
                how: WriteHow::Touch | WriteHow::Attributes,
                ..
            } => false,
            FileChange::Write { target, .. } => {
                is_run(target) && scene.invocation(written).is_some_and(is_typed)
            }
            FileChange::Delete { .. }
            | FileChange::Repository(_)
            | FileChange::Nothing
            | FileChange::Untold => false,
        }
    };
    !origin.seen && scene.effects().any(puts)
}

/// Whether an effect means the same inside: no network, no other process, the project's files.
fn fits(scene: &Scene<'_>, effect: &Effect) -> bool {
    means_the_same(effect, |target| {
        scene.places(target).iter().all(|place| {
            place.protected.is_none()
                && matches!(place.zone, Zone::Project | Zone::ProjectRoot | Zone::Sink)
        })
    })
}

/// The same for what code does that is not the command's own: a path that shows only when it
/// runs is inside or is refused, and what is temporary to it is private.
fn stays_inside(scene: &Scene<'_>, effect: &Effect) -> bool {
    means_the_same(effect, |target| {
        scene.places(target).iter().all(|place| {
            place.protected.is_none()
                && matches!(
                    place.zone,
                    Zone::Project | Zone::ProjectRoot | Zone::Sink | Zone::Temp | Zone::Unknown
                )
        })
    })
}

fn means_the_same(effect: &Effect, is_local: impl Fn(&Target) -> bool) -> bool {
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
