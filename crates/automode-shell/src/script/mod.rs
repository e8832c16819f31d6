//! What a project's own task files and scripts run.
//!
//! [`resolve`] looks a task up where its runner would (`package.json`, a
//! Makefile, a justfile, …) and [`open`] looks into a file that is run.
//! Both see files only through [`Facts`]: what was not observed yet is asked for
//! as a need, and counts as unseen code until it is. Both record the
//! [`crate::Act::Execute`] of what they resolve.

mod cargo;
mod compose;
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
use lookup::{TaskFile, TaskFileLookup, TaskFileSearch};
use steps::TaskSteps;

pub use crate::ir::Runner;
pub use file::open;
pub use lookup::is_task_file;

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
    if request.runner == Runner::Compose {
        return compose::read(&lookup, steps);
    }
    if request.runner == Runner::Cargo {
        let names = match steps.names() {
            Ok(names) => names,
            Err(word) => return steps.dynamic(word),
        };
        cargo::read(lookup.all(&mut steps), &names, &mut steps);
        return steps.finish();
    }
    match lookup.find(&mut steps) {
        TaskFileSearch::Found(found) => {
            steps.in_file(&found);
            let names = match steps.names() {
                Ok(names) => names,
                Err(word) => return steps.dynamic(word),
            };
            follow(request.runner, &found, &names, facts, &mut steps);
        }
        TaskFileSearch::Nowhere => match request.tasks {
            // Without a file there are no scripts to run around an installation.
            TaskRequest::Install | TaskRequest::Publish => {}
            TaskRequest::Run(_) => steps.not_found(),
        },
        TaskFileSearch::Unreadable(path) => steps.unreadable(&path),
        TaskFileSearch::Unknown => steps.unseen(),
    }
    let mut consequence = steps.finish();
    disown(&mut consequence, request, context);
    consequence
}

/// What a task file that was read declares for the wanted names.
fn follow(
    runner: Runner,
    found: &TaskFile<'_>,
    names: &[String],
    facts: &Facts,
    steps: &mut TaskSteps<'_>,
) {
    match runner {
        Runner::Npm | Runner::Pnpm | Runner::Yarn | Runner::Bun => {
            package::node(found, names, facts, steps);
        }
        Runner::Deno => package::deno(found, names, facts, steps),
        Runner::Composer => composer::read(found, names, steps),
        Runner::Make => make::read(found, names, facts, steps),
        Runner::Just => just::read(found, names, steps),
        Runner::Task => taskfile::read(found, names, steps),
        Runner::Poe => pyproject::read(found, names, pyproject::PyprojectTable::Poe, steps),
        Runner::Pdm => pyproject::read(found, names, pyproject::PyprojectTable::Pdm, steps),
        Runner::Hatch => pyproject::read(found, names, pyproject::PyprojectTable::Hatch, steps),
        Runner::Tox => tox::read(found, names, steps),
        // Their tasks are code that gets its parts from the runner.
        Runner::Rake | Runner::Nox => steps.unseen(),
        // Read from several files; see `resolve`.
        Runner::Cargo | Runner::Compose => steps.unseen(),
    }
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
