//! From text to effects: the one entry of the crate.

use crate::{Coverage, Effect, Facts, Invocation, Need, eval};

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

impl Context {
    /// Whether a directory is a root that the session works in, or lies in one.
    #[must_use]
    pub fn is_inside(&self, directory: &str) -> bool {
        use crate::place::Zone;
        matches!(Zone::of(directory, self), Zone::ProjectRoot | Zone::Project)
    }
}

/// What a command would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    pub invocations: Vec<Invocation>,
    pub effects: Vec<Effect>,
    pub coverage: Coverage,
    /// Facts that would have made the analysis sharper.
    pub needs: Vec<Need>,
}

/// Analyses shell text. Total and bounded: whatever the text, it answers.
///
/// [`crate::Facts`] may be empty at first; the needs of the answer say which
/// files would sharpen it.
#[must_use]
pub fn analyse(text: &str, context: &Context, facts: &Facts) -> Analysis {
    eval::run(text, context, facts)
}
