//! What goes into an analysis beside the text, and what comes out.

use super::{Coverage, Effect, Invocation, Need};

/// What is known about the surroundings of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Absolute working directory.
    pub cwd: String,
    pub home: Option<String>,
    /// Roots that the session may work in: the project, then additional directories.
    pub roots: Vec<String>,
    /// Variables whose values are known (`USER`, `TMPDIR`, …). `HOME` and `PWD` are taken from above.
    pub variables: Vec<(String, String)>,
}

/// What a command would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    pub invocations: Vec<Invocation>,
    pub effects: Vec<Effect>,
    pub coverage: Coverage,
    /// Facts that would have made the analysis sharper.
    pub needs: Vec<Need>,
    /// Steps that the readers of code took.
    pub steps: usize,
}
