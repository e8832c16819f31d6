//! Simple commands: expansion, then a function, a builtin or a program.

use std::sync::Arc;

use super::Evaluator;
use super::field::push_text;
use super::output::CommandOutput;
use super::prepared_command::PreparedCommand;
use super::shell_state::{EarlyExit, ShellFunction, ShellState};
use super::variable::VariableBinding;
use super::word_list;
use crate::ir::{Act, GapKind, Layer, Piece, Span, Value};
use crate::syntax::{Assignment, Command, PartKind, Quoting, Redirect, Simple, Word};

/// Builtins whose arguments are assignments: they are not split.
const DECLARES: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

/// The function that bash calls for a command that it does not find.
const NOT_FOUND: &str = "command_not_found_handle";

/// The most programs that one name is followed as.
const NAMES: usize = 8;

/// Which commands a name may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandLookup {
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
        shell: &mut ShellState,
    ) -> CommandOutput {
        let argv = self.argv(simple, shell);
        self.spend_on(argv.len().saturating_mul(16), span);
        if argv.is_empty() {
            return self.bare_assignments(&simple.assignments, redirects, span, shell);
        }
        let redirections = self.redirections(redirects, shell);
        let hidden = self.temporary(&simple.assignments, shell);
        let first = self.invocations.len();
        let before = self.redirect(&redirections, shell);
        let persists = persists(&argv);
        let prepared = PreparedCommand {
            argv,
            arrays: simple.arrays.clone(),
            redirects: redirections.list.clone(),
            span,
        };
        let outcome = self.run_prepared(prepared, CommandLookup::Everything, shell);
        // `exec > file` without a command keeps its redirections.
        if persists {
            shell.keep(&redirections);
        } else {
            shell.restore(before);
        }
        for (name, binding) in hidden {
            match binding {
                Some(binding) => shell.variables.insert(name, binding),
                None => shell.variables.remove(&name),
            };
        }
        if self.invocations.len() == first && !redirects.is_empty() {
            self.record_nothing(span, &redirections, shell);
        }
        let outcome = if persists {
            CommandOutput::unknown(outcome.taint)
        } else {
            outcome
        };
        self.finish_redirections(redirections, outcome, first, shell)
    }

    fn bare_assignments(
        &mut self,
        assignments: &[Assignment],
        redirects: &[Redirect],
        span: Span,
        shell: &mut ShellState,
    ) -> CommandOutput {
        for assignment in assignments {
            self.assign(assignment, shell);
        }
        if redirects.is_empty() {
            return CommandOutput::default();
        }
        let redirections = self.redirections(redirects, shell);
        let by = self.invocations.len();
        self.record_nothing(span, &redirections, shell);
        // `$(< file)` is what the file holds.
        let held = match &redirections.stdin {
            Some(crate::ir::Stdin::Text(text)) => CommandOutput::text(text.clone()),
            Some(stdin) => CommandOutput::unknown(super::output::stdin_taint(stdin)),
            None => CommandOutput::default(),
        };
        let captured = shell.stdout == crate::ir::Stdout::Captured && redirects.len() == 1;
        let outcome = self.finish_redirections(redirections, CommandOutput::default(), by, shell);
        if captured { held } else { outcome }
    }

    fn argv(&mut self, simple: &Simple, shell: &mut ShellState) -> Vec<Value> {
        let declares = simple
            .words
            .first()
            .and_then(Word::bare)
            .is_some_and(|name| DECLARES.contains(&name));
        let mut argv = Vec::with_capacity(simple.words.len());
        for word in &simple.words {
            match assigned_name(word).filter(|_| declares && !has_braces(word)) {
                Some(name) => argv.push(self.declared_word(name, word, shell)),
                None => argv.extend(self.fields(word, shell)),
            }
        }
        argv
    }

    /// `name=value` for a declaration: the value is expanded as in an assignment, so a
    /// tilde in front of it counts.
    fn declared_word(&mut self, name: &str, word: &Word, shell: &mut ShellState) -> Value {
        let mut value = word.clone();
        if let Some(PartKind::Literal(text)) = value.parts.first_mut().map(|part| &mut part.kind) {
            *text = text.split_off(text.find('=').map_or(0, |at| at.saturating_add(1)));
        }
        let mut value = self.assigned_word(&value, shell);
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
        shell: &mut ShellState,
    ) -> Vec<(String, Option<VariableBinding>)> {
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
    pub(super) fn run_prepared(
        &mut self,
        prepared: PreparedCommand,
        lookup: CommandLookup,
        shell: &mut ShellState,
    ) -> CommandOutput {
        if !self.spend(prepared.span) {
            return CommandOutput::default();
        }
        let Some(name) = prepared.argv.first() else {
            return CommandOutput::default();
        };
        let Some(text) = name.literal().filter(|_| !name.may_split) else {
            return self.unsure_name(prepared, lookup, shell);
        };
        let text = text.into_owned();
        if lookup == CommandLookup::Everything {
            if let Some(outcome) = self.alias(&text, &prepared, shell) {
                return outcome;
            }
            if let Some(function) = shell.functions.get(&text).cloned() {
                return self.function(&text, &function, prepared, shell);
            }
        }
        let by = self.invocations.len();
        let outcome = self.native(&text, prepared, lookup, shell);
        if let Some(invocation) = self.invocations.get_mut(by) {
            invocation.output = outcome.taint;
        }
        outcome
    }

    /// A builtin or a program.
    fn native(
        &mut self,
        name: &str,
        prepared: PreparedCommand,
        lookup: CommandLookup,
        shell: &mut ShellState,
    ) -> CommandOutput {
        if let Some(outcome) = self.builtin(name, &prepared, lookup, shell) {
            return outcome;
        }
        let handler = shell.functions.get(NOT_FOUND).cloned();
        let Some(handler) = handler.filter(|_| lookup != CommandLookup::Programs) else {
            return self.program(prepared, shell);
        };
        // Where there is no such program this function gets its words.
        self.either_way([Some(handler), None], shell, |evaluator, handler, shell| {
            let mut prepared = prepared.clone();
            match handler {
                Some(handler) => {
                    prepared
                        .argv
                        .insert(0, Value::text(NOT_FOUND, prepared.span));
                    evaluator.function(NOT_FOUND, &handler, prepared, shell)
                }
                None => evaluator.program(prepared, shell),
            }
        })
    }

    /// A name that is one of several, or only known when it runs.
    fn unsure_name(
        &mut self,
        prepared: PreparedCommand,
        lookup: CommandLookup,
        shell: &mut ShellState,
    ) -> CommandOutput {
        // `${PREFIX}mypy`, where branches set the prefix differently: each is followed.
        let choices = prepared
            .argv
            .first()
            .filter(|name| name.literal().is_none())
            .and_then(|name| name.choices(NAMES))
            .and_then(|names| {
                let texts = names.iter().map(Value::literal);
                texts
                    .map(|text| text.map(std::borrow::Cow::into_owned))
                    .collect::<Option<Vec<String>>>()
            })
            .filter(|texts| !texts.iter().any(|text| text.contains(['*', '?', '['])));
        let Some(texts) = choices else {
            return self.program(prepared, shell);
        };
        self.either_way(texts, shell, |evaluator, text, shell| {
            let words = text.split([' ', '\t', '\n']);
            let mut argv: Vec<Value> = words
                .filter(|word| !word.is_empty())
                .map(|word| Value::text(word, prepared.span))
                .collect();
            argv.extend(prepared.argv.iter().skip(1).cloned());
            let prepared = PreparedCommand {
                argv,
                ..prepared.clone()
            };
            evaluator.run_prepared(prepared, lookup, shell)
        })
    }

    /// An alias of the script. Whether it is expanded depends on the shell and
    /// its options, so both meanings are followed.
    fn alias(
        &mut self,
        name: &str,
        prepared: &PreparedCommand,
        shell: &mut ShellState,
    ) -> Option<CommandOutput> {
        let value = shell.aliases.get(name)?.clone();
        let mut text = value.clone();
        let mut rest = prepared.argv.iter().skip(1);
        // A blank at its end lets the next word be an alias too.
        if ends_blank(&text)
            && let Some(next) = prepared.argv.get(1).and_then(Value::literal)
            && let Some(next) = shell.aliases.get(next.as_ref())
        {
            rest.next();
            text.pieces.extend(next.pieces.iter().cloned());
        }
        for argument in rest {
            push_text(&mut text.pieces, " ");
            text.pieces.extend(quoted(argument));
        }
        text.span = prepared.span;
        let outcome = self.either_way([true, false], shell, |evaluator, expands, shell| {
            shell.aliases.remove(name);
            let outcome = if expands {
                evaluator.text_here(&text, name, shell)
            } else {
                evaluator.run_prepared(prepared.clone(), CommandLookup::Everything, shell)
            };
            shell.aliases.insert(name.to_owned(), value.clone());
            outcome
        });
        Some(outcome)
    }

    /// A function, or what else its name means where it may not be defined.
    fn function(
        &mut self,
        name: &str,
        function: &ShellFunction,
        prepared: PreparedCommand,
        shell: &mut ShellState,
    ) -> CommandOutput {
        // A function that a function of its name defines is another one.
        let runs = |body: &Arc<Command>| shell.running.iter().any(|own| Arc::ptr_eq(own, body));
        if function.bodies.iter().any(runs) {
            return self.recursion(name, &function.bodies, &prepared, shell);
        }
        if let ([body], false) = (function.bodies.as_slice(), function.perhaps) {
            return self.call(name, body, &prepared, shell);
        }
        let native = function.perhaps.then_some(None);
        let choices = function.bodies.iter().map(Some).chain(native);
        self.either_way(choices, shell, |evaluator, body, shell| match body {
            Some(body) => evaluator.call(name, body, &prepared, shell),
            None => evaluator.native(name, prepared.clone(), CommandLookup::Everything, shell),
        })
    }

    fn call(
        &mut self,
        name: &str,
        body: &Arc<Command>,
        prepared: &PreparedCommand,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let arguments = prepared.argv.iter().skip(1).cloned().collect();
        let before = shell.arguments.clone();
        shell.arguments = word_list::followed(arguments);
        shell.layers.push(Layer::Function(name.to_owned()));
        shell.locals.push(Vec::new());
        shell.running.push(Arc::clone(body));
        let outcome = self.deeper(prepared.span, |evaluator| evaluator.command(body, shell));
        shell.running.pop();
        // A `return` ends the function, not its caller.
        shell.arrive(EarlyExit::Function);
        for (name, binding) in shell.locals.pop().unwrap_or_default().into_iter().rev() {
            match binding {
                Some(binding) => shell.variables.insert(name, binding),
                None => shell.variables.remove(&name),
            };
        }
        shell.layers.pop();
        shell.arguments = before;
        outcome
    }

    /// A function that calls itself: twice at once is a fork bomb.
    fn recursion(
        &mut self,
        name: &str,
        bodies: &[Arc<Command>],
        prepared: &PreparedCommand,
        shell: &ShellState,
    ) -> CommandOutput {
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
        self.gap(GapKind::Budget, prepared.span);
        if calls > 1 {
            let by = self.invocations.len();
            self.record(prepared, shell);
            self.effect(Act::Exhaust, by, prepared.span, shell.certainty);
        }
        CommandOutput::unknown(crate::ir::Taint::NONE)
    }
}

/// Whether this is an `exec` without a command, whose redirections stay.
fn persists(argv: &[Value]) -> bool {
    let mut words = argv.iter().map(Value::literal);
    let command = words.by_ref().find(|word| {
        let prefix = word
            .as_deref()
            .is_some_and(|word| matches!(word, "command" | "builtin"));
        !prefix && !word.as_deref().is_some_and(|word| word.starts_with('-'))
    });
    let exec = command.flatten().as_deref() == Some("exec");
    exec && words.all(|word| word.is_some_and(|word| word.starts_with('-')))
}

/// Whether braces may make several words of it.
fn has_braces(word: &Word) -> bool {
    word.parts.iter().any(|part| {
        matches!(&part.kind, PartKind::Literal(text)
            if part.quoting == Quoting::Bare && text.contains('{'))
    })
}

fn ends_blank(value: &Value) -> bool {
    matches!(value.pieces.last(), Some(Piece::Text(text)) if text.ends_with([' ', '\t']))
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
