//! What keeps the promise on this machine.

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

    /// Whether files can be hidden and replaced, not only refused.
    pub(crate) fn has_own_files(&self) -> bool {
        match self {
            Self::Bubblewrap(_) => true,
            Self::Landlock => false,
        }
    }
}
