//! Work inside the project.
//!
//! Containment is proved from observed, canonical paths, never from spelling.
//! Recoverability decides what may be removed or replaced.

use automode_shell::language::tells_what_it_takes;
use automode_shell::place::{Place, Zone};
use automode_shell::{
    Account, Act, Direction, Effect, Extent, Host, Interface, Nature, PackageOp, ProcessScope,
    Scope, Taint, Target, Value, VcsOp, WriteHow,
};

use super::Exception;
use crate::effects::{Url, is_loopback};
use crate::scene::{Loss, Scene, certain, loss};
use crate::{Finding, GitState, PathKind};

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
                    && (keeps(scene, target, *how)
                        || is_told_edit(scene, effect, *how)
                        || is_build_output(scene, effect, target)))
                    || is_new_repository(scene, effect, target, *how)
            }
            Act::Delete { target, .. } => {
                is_ours(scene, target, WriteHow::Replace) && loss(scene, target) == Loss::Nothing
            }
            Act::Vcs(op) => is_local(op) && !has_changed_git(scene) && !is_elsewhere(scene, effect),
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
        // Services that act on the machine for whoever speaks to them: a cluster's proxy, the
        // administration of servers and stores, debuggers of browsers and runtimes.
        "2019", "4040", "4646", "5005", "6060", "8001", "8123", "8200", "8300", "9000", "9222",
        "9229", "9990", "16443",
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
        "scripttext",
        "exec",
        "eval",
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
        // `TCP:localhost:6379` is no address of the web, and names its port all the same.
        (addressed && (!url.is_web() || port || ends)) || (port && !text.contains("://"))
    });
    opens_port || told
}

