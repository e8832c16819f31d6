//! The two ways in which code of the project is read.

use automode_shell::{Act, Effect, Extent, FileChange, Gap};

use super::library_call::{is_library_call, is_run_by_name};
use crate::exceptions::asked_program;
use crate::scene::Scene;

#[derive(Clone, Copy)]
pub(super) enum WayOfReading {
    /// It runs as if it had been typed: everything counts.
    Typed,
    /// Functions that somebody may call: whom they talk to and what they leave where they are
    /// told is their caller's, and a caller that changed is read itself.
    Called,
}

impl WayOfReading {
    /// Whether what was not understood counts.
    pub fn counts_gap(self, gap: &Gap, scene: &Scene<'_>) -> bool {
        match self {
            Self::Typed => {
                !is_library_call(gap)
                    && !asked_program::accepts(gap, scene)
                    && !is_module(gap, scene)
            }
            Self::Called => is_run_by_name(gap),
        }
    }

    /// Whether what a rule found counts: some rules are about whom somebody else is told
    /// something, and a function says what its caller wants said.
    pub fn counts_rule(self, rule: &str) -> bool {
        match self {
            Self::Typed => true,
            Self::Called => !matches!(
                rule,
                "external-write" | "local-service" | "transport-weakening"
            ),
        }
    }

    /// Whether an effect that no exception covers counts.
    pub fn counts_effect(self, effect: &Effect, scene: &Scene<'_>) -> bool {
        match self {
            Self::Typed => !asked_program::covers(effect, scene),
            Self::Called => {
                let changes = match effect.act.file_change() {
                    FileChange::Delete { .. } => true,
                    FileChange::Write { target, .. } => target.extent != Extent::Unknown,
                    FileChange::Nothing | FileChange::Repository(_) | FileChange::Untold => false,
                };
                changes || matches!(effect.act, Act::Execute { .. })
            }
        }
    }
}

/// A module of the project as it stands: one that changed is read itself.
fn is_module(gap: &Gap, scene: &Scene<'_>) -> bool {
    let module = gap.kind.module();
    module.is_some_and(|path| scene.context.is_inside(path))
}
