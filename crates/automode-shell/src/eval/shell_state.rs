//! The state of a running shell: variables, functions, directory, streams.
//!
//! Subshells, branches and loops work on copies. [`ShellState::join`] merges two ways
//! that a script may have taken; it never forgets a possibility.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::file::Files;
use super::output::CommandOutput;
use super::redirect::RedirectSink;
use super::variable::{Stored, VariableBinding, VariableNature, either, is_volatile};
use crate::ir::{Certainty, Context, Host, Layer, Span, Stdin, Stdout, Value};
use crate::shared::Shared;
use crate::syntax::Command;

#[derive(Clone, Debug)]
pub(super) struct ShellState {
    pub(super) variables: Shared<BTreeMap<String, VariableBinding>>,
    pub(super) functions: Shared<BTreeMap<String, ShellFunction>>,
    pub(super) aliases: Shared<BTreeMap<String, Value>>,
    pub(super) traps: Vec<Value>,
    /// What variables have held since there are traps, and `PWD` for the directory.
    pub(super) since_trap: BTreeMap<String, Stored>,
    /// `$1`, `$2` …; `None` where not even their number is known.
    pub(super) arguments: Option<Vec<Value>>,
    pub(super) zero: Value,
    pub(super) cwd: Option<String>,
    /// The directory before the last `cd`.
    pub(super) old_cwd: Option<String>,
    /// A `cd` that may have failed, with no `&&` behind it.
    pub(super) doubt: Option<Span>,
    /// What `pushd` left behind; `None` where that is not known.
    pub(super) directories: Option<Vec<Option<String>>>,
    pub(super) stdin: Stdin,
    pub(super) stdout: Stdout,
    /// Which input this is, so that it is known whether some of it was read.
    pub(super) input: u32,
    /// Where `exec` has led the output.
    pub(super) kept: Option<(Stdout, RedirectSink, Span)>,
    /// Descriptors that `exec` has connected to another machine.
    pub(super) connected: Vec<(u32, Host)>,
    /// Descriptors from which `exec` lets commands read.
    pub(super) opened: Vec<(u32, Stdin)>,
    pub(super) certainty: Certainty,
    pub(super) layers: Vec<Layer>,
    /// Bodies of functions that are being run, innermost last.
    pub(super) running: Vec<Arc<Command>>,
    /// The way ended: `exit`, `return`, `break`.
    pub(super) ended: bool,
    /// Ways that left a loop or a function early, and go on behind it.
    pub(super) departed: Vec<(EarlyExit, Box<ShellState>)>,
    /// `set -e`.
    pub(super) stops_on_error: bool,
    /// `set -x` or `set -v`: what runs is shown.
    pub(super) shows_commands: bool,
    /// Where a failure is looked at, `set -e` does not count.
    pub(super) forgives: bool,
    /// It may be a shell that knows only what all of them know: `sh`, a task's, a program's.
    pub(super) plain: bool,
    /// A shell that reads some of what bash reads in its own way: `zsh`.
    pub(super) reads_otherwise: bool,
    /// Not this machine: paths and variables of here mean nothing.
    pub(super) remote: bool,
    pub(super) files: Files,
    /// What process substitutions write, by the place of the word.
    pub(super) streams: Shared<Vec<(Span, CommandOutput)>>,
    /// What `local` has hidden, innermost function last.
    pub(super) locals: Vec<Vec<(String, Option<VariableBinding>)>>,
}

/// What a way leaves early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EarlyExit {
    Loop,
    Function,
}

/// A function of the script.
#[derive(Clone, Debug, Default)]
pub(super) struct ShellFunction {
    /// Several where branches define it differently.
    pub(super) bodies: Vec<Arc<Command>>,
    /// On some way it is not defined: the name may also mean a program.
    pub(super) perhaps: bool,
    /// `export -f`: shells that are started know it too.
    pub(super) exported: bool,
}

