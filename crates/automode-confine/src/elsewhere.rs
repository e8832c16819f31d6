//! Systems without a backend: nothing is promised there, so everything asks as before.

use std::path::PathBuf;

use automode_core::confine::Confinement;
use thiserror::Error;

use crate::backend::Backend;
use crate::machine::Machine;
use crate::refusal::Report;

/// The exit code that means: the command was not started.
pub const NOT_STARTED: u8 = 125;

/// What is to run, and within what.
#[derive(Debug, Clone)]
pub struct Request {
    pub id: Option<String>,
    pub session: String,
    pub command: String,
    pub directory: PathBuf,
    pub confinement: Confinement,
    pub instead: Option<PathBuf>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub code: u8,
    pub report: Report,
}

/// Why the command was not started.
#[derive(Debug, Error)]
#[error("commands cannot be confined on this system")]
pub struct RunError;

/// What was tried, and what is used.
#[derive(Debug, Clone)]
pub struct SelfTest {
    pub attempts: Vec<Attempt>,
    pub backend: Option<Backend>,
}

/// One backend, and why it cannot be used.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub name: String,
    pub failure: Option<String>,
}

impl std::fmt::Display for Attempt {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "{}: {}",
            self.name,
            self.failure.as_deref().unwrap_or_default()
        )
    }
}

pub fn run(_: &Request, _: &Machine, _: &Backend) -> Result<Outcome, RunError> {
    Err(RunError)
}

#[must_use]
pub fn selftest(_: &Machine) -> SelfTest {
    SelfTest {
        attempts: vec![Attempt {
            name: "this system".to_owned(),
            failure: Some("has no backend that was proven".to_owned()),
        }],
        backend: None,
    }
}

#[must_use]
pub fn known_backend(_: &Machine) -> Option<Backend> {
    None
}

#[must_use]
pub fn inner(_: &[&str]) -> u8 {
    NOT_STARTED
}
