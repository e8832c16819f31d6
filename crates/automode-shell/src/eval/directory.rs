//! `cd`, `pushd`, `popd`.

use super::Evaluator;
use super::nested::Start;
use super::outcome::Outcome;
use super::shell::Shell;
use crate::{Extent, FileFact, Need, Target, Value};

impl Evaluator<'_> {
    /// Changes the directory. That it is there is taken on trust only where the
    /// facts say so; otherwise what follows unguarded is in doubt.
    pub(super) fn change_directory(&mut self, start: &Start, shell: &mut Shell) -> Outcome {
        let operand = start.argv.iter().skip(1).find(|argument| {
            argument
                .literal()
                .is_none_or(|text| text == "-" || !text.starts_with('-'))
        });
        let back = operand.and_then(Value::literal).as_deref() == Some("-");
        let before = shell.cwd.clone();
        shell.cwd = match operand {
            _ if back => shell.old_cwd.clone(),
            None => self
                .variable("HOME", shell, start.span)
                .literal()
                .map(std::borrow::Cow::into_owned),
            Some(operand) if operand.may_split => None,
            Some(operand) => {
                let target = Target::locate(operand, shell.cwd.as_deref());
                (target.extent == Extent::Exact).then_some(target.path)
            }
        };
        shell.old_cwd = before;
        shell.doubt = match &shell.cwd {
            Some(cwd) if self.is_there(cwd, shell) => None,
            _ => Some(start.span),
        };
        if let (Some(cwd), Some(_)) = (&shell.cwd, shell.doubt) {
            self.needs.push(Need::File(cwd.clone()));
        }
        Outcome::default()
    }

    pub(super) fn leave_directory(&mut self, start: &Start, shell: &mut Shell) -> Outcome {
        // The stack is not modelled: where it leads is only known for one step.
        shell.cwd = shell.old_cwd.take();
        if shell.cwd.is_none() {
            shell.doubt = Some(start.span);
        }
        Outcome::unknown(crate::Taint::NONE)
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