impl ShellState {
    pub(super) fn new(context: &Context) -> Self {
        let mut variables = BTreeMap::new();
        for (name, text) in &context.variables {
            variables.insert(
                name.clone(),
                VariableBinding::scalar(Value::text(text.as_str(), Span::default())),
            );
        }
        Self {
            variables: Shared::new(variables),
            functions: Shared::default(),
            aliases: Shared::default(),
            traps: Vec::new(),
            since_trap: BTreeMap::new(),
            arguments: Some(Vec::new()),
            zero: Value::text("bash", Span::default()),
            cwd: Some(context.cwd.clone()).filter(|cwd| cwd.starts_with('/')),
            old_cwd: None,
            doubt: None,
            directories: Some(Vec::new()),
            stdin: Stdin::Inherited,
            stdout: Stdout::Shown,
            input: 0,
            kept: None,
            connected: Vec::new(),
            opened: Vec::new(),
            certainty: Certainty::Always,
            layers: Vec::new(),
            running: Vec::new(),
            ended: false,
            departed: Vec::new(),
            stops_on_error: false,
            shows_commands: false,
            forgives: false,
            plain: false,
            reads_otherwise: false,
            remote: false,
            files: Files::default(),
            streams: Shared::default(),
            locals: Vec::new(),
        }
    }

    /// A copy that a substitution, a pipe or a branch works on. Traps are not inherited.
    pub(super) fn child(&self) -> Self {
        Self {
            traps: Vec::new(),
            since_trap: BTreeMap::new(),
            departed: Vec::new(),
            ..self.clone()
        }
    }

    /// Gives a variable a value, as far as it takes one.
    pub(super) fn set(&mut self, name: &str, value: Stored) {
        let name = self.resolved(name).to_owned();
        if is_volatile(&name) {
            self.variables.remove(&name);
            return;
        }
        let before = self.variables.get(&name);
        let (exported, nature) = before.map_or((false, VariableNature::default()), |binding| {
            (binding.exported, binding.nature)
        });
        let value = match before {
            Some(before) if nature.fixed => Stored::joined(Some(&before.value), Some(&value)),
            Some(_) | None => value,
        };
        let old = before.map_or(Stored::Unset, |before| before.value.clone());
        self.touched(&name, [&old, &value]);
        let binding = VariableBinding {
            value,
            exported,
            nature,
        };
        self.variables.insert(name, binding);
    }

    /// The variable that a name stands for, through name references.
    pub(super) fn resolved<'n>(&'n self, name: &'n str) -> &'n str {
        let mut name = name;
        for _ in 0..8 {
            match self.variables.get(name).map(|binding| &binding.value) {
                Some(Stored::Reference(target)) => name = target,
                Some(
                    Stored::Scalar(_)
                    | Stored::List(_)
                    | Stored::Map(_)
                    | Stored::Hidden(_)
                    | Stored::Unset,
                )
                | None => break,
            }
        }
        name
    }

    pub(super) fn nature(&self, name: &str) -> VariableNature {
        let binding = self.variables.get(self.resolved(name));
        binding.map_or(VariableNature::default(), |binding| binding.nature)
    }

    /// Gives up what is known of a variable, or with `PWD` of the directory.
    pub(super) fn forget(&mut self, name: &str) {
        if name == "PWD" {
            self.cwd = None;
        }
        if let Some(binding) = self.variables.get_mut(name) {
            binding.value.give_up();
        }
    }

