//! Work inside the project.
//!
//! Containment is proved from observed, canonical paths, never from spelling.
//! Recoverability decides what may be removed or replaced.

use automode_shell::place::{Place, Zone};
use automode_shell::{
    Account, Act, Direction, Effect, Extent, Host, Interface, Nature, PackageOp, ProcessScope,
    Scope, Taint, Target, VcsOp, WriteHow,
};

use super::Exception;
use crate::effects::{Url, is_loopback};
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
                    && scene.project.suspicions().is_empty()
                    && !origin.taint.has(Taint::NETWORK)
                    && !origin.taint.has(Taint::DECODED)
            }
            Act::Connect {
                host: Host::Loopback,
                direction,
                ..
            } => *direction == Direction::Receive || !talks_to_daemon(scene, effect),
            Act::Listen {
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

/// A database or another daemon of this machine, or an address that ends something.
fn talks_to_daemon(scene: &Scene<'_>, effect: &Effect) -> bool {
    const PORTS: &[&str] = &[
        "22", "25", "2375", "2376", "2379", "3306", "4444", "5432", "5672", "5984", "6379", "6443",
        "7474", "8086", "8500", "9042", "9092", "9200", "9300", "10250", "11211", "15672", "27017",
    ];
    const ENDINGS: &[&str] = &[
        "shutdown",
        "flush",
        "flushall",
        "flushdb",
        "drop",
        "delete",
        "destroy",
        "reset",
        "purge",
        "kill",
        "stop",
        "restart",
        "_all",
        "_shutdown",
        "quit",
    ];
    let Some(start) = scene.invocation(effect) else {
        return false;
    };
    let opens_port = start.redirects.iter().any(|redirect| {
        let path = &redirect.target.path;
        path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
    });
    let told = start.argv.iter().skip(1).any(|word| {
        let text = word.shown().to_lowercase();
        if PORTS.contains(&text.as_str()) {
            return true;
        }
        let url = Url::read(&text);
        let port = text
            .split_once("://")
            .map_or(text.as_str(), |(_, rest)| rest)
            .split('/')
            .next()
            .and_then(|authority| authority.rsplit_once(':'))
            .is_some_and(|(_, port)| PORTS.contains(&port));
        let addressed = is_loopback(url.host);
        let ends = url
            .path
            .split(['/', '.', '-'])
            .any(|part| ENDINGS.contains(&part));
        addressed && (!url.is_web() || port || ends)
    });
    opens_port || told
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
    target.extent == Extent::Below && scene.is_by(effect, Nature::NamesItsOutput)
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
    how == WriteHow::Touch && ours && scene.is_by(effect, Nature::Git)
}

/// Nothing is lost: it is new, held by git, made by this session, or only added to.
fn keeps(scene: &Scene<'_>, target: &Target, how: WriteHow) -> bool {
    match how {
        WriteHow::Touch | WriteHow::Append | WriteHow::Attributes => true,
        // A filter may leave nothing of a file, and of this one there is no other copy.
        WriteHow::Edit => edit_keeps(scene, target),
        WriteHow::Replace | WriteHow::Link | WriteHow::Raw => {
            loss(scene, target) == Loss::Nothing
                || scene.written(&target.path).is_some_and(WrittenFile::is_own)
        }
    }
}

/// An edit in place may leave nothing of a file: there is another copy, or the program
/// only formats.
fn edit_keeps(scene: &Scene<'_>, target: &Target) -> bool {
    let fact = |path: &str| scene.path(path);
    let folder = target.path.contains("**")
        || fact(&target.path).is_some_and(|fact| fact.kind == PathKind::Directory);
    let formats = scene.effects().any(|effect| {
        matches!(&effect.act, Act::Write { target: own, .. } if own == target)
            && scene.is_by(effect, Nature::Formatter)
    });
    if formats || folder {
        return true;
    }
    match target.extent {
        Extent::Exact => {
            scene.written(&target.path).is_some()
                || fact(&target.path).is_none_or(|fact| match fact.git {
                    GitState::Clean | GitState::None => true,
                    GitState::Dirty | GitState::Untracked | GitState::Ignored => false,
                })
        }
        Extent::Below => true,
        Extent::Pattern => fact(&certain(&target.path)).is_some_and(|fact| match fact.git {
            GitState::Clean => true,
            GitState::None => fact.kind == PathKind::Absent,
            GitState::Dirty | GitState::Untracked | GitState::Ignored => false,
        }),
        Extent::Prefix | Extent::Unknown => false,
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
