//! Builtins that declare variables, and `unset`.

use super::Evaluator;
use super::output::CommandOutput;
use super::shell_state::ShellState;
use super::variable::{Casing, Stored, VariableBinding, VariableNature};
use crate::ir::{Act, Certainty, DynamicSource, GapKind, Piece, Span, Taint, Value};
use crate::program::steers_with;
use crate::syntax::{Assignment, CommandKind, Script, Simple};

/// What a declaration does beside assigning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declaration {
    Plain,
    Export,
    Local,
    /// `readonly`.
    Fixed,
}

/// The options of a declaration.
#[derive(Clone, Copy, Debug)]
struct Attributes {
    /// The variable goes when the function ends.
    local: bool,
    exported: bool,
    nature: VariableNature,
    /// An array, where a text in parentheses is a list.
    list: bool,
    reference: bool,
    /// Functions, not variables.
    functions: bool,
}

impl Evaluator<'_> {
    /// `export`, `declare`, `local`, `readonly`, with the arrays among their words.
    pub(super) fn declare(
        &mut self,
        arguments: &[Value],
        arrays: &[Assignment],
        kind: Declaration,
        shell: &mut ShellState,
    ) -> CommandOutput {
        let mut attributes = Attributes::of(kind);
        for argument in arguments {
            let flag = argument.literal();
            if let Some(flag) = flag.as_deref().filter(|text| text.starts_with(['-', '+'])) {
                attributes.note(flag);
                continue;
            }
            match split_assignment(argument) {
                Some((name, value)) => {
                    self.declare_value(&name, value, attributes, argument, shell);
                }
                None => self.declare_name(argument, attributes, shell),
            }
        }
        for array in arrays {
            let mut loose = attributes;
            loose.nature.fixed = false;
            self.declared(&array.name, loose, shell);
            self.assign(array, shell);
            if attributes.nature.fixed {
                shell.fix(&array.name);
            }
        }
        // Without a name it prints all of them.
        let shows = arrays.is_empty() && arguments.iter().all(asks_to_print);
        CommandOutput::unknown(if shows { Taint::SECRET } else { Taint::NONE })
    }

    fn declare_name(&mut self, argument: &Value, attributes: Attributes, shell: &mut ShellState) {
        let Some(name) = argument.literal() else {
            let kind = GapKind::DynamicWord {
                program: "declare".to_owned(),
                word: argument.shown(),
            };
            self.gap(kind, argument.span);
            return;
        };
        if attributes.functions {
            if let Some(function) = shell.functions.get_mut(name.as_ref()) {
                function.exported |= attributes.exported;
            }
            return;
        }
        if attributes.reference {
            self.reference(argument.span);
        }
        let array = name.split('[').next().unwrap_or_default();
        if array.len() < name.len() {
            self.evaluated_name(argument, shell);
        }
        // What the shell itself keeps up to date: every later shell takes over its modes,
        // a trace among them.
        if attributes.exported && matches!(array, "SHELLOPTS" | "BASHOPTS") {
            let act = Act::Environment {
                name: array.to_owned(),
            };
            self.effect(act, usize::MAX, argument.span, Certainty::Always);
        }
        self.declared(array, attributes, shell);
        if attributes.nature.fixed {
            shell.fix(array);
        }
    }

    fn declare_value(
        &mut self,
        name: &str,
        value: Value,
        attributes: Attributes,
        argument: &Value,
        shell: &mut ShellState,
    ) {
        let append = name.ends_with('+');
        let name = name.trim_end_matches('+');
        let array = name.split('[').next().unwrap_or_default().to_owned();
        if array.len() < name.len() {
            self.declared(&array, attributes, shell);
            let name = Value::text(name, argument.span);
            self.store_named(&name, Stored::Scalar(value), shell);
            return;
        }
        if attributes.reference {
            self.refer(name, &value, attributes, argument, shell);
            return;
        }
        self.declared(name, attributes, shell);
        if is_list(&value)
            && (attributes.list || attributes.nature.keyed || holds_many(name, shell))
        {
            self.declare_list(name, &value, shell);
            return;
        }
        let value = if append {
            Value::dynamic(DynamicSource::Unknown, value.taint(), value.span)
        } else {
            value
        };
        // What is exported reaches every later command of this shell.
        if attributes.exported && steers_with(name, &value) {
            let act = Act::Environment {
                name: name.to_owned(),
            };
            self.effect(act, usize::MAX, argument.span, Certainty::Always);
        }
        self.store(name, Stored::Scalar(value), argument.span, shell);
        if attributes.nature.fixed {
            shell.fix(name);
        }
    }

    /// `declare -a 'x=(…)'`: the text is read as a list, and what is in it runs.
    fn declare_list(&mut self, name: &str, value: &Value, shell: &mut ShellState) {
        let script = value.literal().and_then(|text| {
            let text = format!("{name}={text}");
            self.parse(&text, value.span)
        });
        match script.as_ref().and_then(only_assignments) {
            Some(simple) => {
                for assignment in &simple.assignments {
                    self.assign(assignment, shell);
                }
            }
            None => {
                let kind = GapKind::Syntax("a list that is not known".to_owned());
                self.gap(kind, value.span);
                self.store(name, Stored::Hidden(value.taint()), value.span, shell);
            }
        }
    }

    /// `declare -n name=target`.
    fn refer(
        &mut self,
        name: &str,
        value: &Value,
        attributes: Attributes,
        argument: &Value,
        shell: &mut ShellState,
    ) {
        let target = value
            .literal()
            .filter(|target| is_name(target) && target != name);
        if shell.certainty != Certainty::Always {
            // Which variable changes depends on the way that was taken.
            self.reference(argument.span);
        }
        let Some(target) = target else {
            self.reference(argument.span);
            self.declared(name, attributes, shell);
            shell.forget(name);
            return;
        };
        let target = target.into_owned();
        self.hide_local(name, attributes, shell);
        let binding = VariableBinding {
            value: Stored::Reference(target),
            exported: false,
            nature: VariableNature::default(),
        };
        shell.variables.insert(name.to_owned(), binding);
    }

    fn reference(&mut self, span: Span) {
        self.gap(GapKind::Syntax("a name reference".to_owned()), span);
    }

    /// Gives a variable its attributes.
    fn declared(&mut self, name: &str, attributes: Attributes, shell: &mut ShellState) {
        self.hide_local(name, attributes, shell);
        if attributes.exported {
            shell.export(name);
        }
        let nature = attributes.nature;
        if nature == VariableNature::default() {
            return;
        }
        let name = shell.resolved(name).to_owned();
        let binding = shell
            .variables
            .entry(name.clone())
            .or_insert_with(|| VariableBinding {
                value: Stored::Scalar(Value::dynamic(
                    DynamicSource::Variable(name),
                    Taint::NONE,
                    Span::default(),
                )),
                exported: false,
                nature: VariableNature::default(),
            });
        binding.nature.integer |= nature.integer;
        binding.nature.casing = nature.casing.or(binding.nature.casing);
        if nature.keyed && !binding.nature.keyed {
            binding.nature.keyed = true;
            binding.value = Stored::Map(std::collections::BTreeMap::new());
        }
    }

    fn hide_local(&self, name: &str, attributes: Attributes, shell: &mut ShellState) {
        if !attributes.local {
            return;
        }
        let before = shell.variables.get(name).cloned();
        let fixed = before.as_ref().is_some_and(|before| before.nature.fixed);
        let Some(hidden) = shell.locals.last_mut() else {
            return;
        };
        if hidden.iter().any(|(known, _)| known == name) {
            return;
        }
        hidden.push((name.to_owned(), before));
        if !fixed {
            let binding = VariableBinding {
                value: Stored::Unset,
                exported: attributes.exported,
                nature: VariableNature::default(),
            };
            shell.variables.insert(name.to_owned(), binding);
            shell.touched(name, [&Stored::Hidden(Taint::NONE)]);
        }
    }

    pub(super) fn unset(&mut self, arguments: &[Value], shell: &mut ShellState) -> CommandOutput {
        let mut functions = None;
        for argument in arguments {
            self.evaluated_name(argument, shell);
            let Some(name) = argument.literal() else {
                self.forget_all(argument.span, shell);
                continue;
            };
            if name.starts_with('-') {
                functions = Some(name.contains('f'));
                if name.contains('n') {
                    shell.variables.remove(name.as_ref());
                }
                continue;
            }
            if functions == Some(true) {
                shell.functions.remove(name.as_ref());
                continue;
            }
            if let Some((array, _)) = name.split_once('[') {
                let array = shell.resolved(array).to_owned();
                shell.forget(&array);
                continue;
            }
            self.note_variable(&name, argument.span);
            if functions.is_none() {
                shell.unset_function(&name);
            }
            shell.set(&name, Stored::Unset);
        }
        CommandOutput::default()
    }

    /// A variable of unknown name changed: none is sure any more.
    pub(super) fn forget_all(&mut self, span: Span, shell: &mut ShellState) {
        let kind = GapKind::DynamicWord {
            program: "shell".to_owned(),
            word: "a variable name".to_owned(),
        };
        self.gap(kind, span);
        for binding in shell.variables.values_mut() {
            binding.value.give_up();
        }
    }
}

