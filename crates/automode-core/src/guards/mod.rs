//! What no judge may approve: a person decides, or nobody.
//!
//! A guard looks at what an action would change, never at who asks for it. Its
//! answer is to ask; where nobody can be asked the line makes that a denial.
//! Guards hold in every mode.

mod critical_removal;
mod interaction;
mod protected_path;

use crate::scene::Scene;

/// Why a person is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub guard: &'static str,
    pub reason: String,
}

/// One guard.
pub trait Guard: Sync {
    fn id(&self) -> &'static str;
    /// Its page: what it stops, why, and examples that are run as tests.
    fn page(&self) -> &'static str;
    fn check(&self, scene: &Scene<'_>) -> Option<Stop>;
}

/// All guards.
pub const GUARDS: &[&dyn Guard] = &[
    &critical_removal::CriticalRemoval,
    &protected_path::ProtectedPath,
    &interaction::Interaction,
];

/// The first guard that stops the action.
#[must_use]
pub fn check(scene: &Scene<'_>) -> Option<Stop> {
    GUARDS.iter().find_map(|guard| guard.check(scene))
}
