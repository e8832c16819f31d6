//! Programs, and the code that they run in turn.

use super::Evaluator;
use super::command::Lookup;
use super::expand::STREAM;
use super::file::{Content, Kind};
use super::outcome::{Data, Outcome, stdin_taint};
use super::shell::Shell;
use super::variable::{Binding, Nature, Stored};
use crate::language::{self, Source};
use crate::script::{self, Errand, Opened, Request};
use crate::syntax::Assignment;
use crate::{
    Act, Chore, Code, Consequence, Direction, DynamicSource, Extent, Facts, GapKind, Invocation,
    Language, Layer, Nested, NestedStdin, Origin, Piece, Redirect, Span, Stdin, Taint, Target,
    Value, WriteHow, consult,
};

/// A command about to start.
#[derive(Clone)]
pub(super) struct Start {
    pub(super) argv: Vec<Value>,
    /// Array literals among the words of a declaration.
    pub(super) arrays: Vec<Assignment>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) span: Span,
}

impl Evaluator<'_> {
    /// Records the start of a command.
    pub(super) fn record(&mut self, start: &Start, shell: &Shell) -> Invocation {
        self.spend_on(shell.variables.len() * 8, start.span);
        let invocation = Invocation {
            argv: start.argv.clone(),
            env: shell.environment(),
            redirects: start.redirects.clone(),
            stdin: shell.stdin.clone(),
            stdout: shell.stdout.clone(),
            cwd: shell.cwd.clone(),
            span: start.span,
            layers: shell.layers.clone(),
            certainty: shell.certainty,
        };
        self.invocations.push(invocation.clone());
        invocation
    }

    /// Starts a program and follows what comes of it.
    pub(super) fn program(&mut self, start: Start, shell: &mut Shell) -> Outcome {
        let by = self.invocations.len();
        let invocation = self.record(&start, shell);
        let consequence = consult(&invocation, self.context, self.facts);
        self.unnamed(by, &invocation);
        let outcome = self.follow(consequence, by, &invocation, shell);
        self.passed_through(&invocation, outcome, shell)
    }

    /// A program whose name comes from data is code that comes from data.
    fn unnamed(&mut self, by: usize, invocation: &Invocation) {
        let Some(name) = invocation.argv.first().filter(|name| name.is_dynamic()) else {
            return;
        };
        let origin = Origin {
            seen: false,
            taint: name.taint(),
        };
        let code = Code::Program(name.shown());
        self.effect(
            Act::Execute { code, origin },
            by,
            name.span,
            invocation.certainty,
        );
    }

    /// Records a consequence and runs the code in it.
    fn follow(
        &mut self,
        consequence: Consequence,
        by: usize,
        invocation: &Invocation,
        shell: &mut Shell,
    ) -> Outcome {
        let held = held_marks(&consequence, shell);
        let carried = marks_of(&invocation.argv).with(held);
        let mut taint = consequence.output.taint.with(held);
        let runs_input = |nested: &Nested| matches!(nested, Nested::Input { .. });
        let reads = consequence.output.passes_input || consequence.runs.iter().any(runs_input);
        if consequence.output.passes_input {
            taint = taint.with(stdin_taint(&invocation.stdin));
        }
        for (act, span) in consequence.effects {
            self.act(act, carried, by, span, invocation, shell);
        }
        self.needs.extend(consequence.needs);
        for gap in consequence.gaps {
            self.gap(gap.kind, gap.span);
        }
        let only = consequence.runs.len() == 1;
        let mut ran: Option<Outcome> = None;
        let mut input_ran = false;
        for nested in consequence.runs {
            // `bash -s` without operands says twice that it reads its input.
            if runs_input(&nested) && std::mem::replace(&mut input_ran, true) {
                continue;
            }
            let outcome = self.nested(nested, by, invocation, shell);
            ran = Some(match ran {
                Some(before) => before.then(outcome),
                None => outcome,
            });
        }
        if reads {
            self.consumed(shell);
        }
        match (consequence.output.text, ran) {
            (Some(text), _) => Outcome::text(text),
            (None, Some(ran)) if only && taint.is_none() => ran,
            (None, ran) => {
                let ran = ran.map_or(Taint::NONE, |ran| ran.taint);
                Outcome::unknown(taint.with(ran))
            }
        }
    }

    /// Records one act. What the program carries goes where it writes and sends.
    fn act(
        &mut self,
        act: Act,
        carried: Taint,
        by: usize,
        span: Span,
        invocation: &Invocation,
        shell: &mut Shell,
    ) {
        let act = match act {
            Act::Read { target } | Act::List { target } | Act::Write { target, .. }
                if is_stream(&target) =>
            {
                return;
            }
            Act::Write { target, how, data } => {
                let data = data.with(held_only(carried));
                note_write(&target, how, data, shell);
                Act::Write { target, how, data }
            }
            Act::Connect {
                host,
                direction,
                data,
            } => {
                let leaks = carried.has(Taint::SECRET) || carried.has(Taint::LOCAL);
                Act::Connect {
                    host,
                    direction: if leaks { Direction::Send } else { direction },
                    data: data.with(carried),
                }
            }
            Act::Execute { code, mut origin } => {
                if let Code::File(target) = &code
                    && let Some(content) = shell.files.get(target)
                {
                    origin.taint = origin.taint.with(content.taint);
                }
                let code = self.owned(code, invocation, shell);
                Act::Execute { code, origin }
            }
            Act::Vcs { .. } => {
                // The files of the project may be others now.
                shell.files.lose(&Target::below(invocation.cwd.as_deref()));
                act
            }
            other => other,
        };
        self.effect(act, by, span, invocation.certainty);
    }

    /// A task is the project's own only inside the project, and not in a part of
    /// it that this very command fetched.
    fn owned(&self, code: Code, invocation: &Invocation, shell: &Shell) -> Code {
        let cwd = invocation.cwd.as_deref();
        let own =
            cwd.is_some_and(|cwd| self.context.is_inside(cwd) && !shell.files.is_fetched(cwd));
        match code {
            Code::Task { .. } if !own => Code::File(Target::below(cwd)),
            other => other,
        }
    }

    /// `cat` and `tee` hand on what they read, to the letter.
    fn passed_through(&self, invocation: &Invocation, outcome: Outcome, shell: &Shell) -> Outcome {
        if !matches!(outcome.data, Data::Unknown) {
            return outcome;
        }
        let name = invocation.argv.first().and_then(Value::literal);
        let operands: Vec<&Value> = invocation.argv.iter().skip(1).collect();
        let text = match (name.as_deref(), operands.as_slice(), &invocation.stdin) {
            (Some("cat"), [], Stdin::Text(text)) => Some(text.clone()),
            (Some("tee"), _, Stdin::Text(text)) => Some(text.clone()),
            (Some("cat"), [dash], Stdin::Text(text)) if dash.literal().as_deref() == Some("-") => {
                Some(text.clone())
            }
            (Some("cat"), [path], _) => self.held(path, shell),
            _ => None,
        };
        match text {
            Some(text) => Outcome {
                taint: outcome.taint.with(text.taint()),
                data: Data::Text(text),
            },
            None => outcome,
        }
    }

    /// The text of a file or stream that the script wrote itself.
    pub(super) fn held(&self, path: &Value, shell: &Shell) -> Option<Value> {
        if let Some((_, outcome)) = stream(path, shell) {
            return match &outcome.data {
                Data::Text(text) => Some(text.clone()),
                Data::Nothing | Data::Unknown => None,
            };
        }
        let target = Target::locate(path, shell.cwd.as_deref());
        shell
            .files
            .get(&target)
            .and_then(|content| content.text.clone())
    }

    fn nested(
        &mut self,
        nested: Nested,
        by: usize,
        invocation: &Invocation,
        shell: &mut Shell,
    ) -> Outcome {
        self.deeper(invocation.span, |evaluator| {
            evaluator.nested_once(nested, by, invocation, shell)
        })
    }

    fn nested_once(
        &mut self,
        nested: Nested,
        by: usize,
        invocation: &Invocation,
        shell: &mut Shell,
    ) -> Outcome {
        match nested {
            Nested::Command {
                argv,
                env,
                cwd,
                stdin,
                layer,
            } => {
                let mut child = self.started(shell, invocation, stdin, layer, cwd.as_ref());
                for (name, value) in env {
                    let mut binding = Binding::scalar(value);
                    binding.exported = true;
                    child.variables.insert(name, binding);
                }
                let start = Start {
                    argv,
                    arrays: Vec::new(),
                    redirects: Vec::new(),
                    span: invocation.span,
                };
                let outcome = self.start(start, Lookup::Programs, &mut child);
                shell.files.join(&child.files);
                outcome
            }
            Nested::Shell {
                text,
                arguments,
                cwd,
                stdin,
                layer,
            } => {
                let mut child = self.started(shell, invocation, stdin, layer, cwd.as_ref());
                child.adopt(arguments);
                let name = invocation
                    .argv
                    .first()
                    .map(Value::shown)
                    .unwrap_or_default();
                let outcome = self.text(&text, &name, by, &mut child);
                self.traps(&mut child);
                shell.files = child.files;
                outcome
            }
            Nested::Code {
                language,
                text,
                arguments,
                layer,
            } => self.code(language, &text, &arguments, layer, by, invocation, shell),
            Nested::File {
                path,
                language,
                arguments,
                layer,
            } => self.file(&path, language, &arguments, layer, by, invocation, shell),
            Nested::Task {
                runner,
                errand,
                file,
                arguments,
                cwd,
                layer,
            } => {
                let directory = self.directory(cwd.as_ref(), shell);
                let request = Request {
                    runner,
                    errand: match &errand {
                        Chore::Run(names) => Errand::Run(names),
                        Chore::Install => Errand::Install,
                        Chore::Publish => Errand::Publish,
                    },
                    arguments: &arguments,
                    directory: directory.as_deref(),
                    environment: &invocation.env,
                    file: file.as_ref(),
                    span: invocation.span,
                };
                let consequence = script::resolve(&request, self.context, self.facts);
                self.below(consequence, layer, by, invocation, shell)
            }
            Nested::Input { language, layer } => self.input(language, layer, by, invocation, shell),
        }
    }

    /// A consequence whose own nested code stands under a layer.
    fn below(
        &mut self,
        consequence: Consequence,
        layer: Layer,
        by: usize,
        invocation: &Invocation,
        shell: &mut Shell,
    ) -> Outcome {
        let mut child = shell.child();
        child.layers.push(layer);
        let outcome = self.follow(consequence, by, invocation, &mut child);
        shell.files = child.files;
        outcome
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one piece of code")]
    fn code(
        &mut self,
        language: Language,
        text: &Value,
        arguments: &[Value],
        layer: Layer,
        by: usize,
        invocation: &Invocation,
        shell: &mut Shell,
    ) -> Outcome {
        if language == Language::Shell {
            let mut child = self.started(shell, invocation, NestedStdin::Same, layer, None);
            child.adopt(arguments.to_vec());
            let outcome = self.text(text, "sh", by, &mut child);
            shell.files = child.files;
            return outcome;
        }
        let source = Source {
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
        let consequence = language::read(&source, self.context, self.facts);
        self.below(consequence, layer.clone(), by, invocation, shell)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one file to run")]
    fn file(
        &mut self,
        path: &Value,
        language: Option<Language>,
        arguments: &[Value],
        layer: Layer,
        by: usize,
        invocation: &Invocation,
        shell: &mut Shell,
    ) -> Outcome {
        if let Some((taint, outcome)) =
            stream(path, shell).map(|(taint, outcome)| (taint, outcome.clone()))
        {
            let language = language.unwrap_or(Language::Shell);
            return match outcome.data {
                Data::Text(text) => {
                    self.code(language, &text, arguments, layer, by, invocation, shell)
                }
                Data::Nothing | Data::Unknown => {
                    self.unseen_stream(language, taint, by, invocation)
                }
            };
        }
        let laid: Option<Facts> = shell.files.over(self.facts);
        let opened = Opened {
            path,
            language,
            arguments,
            input: input_taint(&invocation.stdin),
            cwd: shell.cwd.as_deref(),
            layer: &layer,
            span: invocation.span,
        };
        let consequence = script::open(&opened, self.context, laid.as_ref().unwrap_or(self.facts));
        let consequence = marked(consequence, path.taint());
        self.below(consequence, layer.clone(), by, invocation, shell)
    }

    /// Code that arrives on standard input.
    fn input(
        &mut self,
        language: Language,
        layer: Layer,
        by: usize,
        invocation: &Invocation,
        shell: &mut Shell,
    ) -> Outcome {
        match &invocation.stdin {
            Stdin::Text(text) if self.is_consumed(shell) => {
                self.unseen_stream(language, text.taint(), by, invocation)
            }
            Stdin::Text(text) => self.code(language, text, &[], layer, by, invocation, shell),
            Stdin::File(target) => {
                let path = Value::text(target.path.as_str(), invocation.span);
                if target.extent == Extent::Exact {
                    return self.file(&path, Some(language), &[], layer, by, invocation, shell);
                }
                self.unseen_stream(language, crate::taint_of(target), by, invocation)
            }
            Stdin::Pipe(taint) => self.unseen_stream(language, *taint, by, invocation),
            Stdin::Inherited => self.unseen_stream(language, Taint::NONE, by, invocation),
        }
    }

    fn unseen_stream(
        &mut self,
        language: Language,
        taint: Taint,
        by: usize,
        invocation: &Invocation,
    ) -> Outcome {
        let act = Act::Execute {
            code: Code::Stream,
            origin: Origin { seen: false, taint },
        };
        self.effect(act, by, invocation.span, invocation.certainty);
        let what = format!("{} code on standard input", language.name());
        self.gap(GapKind::Unseen(what), invocation.span);
        Outcome::unknown(taint.with(Taint::UNKNOWN))
    }

    /// The shell that a program starts code in.
    fn started(
        &mut self,
        shell: &Shell,
        invocation: &Invocation,
        stdin: NestedStdin,
        layer: Layer,
        cwd: Option<&Value>,
    ) -> Shell {
        let mut child = shell.child();
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
    fn directory(&self, cwd: Option<&Value>, shell: &Shell) -> Option<String> {
        let Some(cwd) = cwd else {
            return shell.cwd.clone();
        };
        let target = Target::locate(cwd, shell.cwd.as_deref());
        (target.extent == Extent::Exact).then_some(target.path)
    }

    /// Shell text in the shell itself: `eval`, `trap`, aliases.
    pub(super) fn text_here(&mut self, text: &Value, name: &str, shell: &mut Shell) -> Outcome {
        let by = self.invocations.len().saturating_sub(1);
        shell.layers.push(Layer::Text(name.to_owned()));
        let outcome = self.deeper(text.span, |evaluator| evaluator.text(text, name, by, shell));
        shell.layers.pop();
        outcome
    }

    /// Runs shell text as far as it is known.
    fn text(&mut self, text: &Value, name: &str, by: usize, shell: &mut Shell) -> Outcome {
        if let Some(literal) = text.literal() {
            return self.literal_text(&literal, text.span, shell);
        }
        if let Some(choices) = text
            .choices(8)
            .filter(|choices| choices.iter().all(|one| one.literal().is_some()))
        {
            return self.either_way(choices, shell, |evaluator, choice, shell| {
                let literal = choice.literal().unwrap_or_default();
                evaluator.literal_text(&literal, text.span, shell)
            });
        }
        self.partial_text(text, name, by, shell)
    }

    fn literal_text(&mut self, text: &str, span: Span, shell: &mut Shell) -> Outcome {
        match self.parse(text, span) {
            Some(script) => self.script(&script, shell),
            None => Outcome::unknown(Taint::UNKNOWN),
        }
    }

    /// Text with unknown parts: they may hold any code, but what stands around
    /// them is still read, with variables in their places.
    fn partial_text(&mut self, text: &Value, name: &str, by: usize, shell: &mut Shell) -> Outcome {
        let act = Act::Execute {
            code: Code::Inline { language: "shell" },
            origin: Origin {
                seen: false,
                taint: text.taint(),
            },
        };
        self.effect(act, by, text.span, shell.certainty);
        let word = text.shown();
        self.gap(
            GapKind::DynamicWord {
                program: name.to_owned(),
                word,
            },
            text.span,
        );
        let mut source = String::new();
        for (at, piece) in text.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) | Piece::Glob(text) => source.push_str(text),
                Piece::Dynamic(_) => {
                    let stand_in = format!("automode_unknown_{at}");
                    source.push_str(&format!("${{{stand_in}}}"));
                    let value = Value {
                        pieces: vec![piece.clone()],
                        span: text.span,
                        may_split: false,
                    };
                    shell.variables.insert(stand_in, Binding::scalar(value));
                }
            }
        }
        let known = text
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Text(text) if !text.trim().is_empty()));
        if known && let Some(script) = self.parse(&source, text.span) {
            self.script(&script, shell);
        }
        Outcome::unknown(text.taint().with(Taint::UNKNOWN))
    }
}

