//! Work inside the project.
//!
//! Containment is proved from observed, canonical paths, never from spelling.
//! Recoverability decides what may be removed or replaced.

use automode_shell::place::{Place, Zone};
use automode_shell::{
    Account, Act, Direction, Effect, Extent, Host, Interface, PackageOp, ProcessScope, Scope,
    Taint, Target, VcsOp, WriteHow,
};

use super::Exception;
use crate::scene::{Loss, Scene, certain, loss};
use crate::{Finding, GitState, PathKind, WrittenFile};

pub struct ProjectLocal;

const ID: &str = "project-local";

impl Exception for ProjectLocal {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("project_local.md")
    }

    fn covers(&self, effect: &Effect, scene: &Scene<'_>) -> bool {
        match &effect.act {
            Act::Write { target, how, .. } => {
                (is_ours(scene, target, *how)
                    && !has_other_names(scene, target)
                    && (keeps(scene, target, *how) || is_build_output(scene, effect, target)))
                    || is_new_repository(scene, effect, target, *how)
            }
            Act::Delete { target, .. } => {
                is_ours(scene, target, WriteHow::Replace) && loss(scene, target) == Loss::Nothing
            }
            Act::Vcs(op) => is_local(op) && !has_changed_git(scene),
            Act::Execute { origin, .. } => {
                origin.seen
                    && !origin.taint.has(Taint::NETWORK)
                    && !origin.taint.has(Taint::DECODED)
            }
            Act::Connect {
                host: Host::Loopback,
                direction: Direction::Send | Direction::Receive,
                ..
            }
            | Act::Listen {
                interface: Interface::Loopback | Interface::Unstated,
            }
            | Act::Process {
                scope: ProcessScope::Own,
            }
            | Act::Package {
                op: PackageOp::Refresh,
                ..
            }
            | Act::Package {
                op: PackageOp::Remove,
                scope: Scope::Project,
                ..
            } => true,
            Act::Privilege(Account::World) => modes_are_ours(scene),
            Act::Exhaust => scene.is_fed_on(effect),
            _ => false,
        }
    }

    /// A local merge, and a wide mode on the project's own files.
    fn clears(&self, finding: &Finding, scene: &Scene<'_>) -> bool {
        match finding.rule {
            "unreviewed-patch" => true,
            "permission-grant" => modes_are_ours(scene),
            _ => false,
        }
    }
}

/// Inside the project or temporary, as named and as resolved, and not protected.
fn is_ours(scene: &Scene<'_>, target: &Target, how: WriteHow) -> bool {
    let ours = |place: &Place| {
        place.protected.is_none() && matches!(place.zone, Zone::Project | Zone::Temp | Zone::Sink)
    };
    let places = scene.places(target);
    // `mkdir -p` of a directory that is there does nothing.
    if how == WriteHow::Touch
        && places
            .iter()
            .all(|place| matches!(place.zone, Zone::ProjectRoot | Zone::TempRoot))
    {
        return true;
    }
    // A formatter goes through the whole project and keeps what the files say.
    let root = |place: &Place| place.zone == Zone::ProjectRoot && place.protected.is_none();
    if how == WriteHow::Edit && target.extent == Extent::Exact && places.iter().all(root) {
        return true;
    }
    if places.iter().all(|place| place.zone == Zone::Sink) {
        return true;
    }
    let observed = match target.extent {
        Extent::Exact => scene.path(&target.path),
        Extent::Pattern | Extent::Below => scene.path(&certain(&target.path)),
        Extent::Prefix | Extent::Unknown => None,
    };
    // An exact directory that is the project itself may be touched, not replaced.
    let resolved = observed
        .and_then(|fact| fact.canonical.as_deref())
        .is_some_and(|canonical| {
            let place = scene.resolved_place(canonical);
            place.protected.is_none()
                && matches!(
                    place.zone,
                    Zone::Project | Zone::Temp | Zone::ProjectRoot | Zone::TempRoot | Zone::Sink
                )
        });
    resolved && places.iter().all(ours)
}

