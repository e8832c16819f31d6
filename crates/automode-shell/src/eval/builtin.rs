//! What the shell does itself.

use super::Evaluator;
use super::command::CommandLookup;
use super::declare::Declaration;
use super::option::BuiltinOptions;
use super::output::{CommandOutput, Data};
use super::prepared_command::PreparedCommand;
use super::print;
use super::shell_state::{EarlyExit, ShellState};
use super::variable::Stored;
use crate::ir::{Act, Direction, DynamicSource, GapKind, Layer, Piece, SystemChange, Taint, Value};

impl Evaluator<'_> {
    /// Runs a builtin; `None` where the name is none, or only a program has it.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        prepared: &PreparedCommand,
        lookup: CommandLookup,
        shell: &mut ShellState,
    ) -> Option<CommandOutput> {
        let program = lookup == CommandLookup::Programs;
        let arguments = prepared.argv.get(1..).unwrap_or_default();
        let outcome = match name {
            ":" | "true" | "false" => {
                self.record(prepared, shell);
                CommandOutput::default()
            }
            "echo" => {
                self.record(prepared, shell);
                print::echo(arguments, prepared.span)
            }
            "printf" => {
                self.record(prepared, shell);
                self.printf(arguments, prepared, shell)
            }
            "test" | "[" => {
                self.record(prepared, shell);
                self.test(arguments, shell);
                CommandOutput::default()
            }
            "pwd" => {
                self.record(prepared, shell);
                match &shell.cwd {
                    Some(cwd) => {
                        CommandOutput::text(Value::text(format!("{cwd}\n"), prepared.span))
                    }
                    None => CommandOutput::unknown(Taint::NONE),
                }
            }
            _ if program => return None,
            _ => return self.stateful(name, arguments, prepared, lookup, shell),
        };
        Some(outcome)
    }

    /// Builtins that change the shell itself.
    fn stateful(
        &mut self,
        name: &str,
        arguments: &[Value],
        prepared: &PreparedCommand,
        lookup: CommandLookup,
        shell: &mut ShellState,
    ) -> Option<CommandOutput> {
        if !STATEFUL.contains(&name) {
            return None;
        }
        if matches!(name, "command" | "builtin" | "exec") {
            return Some(self.prefix(name, prepared, lookup, shell));
        }
        let by = self.invocations.len();
        self.record(prepared, shell);
        if prepared.arrays.is_empty() && lists_variables(name, arguments, shell) {
            let act = Act::Credential {
                what: "environment".to_owned(),
                direction: Direction::Receive,
            };
            self.effect(act, by, prepared.span, shell.certainty);
            return Some(CommandOutput::unknown(Taint::SECRET));
        }
        Some(match name {
            "cd" => self.change_directory(prepared, shell),
            "pushd" => self.push_directory(prepared, shell),
            "dirs" => {
                shell.directories = None;
                CommandOutput::unknown(Taint::NONE)
            }
            "popd" => self.leave_directory(prepared, shell),
            "export" => self.declare(arguments, &prepared.arrays, Declaration::Export, shell),
            "declare" | "typeset" | "local" if !shell.locals.is_empty() => {
                self.declare(arguments, &prepared.arrays, Declaration::Local, shell)
            }
            "declare" | "typeset" | "local" => {
                self.declare(arguments, &prepared.arrays, Declaration::Plain, shell)
            }
            "readonly" => self.declare(arguments, &prepared.arrays, Declaration::Fixed, shell),
            "unset" => self.unset(arguments, shell),
            "set" => self.set_options(arguments, shell),
            "shift" => self.shift(arguments, shell),
            "read" => self.read(arguments, prepared.span, shell),
            "mapfile" | "readarray" => self.read_array(arguments, prepared.span, shell),
            "getopts" => self.getopts(arguments, prepared, shell),
            "let" => self.let_(arguments, shell),
            "eval" => self.eval(arguments, shell),
            "source" | "." => self.source(arguments, prepared, shell),
            "trap" => self.trap(arguments, shell),
            "alias" => self.define_alias(arguments, shell),
            "unalias" => CommandOutput::default(),
            "return" | "break" | "continue" | "exit" | "logout" => leave(name, shell),
            "jobs" => self.jobs(arguments, prepared, lookup, shell),
            "history" => self.history(arguments, prepared, shell),
            _ => self.harmless(name, arguments, prepared),
        })
    }

    /// `command`, `builtin` and `exec` in front of another command.
    fn prefix(
        &mut self,
        name: &str,
        prepared: &PreparedCommand,
        lookup: CommandLookup,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let arguments = prepared.argv.get(1..).unwrap_or_default();
        let options = BuiltinOptions::read(arguments, if name == "exec" { "a" } else { "" });
        if name == "command" && (options.has('v') || options.has('V')) {
            self.record(prepared, shell);
            return CommandOutput::unknown(Taint::NONE);
        }
        // `exec -a pkill pgrep x`: some programs are another one under another name.
        if options.has('a') {
            let kind = GapKind::Syntax("a program under another name".to_owned());
            self.gap(kind, prepared.span);
        }
        let argv = options.operands.to_vec();
        if argv.is_empty() {
            self.record(prepared, shell);
            return CommandOutput::default();
        }
        let lookup = match name {
            "exec" => CommandLookup::Programs,
            _ if lookup == CommandLookup::Programs => lookup,
            _ => CommandLookup::NoFunctions,
        };
        shell.layers.push(Layer::Wrapper(name.to_owned()));
        let prepared = PreparedCommand {
            argv,
            ..prepared.clone()
        };
        let outcome = self.run_prepared(prepared, lookup, shell);
        shell.layers.pop();
        if name == "exec" {
            shell.ended = true;
        }
        outcome
    }

    fn printf(
        &mut self,
        arguments: &[Value],
        prepared: &PreparedCommand,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let options = BuiltinOptions::read(arguments, "v");
        let outcome = print::printf(options.operands, prepared.span);
        let Some(variable) = options.value('v') else {
            return outcome;
        };
        self.evaluated_name(variable, shell);
        let value = match outcome.data {
            Data::Nothing => Value::text("", prepared.span),
            Data::Text(text) => text,
            Data::Unknown => Value::dynamic(DynamicSource::Output, outcome.taint, prepared.span),
        };
        self.store_named(variable, Stored::Scalar(value), shell);
        CommandOutput::default()
    }

    fn test(&mut self, arguments: &[Value], shell: &ShellState) {
        for pair in arguments.windows(2) {
            if let [flag, name] = pair
                && matches!(flag.literal().as_deref(), Some("-v" | "-R"))
            {
                self.evaluated_name(name, shell);
            }
        }
    }

    fn let_(&mut self, arguments: &[Value], shell: &mut ShellState) -> CommandOutput {
        for argument in arguments {
            self.evaluate(argument, shell, argument.span);
        }
        CommandOutput::default()
    }

    /// `jobs -x command`: runs it.
    fn jobs(
        &mut self,
        arguments: &[Value],
        prepared: &PreparedCommand,
        lookup: CommandLookup,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let options = BuiltinOptions::read(arguments, "");
        if !options.has('x') {
            return CommandOutput::unknown(Taint::NONE);
        }
        let prepared = PreparedCommand {
            argv: options.operands.to_vec(),
            ..prepared.clone()
        };
        self.run_prepared(prepared, lookup, shell)
    }

    fn eval(&mut self, arguments: &[Value], shell: &mut ShellState) -> CommandOutput {
        let arguments = match arguments.split_first() {
            Some((first, rest)) if first.literal().as_deref() == Some("--") => rest,
            Some(_) | None => arguments,
        };
        let Some(text) = joined(arguments) else {
            return CommandOutput::default();
        };
        self.text_here(&text, "eval", shell)
    }

    fn trap(&mut self, arguments: &[Value], shell: &mut ShellState) -> CommandOutput {
        let rest: Vec<&Value> = arguments
            .iter()
            .filter(|one| one.literal().as_deref() != Some("--"))
            .collect();
        let [action, _signal, ..] = rest.as_slice() else {
            return CommandOutput::unknown(Taint::NONE);
        };
        let text = action.literal();
        if text
            .as_deref()
            .is_some_and(|text| text.is_empty() || text == "-")
        {
            return CommandOutput::default();
        }
        // Once as things stand, and once as they are at the end.
        let mut child = shell.child();
        child.certainty = crate::ir::Certainty::Sometimes;
        self.text_here(action, "trap", &mut child);
        shell.traps.push((*action).clone());
        CommandOutput::default()
    }

    fn define_alias(&mut self, arguments: &[Value], shell: &mut ShellState) -> CommandOutput {
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
                if RESERVED.contains(&name) {
                    let kind = GapKind::Syntax("an alias of a reserved word".to_owned());
                    self.gap(kind, argument.span);
                }
                let mut value = Value::text(text, argument.span);
                value.pieces.extend(pieces.cloned());
                shell.aliases.insert(name.to_owned(), value);
            }
        }
        CommandOutput::unknown(Taint::NONE)
    }

    fn history(
        &mut self,
        arguments: &[Value],
        prepared: &PreparedCommand,
        shell: &ShellState,
    ) -> CommandOutput {
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
                prepared.span,
                shell.certainty,
            );
        }
        // `history -r .env; history` shows the file, and `history -a x` writes one.
        let moves = |argument: &Value| {
            let text = argument.literal();
            text.is_none_or(|text| text != "-c" && !text.chars().all(|c| c.is_ascii_digit()))
        };
        if let Some(argument) = arguments.iter().find(|argument| moves(argument)) {
            let kind = GapKind::Argument {
                program: "history".to_owned(),
                word: argument.shown(),
            };
            self.gap(kind, prepared.span);
        }
        CommandOutput::unknown(Taint::SECRET)
    }

    /// Builtins that neither run nor write anything, in the forms that do not.
    fn harmless(
        &mut self,
        name: &str,
        arguments: &[Value],
        prepared: &PreparedCommand,
    ) -> CommandOutput {
        let refused = match name {
            "fc" => true,
            // Other options change what words and commands mean.
            "shopt" => arguments.iter().any(|argument| {
                let text = argument.literal();
                text.is_none_or(|text| !text.starts_with('-') && !SAFE_OPTIONS.contains(&&*text))
            }),
            "hash" => flags(arguments).contains('p'),
            "enable" => flags(arguments).contains(['f', 'n']),
            "complete" | "compgen" => flags(arguments).contains(['C', 'F', 'W']),
            // Lists of keys and variables; any other word may bind a key to a command.
            "bind" => arguments.iter().any(|argument| {
                let text = argument.literal();
                text.is_none_or(|text| {
                    !["-l", "-p", "-P", "-v", "-V", "-s", "-S"].contains(&&*text)
                })
            }),
            "wait" => flags(arguments).contains('p'),
            _ => false,
        };
        if refused {
            let kind = GapKind::Argument {
                program: name.to_owned(),
                word: arguments.first().map(Value::shown).unwrap_or_default(),
            };
            self.gap(kind, prepared.span);
        }
        CommandOutput::unknown(Taint::NONE)
    }
}

