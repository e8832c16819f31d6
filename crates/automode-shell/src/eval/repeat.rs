//! Loops of unknown length: a body runs until nothing new comes of it.

use super::output::CommandOutput;
use super::shell_state::{EarlyExit, ShellState};
use super::variable::Stored;
use super::{Evaluator, through_links};
use crate::ir::{Act, DynamicSource, GapKind, Invocation, Piece, Span, Taint, Value};

/// How often what a loop changes is looked at before it is given up.
const MAX_WIDENINGS: usize = 6;

impl Evaluator<'_> {
    /// `while :; do :; done`: nothing in it waits, and nothing ends it.
    pub(super) fn note_busy_loop(&mut self, first: usize, span: Span, shell: &ShellState) {
        const BUSY: &[&str] = &[":", "true", "false", "test", "[", "echo", "let", "continue"];
        let ran = self.invocations.get(first..).unwrap_or_default();
        let endless = ran.first().is_some_and(|start| {
            start.argv.len() == 1
                && name_of(start).is_some_and(|name| name == ":" || name == "true")
        });
        let busy = ran.len() > 1
            && ran
                .iter()
                .all(|start| name_of(start).is_some_and(|name| BUSY.contains(&&*name)));
        if endless && busy {
            self.effect(Act::Exhaust, first, span, shell.certainty);
        }
    }

    /// Runs a body any number of times: first only to see what it changes, until
    /// nothing more does, then once for the record with all of that unknown.
    pub(super) fn repeated(
        &mut self,
        span: Span,
        shell: &mut ShellState,
        mut body: impl FnMut(&mut Self, &mut ShellState) -> CommandOutput,
    ) -> CommandOutput {
        let mut start = shell.clone();
        let mut settled = false;
        for _ in 0..MAX_WIDENINGS {
            let mark = self.mark();
            let mut after = start.clone();
            body(self, &mut after);
            self.rewind(mark);
            after.arrive(EarlyExit::Loop);
            settled = !widen(&mut start, &after);
            if settled {
                break;
            }
        }
        if !settled {
            self.gap(GapKind::Budget, span);
        }
        let mut after = start.clone();
        let mark = self.mark();
        let outcome = body(self, &mut after);
        let round = self.effects.get(mark.effects..).unwrap_or_default();
        // The next round goes through the links of this one.
        let gaps = through_links(round.iter().chain(round));
        self.gaps.extend(gaps);
        after.arrive(EarlyExit::Loop);
        start.join(after);
        start.certainty = shell.certainty;
        *shell = start;
        // How often it ran is not known, so neither is its output.
        match outcome.data {
            super::output::Data::Nothing => outcome,
            super::output::Data::Text(_) | super::output::Data::Unknown => {
                CommandOutput::unknown(outcome.taint)
            }
        }
    }
}

/// Gives up what differs after a round; whether anything did.
fn widen(start: &mut ShellState, after: &ShellState) -> bool {
    let mut changed = false;
    for (name, binding) in after.variables.iter() {
        let before = start.variables.get(name);
        let known = before.map_or(Taint::NONE, |before| before.value.taint());
        let taint = binding.value.taint().with(known);
        let given_up = before.is_some_and(|before| is_given_up(&before.value));
        if before == Some(binding) || (given_up && taint == known) {
            continue;
        }
        let value = match (&binding.value, before.map(|before| &before.value)) {
            (Stored::Scalar(new), Some(Stored::Scalar(old)))
                if is_number(new) && is_number(old) =>
            {
                Stored::Scalar(Value::dynamic(DynamicSource::Number, taint, new.span))
            }
            (Stored::Scalar(new), None | Some(Stored::Scalar(_) | Stored::Unset)) => {
                Stored::Scalar(Value::dynamic(DynamicSource::Unknown, taint, new.span))
            }
            (Stored::Scalar(_), Some(_))
            | (
                Stored::List(_)
                | Stored::Map(_)
                | Stored::Hidden(_)
                | Stored::Reference(_)
                | Stored::Unset,
                _,
            ) => Stored::Hidden(taint),
        };
        changed = true;
        let mut widened = binding.clone();
        widened.value = value;
        start.variables.insert(name.clone(), widened);
    }
    if start.cwd.is_some() && start.cwd != after.cwd {
        start.cwd = None;
        changed = true;
    }
    if start.old_cwd.is_some() && start.old_cwd != after.old_cwd {
        start.old_cwd = None;
        changed = true;
    }
    if start.directories.is_some() && start.directories != after.directories {
        start.directories = None;
        changed = true;
    }
    if start.stops_on_error && !after.stops_on_error {
        start.stops_on_error = false;
        changed = true;
    }
    if start.arguments.is_some() && start.arguments != after.arguments {
        start.arguments = None;
        changed = true;
    }
    changed |= start.learn_functions(after);
    start.files.join(&after.files);
    changed
}

fn is_given_up(stored: &Stored) -> bool {
    match stored {
        Stored::Scalar(value) => matches!(
            value.pieces.as_slice(),
            [Piece::Dynamic(dynamic)] if matches!(dynamic.source, DynamicSource::Unknown)
        ),
        Stored::Hidden(_) => true,
        Stored::List(_) | Stored::Map(_) | Stored::Reference(_) | Stored::Unset => false,
    }
}

fn is_number(value: &Value) -> bool {
    let dynamic = matches!(
        value.pieces.as_slice(),
        [Piece::Dynamic(dynamic)] if dynamic.source == DynamicSource::Number
    );
    dynamic
        || value
            .literal()
            .is_some_and(|text| text.parse::<i64>().is_ok())
}

fn name_of(start: &Invocation) -> Option<std::borrow::Cow<'_, str>> {
    start.argv.first().and_then(Value::literal)
}
