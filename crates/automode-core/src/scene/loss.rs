//! Whether what is removed or overwritten can be had again.
//!
//! Recoverability decides deletes and overwrites: what git holds clean, what the
//! project's tools make again, what is temporary, and what this session itself
//! made is no loss. A person's untracked work is.

use automode_shell::place::Zone;
use automode_shell::{Extent, Target};

use super::Scene;
use crate::{FolderFile, GitState, PathKind};

/// What removing or replacing a target would cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    /// Nothing that cannot be had again.
    Nothing,
    /// Whole project with its history.
    Project,
    /// Work that git does not hold, or that lies outside the project.
    Work,
    /// Where it lands is only known at run time.
    Unknown,
    /// Root, home, a system tree, a disk.
    Critical,
}

/// The worst that removing a target would cost, as named and as resolved.
#[must_use]
pub fn loss(scene: &Scene<'_>, target: &Target) -> Loss {
    scene
        .places(target)
        .into_iter()
        .map(|place| match place.zone {
            zone if zone.is_critical() => Loss::Critical,
            Zone::Sink | Zone::Temp => Loss::Nothing,
            Zone::Project if place.regenerable => Loss::Nothing,
            Zone::Project | Zone::InHome | Zone::System | Zone::Elsewhere | Zone::TempRoot
                if is_recoverable(scene, target, place.zone) =>
            {
                Loss::Nothing
            }
            Zone::ProjectRoot => Loss::Project,
            Zone::Unknown => Loss::Unknown,
            Zone::Root
            | Zone::SystemTree
            | Zone::System
            | Zone::Device
            | Zone::Kernel
            | Zone::TempRoot
            | Zone::Home
            | Zone::InHome
            | Zone::Ancestor
            | Zone::Project
            | Zone::Elsewhere => Loss::Work,
        })
        .max()
        .unwrap_or(Loss::Unknown)
}

fn is_recoverable(scene: &Scene<'_>, target: &Target, zone: Zone) -> bool {
    match target.extent {
        Extent::Exact => {
            is_path_recoverable(scene, &target.path, zone) && !is_behind_link(scene, target)
        }
        Extent::Pattern if is_each_recoverable(scene, target, zone) => true,
        // Everything that may match lies in this directory.
        Extent::Pattern | Extent::Below => {
            zone == Zone::Project
                && scene.path(&certain(&target.path)).is_some_and(|fact| {
                    matches!(fact.kind, PathKind::Absent) || fact.git == GitState::Clean
                })
        }
        Extent::Prefix | Extent::Unknown => false,
    }
}

/// Whether everything that a pattern takes now can be had again.
fn is_each_recoverable(scene: &Scene<'_>, target: &Target, zone: Zone) -> bool {
    zone == Zone::Project
        && scene.taken(&target.path).is_some_and(|paths| {
            paths
                .iter()
                .all(|path| is_path_recoverable(scene, path, zone))
        })
}

fn is_path_recoverable(scene: &Scene<'_>, path: &str, zone: Zone) -> bool {
    let fact = scene.path(path);
    let is_clean = || fact.is_some_and(|fact| fact.git == GitState::Clean);
    // A folder that the session made may hold what somebody else put there since.
    if fact.is_some_and(|fact| fact.kind == PathKind::Directory) {
        return zone == Zone::Project && is_clean() || is_folder_recoverable(scene, path, zone);
    }
    if scene.written(path).is_some_and(|file| file.created) && scene.is_still_own(path) {
        return true;
    }
    fact.is_some_and(|fact| match fact.kind {
        PathKind::Absent => true,
        // The link goes, what it points to stays.
        PathKind::Link => zone == Zone::Project,
        PathKind::File => zone == Zone::Project && is_clean(),
        PathKind::Directory | PathKind::Other | PathKind::Unreadable => false,
    })
}

/// Whether every file below a directory can be had again; nothing where they were not all
/// looked at.
fn is_folder_recoverable(scene: &Scene<'_>, path: &str, zone: Zone) -> bool {
    let made = scene.written(path).is_some_and(|folder| folder.created);
    let is_kept = |file: &FolderFile| {
        let is_clean = || {
            let fact = scene.path(&file.path);
            fact.is_some_and(|fact| fact.git == GitState::Clean)
        };
        scene.is_own_file(file)
            || zone == Zone::Project && (scene.place_of(&file.path).regenerable || is_clean())
    };
    (made || zone == Zone::Project)
        && scene
            .folder(path)
            .is_some_and(|files| files.iter().all(is_kept))
}

/// `rm -rf link/` takes what the link leads to on some systems.
fn is_behind_link(scene: &Scene<'_>, target: &Target) -> bool {
    let slash = target.typed.ends_with('/') || target.typed.ends_with("/.");
    let link = scene.path(&target.path);
    slash && link.is_some_and(|fact| fact.kind == PathKind::Link)
}

/// The directory that certainly holds everything a pattern can match.
#[must_use]
pub fn certain(pattern: &str) -> String {
    let names: Vec<&str> = pattern
        .split('/')
        .take_while(|name| !name.contains(['*', '?', '[', '(', '{']))
        .collect();
    match names.join("/") {
        dir if dir.is_empty() => "/".to_owned(),
        dir => dir,
    }
}
