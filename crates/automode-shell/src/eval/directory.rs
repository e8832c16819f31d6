//! `cd`, `pushd`, `popd`.

use std::borrow::Cow;

use super::Evaluator;
use super::option::Options;
use super::outcome::Outcome;
use super::shell::Shell;
use super::start::Start;
use super::variable::Stored;
use crate::{Extent, FileFact, Need, Span, Taint, Target, Value};

impl Evaluator<'_> {
    /// `cd`. That the directory is there is taken on trust only where the facts
    /// say so; otherwise what follows unguarded is in doubt.
    pub(super) fn change_directory(&mut self, start: &Start, shell: &mut Shell) -> Outcome {
        let arguments = start.argv.get(1..).unwrap_or_default();
        let options = Options::read(arguments, "");
        match options.operands {
            [] => {
                let home = self.variable("HOME", shell, start.span);
                self.enter(home.literal().map(Cow::into_owned), start.span, shell);
            }
            [back] if back.literal().as_deref() == Some("-") => {
                let back = shell.old_cwd.clone();
                self.enter(back, start.span, shell);
                return Outcome::unknown(Taint::NONE);
            }
            // Where it is looked for is not followed.
            [operand] if searches(operand, shell) => self.enter(None, start.span, shell),
            [operand] => {
                let to = exact(operand, shell);
                self.enter(to, start.span, shell);
            }
            // Too many: it fails and stays.
            [..] if options.operands.iter().all(|operand| !operand.may_split) => {}
            [..] => self.enter(None, start.span, shell),
        }
        Outcome::default()
    }

    /// Goes to a directory, or to one that is not known.
    fn enter(&mut self, to: Option<String>, span: Span, shell: &mut Shell) {
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
    pub(super) fn push_directory(&mut self, start: &Start, shell: &mut Shell) -> Outcome {
        let arguments = start.argv.get(1..).unwrap_or_default();
        let here = shell.cwd.clone();
        match arguments {
            [] => match shell.directories.as_mut().map(Vec::pop) {
                Some(Some(last)) => {
                    self.enter(last, start.span, shell);
                    shell.push(here);
                }
                // There is none: it fails and stays.
                Some(None) => {}
                None => self.enter(None, start.span, shell),
            },
            [operand] if !operand.prefix().starts_with(['-', '+']) && !searches(operand, shell) => {
                let to = exact(operand, shell);
                self.enter(to, start.span, shell);
                shell.push(here);
            }
            [..] => self.lose_directories(start.span, shell),
        }
        Outcome::unknown(Taint::NONE)
    }

    pub(super) fn leave_directory(&mut self, start: &Start, shell: &mut Shell) -> Outcome {
        match shell.directories.as_mut().map(Vec::pop) {
            Some(Some(last)) if start.argv.len() == 1 => self.enter(last, start.span, shell),
            Some(None) if start.argv.len() == 1 => {}
            Some(_) | None => self.lose_directories(start.span, shell),
        }
        Outcome::unknown(Taint::NONE)
    }

    /// Options pick directories in ways that are not followed.
    fn lose_directories(&mut self, span: Span, shell: &mut Shell) {
        self.enter(None, span, shell);
        shell.directories = None;
    }

    /// Whether a directory is sure to exist.
    fn is_there(&self, path: &str, shell: &Shell) -> bool {
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

impl Shell {
    fn push(&mut self, directory: Option<String>) {
        if let Some(directories) = &mut self.directories {
            directories.push(directory);
        }
    }
}

/// The directory that an operand names.
fn exact(operand: &Value, shell: &Shell) -> Option<String> {
    if operand.may_split {
        return None;
    }
    let target = Target::locate(operand, shell.cwd.as_deref());
    (target.extent == Extent::Exact).then_some(target.path)
}

/// Whether `CDPATH` of the script decides where an operand leads.
fn searches(operand: &Value, shell: &Shell) -> bool {
    let set = match shell.variables.get("CDPATH").map(|binding| &binding.value) {
        None | Some(Stored::Unset) => false,
        Some(Stored::Scalar(value)) => value.literal().as_deref() != Some(""),
        Some(Stored::List(_) | Stored::Map(_) | Stored::Hidden(_) | Stored::Reference(_)) => true,
    };
    let start = operand.prefix();
    let fixed = start.starts_with('/') || matches!(start.as_ref(), "." | "..");
    set && !fixed && !start.starts_with("./") && !start.starts_with("../")
}
