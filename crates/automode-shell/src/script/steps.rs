//! What a task comes down to: shell texts and commands, in order.

use super::TaskStart;
use super::lookup::TaskFile;
use crate::{
    Act, Code, Gap, GapKind, Layer, Need, Nested, NestedStdin, Origin, ProgramEffects, Taint,
    TaskRequest, Value,
};

/// More steps than this say nothing new.
const STEPS: usize = 512;

pub(super) struct TaskSteps<'a> {
    pub(super) request: &'a TaskStart<'a>,
    found: ProgramEffects,
    directory: Option<String>,
    taint: Taint,
    /// The task file that was read.
    file: Option<String>,
    /// The runner has nothing to do: no code runs at all.
    idle: bool,
}

impl<'a> TaskSteps<'a> {
    pub(super) fn new(request: &'a TaskStart<'a>) -> Self {
        Self {
            request,
            found: ProgramEffects::default(),
            directory: request.directory.map(str::to_owned),
            taint: Taint::NONE,
            file: None,
            idle: true,
        }
    }

    /// The marks of a file whose tasks run where the runner was started.
    pub(super) fn marks(&mut self, found: &TaskFile<'_>) {
        self.taint = self.taint.with(found.taint);
        self.file = Some(found.path.clone());
    }

    pub(super) fn in_file(&mut self, found: &TaskFile<'_>) {
        self.directory = Some(found.directory.clone());
        self.taint = found.taint;
        self.file = Some(found.path.clone());
    }

    pub(super) fn need(&mut self, path: &str) {
        let need = Need::File(path.to_owned());
        if !self.found.needs.contains(&need) {
            self.found.needs.push(need);
        }
    }

    /// The names of the tasks, or the word that is not known.
    pub(super) fn names(&self) -> Result<Vec<String>, String> {
        match self.request.tasks {
            TaskRequest::Run(names) => names
                .iter()
                .map(|name| {
                    name.literal()
                        .map(|name| name.into_owned())
                        .ok_or_else(|| name.shown())
                })
                .collect(),
            TaskRequest::Install | TaskRequest::Publish => Ok(Vec::new()),
        }
    }

    /// A line of shell that the task runs.
    pub(super) fn shell(&mut self, text: impl Into<String>) {
        let text = Value::text(text, self.request.span);
        self.shell_value(text, Vec::new());
    }

    /// A line of shell that gets the words after the task's name.
    pub(super) fn shell_with_arguments(&mut self, text: &str) {
        if self.request.arguments.is_empty() {
            return self.shell(text);
        }
        let mut arguments = vec![Value::text(self.request.runner.name(), self.request.span)];
        arguments.extend(self.request.arguments.iter().cloned());
        let text = Value::text(format!("{text} \"$@\""), self.request.span);
        self.shell_value(text, arguments);
    }

    pub(super) fn shell_value(&mut self, text: Value, arguments: Vec<Value>) {
        let cwd = self.cwd();
        let layer = self.layer();
        self.push(Nested::Shell {
            text,
            arguments,
            cwd,
            stdin: NestedStdin::Same,
            layer,
        });
    }

    pub(super) fn command(&mut self, argv: Vec<Value>) {
        let cwd = self.cwd();
        let layer = self.layer();
        self.push(Nested::Command {
            argv,
            env: Vec::new(),
            cwd,
            stdin: NestedStdin::Same,
            layer,
        });
    }

    pub(super) fn push(&mut self, nested: Nested) {
        self.idle = false;
        if self.found.runs.len() >= STEPS {
            return self.gap(GapKind::Budget);
        }
        if !self.found.runs.contains(&nested) {
            self.found.runs.push(nested);
        }
    }

    /// The task exists, even when it runs nothing.
    pub(super) fn exists(&mut self) {
        self.idle = false;
    }

    fn cwd(&self) -> Option<Value> {
        let directory = self.directory.as_deref()?;
        (self.request.directory != Some(directory))
            .then(|| Value::text(directory, self.request.span))
    }

    pub(super) fn layer(&self) -> Layer {
        Layer::Task(self.title())
    }

    fn title(&self) -> String {
        format!("{} {}", self.request.runner.name(), self.name())
    }

    fn name(&self) -> String {
        match self.request.tasks {
            TaskRequest::Run(names) if names.is_empty() => "default".to_owned(),
            TaskRequest::Run(names) => names.iter().map(Value::shown).collect::<Vec<_>>().join(" "),
            TaskRequest::Install => "install".to_owned(),
            TaskRequest::Publish => "publish".to_owned(),
        }
    }

    pub(super) fn gap(&mut self, kind: GapKind) {
        let known = self.found.gaps.iter().any(|gap| gap.kind == kind);
        if !known {
            self.found.gaps.push(Gap {
                kind,
                span: self.request.span,
            });
        }
    }

    /// A part of the task file that is not understood.
    pub(super) fn unclear(&mut self, what: &str) {
        self.idle = false;
        let what: String = what.chars().take(80).collect();
        let runner = self.request.runner.name();
        self.gap(GapKind::Syntax(format!("{runner}: {what}")));
    }

    /// A task that the file does not declare. What the runner does instead was not
    /// seen, so it is not "nothing".
    pub(super) fn missing(&mut self, name: &str) {
        self.idle = false;
        let runner = self.request.runner.name();
        let file = self.file.as_deref().unwrap_or("its file");
        self.gap(GapKind::Unseen(format!(
            "{runner} {name}, which {file} does not declare"
        )));
    }

    /// No file was found where the runner looks for one.
    pub(super) fn not_found(&mut self) {
        self.idle = false;
        let title = self.title();
        self.gap(GapKind::Unseen(format!(
            "{title}: no file that declares it was found"
        )));
    }

    /// The file is there, but too long, no text, or not to be opened.
    pub(super) fn unreadable(&mut self, path: &str) {
        self.idle = false;
        let title = self.title();
        self.gap(GapKind::Refused(format!(
            "{title}: {path} could not be read"
        )));
    }

    /// Nobody has looked for the task file yet, or its tasks are code of their own.
    pub(super) fn unseen(&mut self) {
        self.idle = false;
        let title = self.title();
        self.gap(GapKind::Unseen(title));
    }

    /// A name that is only known when the command runs.
    pub(super) fn dynamic(mut self, word: String) -> ProgramEffects {
        self.idle = false;
        let program = self.request.runner.name().to_owned();
        self.gap(GapKind::DynamicWord { program, word });
        self.finish()
    }

    /// Ends with an act of its own in the place of the task.
    pub(super) fn finish_as(mut self, act: Act) -> ProgramEffects {
        self.found.effects.push((act, self.request.span));
        self.found
    }

    pub(super) const fn taint(&self) -> Taint {
        self.taint
    }

    pub(super) fn finish(mut self) -> ProgramEffects {
        if !self.idle {
            let seen = self.found.gaps.is_empty();
            self.found.effects.push((
                Act::Execute {
                    code: Code::Task {
                        runner: self.request.runner.name().to_owned(),
                        name: self.name(),
                    },
                    origin: Origin {
                        seen,
                        taint: self.taint,
                    },
                },
                self.request.span,
            ));
        }
        self.found
    }
}
