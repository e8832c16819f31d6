//! What keeps the promise on this machine.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// One way to confine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// Mounts and namespaces, by the program at this path.
    Bubblewrap(PathBuf),
    /// Path rules, system call filters and a supervisor, where namespaces are refused.
    Landlock,
}

impl Backend {
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bubblewrap(_) => "bubblewrap",
            Self::Landlock => "landlock",
        }
    }

    /// Whether a command inside could change what its user may change outside: in a namespace
    /// of its own the machine's owner has no rights to the files of others.
    #[must_use]
    pub fn can_write(&self, project: &std::path::Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        match self {
            Self::Bubblewrap(_) => {
                !rustix::process::geteuid().is_root()
                    || project.metadata().is_ok_and(|found| found.uid() == 0)
            }
            Self::Landlock => true,
        }
    }

    /// Whether files can be hidden and replaced, not only refused.
    #[must_use]
    pub fn has_own_files(&self) -> bool {
        match self {
            Self::Bubblewrap(_) => true,
            Self::Landlock => false,
        }
    }
}

/// What was tried, best first, and what is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfTest {
    pub attempts: Vec<Attempt>,
    pub backend: Option<Backend>,
    /// Of this start of the machine and this bubblewrap.
    pub(crate) key: String,
}

/// One backend, and why it cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub name: String,
    pub failure: Option<String>,
}

impl fmt::Display for Attempt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.failure {
            None => write!(out, "{}: keeps its promises", self.name),
            Some(reason) => write!(out, "{}: {reason}", self.name),
        }
    }
}
