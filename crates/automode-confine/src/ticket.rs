//! What was promised for a call, from the decision to the run, and what came of it.
//!
//! The decision writes a ticket into the private state; `automode run ID` takes it from
//! there. The command line carries the id and the command, and a command that is not the
//! ticket's is not run. What came of the run lies beside it, for the person.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::backend::Backend;
use crate::layout::{plain, private};
use crate::refusal::Report;
use automode_core::confine::Confinement;

/// A promise with its call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    pub id: String,
    pub session: String,
    pub command: String,
    pub confinement: Confinement,
    pub backend: Backend,
}

/// What came of a confined run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    pub code: u8,
    pub backend: String,
    pub report: Report,
}

/// Why there is no ticket.
#[derive(Debug, Error)]
pub enum TicketError {
    #[error("nothing was promised under `{0}`")]
    Unknown(String),
    #[error("the command is not the one that was decided under `{0}`")]
    OtherCommand(String),
    #[error("the promise of `{0}` cannot be read: {1}")]
    Broken(String, String),
}

const PLACE: &str = "confined";
/// A ticket that nobody came for.
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

impl Ticket {
    pub fn write(&self, state: &Path) -> io::Result<()> {
        save(&place(state, &self.id, "ticket")?, self)
    }

    /// Whether anything was promised under an id, for whatever command.
    #[must_use]
    pub fn exists(state: &Path, id: &str) -> bool {
        let name = format!("{}.ticket.json", plain(id));
        state.join(PLACE).join(name).exists()
    }

    /// The ticket of an id, for this very command.
    pub fn read(state: &Path, id: &str, command: &str) -> Result<Self, TicketError> {
        let path = state.join(PLACE).join(format!("{}.ticket.json", plain(id)));
        let text = fs::read(path).map_err(|_| TicketError::Unknown(id.to_owned()))?;
        let broken =
            |error: serde_json::Error| TicketError::Broken(id.to_owned(), error.to_string());
        let ticket: Self = serde_json::from_slice(&text).map_err(broken)?;
        if ticket.command != command {
            return Err(TicketError::OtherCommand(id.to_owned()));
        }
        Ok(ticket)
    }
}

impl RunRecord {
    pub fn write(&self, state: &Path, id: &str) -> io::Result<()> {
        save(&place(state, id, "result")?, self)
    }

    /// What came of the run of this id, if it ran.
    #[must_use]
    pub fn read(state: &Path, id: &str) -> Option<Self> {
        let path = state.join(PLACE).join(format!("{}.result.json", plain(id)));
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

/// Removes tickets and results that are too old.
pub fn expire_tickets(state: &Path) {
    let entries = fs::read_dir(state.join(PLACE))
        .into_iter()
        .flatten()
        .flatten();
    for entry in entries {
        let age = entry
            .metadata()
            .and_then(|found| found.modified())
            .map(|changed| {
                SystemTime::now()
                    .duration_since(changed)
                    .unwrap_or_default()
            });
        if age.is_ok_and(|age| age > KEPT_FOR) {
            // What stays behind today goes tomorrow.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn place(state: &Path, id: &str, kind: &str) -> io::Result<PathBuf> {
    let directory = private(&state.join(PLACE)).map_err(io::Error::other)?;
    Ok(directory.join(format!("{}.{kind}.json", plain(id))))
}

fn save(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let temporary = path.with_extension("incoming");
    fs::write(&temporary, serde_json::to_vec(value)?)?;
    fs::rename(temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_decided_command_has_a_ticket() {
        let temp = tempfile::tempdir().unwrap();
        let ticket = Ticket {
            id: "7f3a".into(),
            session: "s".into(),
            command: "make test".into(),
            confinement: Confinement::of_project("/work/app"),
            backend: Backend::Landlock,
        };
        ticket.write(temp.path()).unwrap();
        assert_eq!(
            Ticket::read(temp.path(), "7f3a", "make test").unwrap(),
            ticket
        );
        assert!(Ticket::read(temp.path(), "7f3a", "make deploy").is_err());
        assert!(Ticket::read(temp.path(), "../7f3a", "make test").is_err());
        assert!(Ticket::read(temp.path(), "other", "make test").is_err());
    }
}
