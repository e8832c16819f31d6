//! Compound commands: every branch is taken, loops run until nothing new comes.

use std::sync::Arc;

use super::Evaluator;
use super::condition::foreign;
use super::dialect::is_called_by_itself;
use super::expand::Quotes;
use super::flow::changes_directory;
use super::output::{CommandOutput, stdin_taint};
use super::shell_state::{EarlyExit, ShellFunction, ShellState};
use super::variable::{Stored, either, taint_of_all};
use crate::ir::{Certainty, DynamicSource, GapKind, Span, Stdout, Taint, Value};
use crate::syntax::{CaseArm, CaseEnd, Command, CommandKind, PartKind, Quoting, Script, Word};

/// How many commands may be inside each other, so that the stack suffices.
const MAX_FRAMES: u32 = 40;
/// Loops over known words are run word by word up to this many.
const MAX_ROUNDS: usize = 64;

impl Evaluator<'_> {
    pub(super) fn command(&mut self, command: &Command, shell: &mut ShellState) -> CommandOutput {
        if self.frames >= MAX_FRAMES {
            self.gap(GapKind::Budget, command.span);
            return CommandOutput::unknown(Taint::UNKNOWN);
        }
        self.frames += 1;
        let outcome = self.command_within(command, shell);
        self.frames -= 1;
        outcome
    }

    fn command_within(&mut self, command: &Command, shell: &mut ShellState) -> CommandOutput {
        if !self.spend(command.span) {
            return CommandOutput::unknown(Taint::UNKNOWN);
        }
        if let CommandKind::Simple(simple) = &command.kind {
            return self.simple(simple, &command.redirects, command.span, shell);
        }
        if command.redirects.is_empty() {
            return self.compound(command, shell);
        }
        self.redirected(command, shell)
    }

    /// A compound command whose redirections hold for everything inside.
    fn redirected(&mut self, command: &Command, shell: &mut ShellState) -> CommandOutput {
        let redirections = self.redirections(&command.redirects, shell);
        let first = self.invocations.len();
        let before = self.redirect(&redirections, shell);
        let outcome = self.compound(command, shell);
        shell.restore(before);
        if self.invocations.len() == first {
            self.record_nothing(command.span, &redirections, shell);
        }
        self.finish_redirections(redirections, outcome, first, shell)
    }

    fn compound(&mut self, command: &Command, shell: &mut ShellState) -> CommandOutput {
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple, &[], command.span, shell),
            CommandKind::Group(script) => self.script(script, shell),
            CommandKind::Subshell(script) => {
                self.in_child(shell, |evaluator, child| evaluator.script(script, child))
            }
            CommandKind::If { arms, otherwise } => self.branches(arms, otherwise.as_ref(), shell),
            CommandKind::Loop { condition, body } => {
                self.repeat_while(condition, body, command.span, shell)
            }
            CommandKind::For { name, words, body } => {
                let items = match words {
                    Some(words) => Some(self.loop_items(words, shell)),
                    None => shell.arguments.clone(),
                };
                self.for_each(name, items, body, shell)
            }
            CommandKind::Select { name, words, body } => {
                self.select(name, words.as_deref(), body, shell)
            }
            CommandKind::ArithmeticFor { header, body } => self.arithmetic_for(header, body, shell),
            CommandKind::Case { subject, arms } => self.case(subject, arms, shell),
            CommandKind::Conditional(condition) => {
                self.condition(condition, shell);
                CommandOutput::default()
            }
            CommandKind::Arithmetic(expression) => {
                if runs_elsewhere(expression) {
                    self.gap(foreign(), expression.span);
                }
                self.arithmetic(expression, shell);
                CommandOutput::default()
            }
            CommandKind::Function { name, body } => {
                let function = ShellFunction {
                    bodies: vec![Arc::clone(body)],
                    ..ShellFunction::default()
                };
                if is_called_by_itself(name) {
                    let kind =
                        GapKind::Syntax("a function that the shell calls by itself".to_owned());
                    self.gap(kind, body.span);
                }
                shell.functions.insert(name.clone(), function);
                CommandOutput::default()
            }
            CommandKind::Coprocess { name, body } => {
                let outcome = self.in_child(shell, |evaluator, child| {
                    child.stdin = crate::ir::Stdin::Pipe(Taint::UNKNOWN);
                    child.stdout = Stdout::Pipe;
                    evaluator.command(body, child)
                });
                self.store(name, Stored::Hidden(outcome.taint), body.span, shell);
                CommandOutput::default()
            }
        }
    }

    /// A part that may or may not run.
    fn sometimes(&mut self, script: &Script, shell: &mut ShellState) -> CommandOutput {
        let before = shell.certainty;
        shell.certainty = Certainty::Sometimes;
        let outcome = self.script(script, shell);
        shell.certainty = before;
        outcome
    }

    fn branches(
        &mut self,
        arms: &[(Script, Script)],
        otherwise: Option<&Script>,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let certainty = shell.certainty;
        let mut ways = Vec::new();
        let mut outcome = CommandOutput::default();
        for (condition, branch) in arms {
            let start = shell.cwd.clone();
            outcome = outcome
                .then(self.forgiven(shell, |evaluator, shell| evaluator.script(condition, shell)));
            shell.certainty = Certainty::Sometimes;
            let mut way = shell.clone();
            self.tested(condition, start, &mut way, shell);
            let branch = self.script(branch, &mut way);
            ways.push((way, branch));
        }
        let mut last = CommandOutput::default();
        if let Some(branch) = otherwise {
            last = self.script(branch, shell);
        }
        let mut chosen = last;
        for (way, branch) in ways {
            shell.join(way);
            chosen = chosen.or(branch);
        }
        shell.certainty = certainty;
        outcome.then(chosen)
    }

    /// Behind a condition: where it held a `cd` in it has worked, elsewhere not.
    fn tested(
        &mut self,
        condition: &Script,
        start: Option<String>,
        held: &mut ShellState,
        failed: &mut ShellState,
    ) {
        if held.doubt.is_none() {
            return;
        }
        let last = condition.items.last();
        let pipeline = last.map(|item| item.rest.last().map_or(&item.first, |(_, last)| last));
        let negated = pipeline.is_some_and(|pipeline| pipeline.negated);
        let alone = matches!(condition.items.as_slice(), [item]
            if item.rest.is_empty() && changes_directory(&item.first));
        let (worked, stayed) = if negated {
            (failed, held)
        } else {
            (held, failed)
        };
        worked.doubt = None;
        stayed.cwd = start;
        if alone {
            stayed.doubt = None;
        } else {
            let forgives = std::mem::replace(&mut stayed.forgives, true);
            self.note_doubt(stayed);
            stayed.forgives = forgives;
        }
    }

    fn case(&mut self, subject: &Word, arms: &[CaseArm], shell: &mut ShellState) -> CommandOutput {
        self.single(subject, shell);
        let certainty = shell.certainty;
        shell.certainty = Certainty::Sometimes;
        let mut outcome = CommandOutput::default();
        let mut through: Option<ShellState> = None;
        let mut ways = Vec::new();
        let mut covers_all = false;
        for arm in arms {
            for pattern in &arm.patterns {
                covers_all |= takes_anything(pattern);
                self.single(pattern, shell);
            }
            let mut way = shell.clone();
            if let Some(before) = through.take() {
                way.join(before);
            }
            outcome = outcome.or(self.script(&arm.body, &mut way));
            match arm.end {
                CaseEnd::Leave => ways.push(way),
                CaseEnd::FallThrough | CaseEnd::TryNext => {
                    ways.push(way.clone());
                    through = Some(way);
                }
            }
        }
        // Where one arm takes whatever is left, some arm was taken.
        if covers_all && let Some(last) = ways.pop() {
            *shell = last;
        }
        for way in ways {
            shell.join(way);
        }
        shell.certainty = certainty;
        outcome
    }

    fn repeat_while(
        &mut self,
        condition: &Script,
        body: &Script,
        span: Span,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let first = self.invocations.len();
        let outcome = self.repeated(span, shell, |evaluator, shell| {
            let outcome = evaluator.forgiven(shell, |evaluator, shell| {
                let outcome = evaluator.script(condition, shell);
                evaluator.note_doubt(shell);
                outcome
            });
            outcome.then(evaluator.sometimes(body, shell))
        });
        self.note_busy_loop(first, span, shell);
        outcome
    }

    /// What the words of a loop stand for.
    fn loop_items(&mut self, words: &[Word], shell: &mut ShellState) -> Vec<Value> {
        let each = words.iter();
        each.flat_map(|word| self.fields(word, shell)).collect()
    }

    fn for_each(
        &mut self,
        name: &str,
        items: Option<Vec<Value>>,
        body: &Script,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let known = items.as_ref().is_some_and(|items| {
            let sure = |item: &Value| !item.may_split || !item.is_dynamic();
            items.len() <= MAX_ROUNDS && items.iter().all(sure)
        });
        match items {
            Some(items) if known => {
                let mut outcome = CommandOutput::default();
                for item in items {
                    if !self.spend(body.span) {
                        break;
                    }
                    outcome = outcome.then(self.rounds(name, item, body, shell));
                }
                outcome
            }
            items => {
                let counts = |items: &Vec<Value>| {
                    let number = |item: &Value| {
                        item.literal()
                            .is_some_and(|text| text.parse::<i64>().is_ok())
                    };
                    !items.is_empty() && items.iter().all(number)
                };
                let item = match items {
                    Some(items) if counts(&items) => Some(Value::dynamic(
                        DynamicSource::Number,
                        Taint::NONE,
                        body.span,
                    )),
                    items => items.and_then(|items| {
                        items.into_iter().reduce(|mine, next| either(&mine, &next))
                    }),
                };
                let item = match item {
                    Some(item) => any_item(&item),
                    None => Value::dynamic(DynamicSource::Argument, Taint::NONE, body.span),
                };
                self.repeated(body.span, shell, |evaluator, shell| {
                    evaluator.store(name, Stored::Scalar(item.clone()), body.span, shell);
                    evaluator.sometimes(body, shell)
                })
            }
        }
    }

    /// The rounds of a loop for one word: one, or as many as a pattern matches.
    fn rounds(
        &mut self,
        name: &str,
        item: Value,
        body: &Script,
        shell: &mut ShellState,
    ) -> CommandOutput {
        if item.may_split {
            let item = item.member();
            return self.repeated(body.span, shell, |evaluator, shell| {
                evaluator.store(name, Stored::Scalar(item.clone()), body.span, shell);
                evaluator.script(body, shell)
            });
        }
        self.store(name, Stored::Scalar(item), body.span, shell);
        let outcome = self.script(body, shell);
        // A `break` or `continue` may have been taken: the rest is still looked at.
        shell.arrive(EarlyExit::Loop);
        outcome
    }

    /// `select`: any of the words, as often as somebody chooses.
    fn select(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &Script,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let mut items = self.loop_items(words.unwrap_or_default(), shell);
        let taint = taint_of_all(&items);
        if taint.has(Taint::SECRET) {
            let menu = GapKind::Unseen("a menu that shows a secret".to_owned());
            self.gap(menu, body.span);
        }
        // An answer that is none of the numbers leaves it empty.
        items.push(Value::text("", body.span));
        let choice = items.into_iter().reduce(|mine, next| either(&mine, &next));
        let choice = choice.filter(|_| words.is_some());
        let choice =
            choice.unwrap_or_else(|| Value::dynamic(DynamicSource::Item, taint, body.span));
        let input = stdin_taint(&shell.stdin);
        self.repeated(body.span, shell, |evaluator, shell| {
            evaluator.store(name, Stored::Scalar(choice.clone()), body.span, shell);
            let reply = Value::dynamic(DynamicSource::Item, input, body.span);
            evaluator.store("REPLY", Stored::Scalar(reply), body.span, shell);
            evaluator.sometimes(body, shell)
        })
    }

    fn arithmetic_for(
        &mut self,
        header: &[Word],
        body: &Script,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let mut header = header.iter();
        if let Some(start) = header.next() {
            self.arithmetic(start, shell);
        }
        let rest: Vec<&Word> = header.collect();
        self.repeated(body.span, shell, |evaluator, shell| {
            for expression in &rest {
                evaluator.arithmetic(expression, shell);
            }
            evaluator.sometimes(body, shell)
        })
    }

    /// The value of a word that is neither split nor matched with files.
    pub(super) fn single(&mut self, word: &Word, shell: &mut ShellState) -> Value {
        self.expand(word, shell, Quotes::Implied)
    }
}

/// Whether `((…))` begins with a name that stands alone, as a command would.
fn runs_elsewhere(expression: &Word) -> bool {
    let Some(PartKind::Literal(text)) = expression.parts.first().map(|part| &part.kind) else {
        return !expression.parts.is_empty();
    };
    let text = text.trim_start_matches([' ', '\t', '\n', '(', '!']);
    let name = text
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let named = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let follows = text.as_bytes().get(name);
    named
        && matches!(
            follows,
            None | Some(b' ' | b'\t' | b'\n' | b')' | b'<' | b'>' | b'&' | b'|')
        )
}

/// What one of several words may be: a pattern stays one, a list becomes an item.
/// A bare `*` of a `case`.
fn takes_anything(pattern: &Word) -> bool {
    matches!(pattern.parts.as_slice(), [part]
        if part.quoting == Quoting::Bare
            && matches!(&part.kind, PartKind::Literal(text) if text == "*"))
}

fn any_item(item: &Value) -> Value {
    if item.may_split && item.is_dynamic() {
        return Value::dynamic(DynamicSource::Item, item.taint(), item.span);
    }
    item.clone().member()
}
