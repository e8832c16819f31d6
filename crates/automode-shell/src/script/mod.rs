//! What a project's own task files and scripts run.
//!
//! [`resolve`] looks a task up where its runner would (`package.json`, a
//! Makefile, a justfile, …) and [`open`] looks into a file that is run.
//! Both see files only through [`Facts`]: what was not observed yet is asked for
//! as a need, and counts as unseen code until it is. Both record the
//! [`crate::Act::Execute`] of what they resolve.

mod cargo;
mod composer;
mod file;
mod just;
mod lookup;
mod make;
mod package;
mod pyproject;
mod steps;
mod taskfile;
mod tox;

use crate::{
    Act, Code, Context, Facts, Language, Layer, ProgramEffects, Span, Taint, Target, TaskRequest,
    Value,
};
use lookup::{TaskFileLookup, TaskFileSearch};
use steps::TaskSteps;

pub use crate::ir::Runner;
pub use file::open;

/// One start of a task runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskStart<'a> {
    pub runner: Runner,
    /// The tasks it was told to run.
    pub tasks: &'a TaskRequest,
    /// Words after the task names: passed on to the task, or `NAME=value` of make.
    pub arguments: &'a [Value],
    /// The directory the runner works in (`make -C`, `npm --prefix`), absolute.
    pub directory: Option<&'a str>,
    /// Variables set in front of the command or exported before it.
    pub environment: &'a [(String, Value)],
    /// The task file, where the command names it (`make -f`, `just -f`).
    pub file: Option<&'a Value>,
    pub span: Span,
}

/// A file that is run, with the interpreter that was named for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptFile<'a> {
    pub path: &'a Value,
    /// By the file's first line or its name otherwise.
    pub language: Option<Language>,
    pub arguments: &'a [Value],
    /// Marks of what arrives on standard input.
    pub input: Taint,
    pub cwd: Option<&'a str>,
    pub layer: &'a Layer,
    pub span: Span,
}

/// What a task runner would run.
#[must_use]
pub fn resolve(request: &TaskStart<'_>, context: &Context, facts: &Facts) -> ProgramEffects {
    let mut steps = TaskSteps::new(request);
    let lookup = TaskFileLookup::new(request, context, facts);
    match lookup.find(&mut steps) {
        TaskFileSearch::Found(found) => {
            steps.in_file(&found);
            let names = match steps.names() {
                Ok(names) => names,
                Err(word) => return steps.dynamic(word),
            };
            match request.runner {
                Runner::Npm | Runner::Pnpm | Runner::Yarn | Runner::Bun => {
                    package::node(&found, &names, &mut steps);
                }
                Runner::Deno => package::deno(&found, &names, &mut steps),
                Runner::Composer => composer::read(&found, &names, &mut steps),
                Runner::Make => make::read(&found, &names, facts, &mut steps),
                Runner::Just => just::read(&found, &names, &mut steps),
                Runner::Task => taskfile::read(&found, &names, &mut steps),
                Runner::Cargo => cargo::read(&found, &names, &mut steps),
                Runner::Poe => {
                    pyproject::read(&found, &names, pyproject::PyprojectTable::Poe, &mut steps)
                }
                Runner::Pdm => {
                    pyproject::read(&found, &names, pyproject::PyprojectTable::Pdm, &mut steps)
                }
                Runner::Hatch => {
                    pyproject::read(&found, &names, pyproject::PyprojectTable::Hatch, &mut steps)
                }
                Runner::Tox => tox::read(&found, &names, &mut steps),
                // Their tasks are code that gets its parts from the runner.
                Runner::Rake | Runner::Nox => steps.missing(&names.join(" ")),
            }
        }
        TaskFileSearch::Nowhere => match request.tasks {
            // Without a file there are no scripts to run around an installation.
            TaskRequest::Install | TaskRequest::Publish => {}
            TaskRequest::Run(_) => steps.unseen(),
        },
        TaskFileSearch::Unknown => steps.unseen(),
    }
    let mut consequence = steps.finish();
    disown(&mut consequence, request, context);
    consequence
}

/// A task that was not seen counts as the project's own only where the runner
/// looks for it by itself, inside the project.
fn disown(consequence: &mut ProgramEffects, request: &TaskStart<'_>, context: &Context) {
    let at_home = request
        .directory
        .is_some_and(|directory| context.is_inside(directory));
    if request.file.is_none() && at_home {
        return;
    }
    let target = match request.file {
        Some(file) => Target::locate(file, request.directory),
        None => Target::below(request.directory),
    };
    for (act, _) in &mut consequence.effects {
        if let Act::Execute { code, origin } = act
            && matches!(code, Code::Task { .. })
            && !origin.seen
        {
            *code = Code::File(target.clone());
        }
    }
}

#[cfg(test)]
mod tests;
