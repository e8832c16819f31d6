//! Settings files, read, with whose they are.
//!
//! A [`Layer`] may loosen and tighten. A [`ProjectPolicy`] comes with the
//! repository, which the agent or a stranger may have written: it has deny and
//! ask rules, and settings that count as far as they take something away.

use super::{
    FiledRules, Origin,
    field::{Field, Value},
};

/// Everything that was found, in no particular order.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub layers: Vec<Layer>,
    pub projects: Vec<ProjectPolicy>,
    /// Deny and ask rules on shell commands that were filed before.
    pub filed: Filed,
    /// Files that could not be read or understood, each with its place and a hint.
    pub faults: Vec<String>,
    /// Fingerprint of everything that was read; empty where nothing was.
    pub digest: String,
}

/// Rules that were filed before, of all files.
#[derive(Clone, Debug, Default)]
pub struct Filed {
    pub deny: Vec<FiledRules>,
    pub ask: Vec<FiledRules>,
}

/// One file of a person or an administrator.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The file; its line is 0.
    pub origin: Origin,
    /// Directory of `/path` patterns; `None`: the project's root.
    pub root: Option<String>,
    pub allow: Vec<Written>,
    pub ask: Vec<Written>,
    pub deny: Vec<Written>,
    pub settings: Vec<SettingAssignment>,
    pub prose: Vec<(List, Vec<Written>)>,
    /// Directories beside the project that the agent may work in.
    pub directories: Vec<Written>,
    /// Allow rules count only where an administrator wrote them.
    pub managed_allow_only: bool,
    pub bypass: Bypass,
}

/// Whether permissions may be bypassed at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bypass {
    #[default]
    Open,
    /// Somebody has closed it: the mode asks like any other.
    Closed,
}

/// What a repository may say.
#[derive(Clone, Debug)]
pub struct ProjectPolicy {
    pub origin: Origin,
    pub root: String,
    pub ask: Vec<Written>,
    pub deny: Vec<Written>,
    /// Obeyed as far as they tighten what is in force.
    pub settings: Vec<SettingAssignment>,
    /// Keys that are not a project's to set: reported, not obeyed.
    pub ignored: Vec<Written>,
}

/// A text and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub text: String,
    /// Counted from one; 0 where it is not known.
    pub line: u32,
}

/// A setting with its value.
#[derive(Clone, Debug)]
pub struct SettingAssignment {
    pub field: &'static Field,
    pub value: Value,
    pub line: u32,
}

/// The prose lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    Allow,
    SoftDeny,
    HardDeny,
    Environment,
}

impl List {
    pub const ALL: [Self; 4] = [
        Self::Allow,
        Self::SoftDeny,
        Self::HardDeny,
        Self::Environment,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::SoftDeny => "soft_deny",
            Self::HardDeny => "hard_deny",
            Self::Environment => "environment",
        }
    }
}

impl Layer {
    /// A file that says nothing yet.
    #[must_use]
    pub fn empty(origin: Origin) -> Self {
        Self {
            origin,
            root: None,
            allow: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
            settings: Vec::new(),
            prose: Vec::new(),
            directories: Vec::new(),
            managed_allow_only: false,
            bypass: Bypass::Open,
        }
    }
}

impl Origin {
    /// A line of the same file.
    #[must_use]
    pub fn at(&self, line: u32) -> Self {
        Self {
            line,
            ..self.clone()
        }
    }
}
