//! The start of a program: what is recorded, what it carries where, what it prints.

use super::Evaluator;
use super::file::{FileContent, FileKind};
use super::listing;
use super::nested::stream;
use super::output::{CommandOutput, Data, stdin_taint};
use super::shell_state::ShellState;
use crate::ir::{
    Act, Code, Direction, Extent, GapKind, Host, Invocation, Layer, Nature, Nested, Origin,
    PackageOp, Piece, ProgramEffects, Redirect, Span, Stdin, Stdout, Taint, Target, Value,
    WriteHow, changes_work_tree, sets_work_aside,
};
use crate::program::{consult, natures_of_start};
use crate::syntax::Assignment;

/// A command about to start.
#[derive(Clone)]
pub(super) struct PreparedCommand {
    pub(super) argv: Vec<Value>,
    /// Array literals among the words of a declaration.
    pub(super) arrays: Vec<Assignment>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) span: Span,
}

impl Evaluator<'_> {
    /// Records the start of a command.
    pub(super) fn record(&mut self, prepared: &PreparedCommand, shell: &ShellState) {
        let invocation = self.invocation(prepared.clone(), shell);
        self.invocations.push(invocation);
    }

    /// The start of a command, in the state of the shell.
    fn invocation(&mut self, prepared: PreparedCommand, shell: &ShellState) -> Invocation {
        self.spend_on(shell.variables.len() * 8, prepared.span);
        Invocation {
            natures: natures_of_start(&prepared.argv),
            argv: prepared.argv,
            env: shell.environment(),
            redirects: prepared.redirects,
            stdin: self.left_to_read(shell),
            stdout: shell.stdout.clone(),
            output: Taint::NONE,
            cwd: shell.cwd.clone(),
            span: prepared.span,
            layers: shell.layers.clone(),
            certainty: shell.certainty,
        }
    }

    /// `set -x` shows the values of all words, whatever the command does with them.
    pub(super) fn traced(&mut self, words: &[Value], span: Span, shell: &ShellState) {
        let secret = |word: &Value| word.taint().has(Taint::SECRET);
        if shell.shows_commands && words.iter().any(secret) {
            let act = Act::Credential {
                what: "environment".to_owned(),
                direction: Direction::Receive,
            };
            // The trace is shown even where the output of the command is caught.
            let shown = |start: &Invocation| matches!(start.stdout, Stdout::Shown);
            let by = self.invocations.iter().rposition(shown).unwrap_or(0);
            self.effect(act, by, span, shell.certainty);
        }
    }

    /// Starts a program and follows what comes of it.
    pub(super) fn program(
        &mut self,
        prepared: PreparedCommand,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let by = self.invocations.len();
        let invocation = self.invocation(prepared, shell);
        self.invocations.push(invocation.clone());
        // What the script wrote may stand before the modules of an interpreter.
        let laid = match invocation.is_a(Nature::Interpreter) {
            true => shell.files.over(self.facts),
            false => None,
        };
        let facts = laid.as_ref().unwrap_or(self.facts);
        let consequence = consult(&invocation, self.context, facts);
        self.unnamed(by, &invocation);
        let outcome = self.follow(consequence, by, &invocation, shell);
        self.passed_through(&invocation, outcome, shell)
    }

    /// A program whose name comes from data is code that comes from data.
    pub(super) fn unnamed(&mut self, by: usize, invocation: &Invocation) {
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
    pub(super) fn follow(
        &mut self,
        consequence: ProgramEffects,
        by: usize,
        invocation: &Invocation,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let held = held_marks(&consequence, shell);
        let carried = marks_of(&invocation.argv).with(held);
        let mut taint = consequence.output.taint.with(held);
        let runs_input = |nested: &Nested| matches!(nested, Nested::Input { .. });
        let reads = consequence.output.passes_input || consequence.runs.iter().any(runs_input);
        if consequence.output.passes_input {
            taint = taint.with(stdin_taint(&invocation.stdin));
        }
        // A package manager runs its scripts by the manifest that it found: what it notes there
        // counts for what follows.
        let (noted, acts) = noted_manifests(consequence.effects);
        for (act, span) in acts {
            self.act(act, carried, by, span, invocation, shell);
        }
        self.needs.extend(consequence.needs);
        self.steps = self.steps.saturating_add(consequence.steps);
        for gap in consequence.gaps {
            self.gap(gap.kind, gap.span);
        }
        let only = consequence.runs.len() == 1;
        let mut ran: Option<CommandOutput> = None;
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
        for (act, span) in noted {
            self.act(act, carried, by, span, invocation, shell);
        }
        if reads {
            self.consumed(shell);
        }
        match (consequence.output.text, ran) {
            (Some(text), _) => CommandOutput::text(text),
            (None, Some(ran)) if only && taint.is_none() => ran,
            // `xargs grep -l x` prints names as what it runs does.
            (None, Some(ran)) if only && ran.is_names() => CommandOutput {
                taint: ran.taint.with(taint),
                ..ran
            },
            (None, ran) => {
                let ran = ran.map_or(Taint::NONE, |ran| ran.taint);
                CommandOutput::unknown(taint.with(ran))
            }
        }
    }

    /// Records one act. What the program carries goes where it writes and sends.
    pub(super) fn act(
        &mut self,
        act: Act,
        carried: Taint,
        by: usize,
        span: Span,
        invocation: &Invocation,
        shell: &mut ShellState,
    ) {
        if loses_listed(&act, invocation) {
            // `find . | xargs rm`: blanks in a name make two of it, so what goes is not sure.
            let what = "which names the listing prints".to_owned();
            self.gap(GapKind::Unseen(what), span);
        }
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
                // A registry is asked for packages: names of files tell it nothing.
                let registry = matches!(&host, Host::Default(service) if service == "registry");
                let leaks = carried.has(Taint::SECRET) || (carried.has(Taint::LOCAL) && !registry);
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
            Act::Vcs(ref op) => {
                // The files of the project may be others now: `git checkout x && make` runs
                // what the other Makefile says.
                shell.files.lose(&Target::below(invocation.cwd.as_deref()));
                if changes_work_tree(op, Some(invocation)) && !sets_work_aside(invocation) {
                    note_write(&Target::below(None), WriteHow::Replace, Taint::NONE, shell);
                }
                act
            }
            other => other,
        };
        self.effect(act, by, span, invocation.certainty);
    }

    /// A task is the project's own only inside the project, and not in a part of
    /// it that this very command fetched.
    pub(super) fn owned(&self, code: Code, invocation: &Invocation, shell: &ShellState) -> Code {
        let cwd = invocation.cwd.as_deref();
        let own =
            cwd.is_some_and(|cwd| self.context.is_inside(cwd) && !shell.files.is_fetched(cwd));
        match code {
            Code::Task { .. } if !own => Code::File(Target::below(cwd)),
            other => other,
        }
    }

    /// `cat` and `tee` hand on what they read, to the letter.
    pub(super) fn passed_through(
        &self,
        invocation: &Invocation,
        outcome: CommandOutput,
        shell: &ShellState,
    ) -> CommandOutput {
        if !matches!(outcome.data, Data::Unknown) {
            return outcome;
        }
        let names = listing::filtered(invocation, self.context)
            .or_else(|| listing::names(invocation, self.context));
        if let Some(mut names) = names {
            names.taint = names.taint.with(outcome.taint);
            return names;
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
            Some(text) => CommandOutput {
                taint: outcome.taint.with(text.taint()),
                data: Data::Text(text),
            },
            None => outcome,
        }
    }

    /// The text of a file or stream that the script wrote itself.
    pub(super) fn held(&self, path: &Value, shell: &ShellState) -> Option<Value> {
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
}

