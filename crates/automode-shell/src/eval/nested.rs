//! The code that programs run in turn: commands, text, files, tasks, input.

use super::Evaluator;
use super::command::CommandLookup;
use super::expand::STREAM;
use super::output::{CommandOutput, Data};
use super::prepared_command::PreparedCommand;
use super::shell_state::ShellState;
use super::variable::VariableBinding;
use crate::ir::Nature;
use crate::ir::{
    Act, Code, DynamicSource, Extent, Facts, FileFact, GapKind, Invocation, Language, Layer, Need,
    Nested, NestedStdin, Origin, Piece, ProgramEffects, Span, Stdin, Taint, Target, Value,
};
use crate::language::{self, CodeSource};
use crate::place::{Place, taint_of_input};
use crate::script::{self, ScriptFile, TaskStart};

/// The program that runs other code: where it stands in the list, and how it was started.
#[derive(Clone, Copy, Debug)]
struct Starter<'a> {
    by: usize,
    invocation: &'a Invocation,
}

impl Evaluator<'_> {
    pub(super) fn nested(
        &mut self,
        nested: Nested,
        by: usize,
        invocation: &Invocation,
        shell: &mut ShellState,
    ) -> CommandOutput {
        self.deeper(invocation.span, |evaluator| {
            evaluator.nested_once(nested, Starter { by, invocation }, shell)
        })
    }

    fn nested_once(
        &mut self,
        nested: Nested,
        starter: Starter<'_>,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let invocation = starter.invocation;
        match nested {
            Nested::Command {
                argv,
                env,
                cwd,
                stdin,
                layer,
            } => {
                let mut child = self.started(shell, invocation, stdin, layer.clone(), cwd.as_ref());
                if let Some(module) = self.own_module(&argv, &child) {
                    let python = Some(Language::Python);
                    self.file(&module, python, &[], layer, starter, &mut child);
                }
                for (name, value) in env {
                    let mut binding = VariableBinding::scalar(value);
                    binding.exported = true;
                    child.variables.insert(name, binding);
                }
                self.nested_command(argv, invocation.span, child, shell)
            }
            Nested::Shell {
                text,
                arguments,
                cwd,
                stdin,
                layer,
            } => {
                let child = self.started(shell, invocation, stdin, layer, cwd.as_ref());
                self.nested_shell(&text, arguments, starter, child, shell)
            }
            Nested::Code {
                language,
                text,
                arguments,
                layer,
            } => self.code(language, &text, &arguments, layer, starter, shell),
            Nested::File {
                path,
                language,
                arguments,
                layer,
            } => match installed_tool(&path, language)
                .or_else(|| self.linked_program(&path, language, shell))
            {
                // `php vendor/bin/phpunit` is `vendor/bin/phpunit`, and a link to `rm` is `rm`.
                Some(tool) => {
                    let mut argv = vec![tool];
                    argv.extend(arguments);
                    let child = self.started(shell, invocation, NestedStdin::Same, layer, None);
                    self.nested_command(argv, invocation.span, child, shell)
                }
                None => self.file(&path, language, &arguments, layer, starter, shell),
            },
            Nested::Task {
                runner,
                tasks,
                file,
                arguments,
                cwd,
                layer,
            } => {
                let directory = self.directory(cwd.as_ref(), shell);
                let request = TaskStart {
                    runner,
                    tasks: &tasks,
                    arguments: &arguments,
                    directory: directory.as_deref(),
                    environment: &invocation.env,
                    file: file.as_ref(),
                    span: invocation.span,
                };
                self.nested_task(&request, layer, starter, shell)
            }
            Nested::Input {
                language,
                arguments,
                layer,
            } => self.input(language, &arguments, layer, starter, shell),
        }
    }

    /// The program of the system that a file only leads to.
    fn linked_program(
        &self,
        path: &Value,
        language: Option<Language>,
        shell: &ShellState,
    ) -> Option<Value> {
        let target = Target::locate(path, shell.cwd.as_deref());
        let program = self.facts.programs.get(&target.path)?;
        let is_it = language.is_none()
            && target.extent == Extent::Exact
            && shell.files.get(&target).is_none();
        is_it.then(|| Value::text(program.as_str(), path.span))
    }

    /// Words that a program starts, in a shell of its own whose files stay behind.
    fn nested_command(
        &mut self,
        argv: Vec<Value>,
        span: Span,
        mut child: ShellState,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let prepared = PreparedCommand {
            argv,
            arrays: Vec::new(),
            redirects: Vec::new(),
            span,
        };
        let outcome = self.run_prepared(prepared, CommandLookup::Programs, &mut child);
        shell.files.join(&child.files);
        outcome
    }

    fn nested_shell(
        &mut self,
        text: &Value,
        arguments: Vec<Value>,
        starter: Starter<'_>,
        mut child: ShellState,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let invocation = starter.invocation;
        child.shows_commands = shows_commands(invocation);
        child.plain = !invocation.is_a(Nature::Bash);
        child.adopt(arguments);
        let name = invocation.argv.first().map(Value::shown);
        let outcome = self.text(text, &name.unwrap_or_default(), starter.by, &mut child);
        self.traps(&mut child);
        shell.files = child.files;
        outcome
    }

    fn nested_task(
        &mut self,
        request: &TaskStart<'_>,
        layer: Layer,
        starter: Starter<'_>,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let laid: Option<Facts> = shell.files.over(self.facts);
        let facts = laid.as_ref().unwrap_or(self.facts);
        let consequence = script::resolve(request, self.context, facts);
        let mut child = shell.child();
        // `make -C sub`, `npm --prefix sub`: its lines run where it was told to work.
        child.cwd = request.directory.map(str::to_owned);
        let outcome = self.below(consequence, layer, starter, &mut child);
        shell.files = child.files;
        outcome
    }

    /// `python -m json.tool` where a file beside it has the module's name: that file runs.
    fn own_module(&mut self, argv: &[Value], shell: &ShellState) -> Option<Value> {
        let program = argv.first()?;
        let name = program.literal()?;
        let top = name
            .strip_prefix("python -m ")?
            .split('.')
            .next()?
            .to_owned();
        let directory = shell.cwd.as_deref()?.trim_end_matches('/').to_owned();
        let places = [
            format!("{directory}/{top}.py"),
            format!("{directory}/{top}/__init__.py"),
        ];
        let found = places.into_iter().find(|path| {
            let target = Target::locate(&Value::text(path.as_str(), program.span), None);
            let is_there = match self.facts.files.get(path) {
                Some(FileFact::Text { .. } | FileFact::Unreadable) => true,
                Some(FileFact::Absent | FileFact::Directory) => false,
                None => {
                    self.needs.push(Need::File(path.clone()));
                    false
                }
            };
            is_there || shell.files.get(&target).is_some()
        })?;
        Some(Value::text(found.as_str(), program.span))
    }

    /// A consequence whose own nested code stands under a layer.
    fn below(
        &mut self,
        consequence: ProgramEffects,
        layer: Layer,
        starter: Starter<'_>,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let mut child = shell.child();
        child.layers.push(layer);
        let outcome = self.follow(consequence, starter.by, starter.invocation, &mut child);
        shell.files = child.files;
        outcome
    }

    fn code(
        &mut self,
        language: Language,
        text: &Value,
        arguments: &[Value],
        layer: Layer,
        starter: Starter<'_>,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let Starter { by, invocation } = starter;
        if language == Language::Shell {
            let mut child = self.started(shell, invocation, NestedStdin::Same, layer, None);
            // `bash -s a b <<< 'echo "$1"'` prints `a`: the name of the shell stands in front.
            let zero = Value::text("bash", invocation.span);
            child.adopt(
                std::iter::once(zero)
                    .chain(arguments.iter().cloned())
                    .collect(),
            );
            let outcome = self.text(text, "sh", by, &mut child);
            shell.files = child.files;
            return outcome;
        }
        let given = self.named_secrets(text, by, invocation, shell);
        self.fetched_modules(text, invocation, shell);
        let source = CodeSource {
            language,
            text,
            arguments,
            taint: text.taint(),
            input: input_taint(&invocation.stdin),
            file: None,
            cwd: shell.cwd.as_deref(),
            layer: &layer,
            span: invocation.span,
        };
        // Modules that the script itself wrote hide those of the same name.
        let laid: Option<Facts> = shell.files.over(self.facts);
        let facts = laid.as_ref().unwrap_or(self.facts);
        let consequence = language::read(&source, self.context, facts);
        let mut outcome = self.below(consequence, layer.clone(), starter, shell);
        outcome.taint = outcome.taint.with(given);
        outcome
    }

    /// `wget https://…/json.py; python3 -c 'import json'`: what was fetched under the name of
    /// a module that the code speaks of is what it loads.
    fn fetched_modules(&mut self, text: &Value, invocation: &Invocation, shell: &ShellState) {
        let fetched = shell
            .cwd
            .as_deref()
            .is_some_and(|cwd| shell.files.is_fetched(cwd));
        if !fetched {
            return;
        }
        let code = text.shown();
        let spoken = |stem: &str| {
            code.split(|c: char| !(c.is_alphanumeric() || c == '_'))
                .any(|word| word == stem)
        };
        let loaded = self.effects.iter().any(|effect| {
            let below = matches!(
                &effect.act,
                Act::Write { target, data, .. }
                    if target.extent == Extent::Below && data.has(Taint::NETWORK)
            );
            let start = self.invocations.get(effect.by).filter(|_| below);
            start.is_some_and(|start| {
                let mut words = start.argv.iter().skip(1).map(Value::literal);
                words.any(|word| match word {
                    Some(word) => module_of(&word).is_some_and(spoken),
                    None => true,
                })
            })
        });
        if loaded {
            let what = "a module that was fetched".to_owned();
            self.gap(GapKind::Unseen(what), invocation.span);
        }
    }

    /// `perl -e 'print <>' ~/.ssh/id_rsa`: what code is given it may read, also where
    /// its text does not show how. Only a secret makes a difference.
    fn named_secrets(
        &mut self,
        text: &Value,
        by: usize,
        invocation: &Invocation,
        shell: &ShellState,
    ) -> Taint {
        let mut taint = Taint::NONE;
        let words = invocation.argv.iter().skip(1);
        // Not by the span: inside `sh -c '…'` all words have that of the outer one.
        let code = text.literal();
        for argument in words.filter(|word| code.is_none() || word.literal() != code) {
            for target in Target::locate_each(argument, shell.cwd.as_deref()) {
                if Place::of(&target, self.context).secret.is_some() {
                    taint = taint.with(crate::place::taint_of(&target));
                    let act = Act::Read { target };
                    self.effect(act, by, argument.span, invocation.certainty);
                }
            }
        }
        taint
    }

    fn file(
        &mut self,
        path: &Value,
        language: Option<Language>,
        arguments: &[Value],
        layer: Layer,
        starter: Starter<'_>,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let invocation = starter.invocation;
        if let Some((taint, outcome)) =
            stream(path, shell).map(|(taint, outcome)| (taint, outcome.clone()))
        {
            let language = language.unwrap_or(Language::Shell);
            return match outcome.data {
                Data::Text(text) => self.code(language, &text, arguments, layer, starter, shell),
                Data::Nothing | Data::Unknown => self.unseen_stream(language, taint, starter),
            };
        }
        let laid: Option<Facts> = shell.files.over(self.facts);
        let opened = ScriptFile {
            path,
            language,
            arguments,
            input: input_taint(&invocation.stdin),
            cwd: shell.cwd.as_deref(),
            layer: &layer,
            span: invocation.span,
        };
        let consequence = script::open(&opened, self.context, laid.as_ref().unwrap_or(self.facts));
        let mut consequence = marked(consequence, path.taint());
        // What is no code of the language is shown in the complaint about it.
        let target = Target::locate(path, shell.cwd.as_deref());
        if Place::of(&target, self.context).secret.is_some() {
            consequence.effects.push((Act::Read { target }, path.span));
        }
        self.below(consequence, layer.clone(), starter, shell)
    }

    /// Code that arrives on standard input.
    fn input(
        &mut self,
        language: Language,
        arguments: &[Value],
        layer: Layer,
        starter: Starter<'_>,
        shell: &mut ShellState,
    ) -> CommandOutput {
        match &starter.invocation.stdin {
            Stdin::Text(text) if text.lines_match().is_some() => {
                self.unseen_stream(language, text.taint(), starter)
            }
            Stdin::Text(text) => self.code(language, text, arguments, layer, starter, shell),
            Stdin::File(target) => {
                let path = Value::text(target.path.as_str(), starter.invocation.span);
                if target.extent == Extent::Exact {
                    return self.file(&path, Some(language), arguments, layer, starter, shell);
                }
                self.unseen_stream(language, crate::place::taint_of(target), starter)
            }
            Stdin::Pipe(taint) => self.unseen_stream(language, *taint, starter),
            Stdin::Inherited => self.unseen_stream(language, Taint::NONE, starter),
        }
    }

    fn unseen_stream(
        &mut self,
        language: Language,
        taint: Taint,
        starter: Starter<'_>,
    ) -> CommandOutput {
        let Starter { by, invocation } = starter;
        let act = Act::Execute {
            code: Code::Stream,
            origin: Origin { seen: false, taint },
        };
        self.effect(act, by, invocation.span, invocation.certainty);
        let what = format!("{} code on standard input", language.name());
        self.gap(GapKind::Unseen(what), invocation.span);
        CommandOutput::unknown(taint.with(Taint::UNKNOWN))
    }

    /// The shell that a program starts code in.
    fn started(
        &mut self,
        shell: &ShellState,
        invocation: &Invocation,
        stdin: NestedStdin,
        layer: Layer,
        cwd: Option<&Value>,
    ) -> ShellState {
        let mut child = shell.child();
        if invocation.is_a(Nature::Shell) {
            child.reads_otherwise = invocation.is_a(Nature::ReadsOtherwise);
        }
        match stdin {
            NestedStdin::Same => child.stdin = invocation.stdin.clone(),
            NestedStdin::Empty => {
                self.feed(Stdin::Text(Value::text("", invocation.span)), &mut child)
            }
            NestedStdin::Data(taint) => self.feed(Stdin::Pipe(taint), &mut child),
        }
        if matches!(layer, Layer::Remote(_)) {
            child.remote = true;
            child.cwd = None;
            child.variables.clear();
        } else if cwd.is_some() {
            child.cwd = self.directory(cwd, shell);
        }
        // What `PAGER` runs is followed once, not inside itself.
        if let Layer::Text(name) = &layer {
            child.variables.remove(name);
        }
        child.layers.push(layer);
        child
    }

    /// A directory that a program is told to work in.
    fn directory(&self, cwd: Option<&Value>, shell: &ShellState) -> Option<String> {
        let Some(cwd) = cwd else {
            return shell.cwd.clone();
        };
        let target = Target::locate(cwd, shell.cwd.as_deref());
        (target.extent == Extent::Exact).then_some(target.path)
    }
}

