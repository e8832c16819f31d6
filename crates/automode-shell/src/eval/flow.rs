//! Lists, and-or lists, pipelines: which command may follow which.

use super::Evaluator;
use super::output::CommandOutput;
use super::shell_state::ShellState;
use crate::ir::{Certainty, GapKind, Span, Stdin, Stdout};
use crate::syntax::{CommandKind, Connector, ListItem, ListMode, Pipeline, Script, Word};

/// What stands in front of a command of an and-or list.
struct ListLink<'t> {
    /// The directory before the list.
    start: Option<&'t str>,
    left: &'t Pipeline,
    /// The command on the left has done what it should.
    worked: bool,
    /// A failure further left was caught by `||`.
    absorbed: bool,
    /// More follows, which looks at the failure.
    forgives: bool,
}

impl Evaluator<'_> {
    pub(super) fn script(&mut self, script: &Script, shell: &mut ShellState) -> CommandOutput {
        let mut outcome = CommandOutput::default();
        for item in &script.items {
            if !self.spend(script.span) {
                break;
            }
            if shell.ended {
                // Behind an `exit`; looked at all the same, as nothing is lost by it.
                shell.certainty = Certainty::Sometimes;
            }
            self.note_doubt(shell);
            outcome = outcome.then(self.item(item, shell));
        }
        outcome
    }

    /// A command behind a `cd` that may have failed runs who knows where.
    pub(super) fn note_doubt(&mut self, shell: &mut ShellState) {
        let Some(doubt) = shell.doubt.take() else {
            return;
        };
        if !shell.stops_on_error || shell.forgives {
            let kind = GapKind::Unseen("whether the directory is there".to_owned());
            self.gap(kind, doubt);
        }
    }

    /// Runs a part whose failure is looked at.
    pub(super) fn forgiven(
        &mut self,
        shell: &mut ShellState,
        run: impl FnOnce(&mut Self, &mut ShellState) -> CommandOutput,
    ) -> CommandOutput {
        let forgives = std::mem::replace(&mut shell.forgives, true);
        let outcome = run(self, shell);
        shell.forgives = forgives;
        outcome
    }

    /// Runs one of several things that may happen, each from the same state.
    pub(super) fn either_way<T>(
        &mut self,
        choices: impl IntoIterator<Item = T>,
        shell: &mut ShellState,
        mut run: impl FnMut(&mut Self, T, &mut ShellState) -> CommandOutput,
    ) -> CommandOutput {
        let mut choices = choices.into_iter();
        let Some(first) = choices.next() else {
            return CommandOutput::default();
        };
        let before = shell.clone();
        let certainty = shell.certainty;
        shell.certainty = Certainty::Sometimes;
        let mut outcome = run(self, first, shell);
        for choice in choices {
            if !self.spend_on(before.variables.len(), Span::default()) {
                break;
            }
            let mut way = before.clone();
            way.certainty = Certainty::Sometimes;
            outcome = outcome.or(run(self, choice, &mut way));
            shell.join(way);
        }
        shell.certainty = certainty;
        outcome
    }

    /// Runs in a copy of the shell; only files outlive it. Its traps run at its end.
    pub(super) fn in_child(
        &mut self,
        shell: &mut ShellState,
        run: impl FnOnce(&mut Self, &mut ShellState) -> CommandOutput,
    ) -> CommandOutput {
        let mut child = shell.child();
        let outcome = run(self, &mut child);
        self.traps(&mut child);
        shell.files = child.files;
        outcome
    }

    /// Runs what `trap` has set: with the state at the end, and as it may have
    /// been at any time before that.
    pub(super) fn traps(&mut self, shell: &mut ShellState) {
        shell.certainty = Certainty::Sometimes;
        let changed = std::mem::take(&mut shell.since_trap);
        for trap in std::mem::take(&mut shell.traps) {
            self.text_here(&trap, "trap", shell);
            if changed.is_empty() {
                continue;
            }
            let mut earlier = shell.child();
            for (name, held) in &changed {
                earlier.forget(name);
                if let Some(binding) = earlier.variables.get_mut(name) {
                    binding.value = held.clone();
                }
            }
            self.text_here(&trap, "trap", &mut earlier);
        }
    }

    fn item(&mut self, item: &ListItem, shell: &mut ShellState) -> CommandOutput {
        if item.mode == ListMode::Background {
            // What it writes may be there in time or not.
            let before = shell.files.clone();
            let outcome = self.in_child(shell, |evaluator, child| {
                evaluator.feed(
                    Stdin::Text(crate::ir::Value::text("", item.first.span)),
                    child,
                );
                evaluator.and_or(item, child)
            });
            shell.files.join(&before);
            return outcome;
        }
        self.and_or(item, shell)
    }

    fn and_or(&mut self, item: &ListItem, shell: &mut ShellState) -> CommandOutput {
        if item.rest.is_empty() {
            return self.pipeline(&item.first, shell);
        }
        let start = shell.cwd.clone();
        let mut left = &item.first;
        let mut outcome = self.forgiven(shell, |evaluator, shell| evaluator.pipeline(left, shell));
        let mut absorbed = false;
        let last = item.rest.len().saturating_sub(1);
        for (at, (connector, right)) in item.rest.iter().enumerate() {
            let link = ListLink {
                start: start.as_deref(),
                left,
                worked: (*connector == Connector::And) != left.negated,
                absorbed,
                forgives: at < last,
            };
            let mut taken = shell.clone();
            outcome = outcome.then(self.linked(&link, right, &mut taken));
            match connector {
                Connector::And => shell.join_after_success(taken, right.span),
                Connector::Or => shell.join_after_failure(taken),
            }
            absorbed |= *connector == Connector::Or && shell.doubt.is_some();
            left = right;
        }
        if absorbed && let Some(doubt) = shell.doubt.filter(|_| shell.stops_on_error) {
            // The failure was caught, so `set -e` does not stop at it.
            let kind = GapKind::Unseen("whether the directory is there".to_owned());
            self.gap(kind, doubt);
        }
        outcome
    }

    /// Runs what stands behind a connector, where the left side let it.
    fn linked(
        &mut self,
        link: &ListLink<'_>,
        right: &Pipeline,
        taken: &mut ShellState,
    ) -> CommandOutput {
        taken.certainty = Certainty::Sometimes;
        if taken.doubt.is_some() && !link.worked {
            taken.cwd = link.start.map(str::to_owned);
        }
        // What a `cd` alone has left behind is known; behind more than that it is not.
        let known = !link.absorbed && (link.worked || changes_directory(link.left));
        if known {
            taken.doubt = None;
        } else {
            self.note_doubt(taken);
        }
        if link.forgives {
            return self.forgiven(taken, |evaluator, taken| evaluator.pipeline(right, taken));
        }
        self.pipeline(right, taken)
    }

    fn pipeline(&mut self, pipeline: &Pipeline, shell: &mut ShellState) -> CommandOutput {
        if pipeline.negated && !shell.forgives {
            return self.forgiven(shell, |evaluator, shell| {
                evaluator.pipeline(pipeline, shell)
            });
        }
        if let [stage] = pipeline.stages.as_slice() {
            return self.command(&stage.command, shell);
        }
        let mut outcome = CommandOutput::default();
        let last = pipeline.stages.len().saturating_sub(1);
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let before = std::mem::take(&mut outcome);
            outcome = self.in_child(shell, |evaluator, child| {
                if at > 0 {
                    evaluator.feed(before.into_stdin(stage.command.span), child);
                }
                if at < last {
                    child.stdout = Stdout::Pipe;
                }
                evaluator.command(&stage.command, child)
            });
            if stage.joins_stderr {
                outcome = outcome.then(CommandOutput::unknown(crate::ir::Taint::NONE));
            }
        }
        outcome
    }
}

