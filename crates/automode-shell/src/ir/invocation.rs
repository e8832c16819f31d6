//! One program start, after expansion.
//!
//! The evaluator emits an invocation for every simple command that would run,
//! including those inside substitutions, wrappers and nested scripts.

use std::borrow::Cow;

use super::{Certainty, Nature, Natures, Span, Taint, Target, Value};

/// A program with its arguments and surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The program and its arguments; never empty.
    pub argv: Vec<Value>,
    /// What kind of program it is; nothing where its name is not known.
    pub natures: Natures,
    /// Assignments in front of the command, and variables exported before it in this command.
    pub env: Vec<(String, Value)>,
    pub redirects: Vec<Redirect>,
    pub stdin: Stdin,
    pub stdout: Stdout,
    /// Marks of what it prints.
    pub output: Taint,
    /// The working directory, absolute, where it is known.
    pub cwd: Option<String>,
    pub span: Span,
    /// From the outside in: what brought this command in. Empty for typed commands.
    pub layers: Vec<Layer>,
    pub certainty: Certainty,
}

impl Invocation {
    /// The words behind the program, where all of them are known.
    #[must_use]
    pub fn literal_arguments(&self) -> Option<Vec<Cow<'_, str>>> {
        self.argv.iter().skip(1).map(Value::literal).collect()
    }

    /// Whether a program of this kind is started.
    #[must_use]
    pub const fn is_a(&self, nature: Nature) -> bool {
        self.natures.contains(nature)
    }
}

/// A redirection that names a file. Its effect is recorded by the evaluator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    pub descriptor: u32,
    pub target: Target,
    pub append: bool,
    pub input: bool,
}

/// What the program reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// The terminal or whatever the agent gives.
    Inherited,
    /// A here-document, a here-string, or the constant output of the stage before.
    Text(Value),
    File(Target),
    /// The output of the stage before.
    Pipe(Taint),
}

/// Where the output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdout {
    /// Back to the agent.
    Shown,
    /// Into the next stage.
    Pipe,
    /// Into a substitution.
    Captured,
    File(Target),
    /// Thrown away.
    Null,
}

/// Why a command runs that was not typed as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layer {
    /// A wrapper such as `sudo` or `timeout`.
    Wrapper(String),
    /// Shell text given to a program: `bash -c`, `eval`, `trap`.
    Text(String),
    /// A script or module on disk.
    File(String),
    /// A declared task: `npm run build`.
    Task(String),
    /// A function or alias of the command itself.
    Function(String),
    /// On another machine or in a container.
    Remote(String),
}
