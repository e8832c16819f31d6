//! Words that are code: commands, shell text, scripts, tasks, and what they are given.

use super::meaning::{Meaning, Words};
use super::{Nested, NestedStdin, TaskRequest, lookup};
use crate::ir::Runner;
use crate::template::PathUse;
use crate::{Act, Code, DynamicSource, Gap, GapKind, Language, Layer, Piece, Taint, Target, Value};

/// More nested commands than this are a gap.
const RUNS: usize = 512;

impl Meaning<'_> {
    /// The rest of the words is a command, after `NAME=value` words.
    pub(super) fn command(&mut self, words: &[Value]) {
        let mut env = self.env.clone();
        let mut argv = without_end_of_flags(words);
        while let Some((first, rest)) = argv.split_first() {
            match assignment(first) {
                Some(pair) => env.push(pair),
                None => break,
            }
            argv = rest;
        }
        if argv.is_empty() {
            return;
        }
        if self.out.runs.len() > RUNS {
            return self.gap(Gap {
                kind: GapKind::Budget,
                span: self.invocation.span,
            });
        }
        for start in self.for_each_start(argv) {
            let elsewhere = Value::dynamic(DynamicSource::Item, Taint::NONE, self.invocation.span);
            self.out.runs.push(Nested::Command {
                argv: start.argv,
                env: env.clone(),
                cwd: match start.elsewhere {
                    true => Some(elsewhere),
                    false => self.nested_directory(),
                },
                stdin: NestedStdin::Same,
                layer: self.wrapper(),
            });
        }
    }

    /// A command whose files are those of the container that the first operand names.
    pub(super) fn container_command(&mut self, words: &[Value]) {
        let container = self
            .parsed
            .operands
            .first()
            .map(|operand| operand.value.shown());
        self.out.runs.push(Nested::Command {
            argv: words.to_vec(),
            env: self.env.clone(),
            cwd: None,
            stdin: NestedStdin::Same,
            layer: Layer::Remote(format!(
                "{} {}",
                self.program,
                container.unwrap_or_default()
            )),
        });
    }

    pub(super) fn prefixed(&mut self, front: &str, words: &[Value]) {
        let Some((first, rest)) = words.split_first() else {
            return;
        };
        if front.starts_with("python") {
            let cwd = self.invocation.cwd.clone();
            self.check_shadowed_library(cwd.as_deref(), first.span);
        }
        let mut name = first.clone();
        name.pieces.insert(0, Piece::Text(format!("{front} ")));
        let name = match name.literal() {
            Some(text) => Value::text(text.into_owned(), first.span),
            None => name,
        };
        self.command(
            &std::iter::once(name)
                .chain(rest.iter().cloned())
                .collect::<Vec<_>>(),
        );
    }

    /// A program out of a package that may be fetched for this run.
    pub(super) fn package(&mut self, words: &[Value]) {
        let Some((first, rest)) = words.split_first() else {
            return;
        };
        let code = Code::Package(first.shown());
        self.effect(lookup::unseen(code), first.span);
        if first.literal().is_some_and(|spec| names_a_tag(&spec)) {
            self.unseen(format!("the version `{}`", first.shown()), first.span);
        }
        let program = match first.literal() {
            Some(spec) => {
                let bare = match spec.rfind(['@', '=']) {
                    Some(at) if at > 0 => spec.get(..at).unwrap_or(&spec).trim_end_matches('='),
                    Some(_) | None => &spec,
                };
                let name = bare.rsplit('/').next().unwrap_or(bare).to_owned();
                Value::text(name, first.span)
            }
            None => first.clone(),
        };
        self.command(
            &std::iter::once(program)
                .chain(rest.iter().cloned())
                .collect::<Vec<_>>(),
        );
    }

    pub(super) fn shell(&mut self, text: Value, arguments: &[Value]) {
        self.out.runs.push(Nested::Shell {
            text,
            arguments: arguments.to_vec(),
            cwd: self.nested_directory(),
            stdin: NestedStdin::Same,
            layer: Layer::Text(self.program.to_owned()),
        });
    }

    /// `perl -n` opens `command|` and `|command` as a pipe.
    pub(super) fn magic_open(&mut self, value: &Value, cwd: Option<&str>) {
        let Some(text) = value.literal() else {
            return;
        };
        let name = text.trim();
        let command = name.strip_suffix('|').or_else(|| name.strip_prefix('|'));
        if let Some(command) = command {
            return self.shell(Value::text(command, value.span), &[]);
        }
        let written = name.trim_start_matches('+');
        let (used, file) = match written.strip_prefix(">>") {
            Some(file) => (PathUse::Append, file),
            None => match written.strip_prefix('>') {
                Some(file) => (PathUse::Write, file),
                None if written.len() < name.len() => {
                    (PathUse::Edit, written.trim_start_matches('<'))
                }
                None => return,
            },
        };
        let file = Value::text(file.trim(), value.span);
        self.path(used, &file, cwd);
    }

    /// Shell text that runs on the machine that the first operand names.
    pub(super) fn remote_shell(&mut self, words: &[Value]) {
        let text = Value::join(without_end_of_flags(words));
        let host = self
            .parsed
            .operands
            .first()
            .map(|operand| operand.value.shown());
        self.out.runs.push(Nested::Shell {
            text,
            arguments: Vec::new(),
            cwd: None,
            stdin: NestedStdin::Same,
            layer: Layer::Remote(host.unwrap_or_default()),
        });
    }

    /// Shell text whose input is whatever the other side sends.
    pub(super) fn network_shell(&mut self, text: Value) {
        self.out.runs.push(Nested::Shell {
            text,
            arguments: Vec::new(),
            cwd: None,
            stdin: NestedStdin::Data(Taint::NETWORK),
            layer: Layer::Text(self.program.to_owned()),
        });
    }

    pub(super) fn tasks(&mut self, runner: Runner, words: &Words<'_>) {
        let (assigned, names): (Vec<&Value>, Vec<&Value>) = words
            .values
            .iter()
            .partition(|word| assignment(word).is_some());
        let mut arguments: Vec<Value> = assigned.iter().map(|word| (*word).clone()).collect();
        arguments.extend(words.arguments.iter().cloned());
        for (name, value) in assigned.iter().filter_map(|word| assignment(word)) {
            self.effect(Act::Environment { name }, value.span);
        }
        self.task(runner, names.into_iter().cloned().collect(), arguments);
    }

    pub(super) fn task(&mut self, runner: Runner, names: Vec<Value>, arguments: Vec<Value>) {
        let layer = names.first().map_or_else(
            || Layer::Task(self.program.to_owned()),
            |name| Layer::Task(format!("{} {}", runner.name(), name.shown())),
        );
        self.out.runs.push(Nested::Task {
            runner,
            tasks: TaskRequest::Run(names),
            file: self.task_file.clone(),
            arguments,
            cwd: self.cwd_flag(),
            layer,
        });
    }

    pub(super) fn script(
        &mut self,
        language: Option<Language>,
        value: &Value,
        arguments: &[Value],
    ) {
        if value.literal().as_deref() == Some("-") {
            if let Some(language) = language {
                let layer = Layer::Text(self.program.to_owned());
                self.out.runs.push(Nested::Input {
                    language,
                    arguments: arguments.to_vec(),
                    layer,
                });
            }
            return;
        }
        self.note_directory();
        if language == Some(Language::Python) {
            let target = Target::locate(value, self.invocation.cwd.as_deref());
            let directory = target.path.rsplit_once('/').map(|(directory, _)| directory);
            self.check_shadowed_library(directory, value.span);
        }
        self.out.runs.push(Nested::File {
            path: value.clone(),
            language,
            arguments: arguments.to_vec(),
            layer: Layer::File(value.shown()),
        });
    }

    /// `ruby -C dir -e …`: code is read from the directory of the whole command.
    fn note_directory(&mut self) {
        if self.cwd_flag().is_some() {
            let span = self.invocation.span;
            self.unseen("code that runs in another directory".to_owned(), span);
        }
    }

    pub(super) fn code(&mut self, language: Language, value: &Value, arguments: &[Value]) {
        self.note_directory();
        if language == Language::Python {
            let cwd = self.invocation.cwd.clone();
            self.check_shadowed_library(cwd.as_deref(), value.span);
        }
        self.out.runs.push(Nested::Code {
            language,
            text: value.clone(),
            arguments: arguments.to_vec(),
            layer: Layer::Text(self.program.to_owned()),
        });
    }

    pub(super) fn assign(&mut self, value: &Value) {
        match assignment(value) {
            Some(pair) => self.env.push(pair),
            // A bare name hands the caller's own value on.
            None if value.literal().is_some() => {}
            None => {
                let gap = self.dynamic_gap(value);
                self.gap(gap);
            }
        }
    }
}