/// A file with another name, which may lie outside: what is written here shows up there.
fn has_other_names(scene: &Scene<'_>, target: &Target) -> bool {
    scene
        .path(&target.path)
        .is_some_and(|fact| fact.other_names)
}

/// What a compiler leaves somewhere in the project is made again by the next
/// run, and a downloader that picks its own names never takes one that is there.
fn is_build_output(scene: &Scene<'_>, effect: &Effect, target: &Target) -> bool {
    const COMPILERS: &[&str] = &[
        "javac",
        "kotlinc",
        "scalac",
        "groovyc",
        "ecj",
        "tsc",
        "protoc",
        "pdflatex",
        "latex",
        "xelatex",
        "lualatex",
        "latexmk",
        "sass",
        "cython",
        "flatc",
        "wget",
        "yt-dlp",
        "youtube-dl",
    ];
    target.extent == Extent::Below
        && scene
            .program(effect)
            .is_some_and(|name| COMPILERS.contains(&name.as_str()))
}

/// `git init` makes the directory that nobody else may touch.
fn is_new_repository(scene: &Scene<'_>, effect: &Effect, target: &Target, how: WriteHow) -> bool {
    let parent = target.path.trim_end_matches('/').strip_suffix("/.git");
    let ours = parent.is_some_and(|parent| {
        matches!(
            Place::of_path(parent, scene.context).zone,
            Zone::Project | Zone::ProjectRoot | Zone::Temp
        )
    });
    how == WriteHow::Touch && ours && scene.program(effect).as_deref() == Some("git")
}

/// Nothing is lost: it is new, held by git, made by this session, or only added to.
fn keeps(scene: &Scene<'_>, target: &Target, how: WriteHow) -> bool {
    match how {
        WriteHow::Touch | WriteHow::Append | WriteHow::Attributes => true,
        // A filter may leave nothing of a file, and of this one there is no other copy.
        WriteHow::Edit if matches!(target.extent, Extent::Pattern | Extent::Below) => {
            // Of a set every member counts: the directory tells of them all.
            let fact = scene.path(&certain(&target.path));
            fact.is_none_or(|fact| {
                matches!(fact.kind, PathKind::Absent) || fact.git == GitState::Clean
            })
        }
        WriteHow::Edit => {
            let fact = scene.path(&target.path);
            scene.written(&target.path).is_some()
                || fact.is_none_or(|fact| fact.git != GitState::Untracked)
        }
        WriteHow::Replace | WriteHow::Link | WriteHow::Raw => {
            loss(scene, target) == Loss::Nothing
                || scene.written(&target.path).is_some_and(WrittenFile::is_own)
        }
    }
}

fn is_local(op: &VcsOp) -> bool {
    match op {
        VcsOp::Local | VcsOp::Rewrite | VcsOp::Apply => true,
        // The rule on local data speaks up where something would be lost.
        VcsOp::DiscardChanges { .. } | VcsOp::Clean { .. } => true,
        VcsOp::Config { runs, global, .. } => !runs && !global,
        VcsOp::DropHistory | VcsOp::Fetch | VcsOp::Push { .. } | VcsOp::Remote { .. } => false,
    }
}

/// This session wrote into git's own files, which decide what git runs.
fn has_changed_git(scene: &Scene<'_>) -> bool {
    scene
        .session
        .written
        .iter()
        .any(|file| file.path.contains("/.git/"))
}

fn modes_are_ours(scene: &Scene<'_>) -> bool {
    let mut targets = scene
        .effects()
        .filter_map(|effect| match &effect.act {
            Act::Write {
                target,
                how: WriteHow::Attributes,
                ..
            } => Some(target),
            _ => None,
        })
        .peekable();
    targets.peek().is_some() && targets.all(|target| is_ours(scene, target, WriteHow::Attributes))
}