impl ShellState {
    fn fix(&mut self, name: &str) {
        let name = self.resolved(name).to_owned();
        if let Some(binding) = self.variables.get_mut(&name) {
            binding.nature.fixed = true;
        }
    }

    /// `unset name` takes a function only where there is no variable of that name.
    fn unset_function(&mut self, name: &str) {
        let variable = self.variables.get(self.resolved(name));
        match variable.map(|binding| &binding.value) {
            Some(Stored::Unset) => {
                self.functions.remove(name);
            }
            // Perhaps in the environment.
            None => {
                if let Some(function) = self.functions.get_mut(name) {
                    function.perhaps = true;
                }
            }
            Some(
                Stored::Scalar(_)
                | Stored::List(_)
                | Stored::Map(_)
                | Stored::Hidden(_)
                | Stored::Reference(_),
            ) => {}
        }
    }

    /// Makes a variable known to programs.
    pub(super) fn export(&mut self, name: &str) {
        let name = self.resolved(name).to_owned();
        let binding = self.variables.entry(name.clone()).or_insert_with(|| {
            let taint = crate::place::taint_of_variable(&name);
            let source = DynamicSource::Variable(name);
            VariableBinding::scalar(Value::dynamic(source, taint, Span::default()))
        });
        binding.exported = true;
    }
}

