//! Allow, confined: what is promised about a run, as values.
//!
//! The engine promises, the runtime keeps: [`Session::enforces`](crate::Session) says what
//! it can keep here, and without it every answer is as if there were no confinement.
//! A promise only tightens. It turns into an allow only a call that is [`Confinable`](crate::engine::Confinable)
//! or [`Recoverable`](crate::engine::Recoverable), and neither can be made of a call with any other obstacle.

mod confinement;
mod rewrite;
mod settings;

pub use automode_shell::place::{is_regenerable, is_secret_path};
pub use confinement::{Confinement, Git, Home, Network};
pub use rewrite::{Rewritten, rewrite};
pub use settings::{ConfineMode, ConfineSettings, Undo, UndoLimits};

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What the runtime can keep for this session's calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enforces {
    /// A backend passed its self-test, and the client runs what it is told to run.
    pub confinement: bool,
    /// There is a private store for what a call could lose.
    pub snapshots: bool,
    /// Somebody said that a person is there, who can bring a loss back.
    pub undo: bool,
}

/// The files that a call could lose, from its analysis.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotPlan {
    /// Files, and directories with all below them.
    pub paths: Vec<PathBuf>,
    /// Working trees: every file that differs from what git has, or that it does not know.
    pub changed_in: Vec<PathBuf>,
    /// Words that may name the commit whose files such a tree takes on. Those of them that
    /// git does not know here lie in no list of changes, and are written over.
    #[serde(default)]
    pub taken_from: Vec<String>,
    /// Trees in which anything may be lost: every file that git does not have as it is, ignored
    /// ones too, but for what a build makes again.
    #[serde(default)]
    pub unheld_in: Vec<PathBuf>,
}

/// What goes with a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    pub confinement: Option<Confinement>,
    pub snapshot: Option<SnapshotPlan>,
    /// Nothing is promised, but something could be: what a setting would save.
    pub possible: Option<Possible>,
}

/// What could be promised for a call that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Possible {
    Confined,
    Undo,
}
