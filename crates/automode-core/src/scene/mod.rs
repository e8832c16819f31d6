//! One action in its surroundings, with what rules, guards and exceptions ask of it.
//!
//! A [`Scene`] is what they look at; the functions beside it answer the usual
//! questions: what would change, what would be lost, which branch is reached,
//! whose credential that is. Nothing here decides: there are no weights and no
//! verdicts but the words of a finding.

mod branch;
mod change;
mod cloud_target;
mod detour;
mod fixture;
mod included;
mod installer;
mod known_places;
mod loss;
pub(crate) mod own;
mod project;
mod provider;
pub(crate) mod report;
mod surroundings;

pub use branch::default_branch_reached;
pub use change::{Change, changes, resolve};
pub use cloud_target::{CloudEnvironment, CloudTarget, is_local_service};
pub use detour::is_detoured;
pub use fixture::{is_fixture, lies_among_fixtures};
pub use included::included_secret;
pub use installer::{OFFICIAL_INSTALLERS, fetches_installer, is_official};
pub use known_places::KnownPlaces;
pub use loss::{Loss, certain, loss};
pub use project::{ProjectState, Suspicion, SuspicionOrigin};
pub use provider::is_own_provider;
pub use surroundings::{Scene, named_paths};

/// All variables together, as an effect names them.
pub const ENVIRONMENT: &str = "environment";

/// The settings that git prints, as an effect names them.
pub const GIT_SETTINGS: &str = "git-settings";
