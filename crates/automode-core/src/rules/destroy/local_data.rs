//! Files, work and databases of this machine that would be gone.
//!
//! Recoverability decides: see [`crate::rules::loss`].

use automode_shell::place::Zone;
use automode_shell::{
    Act, CloudVerb, DatabaseVerb, Effect, Extent, Invocation, Nature, SystemChange, Target, VcsOp,
    WriteHow,
};

use super::replaced;
use crate::rules::Rule;
use crate::scene::{CloudTarget, Loss, Scene, is_local_service, loss, report};
use crate::{Finding, GitState};

pub struct LocalData;

/// The rule on work of this machine that would be gone.
pub const LOCAL_DATA: &str = "local-data";
pub(super) const ID: &str = LOCAL_DATA;
const NARROW: &str = "name the exact files inside the project, or leave it to the person";
pub(super) const COMMIT: &str = "commit or stash the work first";

impl Rule for LocalData {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("local_data.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| match &effect.act {
                Act::Delete { target, tree } => removal(scene, effect, target, *tree),
                Act::Write { target, how, .. } => overwrite(scene, effect, target, *how),
                Act::Vcs(op) => discard(scene, effect, op),
                Act::Database {
                    verb: DatabaseVerb::Destroy,
                } => Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    "drops or empties tables",
                    "take a backup, or name the database and table in the request",
                )),
                Act::Cloud {
                    service,
                    verb: CloudVerb::Delete,
                } if is_local_service(service) => Some(containers(scene, effect, service)),
                Act::System(SystemChange::Storage) => Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    "changes partitions, file systems or mounts",
                    "leave storage to the person",
                )),
                _ => None,
            })
            .chain(
                scene
                    .invocations()
                    .filter_map(|start| replaced::written_over(scene, start)),
            )
            .collect()
    }
}

/// Things of the container engine: a volume holds data that is nowhere else.
fn containers(scene: &Scene<'_>, effect: &Effect, service: &str) -> Finding {
    let target = CloudTarget::of(scene, effect);
    let which = match target.things.is_empty() {
        true => format!("{service}s of this machine"),
        false => format!("the {service} {}", target.listed()),
    };
    let kept = match service {
        "volume" => ", with all that is kept there",
        _ => "",
    };
    let what = format!("deletes {which}{kept}");
    scene.evidence(
        ID,
        scene.part(effect),
        &what,
        "name in the request what may go",
    )
}

fn removal(scene: &Scene<'_>, effect: &Effect, target: &Target, tree: bool) -> Option<Finding> {
    let why = match (loss(scene, target), scene.place(target).zone) {
        (Loss::Work, Zone::Project) => ", with work that git does not hold",
        (Loss::Work, Zone::InHome | Zone::Elsewhere) => ", which lies outside the project",
        (_, _) => "",
    };
    let what = format!("deletes {}{why}", report::target(scene, target));
    let moved = scene.is_by(effect, Nature::FileMove);
    // A search that takes everything below a directory leaves the directory empty.
    let emptied =
        tree && target.extent == Extent::Below && scene.place_of(&target.path).zone.is_critical();
    if emptied && !is_filtered(scene) {
        return Some(scene.veto(ID, scene.part(effect), &what, NARROW));
    }
    match loss(scene, target) {
        Loss::Nothing => None,
        // Without recursion one name goes, and a directory does not.
        Loss::Critical
            if (tree || moved || target.extent == Extent::Pattern) && !is_filtered(scene) =>
        {
            Some(scene.veto(ID, scene.part(effect), &what, NARROW))
        }
        Loss::Critical | Loss::Project | Loss::Work | Loss::Unknown => {
            Some(scene.evidence(ID, scene.part(effect), &what, NARROW))
        }
    }
}

/// A search that picks some files: what it deletes is a choice, not a tree.
fn is_filtered(scene: &Scene<'_>) -> bool {
    const TESTS: &[&str] = &[
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-wholename",
        "-regex",
        "-iregex",
        "-user",
        "-group",
        "-uid",
        "-gid",
        "-nouser",
        "-nogroup",
        "-mtime",
        "-mmin",
        "-atime",
        "-amin",
        "-ctime",
        "-cmin",
        "-newer",
        "-size",
        "-empty",
        "-perm",
        "-inum",
        "-links",
        "-lname",
        "-samefile",
    ];
    scene
        .invocations()
        .filter(|start| start.is_a(Nature::FileSearch))
        .flat_map(|start| &start.argv)
        .any(|word| {
            word.literal()
                .is_some_and(|word| TESTS.contains(&word.as_ref()))
        })
}