/// Inside the project or temporary, as named and as resolved, and not protected.
fn is_ours(scene: &Scene<'_>, target: &Target, how: WriteHow) -> bool {
    // A new directory or an empty file of a made name holds nothing that could run, even if
    // the name ends like a tool's settings.
    let is_empty = how == WriteHow::Touch && target.extent == Extent::Pattern;
    let ours = |place: &Place| {
        let unprotected = place
            .protected
            .is_none_or(|kind| is_empty && !kind.needs_person());
        unprotected && matches!(place.zone, Zone::Project | Zone::Temp | Zone::Sink)
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
    if hides_in_shared_folder(&target.path) && !scene.context.is_inside(&target.path) {
        return false;
    }
    // A formatter goes through the whole project and keeps what the files say.
    let root = |place: &Place| place.zone == Zone::ProjectRoot && place.protected.is_none();
    if how == WriteHow::Edit && target.extent == Extent::Exact && places.iter().all(root) {
        return true;
    }
    if places.iter().all(|place| place.zone == Zone::Sink) {
        return true;
    }
    if how == WriteHow::Touch && makes_in_git(scene, target) {
        return false;
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

/// `find . -type d -exec touch {}/x` makes a name in every directory, and those of git's own
/// state are among them: an empty file in `.git/refs` is a broken branch.
fn makes_in_git(scene: &Scene<'_>, target: &Target) -> bool {
    let in_every_directory = target
        .path
        .rsplit_once("/**/")
        .is_some_and(|(_, name)| !name.contains(['*', '?', '[']));
    target.extent == Extent::Pattern
        && in_every_directory
        && scene.place_of(&certain(&target.path)).zone == Zone::ProjectRoot
}

/// A hidden name right in a folder that everybody shares: work has no need of it.
fn hides_in_shared_folder(path: &str) -> bool {
    ["/tmp/.", "/var/tmp/.", "/dev/shm/."]
        .iter()
        .any(|folder| path.starts_with(folder))
}

/// A file with another name, which may lie outside: what is written here shows up there.
fn has_other_names(scene: &Scene<'_>, target: &Target) -> bool {
    let taken = scene.taken(&target.path).unwrap_or_default();
    // What a pattern takes may also be a link, which leads elsewhere.
    taken.iter().any(|path| {
        scene
            .path(path)
            .is_none_or(|fact| fact.other_names || fact.kind == PathKind::Link)
    }) || scene
        .path(&target.path)
        .is_some_and(|fact| fact.other_names)
}

/// What a compiler leaves somewhere in the project is made again by the next
/// run, and a downloader that picks its own names never takes one that is there.
fn is_build_output(scene: &Scene<'_>, effect: &Effect, target: &Target) -> bool {
    // A pattern that was typed picks a file that is there.
    let typed = || {
        scene.invocation(effect).is_some_and(|start| {
            let mut words = start.argv.iter().map(automode_shell::Value::shown);
            words.any(|word| word.contains(['*', '?', '[']) && target.typed.ends_with(&word))
        })
    };
    // `wget -P notes.txt` takes a file away that stands where its folder has to be.
    let in_the_way = || {
        let fact = scene.path(&certain(&target.path));
        fact.is_some_and(|fact| match fact.kind {
            PathKind::File | PathKind::Other | PathKind::Unreadable => true,
            PathKind::Directory | PathKind::Absent | PathKind::Link => false,
        })
    };
    matches!(target.extent, Extent::Below | Extent::Pattern)
        && scene.is_by(effect, Nature::NamesItsOutput)
        && !typed()
        && !in_the_way()
}

/// `git init` makes the directory that nobody else may touch.
fn is_new_repository(scene: &Scene<'_>, effect: &Effect, target: &Target, how: WriteHow) -> bool {
    let parent = target.path.trim_end_matches('/').strip_suffix("/.git");
    let ours = parent.is_some_and(|parent| {
        matches!(
            scene.place_of(parent).zone,
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
        WriteHow::Link => loss(scene, target) == Loss::Nothing || scene.is_still_own(&target.path),
        WriteHow::Replace | WriteHow::Raw => match through_link(scene, target) {
            Some(kept) => kept,
            None => loss(scene, target) == Loss::Nothing || scene.is_still_own(&target.path),
        },
    }
}

/// An edit that names the words it takes away leaves all the rest of a file.
fn is_told_edit(scene: &Scene<'_>, effect: &Effect, how: WriteHow) -> bool {
    how == WriteHow::Edit
        && scene
            .invocation(effect)
            .is_some_and(|start| tells_what_it_takes(&start.argv))
}

/// Whether what a link leads to is kept, where the target is one: the link itself may be
/// the session's, and what is written through it a person's.
fn through_link(scene: &Scene<'_>, target: &Target) -> Option<bool> {
    let fact = scene.path(&target.path)?;
    if fact.kind != PathKind::Link || target.extent != Extent::Exact {
        return None;
    }
    let own = |path: &str| scene.is_still_own(path);
    let temporary = |path: &str| matches!(scene.resolved_place(path).zone, Zone::Temp | Zone::Sink);
    let canonical = fact.canonical.as_deref();
    let absent = fact.size.is_none() && fact.git != GitState::Clean;
    Some(
        fact.git == GitState::Clean
            || absent
            || canonical.is_some_and(|path| own(path) || temporary(path)),
    )
}

/// An edit in place may leave nothing of a file: there is another copy, or the program
/// only formats.
fn edit_keeps(scene: &Scene<'_>, target: &Target) -> bool {
    let fact = |path: &str| scene.path(path);
    let formats = scene.effects().any(|effect| {
        matches!(&effect.act, Act::Write { target: own, .. } if own == target)
            && scene.is_by(effect, Nature::Formatter)
    });
    let held = |path: &str| {
        fact(path).is_some_and(|fact| match fact.git {
            GitState::Clean => true,
            GitState::None => fact.kind == PathKind::Absent,
            GitState::Dirty | GitState::Untracked | GitState::Ignored => false,
        })
    };
    match target.extent {
        _ if formats => true,
        Extent::Exact => {
            scene.written(&target.path).is_some()
                || fact(&target.path).is_none_or(|fact| match fact.git {
                    GitState::Clean | GitState::None => true,
                    GitState::Dirty | GitState::Untracked | GitState::Ignored => false,
                })
        }
        Extent::Below | Extent::Pattern => held(&certain(&target.path)),
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

/// Another repository of the person's than the project's, by where git starts or is sent.
fn is_elsewhere(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Some(start) = scene.invocation(effect) else {
        return false;
    };
    let mut places: Vec<Target> = Vec::new();
    let mut words = start.argv.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.shown();
        let sent = match text.as_str() {
            "-C" | "-R" | "--git-dir" | "--work-tree" | "--repository" | "--cwd" => {
                words.next().cloned()
            }
            text => ["--git-dir=", "--work-tree=", "--repository=", "--cwd="]
                .iter()
                .find_map(|flag| text.strip_prefix(flag))
                .map(|path| Value::text(path, word.span)),
        };
        if !text.starts_with('-') {
            break;
        }
        places.extend(sent.map(|to| Target::locate(&to, start.cwd.as_deref())));
    }
    if places.is_empty() {
        let cwd = start.cwd.as_deref().unwrap_or_default();
        places.push(Target::locate(&Value::text(cwd, start.span), None));
    }
    places.iter().any(|place| {
        !scene.context.is_inside(&place.path)
            && scene.places(place).iter().any(|place| {
                matches!(
                    place.zone,
                    Zone::Home | Zone::InHome | Zone::Elsewhere | Zone::Ancestor
                )
            })
    })
}

/// This session wrote into git's own files, which decide what git runs.
fn has_changed_git(scene: &Scene<'_>) -> bool {
    scene.session.written.has(|path| path.contains("/.git/"))
}

fn modes_are_ours(scene: &Scene<'_>) -> bool {
    let mut targets = scene
        .effects()
        .filter_map(|effect| {
            let Act::Write {
                target,
                how: WriteHow::Attributes,
                ..
            } = &effect.act
            else {
                return None;
            };
            Some(target)
        })
        .peekable();
    targets.peek().is_some() && targets.all(|target| is_ours(scene, target, WriteHow::Attributes))
}