    /// Notes what changed under a trap that may run at any time.
    pub(super) fn touched<'v>(&mut self, name: &str, values: impl IntoIterator<Item = &'v Stored>) {
        if self.traps.is_empty() {
            return;
        }
        for value in values {
            let held = self.since_trap.get(name).unwrap_or(value);
            let held = Stored::joined(Some(held), Some(value));
            self.since_trap.insert(name.to_owned(), held);
        }
    }

    /// The variables that programs started now would see and that this command has set.
    pub(super) fn environment(&self) -> Vec<(String, Value)> {
        // `PATH=x` without `export` reaches programs where the variable came from outside.
        let visible = |name: &str, binding: &VariableBinding| {
            binding.exported || crate::program::steers(name)
        };
        // Most variables came from outside, and that shows for less than what they steer.
        let set = self.variables.iter().filter_map(|(name, binding)| {
            let value = binding.value.scalar()?;
            (value.span != Span::default()).then_some((name, binding, value))
        });
        set.filter(|(name, binding, _)| visible(name, binding))
            .map(|(name, _, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// A way leaves a loop or a function: what it knows counts behind that.
    pub(super) fn depart(&mut self, end: EarlyExit) {
        let mut way = self.clone();
        way.departed.clear();
        self.departs(end, way);
        self.ended = true;
    }

    fn departs(&mut self, end: EarlyExit, mut way: Self) {
        way.ended = false;
        match self.departed.iter_mut().find(|(known, _)| *known == end) {
            Some((_, known)) => known.join(way),
            None => self.departed.push((end, Box::new(way))),
        }
    }

    /// Behind a loop or a function: the ways that left it early arrive.
    pub(super) fn arrive(&mut self, end: EarlyExit) {
        self.ended = false;
        let (arrived, departed): (Vec<_>, Vec<_>) = std::mem::take(&mut self.departed)
            .into_iter()
            .partition(|(known, _)| *known == end);
        self.departed = departed;
        for (_, way) in arrived {
            self.join(*way);
        }
    }

    /// Merges another way that the script may have taken to this point.
    pub(super) fn join(&mut self, other: Self) {
        if other.ended && !self.ended {
            self.remember(other);
            return;
        }
        if self.ended && !other.ended {
            let before = std::mem::replace(self, other);
            self.remember(before);
            return;
        }
        self.join_variables(&other);
        self.join_functions(&other);
        if self.cwd != other.cwd {
            self.cwd = None;
        }
        if self.old_cwd != other.old_cwd {
            self.old_cwd = None;
        }
        if self.directories != other.directories {
            self.directories = None;
        }
        if self.arguments != other.arguments {
            self.arguments = None;
        }
        self.doubt = self.doubt.or(other.doubt);
        self.stops_on_error &= other.stops_on_error;
        self.shows_commands |= other.shows_commands;
        self.remember(other);
    }

    /// Keeps what outlives a way that ended: files, aliases, traps, and where it went.
    fn remember(&mut self, other: Self) {
        self.files.join(&other.files);
        if !self.aliases.is(&other.aliases) {
            for (name, value) in other.aliases.iter() {
                let mine = self.aliases.get(name);
                let value = mine.map_or_else(|| value.clone(), |mine| either(mine, value));
                self.aliases.insert(name.clone(), value);
            }
        }
        for trap in other.traps {
            if !self.traps.contains(&trap) {
                self.traps.push(trap);
            }
        }
        for (name, held) in &other.since_trap {
            self.touched(name, [held]);
        }
        for (end, way) in other.departed {
            self.departs(end, *way);
        }
    }

    fn join_functions(&mut self, other: &Self) {
        if self.functions.is(&other.functions) {
            return;
        }
        for (name, function) in self.functions.iter_mut() {
            function.perhaps |= !other.functions.contains_key(name);
        }
        self.learn_functions(other);
    }

    /// Takes over the functions of another way; whether any was new.
    pub(super) fn learn_functions(&mut self, other: &Self) -> bool {
        if self.functions.is(&other.functions) {
            return false;
        }
        let mut learned = false;
        for (name, theirs) in other.functions.iter() {
            let Some(mine) = self.functions.get_mut(name) else {
                let perhaps = ShellFunction {
                    perhaps: true,
                    ..theirs.clone()
                };
                self.functions.insert(name.clone(), perhaps);
                learned = true;
                continue;
            };
            mine.perhaps |= theirs.perhaps;
            mine.exported |= theirs.exported;
            for body in &theirs.bodies {
                if !mine.bodies.iter().any(|one| Arc::ptr_eq(one, body)) {
                    mine.bodies.push(Arc::clone(body));
                    learned = true;
                }
            }
        }
        learned
    }

    fn join_variables(&mut self, other: &Self) {
        if self.variables.is(&other.variables) {
            return;
        }
        let names: Vec<String> = self
            .variables
            .keys()
            .chain(other.variables.keys())
            .cloned()
            .collect();
        for name in names {
            let (mine, theirs) = (self.variables.get(&name), other.variables.get(&name));
            if mine == theirs {
                continue;
            }
            let binding = VariableBinding::joined(mine, theirs);
            self.variables.insert(name, binding);
        }
    }
}