impl Shell {
    /// Forgets what a new shell does not inherit and takes its arguments.
    fn adopt(&mut self, arguments: Vec<Value>) {
        self.functions.retain(|_, function| function.exported);
        self.aliases.clear();
        self.locals.clear();
        self.departed.clear();
        self.variables.retain(|name, binding| {
            let array = matches!(
                binding.value,
                Stored::List(_) | Stored::Map(_) | Stored::Hidden(_) | Stored::Reference(_)
            );
            let passes = binding.exported || !name.bytes().any(|byte| byte.is_ascii_lowercase());
            passes && !array
        });
        for binding in self.variables.values_mut() {
            binding.nature = Nature::default();
        }
        self.variables.remove("IFS");
        let known = !arguments.iter().any(|argument| argument.may_split);
        let mut arguments = arguments.into_iter();
        if let Some(zero) = arguments.next() {
            self.zero = zero;
        }
        self.arguments = known.then(|| arguments.collect());
        self.ended = false;
        self.stops_on_error = false;
    }
}

/// Adds the marks of the path to what is executed from it.
fn marked(mut consequence: Consequence, taint: Taint) -> Consequence {
    for (act, _) in &mut consequence.effects {
        if let Act::Execute { origin, .. } = act {
            origin.taint = origin.taint.with(taint);
        }
    }
    consequence
}

