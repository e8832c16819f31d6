//! What is asked of a confined run, and what came of it: the same on every system.

use std::io;
use std::path::PathBuf;

use automode_core::confine::Confinement;
use thiserror::Error;

use crate::layout::LayoutError;
use crate::refusal::Report;
use crate::trial::StandIn;

/// What is to run, and within what.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// The call's id, which a person can name.
    pub id: Option<String>,
    /// Runs of one session share a temporary directory.
    pub session: String,
    pub command: String,
    pub directory: PathBuf,
    pub confinement: Confinement,
    /// What stands at the project's place, for a trial.
    pub instead: Option<StandIn>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    pub code: u8,
    pub report: Report,
}

/// Why the command was not started.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error("no shell on the search path")]
    NoShell,
    #[error("{0} did not start the command")]
    Backend(&'static str),
    #[error("{0}: {1}")]
    Io(&'static str, #[source] io::Error),
    #[error("commands cannot be confined on this system")]
    Unsupported,
}
