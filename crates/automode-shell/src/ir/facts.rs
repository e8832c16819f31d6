//! What the caller knows about the machine, and what the analysis asks for.
//!
//! The analysis never touches a disk. It runs with the facts there are, lists
//! the [`Need`]s it met, and is run again once they are observed.

use std::collections::BTreeMap;

/// Observed files, by absolute path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub files: BTreeMap<String, FileFact>,
    /// Of these, links that lead to a program of the system, and to which.
    pub programs: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFact {
    Text {
        body: String,
        /// Written or changed by this session's own tool calls.
        session: bool,
    },
    Directory,
    Absent,
    /// There, but not text, too large, or not readable.
    Unreadable,
}

/// Something the analysis would like to know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// The content of this file, up to the caller's bound.
    File(String),
    /// Whether this is a directory, as was assumed.
    Tree(String),
    /// The content of this file, which may hold a secret, where it is there. It was assumed
    /// that it is not.
    Secret(String),
    /// The files of a secret's usual name anywhere below this directory, which ends in `/`. It
    /// was assumed that there are none.
    Below(String),
}

impl Need {
    /// The path that should be looked at.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::File(path) | Self::Tree(path) | Self::Secret(path) | Self::Below(path) => path,
        }
    }

    /// Whether what was found is what was assumed, so that it changes nothing here.
    #[must_use]
    pub fn assumed(&self, found: &FileFact) -> bool {
        match (self, found) {
            (Self::Tree(_) | Self::Below(_), FileFact::Directory)
            | (Self::Secret(_), FileFact::Absent | FileFact::Directory) => true,
            (
                Self::File(_) | Self::Tree(_) | Self::Secret(_) | Self::Below(_),
                FileFact::Text { .. }
                | FileFact::Directory
                | FileFact::Absent
                | FileFact::Unreadable,
            ) => false,
        }
    }
}
