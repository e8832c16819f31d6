//! `source`: a file that runs in this very shell.

use std::collections::BTreeMap;

use super::Evaluator;
use super::output::CommandOutput;
use super::prepared_command::PreparedCommand;
use super::shell_state::{EarlyExit, ShellState};
use super::variable::{Stored, VariableBinding};
use crate::ir::{
    Act, Code, DynamicSource, Extent, FileFact, GapKind, Layer, Need, Origin, Span, Stdin, Taint,
    Target, Value,
};
use crate::place::Place;
use crate::shared::Shared;

impl Evaluator<'_> {
    /// `source`: a file that runs in this very shell.
    pub(super) fn source(
        &mut self,
        arguments: &[Value],
        prepared: &PreparedCommand,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let Some(path) = arguments.first() else {
            return CommandOutput::default();
        };
        let by = self.invocations.len().saturating_sub(1);
        let target = Target::locate(path, shell.cwd.as_deref());
        let written = shell.files.get(&target).cloned();
        let text = match (&written, self.facts.files.get(&target.path)) {
            _ if is_input(&target) => match &shell.stdin {
                Stdin::Text(text) if !self.is_consumed(shell) => Some(text.clone()),
                Stdin::Text(_) | Stdin::Inherited | Stdin::File(_) | Stdin::Pipe(_) => None,
            },
            _ if path.is_dynamic() => self.held(path, shell),
            (Some(content), _) => content.text.clone(),
            (None, Some(FileFact::Text { body, .. })) if target.extent == Extent::Exact => {
                Some(Value::text(body.as_str(), path.span))
            }
            (None, _) => None,
        };
        if is_input(&target) {
            self.consumed(shell);
        }
        let secret = Place::of(&target, self.context).secret.is_some();
        let shows = shell.shows_commands;
        let layers = shell.layers.len();
        shell.layers.push(Layer::File(target.path.clone()));
        let more = arguments.get(1..).filter(|more| !more.is_empty());
        let before = more.map(|_| shell.arguments.clone());
        if let Some(more) = more {
            shell.arguments = Some(more.to_vec());
        }
        let outcome = match text {
            Some(mut text) => {
                let held = written.map_or(Taint::NONE, |content| content.taint);
                // What the command itself spells out is no file.
                if !is_input(&target) && !path.is_dynamic() {
                    let origin = Origin {
                        seen: true,
                        taint: path.taint().with(held),
                    };
                    let code = Code::File(target);
                    let act = Act::Execute { code, origin };
                    self.effect(act, by, path.span, shell.certainty);
                }
                text.span = prepared.span;
                let before = shell.variables.clone();
                let outcome = self.text_here(&text, "source", shell);
                if secret {
                    keep_secret(&before, shell, prepared.span);
                }
                if secret && (shows || shell.shows_commands) {
                    let target = Target::locate(path, shell.cwd.as_deref());
                    let act = Act::Read { target };
                    self.effect(act, by, path.span, shell.certainty);
                }
                outcome
            }
            None => {
                let held = written.map_or(Taint::NONE, |content| content.taint);
                self.unseen_source(path, target, held, by, shell)
            }
        };
        if let Some(before) = before {
            shell.arguments = before;
        }
        shell.layers.truncate(layers);
        shell.arrive(EarlyExit::Function);
        outcome
    }

    pub(super) fn unseen_source(
        &mut self,
        path: &Value,
        target: Target,
        held: Taint,
        by: usize,
        shell: &ShellState,
    ) -> CommandOutput {
        if target.extent == Extent::Exact {
            self.needs.push(Need::File(target.path.clone()));
        }
        let origin = Origin {
            seen: false,
            taint: path.taint().with(held),
        };
        let code = if path.is_dynamic() {
            Code::Stream
        } else {
            Code::File(target)
        };
        self.effect(
            Act::Execute { code, origin },
            by,
            path.span,
            shell.certainty,
        );
        self.gap(GapKind::Unseen(path.shown()), path.span);
        CommandOutput::unknown(path.taint().with(Taint::UNKNOWN))
    }
}

/// What a file of secrets has set is secret: `source .env && echo $TOKEN`.
fn keep_secret(
    before: &Shared<BTreeMap<String, VariableBinding>>,
    shell: &mut ShellState,
    span: Span,
) {
    let changed: Vec<String> = shell
        .variables
        .iter()
        .filter(|(name, binding)| before.get(*name) != Some(*binding))
        .map(|(name, _)| name.clone())
        .collect();
    for name in changed {
        let source = DynamicSource::Variable(name.clone());
        let value = Value::dynamic(source, Taint::SECRET, span);
        shell.set(&name, Stored::Scalar(value));
    }
}

/// Whether a path is the standard input itself.
fn is_input(target: &Target) -> bool {
    const INPUTS: &[&str] = &["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    target.extent == Extent::Exact && INPUTS.contains(&target.path.as_str())
}
