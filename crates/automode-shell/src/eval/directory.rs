//! `cd`, `pushd`, `popd`.

use std::borrow::Cow;

use super::Evaluator;
use super::option::BuiltinOptions;
use super::output::CommandOutput;
use super::prepared_command::PreparedCommand;
use super::shell_state::ShellState;
use super::variable::Stored;
use crate::ir::{Extent, FileFact, Need, Span, Taint, Target, Value};

impl Evaluator<'_> {
    /// `cd`. That the directory is there is taken on trust only where the facts
    /// say so; otherwise what follows unguarded is in doubt.
    pub(super) fn change_directory(
        &mut self,
        prepared: &PreparedCommand,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let arguments = prepared.argv.get(1..).unwrap_or_default();
        let options = BuiltinOptions::read(arguments, "");
        match options.operands {
            [] => {
                let home = self.variable("HOME", shell, prepared.span);
                self.enter(home.literal().map(Cow::into_owned), prepared.span, shell);
            }
            [back] if back.literal().as_deref() == Some("-") => {
                let back = shell.old_cwd.clone();
                self.enter(back, prepared.span, shell);
                return CommandOutput::unknown(Taint::NONE);
            }
            // Where it is looked for is not followed.
            [operand] if searches(operand, shell) => self.enter(None, prepared.span, shell),
            [operand] => {
                let to = exact(operand, shell);
                self.enter(to, prepared.span, shell);
            }
            // `cd ~/x y` fails in bash, goes to `~/x` in dash, and to another place in zsh.
            [..] => self.enter(None, prepared.span, shell),
        }
        CommandOutput::default()
    }

    /// Goes to a directory, or to one that is not known.
    fn enter(&mut self, to: Option<String>, span: Span, shell: &mut ShellState) {
        shell.old_cwd = std::mem::replace(&mut shell.cwd, to);
        shell.touched("PWD", [&Stored::Unset]);
        for name in ["PWD", "OLDPWD"] {
            if shell.variables.contains_key(name) {
                shell.variables.remove(name);
            }
        }
        shell.doubt = match &shell.cwd {
            Some(cwd) if self.is_there(cwd, shell) => None,
            Some(_) | None => Some(span),
        };
        if let (Some(cwd), Some(_)) = (&shell.cwd, shell.doubt) {
            self.needs.push(Need::File(cwd.clone()));
        }
    }

    /// `pushd`: remembers the directory, or changes places with the last one.
    pub(super) fn push_directory(
        &mut self,
        prepared: &PreparedCommand,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let arguments = prepared.argv.get(1..).unwrap_or_default();
        let here = shell.cwd.clone();
        match arguments {
            [] => match shell.directories.as_mut().map(Vec::pop) {
                Some(Some(last)) => {
                    self.enter(last, prepared.span, shell);
                    shell.push(here);
                }
                // There is none: it fails and stays.
                Some(None) => {}
                None => self.enter(None, prepared.span, shell),
            },
            [operand] if !operand.prefix().starts_with(['-', '+']) && !searches(operand, shell) => {
                let to = exact(operand, shell);
                self.enter(to, prepared.span, shell);
                shell.push(here);
            }
            [..] => self.lose_directories(prepared.span, shell),
        }
        doubt_builtin(prepared.span, shell);
        CommandOutput::unknown(Taint::NONE)
    }

    pub(super) fn leave_directory(
        &mut self,
        prepared: &PreparedCommand,
        shell: &mut ShellState,
    ) -> CommandOutput {
        match shell.directories.as_mut().map(Vec::pop) {
            Some(Some(last)) if prepared.argv.len() == 1 => self.enter(last, prepared.span, shell),
            Some(None) if prepared.argv.len() == 1 => {}
            Some(_) | None => self.lose_directories(prepared.span, shell),
        }
        doubt_builtin(prepared.span, shell);
        CommandOutput::unknown(Taint::NONE)
    }

    /// Options pick directories in ways that are not followed.
    fn lose_directories(&mut self, span: Span, shell: &mut ShellState) {
        self.enter(None, span, shell);
        shell.directories = None;
    }

    /// Whether a directory is sure to exist.
    fn is_there(&self, path: &str, shell: &ShellState) -> bool {
        let given = std::iter::once(&self.context.cwd)
            .chain(&self.context.roots)
            .chain(&self.context.home);
        let holds = |known: &String| {
            known == path
                || known
                    .strip_prefix(path)
                    .is_some_and(|rest| rest.starts_with('/'))
        };
        path == "/"
            || path == "/tmp"
            || given.into_iter().any(holds)
            || shell.files.has_directory(path)
            || matches!(self.facts.files.get(path), Some(FileFact::Directory))
    }
}

impl ShellState {
    fn push(&mut self, directory: Option<String>) {
        if let Some(directories) = &mut self.directories {
            directories.push(directory);
        }
    }
}

/// A plain `sh` may not have the builtin, and then nobody goes anywhere.
fn doubt_builtin(span: Span, shell: &mut ShellState) {
    if shell.plain {
        shell.doubt = Some(span);
    }
}

/// The directory that an operand names.
fn exact(operand: &Value, shell: &ShellState) -> Option<String> {
    if operand.may_split {
        return None;
    }
    let target = Target::locate(operand, shell.cwd.as_deref());
    (target.extent == Extent::Exact).then_some(target.path)
}

/// Whether `CDPATH` of the script decides where an operand leads.
fn searches(operand: &Value, shell: &ShellState) -> bool {
    let set = match shell.variables.get("CDPATH").map(|binding| &binding.value) {
        None | Some(Stored::Unset) => false,
        Some(Stored::Scalar(value)) => value.literal().as_deref() != Some(""),
        Some(Stored::List(_) | Stored::Map(_) | Stored::Hidden(_) | Stored::Reference(_)) => true,
    };
    let start = operand.prefix();
    let fixed = start.starts_with('/') || matches!(start.as_ref(), "." | "..");
    set && !fixed && !start.starts_with("./") && !start.starts_with("../")
}