/// Acts, each with the part of the text that it stands for.
type SpannedActs = Vec<(Act, Span)>;

/// Parts off the edits by which a package manager notes packages in the manifest
/// that holds its scripts too.
fn noted_manifests(effects: SpannedActs) -> (SpannedActs, SpannedActs) {
    let does = |wanted: PackageOp| {
        effects
            .iter()
            .any(|(act, _)| matches!(act, Act::Package { op, .. } if *op == wanted))
    };
    // What is only noted is judged by its name alone: nothing may run beside it.
    let manages = does(PackageOp::Install) && !does(PackageOp::Declare);
    effects.into_iter().partition(|(act, _)| {
        let notes = matches!(
            act,
            Act::Write { target, how: WriteHow::Edit, .. }
                if target.extent == Extent::Exact
                    && ["/package.json", "/composer.json"]
                        .iter()
                        .any(|name| target.path.ends_with(name))
        );
        manages && notes
    })
}

/// The marks of the words of a command.
fn marks_of(values: &[Value]) -> Taint {
    values
        .iter()
        .fold(Taint::NONE, |taint, value| taint.with(value.taint()))
}

/// The marks of the files that a program reads and this script has written.
fn held_marks(consequence: &ProgramEffects, shell: &ShellState) -> Taint {
    let mut taint = Taint::NONE;
    for (act, _) in &consequence.effects {
        if let Act::Read { target } = act
            && let Some(content) = shell.files.get(target)
        {
            taint = taint.with(held_only(content.taint));
        }
    }
    taint
}

/// The marks that data keeps wherever it is copied to.
fn held_only(taint: Taint) -> Taint {
    [Taint::SECRET, Taint::NETWORK, Taint::DECODED]
        .into_iter()
        .filter(|mark| taint.has(*mark))
        .fold(Taint::NONE, Taint::with)
}

/// Whether an act replaces or deletes files that a listing names.
fn loses_listed(act: &Act, invocation: &Invocation) -> bool {
    let (Act::Delete { target, .. }
    | Act::Write {
        target,
        how: WriteHow::Replace | WriteHow::Raw | WriteHow::Link,
        ..
    }) = act
    else {
        return false;
    };
    let named = |piece: &Piece| matches!(piece, Piece::Glob(pattern) if pattern.contains("**"));
    let fed = invocation
        .argv
        .iter()
        .any(|word| word.pieces.iter().any(named));
    let searches =
        |layer: &Layer| matches!(layer, Layer::Wrapper(name) if SEARCHES.contains(&name.as_str()));
    target.extent == Extent::Pattern && fed && !invocation.layers.iter().any(searches)
}

/// Programs that hand each name on as one word.
const SEARCHES: &[&str] = &["find", "gfind", "bfs", "fd", "fdfind"];

fn is_stream(target: &Target) -> bool {
    matches!(target.extent, Extent::Below | Extent::Prefix) && target.path.starts_with("/dev/fd")
}

fn note_write(target: &Target, how: WriteHow, data: Taint, shell: &mut ShellState) {
    let content = FileContent {
        text: None,
        taint: data.with(Taint::SESSION),
        kind: if how == WriteHow::Touch {
            FileKind::Directory
        } else {
            FileKind::File
        },
    };
    match how {
        // Behind a link lies another file than the one of that name before.
        WriteHow::Touch
        | WriteHow::Replace
        | WriteHow::Edit
        | WriteHow::Append
        | WriteHow::Raw
        | WriteHow::Link => shell.files.write(target, content),
        WriteHow::Attributes => {}
    }
}
