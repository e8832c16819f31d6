//! What the shell does itself.

use super::Evaluator;
use super::command::Lookup;
use super::declare::Declaration;
use super::nested::Start;
use super::outcome::Outcome;
use super::print;
use super::shell::{Shell, Stored};
use crate::{
    Act, Code, Direction, Extent, FileFact, GapKind, Layer, Need, Origin, Piece, SystemChange,
    Taint, Target, Value,
};

impl Evaluator<'_> {
    /// Runs a builtin; `None` where the name is none, or only a program has it.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        start: &Start,
        lookup: Lookup,
        shell: &mut Shell,
    ) -> Option<Outcome> {
        let program = lookup == Lookup::Programs;
        let arguments = start.argv.get(1..).unwrap_or_default();
        let outcome = match name {
            ":" | "true" | "false" => {
                self.record(start, shell);
                Outcome::default()
            }
            "echo" => {
                self.record(start, shell);
                print::echo(arguments, start.span)
            }
            "printf" => {
                self.record(start, shell);
                self.printf(arguments, start, shell)
            }
            "test" | "[" => {
                self.record(start, shell);
                self.test(arguments);
                Outcome::default()
            }
            "pwd" => {
                self.record(start, shell);
                match &shell.cwd {
                    Some(cwd) => Outcome::text(Value::text(format!("{cwd}\n"), start.span)),
                    None => Outcome::unknown(Taint::NONE),
                }
            }
            _ if program => return None,
            _ => return self.stateful(name, arguments, start, lookup, shell),
        };
        Some(outcome)
    }

    /// Builtins that change the shell itself.
    fn stateful(
        &mut self,
        name: &str,
        arguments: &[Value],
        start: &Start,
        lookup: Lookup,
        shell: &mut Shell,
    ) -> Option<Outcome> {
        let known = STATEFUL.contains(&name);
        if !known {
            return None;
        }
        if matches!(name, "command" | "builtin" | "exec") {
            return Some(self.prefix(name, arguments, start, lookup, shell));
        }
        let by = self.invocations.len();
        self.record(start, shell);
        if lists_variables(name, arguments) {
            let act = Act::Credential {
                what: "environment".to_owned(),
                direction: Direction::Receive,
            };
            self.effect(act, by, start.span, shell.certainty);
            return Some(Outcome::unknown(Taint::SECRET));
        }
        Some(match name {
            "cd" | "pushd" => self.change_directory(start, shell),
            "popd" => self.leave_directory(start, shell),
            "export" => self.declare(arguments, Declaration::Export, shell),
            "declare" | "typeset" | "local" if !shell.locals.is_empty() => {
                self.declare(arguments, Declaration::Local, shell)
            }
            "declare" | "typeset" | "local" | "readonly" => {
                self.declare(arguments, Declaration::Plain, shell)
            }
            "unset" => self.unset(arguments, shell),
            "set" => self.set_options(arguments, shell),
            "shift" => self.shift(arguments, shell),
            "read" => self.read(arguments, start.span, shell),
            "mapfile" | "readarray" => self.read_array(arguments, start.span, shell),
            "getopts" => self.getopts(arguments, start, shell),
            "let" => self.let_(arguments, shell),
            "eval" => self.eval(arguments, shell),
            "source" | "." => self.source(arguments, start, shell),
            "trap" => self.trap(arguments, shell),
            "alias" => self.define_alias(arguments, shell),
            "unalias" => Outcome::default(),
            "exit" | "return" | "break" | "continue" | "logout" => {
                shell.ended = true;
                Outcome::default()
            }
            "history" => self.history(arguments, start, shell),
            _ => self.harmless(name, arguments, start),
        })
    }

    /// `command`, `builtin` and `exec` in front of another command.
    fn prefix(
        &mut self,
        name: &str,
        arguments: &[Value],
        start: &Start,
        lookup: Lookup,
        shell: &mut Shell,
    ) -> Outcome {
        let mut rest = arguments.iter();
        let mut next = rest.next();
        while let Some(flag) = next
            .and_then(Value::literal)
            .filter(|text| text.starts_with('-'))
        {
            if name == "command" && flag.contains(['v', 'V']) {
                self.record(start, shell);
                return Outcome::unknown(Taint::NONE);
            }
            if name == "exec" && flag.as_ref() == "-a" {
                rest.next();
            }
            next = rest.next();
        }
        let argv: Vec<Value> = next.into_iter().chain(rest).cloned().collect();
        if argv.is_empty() {
            self.record(start, shell);
            return Outcome::default();
        }
        let lookup = match name {
            "exec" => Lookup::Programs,
            _ if lookup == Lookup::Programs => lookup,
            _ => Lookup::NoFunctions,
        };
        shell.layers.push(Layer::Wrapper(name.to_owned()));
        let start = Start {
            argv,
            ..start.clone()
        };
        let outcome = self.start(start, lookup, shell);
        shell.layers.pop();
        if name == "exec" {
            shell.ended = true;
        }
        outcome
    }

    fn printf(&mut self, arguments: &[Value], start: &Start, shell: &mut Shell) -> Outcome {
        let mut rest = arguments;
        let mut variable = None;
        if let [flag, name, more @ ..] = rest
            && flag.literal().as_deref() == Some("-v")
        {
            self.evaluated_name(name);
            variable = Some(name.clone());
            rest = more;
        }
        if let [dashes, more @ ..] = rest
            && dashes.literal().as_deref() == Some("--")
        {
            rest = more;
        }
        let outcome = print::printf(rest, start.span);
        let Some(variable) = variable else {
            return outcome;
        };
        match variable.literal() {
            Some(name) => {
                let name = name.split('[').next().unwrap_or_default().to_owned();
                shell.set(&name, Stored::Scalar(outcome.into_value(start.span)));
            }
            None => self.forget_all(variable.span, shell),
        }
        Outcome::default()
    }

    fn test(&mut self, arguments: &[Value]) {
        for pair in arguments.windows(2) {
            if let [flag, name] = pair
                && matches!(flag.literal().as_deref(), Some("-v" | "-R"))
            {
                self.evaluated_name(name);
            }
        }
    }

    fn getopts(&mut self, arguments: &[Value], start: &Start, shell: &mut Shell) -> Outcome {
        let item = || Value::dynamic(crate::DynamicSource::Argument, Taint::NONE, start.span);
        if let Some(name) = arguments.get(1).and_then(Value::literal) {
            shell.set(&name, Stored::Scalar(item()));
        }
        shell.set("OPTARG", Stored::Scalar(item()));
        let index = Value::dynamic(crate::DynamicSource::Number, Taint::NONE, start.span);
        shell.set("OPTIND", Stored::Scalar(index));
        Outcome::default()
    }

    fn let_(&mut self, arguments: &[Value], shell: &mut Shell) -> Outcome {
        for argument in arguments {
            self.evaluated_name(argument);
            let shown = argument.shown();
            let names = shown
                .split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
            for name in
                names.filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
            {
                let number =
                    Value::dynamic(crate::DynamicSource::Number, Taint::NONE, argument.span);
                shell.set(name, Stored::Scalar(number));
            }
        }
        Outcome::default()
    }

    fn eval(&mut self, arguments: &[Value], shell: &mut Shell) -> Outcome {
        let arguments = match arguments.split_first() {
            Some((first, rest)) if first.literal().as_deref() == Some("--") => rest,
            Some(_) | None => arguments,
        };
        let Some(text) = joined(arguments) else {
            return Outcome::default();
        };
        self.text_here(&text, "eval", shell)
    }

    fn trap(&mut self, arguments: &[Value], shell: &mut Shell) -> Outcome {
        let rest: Vec<&Value> = arguments
            .iter()
            .filter(|one| one.literal().as_deref() != Some("--"))
            .collect();
        let [action, _signal, ..] = rest.as_slice() else {
            return Outcome::unknown(Taint::NONE);
        };
        let text = action.literal();
        if text
            .as_deref()
            .is_some_and(|text| text.is_empty() || text == "-")
        {
            return Outcome::default();
        }
        // Once as things stand, and once as they are at the end.
        let certainty = shell.certainty;
        shell.certainty = crate::Certainty::Sometimes;
        let mut child = shell.child();
        self.text_here(action, "trap", &mut child);
        shell.certainty = certainty;
        shell.traps.push((*action).clone());
        Outcome::default()
    }

    fn define_alias(&mut self, arguments: &[Value], shell: &mut Shell) -> Outcome {
        for argument in arguments {
            let mut pieces = argument.pieces.iter();
            let Some(Piece::Text(first)) = pieces.next() else {
                self.gap(
                    GapKind::Syntax("an alias of unknown name".to_owned()),
                    argument.span,
                );
                continue;
            };
            if let Some((name, text)) = first.split_once('=') {
                let mut value = Value::text(text, argument.span);
                value.pieces.extend(pieces.cloned());
                shell.aliases.insert(name.to_owned(), value);
            }
        }
        Outcome::unknown(Taint::NONE)
    }

    /// `source`: a file that runs in this very shell.
    fn source(&mut self, arguments: &[Value], start: &Start, shell: &mut Shell) -> Outcome {
        let Some(path) = arguments.first() else {
            return Outcome::default();
        };
        let by = self.invocations.len().saturating_sub(1);
        let target = Target::locate(path, shell.cwd.as_deref());
        let written = shell.files.get(&target).cloned();
        let text = match (&written, self.facts.files.get(&target.path)) {
            (Some(content), _) => content.text.clone(),
            (None, Some(FileFact::Text { body, .. })) if target.extent == Extent::Exact => {
                Some(Value::text(body.as_str(), path.span))
            }
            (None, _) => None,
        };
        let layers = shell.layers.len();
        shell.layers.push(Layer::File(target.path.clone()));
        let before = shell.arguments.clone();
        if let Some(more) = arguments.get(1..).filter(|more| !more.is_empty()) {
            shell.arguments = Some(more.to_vec());
        }
        let outcome = match text {
            Some(mut text) => {
                let held = written.map_or(Taint::NONE, |content| content.taint);
                let origin = Origin {
                    seen: true,
                    taint: path.taint().with(held),
                };
                let code = Code::File(target);
                let act = Act::Execute { code, origin };
                self.effect(act, by, path.span, shell.certainty);
                text.span = start.span;
                self.text_here(&text, "source", shell)
            }
            None => {
                let held = written.map_or(Taint::NONE, |content| content.taint);
                self.unseen_source(path, target, held, by, shell)
            }
        };
        shell.arguments = before;
        shell.layers.truncate(layers);
        shell.ended = false;
        outcome
    }

    fn unseen_source(
        &mut self,
        path: &Value,
        target: Target,
        held: Taint,
        by: usize,
        shell: &Shell,
    ) -> Outcome {
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
        Outcome::unknown(path.taint().with(Taint::UNKNOWN))
    }

    fn history(&mut self, arguments: &[Value], start: &Start, shell: &Shell) -> Outcome {
        let erases = arguments.iter().any(|argument| {
            argument
                .literal()
                .is_none_or(|text| text.starts_with('-') && text.contains(['c', 'd', 'w']))
        });
        if erases {
            let by = self.invocations.len().saturating_sub(1);
            self.effect(
                Act::System(SystemChange::Logs),
                by,
                start.span,
                shell.certainty,
            );
        }
        Outcome::unknown(Taint::SECRET)
    }

    /// Builtins that neither run nor write anything, in the forms that do not.
    fn harmless(&mut self, name: &str, arguments: &[Value], start: &Start) -> Outcome {
        let refused = arguments.iter().find(|argument| {
            argument.literal().is_none_or(|text| match name {
                "shopt" => matches!(
                    text.as_ref(),
                    "lastpipe" | "compat31" | "compat32" | "compat40" | "sourcepath"
                ),
                "hash" => text.starts_with("-p"),
                "enable" => text.starts_with("-f"),
                "complete" | "compgen" => matches!(text.as_ref(), "-C" | "-F"),
                "bind" => text.starts_with("-x") || text.starts_with("-f"),
                "fc" => true,
                _ => false,
            })
        });
        let strict = matches!(
            name,
            "shopt" | "hash" | "enable" | "complete" | "compgen" | "bind" | "fc"
        );
        if let Some(word) = refused.filter(|_| strict) {
            let kind = GapKind::Argument {
                program: name.to_owned(),
                word: word.shown(),
            };
            self.gap(kind, start.span);
        }
        Outcome::unknown(Taint::NONE)
    }
}

/// `export -p`, `declare -x` or `set` alone: all variables with their values.
fn lists_variables(name: &str, arguments: &[Value]) -> bool {
    // An array that is declared stands beside the words.
    let flags_only = arguments.iter().all(|argument| {
        let flag = argument.literal();
        flag.is_some_and(|flag| matches!(&*flag, "-p" | "-x" | "-px" | "-xp"))
    });
    match name {
        "export" | "declare" | "typeset" | "readonly" => flags_only,
        "set" => arguments.is_empty(),
        _ => false,
    }
}

const STATEFUL: &[&str] = &[
    ".",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "times",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Arguments with spaces between them, as `eval` reads them.
fn joined(arguments: &[Value]) -> Option<Value> {
    let mut values = arguments.iter();
    let mut text = values.next()?.clone();
    for value in values {
        text.pieces.push(Piece::Text(" ".to_owned()));
        text.pieces.extend(value.pieces.iter().cloned());
        text.span = text.span.to(value.span);
    }
    Some(text)
}
