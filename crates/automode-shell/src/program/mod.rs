//! What a program does with its arguments.
//!
//! [`consult`] looks an [`Invocation`] up in the compiled knowledge and answers
//! with its [`ProgramEffects`]: effects, code that it would run in turn, what its
//! output carries, and what is not known. The evaluator runs the nested code.

mod act;
mod compiler_flags;
mod debugger;
mod editor;
#[cfg(test)]
mod examples;
mod feed;
mod file;
mod git;
mod go_flags;
mod layout;
mod lookup;
mod meaning;
mod media_filter;
mod mention;
mod name_digest;
mod nature;
mod nested;
mod outcome;
mod pack;
mod parse;
mod query;
pub mod reference;
mod remote;
mod role;
mod setting;
mod shadow;
mod table;
mod terminal;
mod text;
mod variable;

pub(crate) use nature::natures_of_start;
pub use nature::{natures_of, natures_of_version};
pub use variable::is_steering_variable;
pub(crate) use variable::{steers, steers_with};

use crate::ir::{
    Code, Context, Facts, Gap, GapKind, Invocation, Layer, Nested, NestedStdin, Output,
    ProgramEffects, TaskRequest, Value,
};

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
            let mut consequence = parse::readings(&name, command, words)
                .into_iter()
                .map(|parsed| meaning::read(&name, parsed, invocation, context, facts))
                .reduce(either)
                .unwrap_or_default();
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
        // The shell says that there is no such command.
        lookup::Found::Unknown(_) if is_no_name(invocation) => ProgramEffects::default(),
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

/// Whether a typed word is no name that a program could have: the rest of a line that was broken
/// in two (`grep -r x .` and then `--include=*.py`). With a path of one's own anything may be found.
fn is_no_name(invocation: &Invocation) -> bool {
    let word = invocation.argv.first().and_then(Value::literal);
    let is_typed = invocation.layers.is_empty() && invocation.env.is_empty();
    is_typed
        && word.is_some_and(|word| {
            word.starts_with("--") && word.len() > 2 && !word.contains([' ', '/'])
        })
}

/// Everything that follows where either of two readings may be right.
fn either(mut first: ProgramEffects, other: ProgramEffects) -> ProgramEffects {
    for effect in other.effects {
        if !first.effects.contains(&effect) {
            first.effects.push(effect);
        }
    }
    for nested in other.runs {
        if !first.runs.contains(&nested) {
            first.runs.push(nested);
        }
    }
    for gap in other.gaps {
        if !first.gaps.contains(&gap) {
            first.gaps.push(gap);
        }
    }
    first.needs.extend(other.needs);
    first.steps = first.steps.saturating_add(other.steps);
    first.output = Output {
        taint: first.output.taint.with(other.output.taint),
        passes_input: first.output.passes_input || other.output.passes_input,
        text: first
            .output
            .text
            .filter(|text| other.output.text.as_ref() == Some(text)),
    };
    first
}