/// The stream that a path of a process substitution stands for.
fn stream<'s>(path: &Value, shell: &'s Shell) -> Option<(Taint, &'s Outcome)> {
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

/// The marks of the words of a command.
fn marks_of(values: &[Value]) -> Taint {
    values
        .iter()
        .fold(Taint::NONE, |taint, value| taint.with(value.taint()))
}

/// The marks of the files that a program reads and this script has written.
fn held_marks(consequence: &Consequence, shell: &Shell) -> Taint {
    consequence
        .effects
        .iter()
        .fold(Taint::NONE, |taint, (act, _)| match act {
            Act::Read { target } => match shell.files.get(target) {
                Some(content) => taint.with(held_only(content.taint)),
                None => taint,
            },
            _ => taint,
        })
}

/// The marks that data keeps wherever it is copied to.
fn held_only(taint: Taint) -> Taint {
    [Taint::SECRET, Taint::NETWORK, Taint::DECODED]
        .into_iter()
        .filter(|mark| taint.has(*mark))
        .fold(Taint::NONE, Taint::with)
}

fn is_stream(target: &Target) -> bool {
    matches!(target.extent, Extent::Below | Extent::Prefix) && target.path.starts_with("/dev/fd")
}

fn note_write(target: &Target, how: WriteHow, data: Taint, shell: &mut Shell) {
    let content = Content {
        text: None,
        taint: data.with(Taint::SESSION),
        kind: if how == WriteHow::Touch {
            Kind::Directory
        } else {
            Kind::File
        },
    };
    match how {
        WriteHow::Touch | WriteHow::Replace | WriteHow::Edit | WriteHow::Append | WriteHow::Raw => {
            shell.files.write(target, content);
        }
        // What lies behind the link is read instead.
        WriteHow::Link => shell.files.lose(target),
        WriteHow::Attributes => {}
    }
}

/// The marks of what a program reads from its standard input.
fn input_taint(stdin: &Stdin) -> Taint {
    match stdin {
        Stdin::Inherited => Taint::UNKNOWN,
        Stdin::Text(text) => text.taint(),
        Stdin::File(target) => crate::taint_of(target),
        Stdin::Pipe(taint) => *taint,
    }
}
