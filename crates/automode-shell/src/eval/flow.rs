//! Lists, and-or lists, pipelines: which command may follow which.

use super::Evaluator;
use super::outcome::Outcome;
use super::shell::Shell;
use crate::syntax::{Connector, Item, Mode, Pipeline, Script};
use crate::{Certainty, Stdin, Stdout};

impl Evaluator<'_> {
    pub(super) fn script(&mut self, script: &Script, shell: &mut Shell) -> Outcome {
        let mut outcome = Outcome::default();
        for item in &script.items {
            if !self.spend(script.span) {
                break;
            }
            if shell.ended {
                // Behind an `exit`; looked at all the same, as nothing is lost by it.
                shell.certainty = Certainty::Sometimes;
            }
            outcome = outcome.then(self.item(item, shell));
        }
        outcome
    }

    /// Runs in a copy of the shell; only files outlive it. Its traps run at its end.
    pub(super) fn in_child(
        &mut self,
        shell: &mut Shell,
        run: impl FnOnce(&mut Self, &mut Shell) -> Outcome,
    ) -> Outcome {
        let mut child = shell.child();
        let outcome = run(self, &mut child);
        self.traps(&mut child);
        shell.files.join(&child.files);
        outcome
    }

    /// Runs what `trap` has set, with the state at the end.
    pub(super) fn traps(&mut self, shell: &mut Shell) {
        shell.certainty = Certainty::Sometimes;
        for trap in std::mem::take(&mut shell.traps) {
            self.text_here(&trap, "trap", shell);
        }
    }

    fn item(&mut self, item: &Item, shell: &mut Shell) -> Outcome {
        if item.mode == Mode::Background {
            return self.in_child(shell, |evaluator, child| {
                child.stdin = Stdin::Text(crate::Value::text("", item.first.span));
                evaluator.and_or(item, child)
            });
        }
        self.and_or(item, shell)
    }

    fn and_or(&mut self, item: &Item, shell: &mut Shell) -> Outcome {
        let mut outcome = self.pipeline(&item.first, shell);
        for (connector, pipeline) in &item.rest {
            let next = match connector {
                Connector::And => self.and_then(pipeline, shell),
                Connector::Or => self.or_else(pipeline, shell),
            };
            outcome = outcome.then(next);
        }
        outcome
    }

    /// The right side of `&&`: it may not run, but what it changes is kept as
    /// one of two ways. A directory is taken as changed, with a doubt.
    fn and_then(&mut self, pipeline: &Pipeline, shell: &mut Shell) -> Outcome {
        let mut taken = shell.child();
        taken.certainty = Certainty::Sometimes;
        taken.guarded = true;
        let outcome = self.pipeline(pipeline, &mut taken);
        let (cwd, doubt) = (taken.cwd.clone(), taken.doubt);
        let moved = taken.cwd != shell.cwd;
        let certainty = shell.certainty;
        let guarded = shell.guarded;
        shell.join(taken);
        shell.certainty = certainty;
        shell.guarded = guarded;
        if moved {
            shell.cwd = cwd;
            shell.doubt = doubt.or(Some(pipeline.span));
        }
        outcome
    }

    /// The right side of `||`: runs where the left side failed.
    fn or_else(&mut self, pipeline: &Pipeline, shell: &mut Shell) -> Outcome {
        let mut taken = shell.child();
        taken.certainty = Certainty::Sometimes;
        taken.guarded = true;
        let outcome = self.pipeline(pipeline, &mut taken);
        if taken.ended {
            // `cd x || exit`: whoever comes past it has changed the directory.
            shell.doubt = None;
        }
        let cwd = shell.cwd.clone();
        let (certainty, guarded) = (shell.certainty, shell.guarded);
        let stayed = taken.cwd == shell.cwd;
        shell.join(taken);
        shell.certainty = certainty;
        shell.guarded = guarded;
        if stayed {
            shell.cwd = cwd;
        }
        outcome
    }

    fn pipeline(&mut self, pipeline: &Pipeline, shell: &mut Shell) -> Outcome {
        if let [stage] = pipeline.stages.as_slice() {
            return self.command(&stage.command, shell);
        }
        let mut outcome = Outcome::default();
        let last = pipeline.stages.len().saturating_sub(1);
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let before = std::mem::take(&mut outcome);
            outcome = self.in_child(shell, |evaluator, child| {
                if at > 0 {
                    child.stdin = before.into_stdin(stage.command.span);
                }
                if at < last {
                    child.stdout = Stdout::Pipe;
                }
                evaluator.command(&stage.command, child)
            });
            if stage.joins_stderr {
                outcome = outcome.then(Outcome::unknown(crate::Taint::NONE));
            }
        }
        outcome
    }
}