/// `jest@evil`: a version by a tag that anybody may have set.
fn names_a_tag(spec: &str) -> bool {
    const USUAL: &[&str] = &["latest", "next", "lts", "stable", "beta", "canary", "rc"];
    spec.rsplit_once('@')
        .filter(|(name, _)| !name.is_empty())
        .is_some_and(|(_, version)| {
            let number = version.trim_start_matches(['v', '^', '~', '=', '>', '<', ' ']);
            !USUAL.contains(&version) && !number.starts_with(|c: char| c.is_ascii_digit())
        })
}

/// The words after a leading `--`.
fn without_end_of_flags(words: &[Value]) -> &[Value] {
    match words.split_first() {
        Some((first, rest)) if first.literal().as_deref() == Some("--") => rest,
        Some(_) | None => words,
    }
}

/// `NAME=value`, cut.
pub(super) fn assignment(word: &Value) -> Option<(String, Value)> {
    let (name, value) = word.split_once('=')?;
    let mut letters = name.chars();
    let starts = letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    (starts && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some((name, value))
}

/// The word with every `mark` in its text replaced.
pub(super) fn replace_item(word: &Value, mark: &str, item: &[Piece]) -> Value {
    let mut pieces = Vec::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text(text) if !mark.is_empty() && text.contains(mark) => {
                for (index, part) in text.split(mark).enumerate() {
                    if index > 0 {
                        pieces.extend(item.iter().cloned());
                    }
                    if !part.is_empty() {
                        pieces.push(Piece::Text(part.to_owned()));
                    }
                }
            }
            Piece::Text(_) | Piece::Glob(_) | Piece::Dynamic(_) => pieces.push(piece.clone()),
        }
    }
    let merged = merge(pieces);
    Value {
        pieces: merged,
        ..word.clone()
    }
}

/// Neighbouring texts as one.
fn merge(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (merged.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (_, piece) => merged.push(piece),
        }
    }
    merged
}
