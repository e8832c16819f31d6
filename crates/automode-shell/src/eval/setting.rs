//! `set`, `shift`, `getopts`: the arguments and options of the shell.

use super::Evaluator;
use super::output::CommandOutput;
use super::prepared_command::PreparedCommand;
use super::shell_state::ShellState;
use super::variable::Stored;
use super::word_list;
use crate::ir::{DynamicSource, GapKind, Taint, Value};

/// More arguments than this are not followed one by one.
const MAX_ARGUMENTS: usize = 256;

impl Evaluator<'_> {
    /// `set -- a b`, `set -e`.
    pub(super) fn set_options(
        &mut self,
        arguments: &[Value],
        shell: &mut ShellState,
    ) -> CommandOutput {
        if arguments.is_empty() {
            // `set` alone prints every variable of the shell.
            return CommandOutput::unknown(Taint::SECRET);
        }
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let Some(text) = argument.literal() else {
                shell.arguments = None;
                shell.stops_on_error = false;
                return CommandOutput::default();
            };
            match text.as_ref() {
                "--" => {
                    shell.take_arguments(rest.cloned().collect());
                    return CommandOutput::default();
                }
                // `set -- ` clears `$1`, `set -` alone does not.
                "-" => {
                    let values: Vec<Value> = rest.cloned().collect();
                    if !values.is_empty() {
                        shell.take_arguments(values);
                    }
                    return CommandOutput::default();
                }
                flags if flags.starts_with(['-', '+']) => {
                    for letter in flags.chars().skip(1) {
                        let option = match letter {
                            'o' => rest.next().map(Value::shown),
                            other => Some(other.to_string()),
                        };
                        let on = flags.starts_with('-');
                        self.set_option(option.as_deref().unwrap_or_default(), on, argument, shell);
                    }
                }
                _ => {
                    let values = std::iter::once(argument).chain(rest).cloned().collect();
                    shell.take_arguments(values);
                    return CommandOutput::default();
                }
            }
        }
        CommandOutput::default()
    }

    fn set_option(&mut self, option: &str, on: bool, argument: &Value, shell: &mut ShellState) {
        match option {
            "e" | "errexit" => shell.stops_on_error = on,
            "x" | "xtrace" | "v" | "verbose" => shell.shows_commands = on,
            "history" if !on => self.note_variable("HISTFILE", argument.span),
            // Words mean something else with these: after `set -k`, `cmd X=1` sets `X`.
            "k" | "keyword" | "C" | "noclobber" | "H" | "histexpand" | "history" | "posix"
                if on =>
            {
                self.changed_meaning(option, argument);
            }
            "B" | "braceexpand" if !on => self.changed_meaning(option, argument),
            _ => {}
        }
    }

    fn changed_meaning(&mut self, option: &str, argument: &Value) {
        let kind = GapKind::Argument {
            program: "set".to_owned(),
            word: option.to_owned(),
        };
        self.gap(kind, argument.span);
    }

    pub(super) fn shift(&mut self, arguments: &[Value], shell: &mut ShellState) -> CommandOutput {
        let count = match arguments.first() {
            None => Some(1),
            Some(count) => count.literal().and_then(|text| text.parse::<usize>().ok()),
        };
        shell.arguments = match (count, shell.arguments.take()) {
            (Some(count), Some(values)) => word_list::without_first(values, count),
            (None, _) | (_, None) => None,
        };
        CommandOutput::default()
    }

    pub(super) fn getopts(
        &mut self,
        arguments: &[Value],
        prepared: &PreparedCommand,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let item = || {
            let value = Value::dynamic(DynamicSource::Argument, Taint::NONE, prepared.span);
            Stored::Scalar(value)
        };
        if let Some(name) = arguments.get(1) {
            self.store_named(name, item(), shell);
        }
        self.store("OPTARG", item(), prepared.span, shell);
        let index = Value::dynamic(DynamicSource::Number, Taint::NONE, prepared.span);
        self.store("OPTIND", Stored::Scalar(index), prepared.span, shell);
        CommandOutput::default()
    }
}

impl ShellState {
    fn take_arguments(&mut self, values: Vec<Value>) {
        self.arguments = word_list::followed(values).filter(|list| list.len() <= MAX_ARGUMENTS);
    }
}