/// The module that an address leaves in the directory, by its last part.
fn module_of(address: &str) -> Option<&str> {
    let path = address.split(['?', '#']).next().unwrap_or(address);
    let name = path.trim_end_matches('/').rsplit(['/', ':']).next()?;
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let code = [
        "", "git", "py", "pyc", "so", "js", "mjs", "cjs", "json", "rb", "pm", "pl", "php", "lua",
    ];
    (!stem.is_empty() && code.contains(&ending.rsplit('.').next().unwrap_or(ending)))
        .then_some(stem)
}

/// `bash -xc '…'`: a shell that is told to show what it runs.
fn shows_commands(invocation: &Invocation) -> bool {
    invocation.is_a(Nature::Shell)
        && invocation
            .argv
            .iter()
            .skip(1)
            .map(Value::shown)
            .take_while(|word| {
                word.starts_with('-') || matches!(word.as_str(), "xtrace" | "verbose")
            })
            .any(|word| {
                let letters = !word.starts_with("--") && word.contains(['x', 'v']);
                letters
                    || matches!(
                        word.as_str(),
                        "--verbose" | "--xtrace" | "xtrace" | "verbose"
                    )
            })
}

/// Adds the marks of the path to what is executed from it.
fn marked(mut consequence: ProgramEffects, taint: Taint) -> ProgramEffects {
    for (act, _) in &mut consequence.effects {
        if let Act::Execute { origin, .. } = act {
            origin.taint = origin.taint.with(taint);
        }
    }
    consequence
}

