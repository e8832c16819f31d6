//! Simple commands: expansion, then a function, a builtin or a program.

use std::sync::Arc;

use super::Evaluator;
use super::expand::Quotes;
use super::field::push_text;
use super::nested::Start;
use super::outcome::Outcome;
use super::shell::{Binding, Shell, Stored};
use crate::syntax::{Assignment, Command, PartKind, Redirect, Simple, Word};
use crate::{Act, Certainty, DynamicSource, GapKind, Layer, Piece, Span, Value};

/// Builtins whose arguments are assignments: they are not split.
const DECLARES: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

/// Which commands a name may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    Everything,
    /// `command x`: no functions.
    NoFunctions,
    /// A program starts it: functions and the shell's own state are out of reach.
    Programs,
}

impl Evaluator<'_> {
    pub(super) fn simple(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        span: Span,
        shell: &mut Shell,
    ) -> Outcome {
        let argv = self.argv(simple, shell);
        if argv.is_empty() {
            return self.bare_assignments(simple, redirects, span, shell);
        }
        let redirections = self.redirections(redirects, shell);
        let hidden = self.temporary(&simple.assignments, shell);
        let first = self.invocations.len();
        let (stdin, stdout) = (shell.stdin.clone(), shell.stdout.clone());
        if let Some(stdin) = redirections.stdin.clone() {
            shell.stdin = stdin;
        }
        if let Some(stdout) = redirections.stdout.clone() {
            shell.stdout = stdout;
        }
        let start = Start {
            argv,
            redirects: redirections.list.clone(),
            span,
        };
        let outcome = self.start(start, Lookup::Everything, shell);
        // `exec > file` without a command keeps its redirections.
        if shell.keeps_streams(simple) {
            shell
                .connected
                .extend(redirections.connected.iter().cloned());
        } else {
            shell.stdin = stdin;
            shell.stdout = stdout;
        }
        for (name, binding) in hidden {
            match binding {
                Some(binding) => shell.variables.insert(name, binding),
                None => shell.variables.remove(&name),
            };
        }
        for array in &simple.arrays {
            self.assign(array, shell);
        }
        if self.invocations.len() == first && !redirects.is_empty() {
            self.record_nothing(span, &redirections, shell);
        }
        self.finish_redirections(redirections, outcome, first, shell)
    }

    fn bare_assignments(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        span: Span,
        shell: &mut Shell,
    ) -> Outcome {
        for assignment in &simple.assignments {
            self.assign(assignment, shell);
        }
        if redirects.is_empty() {
            return Outcome::default();
        }
        let redirections = self.redirections(redirects, shell);
        let by = self.invocations.len();
        self.record_nothing(span, &redirections, shell);
        // `$(< file)` is what the file holds.
        let held = match &redirections.stdin {
            Some(crate::Stdin::Text(text)) => Outcome::text(text.clone()),
            Some(stdin) => Outcome::unknown(super::outcome::stdin_taint(stdin)),
            None => Outcome::default(),
        };
        let captured = shell.stdout == crate::Stdout::Captured && redirects.len() == 1;
        let outcome = self.finish_redirections(redirections, Outcome::default(), by, shell);
        if captured { held } else { outcome }
    }

    fn argv(&mut self, simple: &Simple, shell: &mut Shell) -> Vec<Value> {
        let declares = simple
            .words
            .first()
            .and_then(Word::bare)
            .is_some_and(|name| DECLARES.contains(&name));
        let mut argv = Vec::with_capacity(simple.words.len());
        for word in &simple.words {
            match assigned_name(word).filter(|_| declares) {
                Some(name) => argv.push(self.declared(name, word, shell)),
                None => argv.extend(self.fields(word, shell)),
            }
        }
        argv
    }

    /// `name=value` for a declaration: the value is expanded as in an assignment, so a
    /// tilde in front of it counts.
    fn declared(&mut self, name: &str, word: &Word, shell: &mut Shell) -> Value {
        let mut value = word.clone();
        if let Some(PartKind::Literal(text)) = value.parts.first_mut().map(|part| &mut part.kind) {
            *text = text.split_off(text.find('=').map_or(0, |at| at.saturating_add(1)));
        }
        let mut value = self.expand(&value, shell, Quotes::Implied);
        value.pieces.insert(0, Piece::Text(format!("{name}=")));
        match value.literal() {
            Some(text) => Value::text(text.into_owned(), word.span),
            None => value,
        }
    }

    /// Assignments in front of a command; hands back what they hide.
    fn temporary(
        &mut self,
        assignments: &[Assignment],
        shell: &mut Shell,
    ) -> Vec<(String, Option<Binding>)> {
        let mut hidden = Vec::new();
        for assignment in assignments {
            hidden.push((
                assignment.name.clone(),
                shell.variables.get(&assignment.name).cloned(),
            ));
            self.assign(assignment, shell);
            if let Some(binding) = shell.variables.get_mut(&assignment.name) {
                binding.exported = true;
            }
        }
        // The first entry of a name is its oldest value: restored last.
        hidden.reverse();
        hidden
    }

    /// Starts a command by name.
    pub(super) fn start(&mut self, start: Start, lookup: Lookup, shell: &mut Shell) -> Outcome {
        if !self.spend(start.span) {
            return Outcome::default();
        }
        self.note_doubt(shell);
        let Some(name) = start.argv.first() else {
            return Outcome::default();
        };
        let Some(text) = name.literal().filter(|_| !name.may_split) else {
            return self.unsure_name(start, lookup, shell);
        };
        let text = text.into_owned();
        if lookup == Lookup::Everything {
            if let Some(outcome) = self.alias(&text, &start, shell) {
                return outcome;
            }
            if let Some(bodies) = shell.functions.get(&text).cloned() {
                return self.call(&text, &bodies, &start, shell);
            }
        }
        if let Some(outcome) = self.builtin(&text, &start, lookup, shell) {
            return outcome;
        }
        self.program(start, shell)
    }

    /// A name that is one of several, or only known when it runs.
    fn unsure_name(&mut self, start: Start, lookup: Lookup, shell: &mut Shell) -> Outcome {
        let choices = start
            .argv
            .first()
            .and_then(|name| match name.pieces.as_slice() {
                [Piece::Dynamic(dynamic)] => match &dynamic.source {
                    DynamicSource::OneOf(texts) => Some(texts.clone()),
                    DynamicSource::Variable(_)
                    | DynamicSource::Argument
                    | DynamicSource::Output
                    | DynamicSource::Item
                    | DynamicSource::Number
                    | DynamicSource::Unknown => None,
                },
                _ => None,
            });
        let Some(texts) = choices else {
            return self.program(start, shell);
        };
        let certainty = shell.certainty;
        shell.certainty = Certainty::Sometimes;
        let mut outcome: Option<Outcome> = None;
        for text in texts {
            let mut words = text
                .split([' ', '\t', '\n'])
                .filter(|word| !word.is_empty());
            let mut argv: Vec<Value> = words
                .by_ref()
                .map(|word| Value::text(word, start.span))
                .collect();
            argv.extend(start.argv.iter().skip(1).cloned());
            let one = self.start(
                Start {
                    argv,
                    ..start.clone()
                },
                lookup,
                shell,
            );
            outcome = Some(match outcome {
                Some(before) => before.or(one),
                None => one,
            });
        }
        shell.certainty = certainty;
        outcome.unwrap_or_default()
    }

    /// An alias of the script. Whether it is expanded depends on the shell and
    /// its options, so both meanings are followed.
    fn alias(&mut self, name: &str, start: &Start, shell: &mut Shell) -> Option<Outcome> {
        let value = shell.aliases.remove(name)?;
        let mut text = value.clone();
        for argument in start.argv.iter().skip(1) {
            push_text(&mut text.pieces, " ");
            text.pieces.extend(quoted(argument));
        }
        text.span = start.span;
        let certainty = shell.certainty;
        shell.certainty = Certainty::Sometimes;
        let expanded = self.text_here(&text, name, shell);
        let plain = self.start(start.clone(), Lookup::Everything, shell);
        shell.certainty = certainty;
        shell.aliases.insert(name.to_owned(), value);
        Some(expanded.or(plain))
    }

    fn call(
        &mut self,
        name: &str,
        bodies: &[Arc<Command>],
        start: &Start,
        shell: &mut Shell,
    ) -> Outcome {
        // A function that a function of its name defines is another one.
        let runs = |body: &Arc<Command>| shell.running.iter().any(|own| Arc::ptr_eq(own, body));
        if bodies.iter().any(runs) {
            return self.recursion(name, bodies, start, shell);
        }
        let arguments = start.argv.iter().skip(1).cloned().collect();
        let known = !start.argv.iter().any(|argument| argument.may_split);
        let before = shell.arguments.clone();
        shell.arguments = known.then_some(arguments);
        shell.layers.push(Layer::Function(name.to_owned()));
        shell.locals.push(Vec::new());
        let mut outcome: Option<Outcome> = None;
        for body in bodies {
            shell.running.push(Arc::clone(body));
            let one = self.deeper(start.span, |evaluator| evaluator.command(body, shell));
            shell.running.pop();
            outcome = Some(match outcome {
                Some(before) => before.or(one),
                None => one,
            });
        }
        for (name, binding) in shell.locals.pop().unwrap_or_default().into_iter().rev() {
            match binding {
                Some(binding) => shell.variables.insert(name, binding),
                None => shell.variables.remove(&name),
            };
        }
        shell.layers.pop();
        shell.arguments = before;
        // A `return` ends the function, not its caller.
        shell.ended = false;
        outcome.unwrap_or_default()
    }

    /// A function that calls itself: twice at once is a fork bomb.
    fn recursion(
        &mut self,
        name: &str,
        bodies: &[Arc<Command>],
        start: &Start,
        shell: &Shell,
    ) -> Outcome {
        let mut calls = 0_usize;
        for body in bodies {
            body.visit(&mut |command| {
                if let crate::syntax::CommandKind::Simple(simple) = &command.kind
                    && simple.words.first().and_then(Word::literal).as_deref() == Some(name)
                {
                    calls += 1;
                }
            });
        }
        self.gap(GapKind::Budget, start.span);
        if calls > 1 {
            let by = self.invocations.len();
            self.record(start, shell);
            self.effect(Act::Exhaust, by, start.span, shell.certainty);
        }
        Outcome::unknown(crate::Taint::NONE)
    }

    /// A command behind a `cd` that may have failed runs who knows where.
    fn note_doubt(&mut self, shell: &mut Shell) {
        if shell.guarded || shell.stops_on_error {
            return;
        }
        if let Some(doubt) = shell.doubt.take() {
            self.gap(
                GapKind::Unseen("whether the directory is there".to_owned()),
                doubt,
            );
        }
    }
}

