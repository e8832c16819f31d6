//! What a shell reads and where its output goes, while redirections hold.

use super::Evaluator;
use super::output::{CommandOutput, stdin_taint};
use super::redirect::{Carries, RedirectSink, Redirections};
use super::shell_state::ShellState;
use crate::ir::{Act, Direction, Stdin, Stdout, WriteHow};

/// What a shell reads and writes, to come back to.
pub(super) struct Streams {
    stdin: Stdin,
    stdout: Stdout,
    input: u32,
}

impl ShellState {
    pub(super) fn restore(&mut self, streams: Streams) {
        self.stdin = streams.stdin;
        self.stdout = streams.stdout;
        self.input = streams.input;
    }

    /// Keeps the redirections of an `exec`.
    pub(super) fn keep(&mut self, redirections: &Redirections<'_>) {
        self.connected
            .extend(redirections.connected.iter().cloned());
        // Of a text another command may read the rest.
        let opened = redirections.opened.iter();
        self.opened
            .extend(opened.map(|(open, stdin)| (*open, Stdin::Pipe(stdin_taint(stdin)))));
        let Some(stdout) = &redirections.stdout else {
            return;
        };
        let last = redirections.writes.iter().rev();
        let mut last = last.filter(|written| written.carries != Carries::Other);
        self.kept = last
            .next()
            .map(|written| (stdout.clone(), written.what.clone(), written.span));
    }
}

impl Evaluator<'_> {
    /// Lets the redirections of a command take effect; hands back what was before.
    pub(super) fn redirect(
        &mut self,
        redirections: &Redirections<'_>,
        shell: &mut ShellState,
    ) -> Streams {
        let before = Streams {
            stdin: shell.stdin.clone(),
            stdout: shell.stdout.clone(),
            input: shell.input,
        };
        if let Some(stdin) = redirections.stdin.clone() {
            self.feed(stdin, shell);
        }
        if let Some(stdout) = redirections.stdout.clone() {
            shell.stdout = stdout;
        }
        before
    }

    /// Gives a shell something new to read.
    pub(super) fn feed(&mut self, stdin: Stdin, shell: &mut ShellState) {
        self.inputs += 1;
        shell.input = self.inputs;
        shell.stdin = stdin;
    }

    /// Notes that some of the input has been read: the rest is not the whole text.
    pub(super) fn consumed(&mut self, shell: &ShellState) {
        if let Stdin::Text(_) = shell.stdin
            && !self.consumed.contains(&shell.input)
        {
            self.consumed.push(shell.input);
        }
    }

    pub(super) fn is_consumed(&self, shell: &ShellState) -> bool {
        self.consumed.contains(&shell.input)
    }

    /// What a command finds in its input: where another has read before it, some of the text,
    /// and of a listing some of the names.
    pub(super) fn left_to_read(&self, shell: &ShellState) -> Stdin {
        match &shell.stdin {
            Stdin::Text(text) if self.is_consumed(shell) && text.lines_match().is_none() => {
                Stdin::Pipe(text.taint())
            }
            stdin => stdin.clone(),
        }
    }

    /// What is shown goes where `exec` has led it.
    pub(super) fn note_kept(&mut self, outcome: &CommandOutput, by: usize, shell: &ShellState) {
        let Some((stdout, sink, span)) = &shell.kept else {
            return;
        };
        if shell.stdout != *stdout || outcome.taint.is_none() {
            return;
        }
        let data = outcome.taint;
        let act = match sink {
            RedirectSink::Network(host) => Act::Connect {
                host: host.clone(),
                direction: Direction::Send,
                data,
            },
            RedirectSink::File { target, .. } => Act::Write {
                target: target.clone(),
                how: WriteHow::Append,
                data,
            },
        };
        self.effect(act, by, *span, shell.certainty);
    }
}
