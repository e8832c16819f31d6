//! Writing where a write decides what runs later, or what automode itself says.

use automode_shell::place::Protected;

use super::{Guard, Stop};
use crate::path;
use crate::scene::{Scene, changes, own};

pub(super) struct ProtectedPath;

impl Guard for ProtectedPath {
    fn id(&self) -> &'static str {
        "protected-path"
    }

    fn page(&self) -> &'static str {
        include_str!("protected_path.md")
    }

    fn check(&self, scene: &Scene<'_>) -> Option<Stop> {
        changes(scene).iter().find_map(|(change, target)| {
            let kind = scene
                .all_places(target)
                .iter()
                .filter_map(|place| place.protected)
                .find(|kind| kind.needs_person())
                .map(Protected::name);
            let kind = kind
                .or(is_binary(&target.path).then_some("automode's own program"))
                .or(own::is_changed(scene, *change, target).then_some("part of automode itself"))?;
            Some(Stop {
                guard: self.id(),
                reason: format!("this changes {}: {kind}", target.path),
            })
        })
    }
}

/// The installed program: `automode` in some `bin`.
fn is_binary(path: &str) -> bool {
    let mut names = path::parts(path).collect::<Vec<_>>().into_iter().rev();
    let name = names.next().map(str::to_lowercase);
    matches!(name.as_deref(), Some("automode" | "automode.exe"))
        && names.next().is_some_and(|directory| directory == "bin")
}