impl Shell {
    /// Whether this is an `exec` without a command.
    fn keeps_streams(&self, simple: &Simple) -> bool {
        matches!(simple.words.as_slice(), [word] if word.bare() == Some("exec"))
    }

    /// Makes a variable known to programs.
    pub(super) fn export(&mut self, name: &str) {
        match self.variables.get_mut(name) {
            Some(binding) => binding.exported = true,
            None => {
                let value = Value::dynamic(
                    DynamicSource::Variable(name.to_owned()),
                    crate::place::taint_of_variable(name),
                    Span::default(),
                );
                self.variables.insert(
                    name.to_owned(),
                    Binding {
                        value: Stored::Scalar(value),
                        exported: true,
                    },
                );
            }
        }
    }
}

/// The name of a word of the form `name=…`.
fn assigned_name(word: &Word) -> Option<&str> {
    let PartKind::Literal(text) = &word.parts.first()?.kind else {
        return None;
    };
    let (name, _) = text.split_once('=')?;
    let named = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+');
    (!name.is_empty() && name.bytes().all(named)).then_some(name)
}

/// An argument as text that reads back as one word.
fn quoted(argument: &Value) -> Vec<Piece> {
    argument
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => Piece::Text(format!("'{}'", text.replace('\'', "'\\''"))),
            Piece::Glob(pattern) => Piece::Text(pattern.clone()),
            Piece::Dynamic(dynamic) => Piece::Dynamic(dynamic.clone()),
        })
        .collect()
}
