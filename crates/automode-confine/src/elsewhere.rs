//! Systems without a backend: nothing is promised there, so everything asks as before.

use crate::backend::{Attempt, Backend, SelfTest};
use crate::machine::Machine;
use crate::request::{RunError, RunOutcome, RunRequest};

/// The exit code that means: the command was not started.
pub const NOT_STARTED: u8 = 125;

/// Nothing runs confined here, so nothing is left behind.
#[must_use]
pub fn mend_left_behind(_state: &std::path::Path) -> Vec<crate::protected::Mended> {
    Vec::new()
}

pub fn run(_: &RunRequest, _: &Machine, _: &Backend) -> Result<RunOutcome, RunError> {
    Err(RunError::Unsupported)
}

#[must_use]
pub fn selftest(_: &Machine) -> SelfTest {
    SelfTest {
        attempts: vec![Attempt {
            name: "this system".to_owned(),
            failure: Some("has no backend that was proven".to_owned()),
        }],
        backend: None,
        key: String::new(),
    }
}

impl crate::trial::OverlayPlaces {
    /// There are none here.
    pub(crate) fn can_be_mounted(&self, _: &Machine) -> bool {
        false
    }
}

#[must_use]
pub fn known_backend(_: &Machine) -> Option<Backend> {
    None
}

#[must_use]
pub fn may_confine(_: &std::path::Path) -> bool {
    false
}

#[must_use]
pub fn renewing_backend(_: &Machine) -> Option<Backend> {
    None
}

#[must_use]
pub fn inner(_: &[&str]) -> u8 {
    NOT_STARTED
}
