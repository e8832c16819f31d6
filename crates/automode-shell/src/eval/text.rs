//! Shell text that a script runs: `eval`, `trap`, `bash -c`, aliases.
//!
//! What is known to the letter is parsed and followed. Text with unknown parts
//! is read as far as it is known, and its gap says that more may run.

use super::Evaluator;
use super::dialect::read_otherwise;
use super::output::CommandOutput;
use super::shell_state::ShellState;
use super::variable::{Stored, VariableBinding, VariableNature};
use super::word_list;
use crate::ir::{Act, Code, GapKind, Layer, Origin, Piece, Span, Taint, Value};

impl Evaluator<'_> {
    /// Shell text in the shell itself: `eval`, `trap`, aliases.
    pub(super) fn text_here(
        &mut self,
        text: &Value,
        name: &str,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let by = self.invocations.len().saturating_sub(1);
        shell.layers.push(Layer::Text(name.to_owned()));
        let outcome = self.deeper(text.span, |evaluator| evaluator.text(text, name, by, shell));
        shell.layers.pop();
        outcome
    }

    /// Runs shell text as far as it is known.
    pub(super) fn text(
        &mut self,
        text: &Value,
        name: &str,
        by: usize,
        shell: &mut ShellState,
    ) -> CommandOutput {
        if let Some(literal) = text.literal() {
            return self.literal_text(&literal, text.span, shell);
        }
        if let Some(choices) = text
            .choices(8)
            .filter(|choices| choices.iter().all(|one| one.literal().is_some()))
        {
            return self.either_way(choices, shell, |evaluator, choice, shell| {
                let literal = choice.literal().unwrap_or_default();
                evaluator.literal_text(&literal, text.span, shell)
            });
        }
        let act = Act::Execute {
            code: Code::Inline { language: "shell" },
            origin: Origin {
                seen: false,
                taint: text.taint(),
            },
        };
        self.effect(act, by, text.span, shell.certainty);
        let unknown = GapKind::DynamicWord {
            program: name.to_owned(),
            word: text.shown(),
        };
        self.gap(unknown, text.span);
        self.partial_text(text, shell)
    }

    pub(super) fn literal_text(
        &mut self,
        text: &str,
        span: Span,
        shell: &mut ShellState,
    ) -> CommandOutput {
        if shell.reads_otherwise
            && let Some(what) = read_otherwise(text)
        {
            self.gap(GapKind::Syntax(what.to_owned()), span);
        }
        match self.parse(text, span) {
            Some(script) => self.script(&script, shell),
            None => CommandOutput::unknown(Taint::UNKNOWN),
        }
    }

    /// Text with unknown parts: they may hold any code, but what stands around
    /// them is still read, with variables in their places.
    fn partial_text(&mut self, text: &Value, shell: &mut ShellState) -> CommandOutput {
        let mut source = String::new();
        for (at, piece) in text.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) | Piece::Glob(text) => source.push_str(text),
                Piece::Dynamic(_) => {
                    let stand_in = format!("automode_unknown_{at}");
                    source.push_str(&format!("${{{stand_in}}}"));
                    let value = Value {
                        pieces: vec![piece.clone()],
                        span: text.span,
                        may_split: false,
                    };
                    shell
                        .variables
                        .insert(stand_in, VariableBinding::scalar(value));
                }
            }
        }
        let known = text
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Text(text) if !text.trim().is_empty()));
        if known && let Some(script) = self.parse(&source, text.span) {
            self.script(&script, shell);
        }
        CommandOutput::unknown(text.taint().with(Taint::UNKNOWN))
    }
}

impl ShellState {
    /// Forgets what a new shell does not inherit and takes its arguments.
    pub(super) fn adopt(&mut self, arguments: Vec<Value>) {
        self.functions.retain(|_, function| function.exported);
        self.aliases.clear();
        self.locals.clear();
        self.departed.clear();
        self.variables.retain(|name, binding| {
            let array = matches!(
                binding.value,
                Stored::List(_) | Stored::Map(_) | Stored::Hidden(_) | Stored::Reference(_)
            );
            let passes = binding.exported || !name.bytes().any(|byte| byte.is_ascii_lowercase());
            passes && !array
        });
        for binding in self.variables.values_mut() {
            binding.nature = VariableNature::default();
        }
        self.variables.remove("IFS");
        // `sh -c 'rm "$0"' *`: the first word is the name of the shell.
        self.zero =
            word_list::at(&arguments, 0, Span::default()).unwrap_or_else(|| self.zero.clone());
        self.arguments =
            word_list::followed(arguments).and_then(|arguments| match arguments.is_empty() {
                true => Some(arguments),
                false => word_list::without_first(arguments, 1),
            });
        self.ended = false;
        self.stops_on_error = false;
    }
}