/// Whether this is a `cd` and nothing else.
pub(super) fn changes_directory(pipeline: &Pipeline) -> bool {
    let [stage] = pipeline.stages.as_slice() else {
        return false;
    };
    match &stage.command.kind {
        CommandKind::Simple(simple) => {
            let name = simple.words.first().and_then(Word::bare);
            matches!(name, Some("cd" | "pushd"))
        }
        CommandKind::Group(_)
        | CommandKind::Subshell(_)
        | CommandKind::If { .. }
        | CommandKind::Loop { .. }
        | CommandKind::For { .. }
        | CommandKind::Select { .. }
        | CommandKind::ArithmeticFor { .. }
        | CommandKind::Case { .. }
        | CommandKind::Conditional(_)
        | CommandKind::Arithmetic(_)
        | CommandKind::Function { .. }
        | CommandKind::Coprocess { .. } => false,
    }
}

impl ShellState {
    /// The right side of `&&` may not have run, but what it changed is kept as one of two
    /// ways. A directory is taken as changed, with a doubt.
    fn join_after_success(&mut self, taken: Self, right: Span) {
        let (cwd, old_cwd, doubt) = (taken.cwd.clone(), taken.old_cwd.clone(), taken.doubt);
        let moved = taken.cwd != self.cwd && !taken.ended;
        let certainty = self.certainty;
        self.join(taken);
        self.certainty = certainty;
        if moved {
            self.cwd = cwd;
            self.old_cwd = old_cwd;
            self.doubt = doubt.or(Some(right));
        }
    }

    /// The right side of `||` ran where the left side failed.
    fn join_after_failure(&mut self, taken: Self) {
        if taken.ended {
            // `cd x || exit`: whoever comes past it has changed the directory.
            self.doubt = None;
        }
        let (cwd, old_cwd) = (self.cwd.clone(), self.old_cwd.clone());
        let certainty = self.certainty;
        let stayed = taken.cwd == self.cwd || self.doubt.is_some();
        self.join(taken);
        self.certainty = certainty;
        if stayed {
            self.cwd = cwd;
            self.old_cwd = old_cwd;
        }
    }
}
