//! Redirections: what is read, written and connected to.

use super::Evaluator;
use super::expand::{Quotes, STREAM};
use super::file::{FileContent, FileKind};
use super::output::{CommandOutput, Data};
use super::reopened::Reopened;
use super::shell_state::ShellState;
use crate::ir::{
    Act, Direction, Host, Invocation, Redirect, Span, Stdin, Stdout, Taint, Target, Value, WriteHow,
};
use crate::program::natures_of;
use crate::syntax::{
    self, Descriptor, PartKind, ProcessDirection, RedirectOperator, RedirectTarget, Script, Word,
    WordPart,
};

/// The redirections of one command.
#[derive(Clone, Default)]
pub(super) struct Redirections<'s> {
    pub(super) list: Vec<Redirect>,
    pub(super) stdin: Option<Stdin>,
    pub(super) stdout: Option<Stdout>,
    reads: Vec<(Act, Span)>,
    pub(super) writes: Vec<RedirectedOutput>,
    /// `> >(…)`: what reads the output.
    consumers: Vec<&'s Script>,
    /// Descriptors that lead to another machine.
    pub(super) connected: Vec<(u32, Host)>,
    /// What can be read from other descriptors.
    pub(super) opened: Vec<(u32, Stdin)>,
}

#[derive(Clone)]
pub(super) struct RedirectedOutput {
    pub(super) what: RedirectSink,
    pub(super) span: Span,
    pub(super) carries: Carries,
}

/// What of a command goes to a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    /// Its output and nothing else.
    Output,
    /// Its output, and messages of which nothing is known.
    OutputAndMore,
    /// What is written to another descriptor.
    Other,
}

#[derive(Clone, Debug)]
pub(super) enum RedirectSink {
    File { target: Target, how: WriteHow },
    Network(Host),
}

impl Redirections<'_> {
    /// Notes what a descriptor reads.
    fn open(&mut self, descriptor: u32, stdin: Stdin) {
        if descriptor == 0 {
            self.stdin = Some(stdin);
        } else {
            self.opened.push((descriptor, stdin));
        }
    }
}