impl Attributes {
    fn of(kind: Declaration) -> Self {
        Self {
            local: kind == Declaration::Local,
            exported: kind == Declaration::Export,
            nature: VariableNature {
                fixed: kind == Declaration::Fixed,
                ..VariableNature::default()
            },
            list: false,
            reference: false,
            functions: false,
        }
    }

    /// Letters of one word; those behind a `+` take back what is taken as kept.
    fn note(&mut self, flag: &str) {
        if !flag.starts_with('-') {
            return;
        }
        for letter in flag.chars().skip(1) {
            match letter {
                'x' => self.exported = true,
                'i' => self.nature.integer = true,
                'u' => self.nature.casing = Some(Casing::Upper),
                'l' => self.nature.casing = Some(Casing::Lower),
                'c' => self.nature.casing = Some(Casing::Unsure),
                'r' => self.nature.fixed = true,
                'A' => self.nature.keyed = true,
                'a' => self.list = true,
                'f' | 'F' => self.functions = true,
                'g' => self.local = false,
                // Of `export` it takes the mark away.
                'n' if !self.exported => self.reference = true,
                _ => {}
            }
        }
    }
}

/// The assignments where a script is nothing else.
fn only_assignments(script: &Script) -> Option<&Simple> {
    let [item] = script.items.as_slice() else {
        return None;
    };
    let ([stage], []) = (item.first.stages.as_slice(), item.rest.as_slice()) else {
        return None;
    };
    let CommandKind::Simple(simple) = &stage.command.kind else {
        return None;
    };
    simple.words.is_empty().then_some(simple)
}

fn is_list(value: &Value) -> bool {
    value.prefix().starts_with('(')
}

fn holds_many(name: &str, shell: &ShellState) -> bool {
    let binding = shell.variables.get(shell.resolved(name));
    matches!(
        binding.map(|binding| &binding.value),
        Some(Stored::List(_) | Stored::Map(_) | Stored::Hidden(_))
    )
}

pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `name=value` as its two halves.
fn split_assignment(argument: &Value) -> Option<(String, Value)> {
    let Some(Piece::Text(first)) = argument.pieces.first() else {
        return None;
    };
    let (name, rest) = first.split_once('=')?;
    if name.is_empty() || name.starts_with(['-', '+']) {
        return None;
    }
    let mut pieces = vec![Piece::Text(rest.to_owned())];
    pieces.extend(argument.pieces.iter().skip(1).cloned());
    Some((
        name.to_owned(),
        Value {
            pieces,
            span: argument.span,
            may_split: false,
        },
    ))
}

/// Flags without a name: `-p`, `-x`, `-n`.
fn asks_to_print(argument: &Value) -> bool {
    argument
        .literal()
        .is_some_and(|text| text.starts_with('-') && !text.contains(['f', 'F']))
}
