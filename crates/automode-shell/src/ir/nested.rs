//! Code that a program runs in turn, named but not yet looked into.

use super::{Language, Layer, Runner, Taint, TaskRequest, Value};

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
    Input {
        language: Language,
        /// What the code sees as its arguments: `bash -s a b`.
        arguments: Vec<Value>,
        layer: Layer,
    },
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