impl Evaluator<'_> {
    pub(super) fn redirections<'s>(
        &mut self,
        redirects: &'s [syntax::Redirect],
        shell: &mut ShellState,
    ) -> Redirections<'s> {
        let mut all = Redirections::default();
        for redirect in redirects {
            self.redirection(redirect, shell, &mut all);
        }
        all
    }

    fn redirection<'s>(
        &mut self,
        redirect: &'s syntax::Redirect,
        shell: &mut ShellState,
        all: &mut Redirections<'s>,
    ) {
        let word = match &redirect.target {
            RedirectTarget::Word(word) => word,
            RedirectTarget::Document(document) => {
                if let Some(body) = document.body() {
                    let text = self.expand(body, shell, Quotes::Implied);
                    let descriptor = match redirect.descriptor {
                        Descriptor::Implied => 0,
                        Descriptor::Number(number) => number,
                        Descriptor::Variable(_) => 10,
                    };
                    all.open(descriptor, Stdin::Text(text));
                }
                return;
            }
        };
        let input = matches!(
            redirect.operator,
            RedirectOperator::Read
                | RedirectOperator::ReadWrite
                | RedirectOperator::DuplicateInput
                | RedirectOperator::HereString
        );
        let descriptor = match redirect.descriptor {
            Descriptor::Implied => u32::from(!input),
            Descriptor::Number(number) => number,
            // `exec {fd}> x; echo $fd` prints 10: bash takes the first one free from there on.
            Descriptor::Variable(_) => 10,
        };
        match redirect.operator {
            RedirectOperator::HereDocument => {}
            RedirectOperator::HereString => {
                let mut text = self.single(word, shell);
                // `wc -c <<< x` counts 2: bash puts the end of a line behind the word.
                text.pieces.push(crate::ir::Piece::Text("\n".to_owned()));
                all.open(descriptor, Stdin::Text(text));
            }
            RedirectOperator::Read => self.read_from(word, descriptor, redirect.span, shell, all),
            RedirectOperator::Write | RedirectOperator::Clobber => {
                self.write_to(
                    word,
                    WriteHow::Replace,
                    &[descriptor],
                    redirect.span,
                    shell,
                    all,
                );
            }
            RedirectOperator::Append => {
                self.write_to(
                    word,
                    WriteHow::Append,
                    &[descriptor],
                    redirect.span,
                    shell,
                    all,
                );
            }
            RedirectOperator::ReadWrite => {
                self.read_from(word, descriptor, redirect.span, shell, all);
                // `echo Z 1<> x` over `abc` leaves `Z`, a line's end and `c`: nothing is cut off.
                self.write_to(
                    word,
                    WriteHow::Edit,
                    &[descriptor],
                    redirect.span,
                    shell,
                    all,
                );
            }
            RedirectOperator::WriteBoth => {
                self.write_to(word, WriteHow::Replace, &[1, 2], redirect.span, shell, all);
            }
            RedirectOperator::AppendBoth => {
                self.write_to(word, WriteHow::Append, &[1, 2], redirect.span, shell, all);
            }
            RedirectOperator::DuplicateOutput | RedirectOperator::DuplicateInput => {
                self.duplicate(redirect, word, descriptor, shell, all);
            }
        }
    }

    /// `>&2`, `2>&1`, `<&3`, and `>&file`, which is `&>file`.
    fn duplicate<'s>(
        &mut self,
        redirect: &syntax::Redirect,
        word: &'s Word,
        descriptor: u32,
        shell: &mut ShellState,
        all: &mut Redirections<'s>,
    ) {
        let value = self.single(word, shell);
        let text = value.literal();
        let is_descriptor = text.as_deref().is_some_and(|text| {
            text == "-"
                || text
                    .trim_end_matches('-')
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())
        });
        let outward = redirect.operator == RedirectOperator::DuplicateOutput;
        let implied = matches!(
            redirect.descriptor,
            Descriptor::Implied | Descriptor::Number(1)
        );
        if !is_descriptor && outward && implied {
            self.write_value(
                &value,
                WriteHow::Replace,
                &[1, 2],
                redirect.span,
                shell,
                all,
            );
            return;
        }
        let from = text
            .as_deref()
            .and_then(|text| text.trim_end_matches('-').parse::<u32>().ok());
        let host = all
            .connected
            .iter()
            .chain(&shell.connected)
            .find(|(open, _)| Some(*open) == from)
            .map(|(_, host)| host.clone());
        match (&host, descriptor) {
            // To another open descriptor: the screen, or a file that was counted when opened.
            (None, 1) => all.stdout = Some(Stdout::Shown),
            (None, 0) => {
                let mut opened = all.opened.iter().chain(&shell.opened).rev();
                let known = opened.find(|(open, _)| Some(*open) == from);
                // `rg x <&-` has no input at all.
                let unknown = match value.literal().as_deref() {
                    Some("-") => Stdin::Text(Value::text("", value.span)),
                    Some(_) | None => Stdin::Pipe(Taint::UNKNOWN.with(value.taint())),
                };
                all.stdin = Some(known.map_or(unknown, |(_, stdin)| stdin.clone()));
            }
            (Some(_), 0) => all.stdin = Some(Stdin::Pipe(Taint::NETWORK)),
            (Some(_), 1) => all.stdout = Some(Stdout::Pipe),
            (None | Some(_), _) => {}
        }
        if let Some(host) = host {
            all.connected.push((descriptor, host.clone()));
            if outward && descriptor == 1 {
                all.writes.push(RedirectedOutput {
                    what: RedirectSink::Network(host),
                    span: redirect.span,
                    carries: Carries::Output,
                });
            }
        }
        if descriptor == 2 && from == Some(1) {
            for written in &mut all.writes {
                if written.carries == Carries::Output {
                    written.carries = Carries::OutputAndMore;
                }
            }
        }
    }

    fn read_from<'s>(
        &mut self,
        word: &'s Word,
        descriptor: u32,
        span: Span,
        shell: &mut ShellState,
        all: &mut Redirections<'s>,
    ) {
        if let Some((ProcessDirection::Output, script)) = only_process(word) {
            let outcome = self.captured(script, shell);
            all.open(descriptor, outcome.into_stdin(span));
            return;
        }
        let value = self.one_file(word, shell);
        for target in Target::locate_each(&value, shell.cwd.as_deref()) {
            let stdin = match device(&target.path) {
                Some(Device::Null) => Stdin::Text(Value::text("", span)),
                Some(Device::Terminal) => Stdin::Inherited,
                Some(Device::Network(host)) => {
                    all.connected.push((descriptor, host.clone()));
                    let act = Act::Connect {
                        host,
                        direction: Direction::Receive,
                        data: Taint::NONE,
                    };
                    all.reads.push((act, span));
                    Stdin::Pipe(Taint::NETWORK)
                }
                None => self.file_input(target, descriptor, span, shell, all),
            };
            all.open(descriptor, stdin);
        }
    }

    /// A file as input: its text, where the script wrote it itself.
    fn file_input(
        &mut self,
        target: Target,
        descriptor: u32,
        span: Span,
        shell: &ShellState,
        all: &mut Redirections<'_>,
    ) -> Stdin {
        all.reads.push((
            Act::Read {
                target: target.clone(),
            },
            span,
        ));
        all.list.push(Redirect {
            descriptor,
            target: target.clone(),
            append: false,
            input: true,
        });
        match shell.files.get(&target) {
            Some(FileContent {
                text: Some(text), ..
            }) => Stdin::Text(text.clone()),
            Some(content) => Stdin::Pipe(content.taint.with(crate::place::taint_of(&target))),
            None => Stdin::File(target),
        }
    }

    fn write_to<'s>(
        &mut self,
        word: &'s Word,
        how: WriteHow,
        descriptors: &[u32],
        span: Span,
        shell: &mut ShellState,
        all: &mut Redirections<'s>,
    ) {
        if let Some((ProcessDirection::Input, script)) = only_process(word) {
            all.consumers.push(script);
            all.stdout = Some(Stdout::Pipe);
            return;
        }
        let value = self.one_file(word, shell);
        // `echo x >! notes.txt` writes `!` in bash and `notes.txt` in zsh.
        if value.prefix().starts_with('!') {
            let kind =
                crate::ir::GapKind::Syntax("a redirection that shells read differently".to_owned());
            self.gap(kind, span);
        }
        self.write_value(&value, how, descriptors, span, shell, all);
    }

    fn write_value(
        &mut self,
        value: &Value,
        how: WriteHow,
        descriptors: &[u32],
        span: Span,
        shell: &ShellState,
        all: &mut Redirections<'_>,
    ) {
        let carries = match (descriptors.contains(&1), descriptors.contains(&2)) {
            (true, false) => Carries::Output,
            (true, true) => Carries::OutputAndMore,
            (false, _) => Carries::Other,
        };
        for target in Target::locate_each(value, shell.cwd.as_deref()) {
            let reopened = Reopened::by(&target.path, how, span);
            self.reopened.extend(reopened);
            let (stdout, what) = match device(&target.path) {
                Some(Device::Null) => (Stdout::Null, None),
                Some(Device::Terminal) => (Stdout::Shown, None),
                Some(Device::Network(host)) => {
                    let connected = descriptors.iter().map(|open| (*open, host.clone()));
                    all.connected.extend(connected);
                    all.list.push(Redirect {
                        descriptor: descriptors.first().copied().unwrap_or(1),
                        target,
                        append: false,
                        input: false,
                    });
                    (Stdout::Pipe, Some(RedirectSink::Network(host)))
                }
                None => {
                    for descriptor in descriptors {
                        all.list.push(Redirect {
                            descriptor: *descriptor,
                            target: target.clone(),
                            append: how == WriteHow::Append,
                            input: false,
                        });
                    }
                    let sink = RedirectSink::File {
                        target: target.clone(),
                        how,
                    };
                    (Stdout::File(target), Some(sink))
                }
            };
            if carries != Carries::Other {
                all.stdout = Some(stdout);
            }
            all.writes.extend(what.map(|what| RedirectedOutput {
                what,
                span,
                carries,
            }));
        }
    }

    /// The one word of a redirection; bash refuses more.
    fn one_file(&mut self, word: &Word, shell: &mut ShellState) -> Value {
        let mut values = self.fields(word, shell).into_iter();
        match (values.next(), values.next()) {
            (Some(value), None) => value,
            _ => Value::dynamic(crate::ir::DynamicSource::Unknown, Taint::NONE, word.span),
        }
    }

    /// Records what the redirections do, once the output of the command is known.
    pub(super) fn finish_redirections(
        &mut self,
        redirections: Redirections<'_>,
        outcome: CommandOutput,
        by: usize,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let certainty = shell.certainty;
        for (act, span) in redirections.reads {
            self.effect(act, by, span, certainty);
        }
        for written in redirections.writes {
            let output = match written.carries {
                Carries::Output => outcome.clone(),
                Carries::OutputAndMore => CommandOutput::unknown(outcome.taint),
                Carries::Other => CommandOutput::unknown(Taint::NONE),
            };
            match written.what {
                RedirectSink::Network(host) => {
                    let act = Act::Connect {
                        host,
                        direction: Direction::Send,
                        data: output.taint,
                    };
                    self.effect(act, by, written.span, certainty);
                }
                RedirectSink::File { target, how } => {
                    write_content(&target, how, &output, shell);
                    let data = output.taint;
                    self.effect(
                        Act::Write { target, how, data },
                        by,
                        written.span,
                        certainty,
                    );
                }
            }
        }
        if redirections.stdout.is_none() {
            self.note_kept(&outcome, by, shell);
            return outcome;
        }
        let mut last = CommandOutput::default();
        for script in redirections.consumers {
            last = self.consumer(script, outcome.clone(), shell);
        }
        last
    }

    /// A redirection without a command is what `:` with it would be.
    pub(super) fn record_nothing(
        &mut self,
        span: Span,
        redirections: &Redirections<'_>,
        shell: &ShellState,
    ) {
        self.invocations.push(Invocation {
            argv: vec![Value::text(":", span)],
            natures: natures_of(":"),
            env: Vec::new(),
            redirects: redirections.list.clone(),
            stdin: redirections
                .stdin
                .clone()
                .unwrap_or_else(|| shell.stdin.clone()),
            stdout: redirections
                .stdout
                .clone()
                .unwrap_or_else(|| shell.stdout.clone()),
            output: Taint::NONE,
            cwd: shell.cwd.clone(),
            span,
            layers: shell.layers.clone(),
            certainty: shell.certainty,
        });
    }
}

