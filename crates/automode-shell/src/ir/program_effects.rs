//! What follows from starting a program, before anything of it is run.

use super::{Act, Gap, Need, Nested, Span, Taint, Value};

/// Everything that follows from starting a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramEffects {
    pub effects: Vec<(Act, Span)>,
    /// Code the program runs, for the evaluator to go on with.
    pub runs: Vec<Nested>,
    pub output: Output,
    pub gaps: Vec<Gap>,
    pub needs: Vec<Need>,
    /// Steps that were taken to find this out.
    pub steps: usize,
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

impl Output {
    /// Output of a program that the knowledge does not describe.
    pub(crate) fn unknown() -> Self {
        Self {
            taint: Taint::UNKNOWN,
            passes_input: true,
            text: None,
        }
    }
}