/// Where the script goes on after a builtin that leaves a function, a loop or the shell.
fn leave(name: &str, shell: &mut ShellState) -> CommandOutput {
    match name {
        "return" => shell.depart(EarlyExit::Function),
        "break" | "continue" => shell.depart(EarlyExit::Loop),
        _ => shell.ended = true,
    }
    CommandOutput::default()
}

/// Options of `shopt` that leave the meaning of words and commands alone. Aliases
/// and extended patterns are followed whether they are on or not. `dotglob` is none of
/// them: it makes `*` name hidden files, where secrets and `.git` are.
const SAFE_OPTIONS: &[&str] = &[
    "checkhash",
    "checkjobs",
    "checkwinsize",
    "complete_fullquote",
    "cmdhist",
    "expand_aliases",
    "extglob",
    "failglob",
    "force_fignore",
    "globasciiranges",
    "globstar",
    "histappend",
    "histreedit",
    "histverify",
    "huponexit",
    "inherit_errexit",
    "interactive_comments",
    "lithist",
    "nocaseglob",
    "no_empty_cmd_completion",
    "nullglob",
    "progcomp",
    "promptvars",
    "shift_verbose",
    "xpg_echo",
];

/// Words that begin or end a construct, unless they are aliases.
const RESERVED: &[&str] = &[
    "!", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "time", "until", "while", "{", "}",
];