fn write_content(target: &Target, how: WriteHow, output: &CommandOutput, shell: &mut ShellState) {
    let text = match &output.data {
        Data::Nothing => Some(Value::text("", Span::default())),
        Data::Text(value) => Some(value.clone()),
        Data::Unknown => None,
    };
    let content = FileContent {
        text,
        taint: output.taint.with(Taint::SESSION),
        kind: FileKind::File,
    };
    if how == WriteHow::Append {
        shell.files.append(target, content);
    } else {
        shell.files.write(target, content);
    }
}

/// The substitution where a word is nothing else.
fn only_process(word: &Word) -> Option<(ProcessDirection, &Script)> {
    match word.parts.as_slice() {
        [
            WordPart {
                kind: PartKind::Process(flow, script),
                ..
            },
        ] => Some((*flow, script)),
        _ => None,
    }
}

enum Device {
    Null,
    Terminal,
    Network(Host),
}

/// Paths that are no files.
fn device(path: &str) -> Option<Device> {
    match path {
        "/dev/null" => return Some(Device::Null),
        "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" => return Some(Device::Terminal),
        _ => {}
    }
    if path.starts_with(STREAM) {
        return Some(Device::Terminal);
    }
    let address = path
        .strip_prefix("/dev/tcp/")
        .or_else(|| path.strip_prefix("/dev/udp/"))?;
    let host = address.split('/').next().unwrap_or_default();
    Some(Device::Network(match host {
        "" => Host::Unknown,
        "localhost" | "127.0.0.1" | "::1" => Host::Loopback,
        host => Host::Named(host.to_owned()),
    }))
}