fn overwrite(
    scene: &Scene<'_>,
    effect: &Effect,
    target: &Target,
    how: WriteHow,
) -> Option<Finding> {
    let zone = scene.place(target).zone;
    let shown = report::target(scene, target);
    match how {
        WriteHow::Touch | WriteHow::Append | WriteHow::Edit | WriteHow::Link
            if zone != Zone::Device =>
        {
            None
        }
        WriteHow::Attributes => {
            let whole = target.extent != Extent::Exact
                || scene.invocation(effect).is_some_and(is_recursive);
            let critical = loss(scene, target) == Loss::Critical && zone != Zone::Device;
            (whole && critical).then(|| {
                scene.veto(
                    ID,
                    scene.part(effect),
                    &format!("changes the owner or mode of everything in {shown}"),
                    NARROW,
                )
            })
        }
        WriteHow::Raw
        | WriteHow::Replace
        | WriteHow::Touch
        | WriteHow::Append
        | WriteHow::Edit
        | WriteHow::Link => {
            if zone == Zone::Device {
                return Some(device(scene, effect, target, &shown));
            }
            let (why, instead) = if zone == Zone::Project {
                ("which git does not hold", COMMIT)
            } else if matches!(zone, Zone::InHome | Zone::Elsewhere) {
                ("which lies outside the project", NARROW)
            } else {
                return None;
            };
            (target.extent == Extent::Exact
                && how == WriteHow::Replace
                && loss(scene, target) != Loss::Nothing
                && !scene.writes_what_is_there(&target.path)
                && !scene
                    .written(&target.path)
                    .is_some_and(|file| file.is_own()))
            .then(|| {
                let what = format!("replaces {shown}, {why}");
                scene.evidence(ID, scene.part(effect), &what, instead)
            })
        }
    }
}

fn device(scene: &Scene<'_>, effect: &Effect, target: &Target, shown: &str) -> Finding {
    let what = format!("writes over {shown}");
    if is_disk(&target.path) {
        scene.veto(
            ID,
            scene.part(effect),
            &what,
            "write to an image file instead",
        )
    } else {
        scene.evidence(ID, scene.part(effect), &what, "write to a file instead")
    }
}

/// Devices that keep data.
fn is_disk(path: &str) -> bool {
    const DISKS: &[&str] = &[
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "md", "dm-", "loop",
        "nbd", "zd", "sr", "mem", "kmem", "block/",
    ];
    path.strip_prefix("/dev/")
        .is_some_and(|name| DISKS.iter().any(|disk| name.starts_with(disk)))
}

fn is_recursive(start: &Invocation) -> bool {
    start.argv.iter().skip(1).any(|word| {
        word.literal().is_some_and(|word| {
            word == "--recursive"
                || (word.starts_with('-') && !word.starts_with("--") && word.contains(['R', 'r']))
        })
    })
}

fn discard(scene: &Scene<'_>, effect: &Effect, op: &VcsOp) -> Option<Finding> {
    let dirty = || {
        let cwd = scene
            .invocation(effect)
            .and_then(|start| start.cwd.as_deref())
            .unwrap_or(&scene.context.cwd);
        scene
            .facts
            .repos
            .get(cwd)
            .is_none_or(|repo| repo.root.is_some() && repo.dirty)
    };
    match op {
        VcsOp::DiscardChanges { target } => {
            let kept = target
                .as_ref()
                .is_some_and(|target| is_clean(scene, target));
            (!kept && dirty()).then(|| {
                scene.evidence(
                    ID,
                    scene.part(effect),
                    "throws away uncommitted changes",
                    COMMIT,
                )
            })
        }
        VcsOp::Clean { target, ignored } => {
            let critical = target
                .as_ref()
                .is_some_and(|target| scene.place(target).zone.is_critical());
            if critical {
                let what =
                    "deletes everything that git does not track in a directory that is no project";
                return Some(scene.veto(ID, scene.part(effect), what, NARROW));
            }
            (dirty() || *ignored).then(|| {
                scene.evidence(
                    ID,
                    scene.part(effect),
                    "deletes files that git does not track",
                    "list them with a dry run first, then remove them by name",
                )
            })
        }
        VcsOp::DropHistory => Some(scene.evidence(
            ID,
            scene.part(effect),
            "drops commits, stashes or reflogs for good",
            "keep them: a branch or a tag costs nothing",
        )),
        VcsOp::Local
        | VcsOp::Rewrite
        | VcsOp::Fetch
        | VcsOp::Push { .. }
        | VcsOp::Remote { .. }
        | VcsOp::Config { .. }
        | VcsOp::Apply => None,
    }
}

fn is_clean(scene: &Scene<'_>, target: &Target) -> bool {
    scene
        .path(&target.path)
        .is_some_and(|fact| fact.git == GitState::Clean)
}