/// The stream that a path of a process substitution stands for.
pub(super) fn stream<'s>(
    path: &Value,
    shell: &'s ShellState,
) -> Option<(Taint, &'s CommandOutput)> {
    let is_stream = matches!(
        path.pieces.as_slice(),
        [Piece::Text(text), Piece::Dynamic(dynamic)]
            if text == STREAM && dynamic.source == DynamicSource::Number
    );
    if !is_stream {
        return None;
    }
    let found = shell
        .streams
        .iter()
        .rev()
        .find(|(span, _)| *span == path.span);
    found.map(|(_, outcome)| (outcome.taint, outcome))
}

/// The marks of what a program reads from its standard input.
fn input_taint(stdin: &Stdin) -> Taint {
    taint_of_input(stdin, Taint::UNKNOWN)
}

/// A program of an installed package that its own interpreter is given by path.
fn installed_tool(path: &Value, language: Option<Language>) -> Option<Value> {
    /// Where the installers of a language leave the programs that they bring.
    const FOLDERS: &[(Language, &str)] = &[
        (Language::Php, "vendor/bin/"),
        (Language::JavaScript, "node_modules/.bin/"),
    ];
    let (_, folder) = FOLDERS.iter().find(|(of, _)| Some(*of) == language)?;
    let text = path.literal()?;
    let inner = text.strip_prefix("./").unwrap_or(&text);
    let name = inner.strip_prefix(folder)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (!name.is_empty() && name.chars().all(plain)).then(|| path.clone())
}
