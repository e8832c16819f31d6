//! What a program does with its arguments.
//!
//! [`consult`] looks an [`Invocation`] up in the compiled knowledge and answers
//! with its [`ProgramEffects`]: effects, code that it would run in turn, what its
//! output carries, and what is not known. The evaluator runs the nested code.

mod act;
mod debugger;
mod editor;
#[cfg(test)]
mod examples;
mod file;
mod git;
mod layout;
mod lookup;
mod meaning;
mod mention;
mod nature;
mod nested;
mod outcome;
mod pack;
mod parse;
mod query;
mod remote;
mod role;
mod setting;
mod table;
mod telling;
mod text;
mod variable;

pub use nature::{Nature, natures_of};
pub(crate) use variable::{steers, steers_with};

use crate::script::Runner;
use crate::{Act, Code, Context, Facts, Gap, GapKind, Invocation, Layer, Need, Span, Taint, Value};

/// Everything that follows from starting a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramEffects {
    pub effects: Vec<(Act, Span)>,
    /// Code the program runs, for the evaluator to go on with.
    pub runs: Vec<Nested>,
    pub output: Output,
    pub gaps: Vec<Gap>,
    pub needs: Vec<Need>,
}

/// What a program's standard output carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Marks of what it reads by itself; the evaluator adds those of its input.
    pub taint: Taint,
    /// Its input comes through to its output.
    pub passes_input: bool,
    /// Its output is this text, to the letter (`echo`, `printf`, `basename`).
    pub text: Option<Value>,
}

/// Code that a program runs.
///
/// [`consult`] names it and nothing more: the evaluator records the
/// [`Act::Execute`] of every nested piece, because only it knows whether the
/// text was seen. A plain command, and shell text that was seen, need none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nested {
    /// Another program start: `sudo X`, `xargs X`, `find -exec X`.
    Command {
        argv: Vec<Value>,
        env: Vec<(String, Value)>,
        /// A changed directory (`env -C`, `git -C`, `make -C`).
        cwd: Option<Value>,
        stdin: NestedStdin,
        layer: Layer,
    },
    /// Shell text: `bash -c X`, `eval X`, `ssh host X`, a package script.
    Shell {
        text: Value,
        /// `$0`, `$1` … inside it.
        arguments: Vec<Value>,
        cwd: Option<Value>,
        stdin: NestedStdin,
        layer: Layer,
    },
    /// Code in another language, inline or read from a file.
    Code {
        language: Language,
        text: Value,
        arguments: Vec<Value>,
        layer: Layer,
    },
    /// A file that is run; the evaluator asks for its text and picks the language.
    File {
        path: Value,
        /// The interpreter that was named; by the file's first line otherwise.
        language: Option<Language>,
        arguments: Vec<Value>,
        layer: Layer,
    },
    /// A task that the project declares: `npm run build`, `make check`, `just fmt`.
    Task {
        runner: Runner,
        tasks: TaskRequest,
        /// A task file that was named instead of the usual one.
        file: Option<Value>,
        arguments: Vec<Value>,
        cwd: Option<Value>,
        layer: Layer,
    },
    /// Whatever arrives on this program's standard input.
    Input { language: Language, layer: Layer },
}

/// What a task runner is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskRequest {
    /// Tasks by name; none: the runner's default.
    Run(Vec<Value>),
    /// The scripts that run by themselves around an installation.
    Install,
    /// The scripts that run by themselves before and after packing or publishing.
    Publish,
}

/// What a nested command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NestedStdin {
    /// The same input as the program that runs it.
    Same,
    /// The program has consumed the input (xargs, parallel).
    Empty,
    /// Data with these marks that the running code prepared (`subprocess.run(…, input=data)`).
    Data(Taint),
}

/// Languages the analysis can look into, more or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    Shell,
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    Lua,
    Awk,
    Sed,
    Sql,
    PowerShell,
    /// Known by name only: its code is a gap.
    Other,
}

/// Looks a program start up.
#[must_use]
pub fn consult(invocation: &Invocation, context: &Context, facts: &Facts) -> ProgramEffects {
    let mut consequence = match lookup::program(invocation) {
        lookup::Found::Known {
            name,
            command,
            file,
        } => {
            let words = invocation.argv.get(1..).unwrap_or_default();
            let parsed = parse::parse(&name, command, words);
            let mut consequence = meaning::read(&name, parsed, invocation, context, facts);
            if let Some(code) = file {
                consequence
                    .effects
                    .push((lookup::unseen(code), invocation.span));
            }
            consequence
        }
        lookup::Found::File(path) => ProgramEffects {
            runs: vec![Nested::File {
                path: path.clone(),
                language: None,
                arguments: invocation.argv.get(1..).unwrap_or_default().to_vec(),
                layer: Layer::File(path.shown()),
            }],
            output: Output::unknown(),
            ..ProgramEffects::default()
        },
        lookup::Found::Unknown(name) => ProgramEffects {
            effects: vec![(lookup::unseen(Code::Program(name.clone())), invocation.span)],
            output: Output::unknown(),
            gaps: vec![Gap {
                kind: GapKind::Program(name),
                span: invocation.span,
            }],
            ..ProgramEffects::default()
        },
        lookup::Found::Dynamic => ProgramEffects {
            output: Output::unknown(),
            gaps: vec![Gap {
                kind: GapKind::DynamicProgram,
                span: invocation.span,
            }],
            ..ProgramEffects::default()
        },
    };
    variable::read(invocation, &mut consequence);
    consequence
}

impl Output {
    /// Output of a program that the knowledge does not describe.
    fn unknown() -> Self {
        Self {
            taint: Taint::UNKNOWN,
            passes_input: true,
            text: None,
        }
    }
}
