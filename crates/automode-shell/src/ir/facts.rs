//! What the caller knows about the machine, and what the analysis asks for.
//!
//! The analysis never touches a disk. It runs with the facts there are, lists
//! the [`Need`]s it met, and is run again once they are observed.

use std::collections::BTreeMap;

/// Observed files, by absolute path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub files: BTreeMap<String, FileFact>,
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
}
