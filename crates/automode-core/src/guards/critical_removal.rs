//! Removing a tree that nobody means to lose.

use automode_shell::place::Zone;

use super::{Guard, Stop};
use crate::path;
use crate::scene::{Change, Scene, changes};

pub(super) struct CriticalRemoval;

impl Guard for CriticalRemoval {
    fn id(&self) -> &'static str {
        "critical-removal"
    }

    fn page(&self) -> &'static str {
        include_str!("critical_removal.md")
    }

    fn check(&self, scene: &Scene<'_>) -> Option<Stop> {
        changes(scene)
            .iter()
            .filter(|(change, _)| *change == Change::Delete)
            .find_map(|(_, target)| {
                let places = scene.all_places(target);
                let what = places.iter().find_map(|place| critical(place.zone));
                let own = path::parts(&target.path).eq(path::parts(&scene.context.cwd));
                let what = what.or(own.then_some("the working directory"))?;
                Some(Stop {
                    guard: self.id(),
                    reason: format!("this removes {}, {what}", target.path),
                })
            })
    }
}

fn critical(zone: Zone) -> Option<&'static str> {
    match zone {
        Zone::Root => Some("the root of the file system"),
        Zone::SystemTree => Some("a top-level directory of the system"),
        Zone::Home => Some("the home directory"),
        Zone::Ancestor => Some("a directory that contains the project"),
        Zone::ProjectRoot => Some("the project itself"),
        Zone::System
        | Zone::Device
        | Zone::Sink
        | Zone::Kernel
        | Zone::TempRoot
        | Zone::Temp
        | Zone::InHome
        | Zone::Project
        | Zone::Elsewhere
        | Zone::Unknown => None,
    }
}
