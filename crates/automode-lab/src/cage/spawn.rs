//! The cage seen from outside: one worker process, asked case by case.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::entry::Privilege;
use super::{CageTrial, Finished, RoomSetup};

/// Why there is no cage.
#[derive(Debug)]
pub enum CageError {
    /// The kernel or the system does not let us: the message says what.
    Unavailable(String),
    /// It was there and is gone.
    Gone(String),
}

impl std::fmt::Display for CageError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unavailable(why) => write!(to, "no cage can be made here: {why}"),
            Self::Gone(why) => write!(to, "the cage broke: {why}"),
        }
    }
}

impl std::error::Error for CageError {}

/// A worker in its namespaces. Dropping it ends everything inside.
pub struct Cage {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Cage {
    /// Starts a worker; `program` is the lab's own binary.
    ///
    /// # Errors
    /// Where namespaces, overlays or the world cannot be had.
    pub fn start(
        program: &str,
        privilege: Privilege,
        setup: &RoomSetup,
    ) -> Result<Self, CageError> {
        let unavailable = |why: &dyn std::fmt::Display| CageError::Unavailable(why.to_string());
        let mut child = Command::new(program)
            .args(["inside", "enter", privilege.name()])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| unavailable(&error))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(unavailable(&"no pipes"));
        };
        let mut cage = Self {
            child,
            stdin: Some(stdin),
            stdout: BufReader::new(stdout),
        };
        let told = serde_json::to_string(setup).map_err(|error| unavailable(&error))?;
        cage.say(&told).map_err(|error| unavailable(&error))?;
        let mut line = String::new();
        cage.stdout
            .read_line(&mut line)
            .map_err(|error| unavailable(&error))?;
        if line.trim() != "ready" {
            return Err(unavailable(&"the worker did not get ready"));
        }
        Ok(cage)
    }

    /// Runs one case.
    ///
    /// # Errors
    /// Where the worker is gone.
    pub fn run(&mut self, trial: &CageTrial) -> Result<Finished, CageError> {
        let gone = |why: &dyn std::fmt::Display| CageError::Gone(why.to_string());
        let told = serde_json::to_string(trial).map_err(|error| gone(&error))?;
        self.say(&told).map_err(|error| gone(&error))?;
        let mut line = String::new();
        self.stdout
            .read_line(&mut line)
            .map_err(|error| gone(&error))?;
        serde_json::from_str(&line).map_err(|error| gone(&error))
    }

    fn say(&mut self, line: &str) -> std::io::Result<()> {
        let Some(stdin) = &mut self.stdin else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        stdin.write_all(line.as_bytes())?;
        stdin.write_all(b"\n")?;
        stdin.flush()
    }
}

impl Drop for Cage {
    fn drop(&mut self) {
        // The worker ends with its input; if it does not, the first process is ended.
        self.stdin = None;
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}