/// The letters of all words that begin with a dash; an unknown word may have any.
fn flags(arguments: &[Value]) -> String {
    let mut letters = String::new();
    for argument in arguments {
        if argument.begins_unknown() {
            letters.push_str("CFWfnp");
        }
        if let Some(flags) = argument.prefix().strip_prefix('-') {
            letters.push_str(flags);
        }
    }
    letters
}

/// `export -p`, `declare -x` or `set` alone: all variables with their values; `declare -p NAME`
/// one of them.
fn lists_variables(name: &str, arguments: &[Value], shell: &ShellState) -> bool {
    let is_flag = |argument: &Value| {
        let flag = argument.literal();
        flag.is_some_and(|flag| flag.starts_with(['-', '+']) && !flag.contains(['f', 'F']))
    };
    // `set $x` with nothing in it is `set`.
    let may_vanish = |argument: &Value| {
        argument.may_split
            && argument
                .pieces
                .iter()
                .all(|piece| matches!(piece, Piece::Dynamic(_)))
    };
    let flags_only = arguments
        .iter()
        .all(|argument| is_flag(argument) || may_vanish(argument));
    // Some shells show all of them beside the name that is given.
    let prints = arguments.iter().any(|argument| {
        let flag = argument.literal();
        flag.is_some_and(|flag| flag.starts_with('-') && flag.contains('p'))
    });
    // A name that this line did not set shows what the environment holds under it.
    let is_foreign = |argument: &Value| {
        let name = argument.literal();
        !is_flag(argument) && name.is_none_or(|name| !shell.variables.contains_key(&*name))
    };
    match name {
        "export" | "readonly" => flags_only || prints,
        "declare" | "typeset" => flags_only || prints && arguments.iter().any(is_foreign),
        "set" => arguments.iter().all(may_vanish),
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
