//! Statements.

use ruff_python_ast::{
    ExceptHandler, Expr, Pattern, Stmt, StmtClassDef, StmtFor, StmtFunctionDef, StmtIf, StmtMatch,
    StmtTry, StmtWhile, StmtWith,
};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::Program;
use super::state::{Frame, Scope, State};
use super::value::{Binding, Body, Class, Function, Held, Thing};
use crate::GapKind;

/// Rounds of a loop before its values must have settled.
const ROUNDS: usize = 8;

impl Program<'_, '_> {
    pub(super) fn block(&mut self, statements: &[Stmt]) {
        for statement in statements {
            if !self.step() {
                return;
            }
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Expr(node) => {
                self.eval(&node.value);
            }
            Stmt::Assign(node) => {
                let value = self.eval(&node.value);
                for target in &node.targets {
                    self.assign(target, value.clone());
                }
            }
            Stmt::AnnAssign(node) => {
                self.eval(&node.annotation);
                if let Some(value) = &node.value {
                    let value = self.eval(value);
                    self.assign(&node.target, value);
                } else if self.in_class() {
                    // A field that a data class or a base class fills.
                    self.assign(&node.target, Thing::Data(crate::Taint::NONE));
                }
            }
            Stmt::AugAssign(node) => {
                let old = self.eval(&node.target);
                let value = self.eval(&node.value);
                let site = usize::from(node.range.start());
                let new = self.combine(node.op, &old, &value, site);
                self.assign(&node.target, new);
            }
            Stmt::If(node) => self.condition(node),
            Stmt::For(node) => self.for_loop(node),
            Stmt::While(node) => self.while_loop(node),
            Stmt::With(node) => self.with(node),
            Stmt::Try(node) => self.attempt(node),
            Stmt::Match(node) => self.matches(node),
            Stmt::FunctionDef(node) => self.define(node),
            Stmt::ClassDef(node) => self.define_class(node),
            Stmt::Return(node) => {
                let value = node
                    .value
                    .as_ref()
                    .map_or(Thing::None, |value| self.eval(value));
                if let Some(frame) = self.state.frames.last_mut() {
                    frame.returned = super::state::join_options(frame.returned.take(), Some(value));
                }
            }
            Stmt::Raise(node) => {
                for value in node.exc.iter().chain(&node.cause) {
                    self.eval(value);
                }
            }
            Stmt::Assert(node) => {
                self.eval(&node.test);
                if let Some(message) = &node.msg {
                    self.eval(message);
                }
            }
            Stmt::Delete(node) => {
                for target in &node.targets {
                    // Forgetting the value is not needed; what the target runs is.
                    if let Expr::Subscript(subscript) = target {
                        self.eval(&subscript.value);
                        self.eval(&subscript.slice);
                    }
                }
            }
            Stmt::Import(node) => self.import(node),
            Stmt::ImportFrom(node) => self.import_from(node),
            Stmt::Global(node) => self.outer_names(&node.names),
            Stmt::Nonlocal(node) => self.outer_names(&node.names),
            Stmt::TypeAlias(_) | Stmt::Pass(_) | Stmt::Break(_) | Stmt::Continue(_) => {}
            Stmt::IpyEscapeCommand(_) => self.reading.syntax("escape command"),
        }
    }

    fn in_class(&self) -> bool {
        self.state
            .frames
            .last()
            .is_some_and(|frame| frame.scope == Scope::Class)
    }

    fn outer_names(&mut self, names: &[ruff_python_ast::Identifier]) {
        if let Some(frame) = self.state.frames.last_mut() {
            frame
                .outer
                .extend(names.iter().map(|name| name.to_string()));
        }
    }

    // --- ways through the program ---

    fn condition(&mut self, node: &StmtIf) {
        self.eval(&node.test);
        self.branch = self.branch.saturating_add(1);
        let before = self.fork();
        self.block(&node.body);
        let mut after = std::mem::replace(&mut self.state, before);
        let mut open = true;
        for clause in &node.elif_else_clauses {
            if let Some(test) = &clause.test {
                self.eval(test);
            } else {
                open = false;
            }
            let before = self.fork();
            self.block(&clause.body);
            after.join(std::mem::replace(&mut self.state, before));
        }
        if open {
            after.join(std::mem::take(&mut self.state));
        }
        self.state = after;
        self.branch = self.branch.saturating_sub(1);
    }

    fn for_loop(&mut self, node: &StmtFor) {
        let over = self.eval(&node.iter);
        let element = self.element(&over);
        self.rounds(|program| {
            program.assign(&node.target, element.clone());
            program.block(&node.body);
        });
        self.block(&node.orelse);
    }

    fn while_loop(&mut self, node: &StmtWhile) {
        self.rounds(|program| {
            program.eval(&node.test);
            program.block(&node.body);
        });
        self.block(&node.orelse);
    }

    /// Walks a loop silently until its values settle, then once for its effects.
    pub(super) fn rounds(&mut self, mut body: impl FnMut(&mut Self)) {
        self.branch = self.branch.saturating_add(1);
        self.weak = self.weak.saturating_add(1);
        let muted = self.reading.mute(true);
        let mut settled = false;
        for _ in 0..ROUNDS {
            let before = self.fork();
            body(self);
            self.state.join(before.clone());
            if !self.state.widen(&before) {
                settled = true;
                break;
            }
        }
        self.reading.mute(muted);
        if !settled {
            self.reading.gap(GapKind::Budget);
        }
        let before = self.fork();
        body(self);
        self.state.join(before);
        self.weak = self.weak.saturating_sub(1);
        self.branch = self.branch.saturating_sub(1);
    }

    fn with(&mut self, node: &StmtWith) {
        for item in &node.items {
            let value = self.eval(&item.context_expr);
            let entered = self.enter(&value);
            if let Some(target) = &item.optional_vars {
                self.assign(target, entered);
            }
        }
        self.weak = self.weak.saturating_add(1);
        self.block(&node.body);
        self.weak = self.weak.saturating_sub(1);
    }

    /// What `with` binds: mostly the value itself.
    fn enter(&mut self, value: &Thing) -> Thing {
        match value {
            Thing::Object(object) => {
                match super::super::known::PYTHON.method(object.kind, "with") {
                    Some(behaviour) => {
                        let given = super::call::Given::default();
                        self.perform(behaviour, Some(value), &given, "with", 0)
                    }
                    None => value.clone(),
                }
            }
            Thing::Heap(_) => {
                let given = super::call::Given::default();
                if self.has_method(value, "__enter__") {
                    let entered = self.call_method(value, "__enter__", given, "__enter__", 0);
                    if self.has_method(value, "__exit__") {
                        let given = super::call::Given::any(crate::Taint::NONE);
                        self.call_method(value, "__exit__", given, "__exit__", 0);
                    }
                    entered
                } else {
                    // A generator under `contextmanager` binds what it yields.
                    self.element(value)
                }
            }
            other => other.clone(),
        }
    }

    fn attempt(&mut self, node: &StmtTry) {
        self.weak = self.weak.saturating_add(1);
        self.branch = self.branch.saturating_add(1);
        let before = self.fork();
        self.block(&node.body);
        self.state.join(before);
        let mut after: State = self.fork();
        for handler in &node.handlers {
            let ExceptHandler::ExceptHandler(handler) = handler;
            let before = self.fork();
            if let Some(kind) = &handler.type_ {
                self.eval(kind);
            }
            if let Some(name) = &handler.name {
                self.bind(name.as_str(), Thing::Data(crate::Taint::NONE));
            }
            self.block(&handler.body);
            after.join(std::mem::replace(&mut self.state, before));
        }
        self.block(&node.orelse);
        self.state.join(after);
        self.weak = self.weak.saturating_sub(1);
        self.branch = self.branch.saturating_sub(1);
        self.block(&node.finalbody);
    }

    fn matches(&mut self, node: &StmtMatch) {
        let subject = self.eval(&node.subject);
        let stand_in = match self.state.is_plain(&subject) {
            true => Thing::Data(self.taint(&subject)),
            false => Thing::Unknown(self.taint(&subject)),
        };
        self.branch = self.branch.saturating_add(1);
        let mut after = self.fork();
        for case in &node.cases {
            let before = self.fork();
            self.capture(&case.pattern, &stand_in);
            if let Some(guard) = &case.guard {
                self.eval(guard);
            }
            self.block(&case.body);
            after.join(std::mem::replace(&mut self.state, before));
        }
        self.state = after;
        self.branch = self.branch.saturating_sub(1);
    }

    fn capture(&mut self, pattern: &Pattern, value: &Thing) {
        match pattern {
            Pattern::MatchValue(node) => {
                self.eval(&node.value);
            }
            Pattern::MatchSingleton(_) => {}
            Pattern::MatchSequence(node) => {
                for pattern in &node.patterns {
                    self.capture(pattern, value);
                }
            }
            Pattern::MatchMapping(node) => {
                for pattern in &node.patterns {
                    self.capture(pattern, value);
                }
                if let Some(rest) = &node.rest {
                    self.bind(rest.as_str(), value.clone());
                }
            }
            Pattern::MatchClass(node) => {
                let keywords = node
                    .arguments
                    .keywords
                    .iter()
                    .map(|keyword| &keyword.pattern);
                for pattern in node.arguments.patterns.iter().chain(keywords) {
                    self.capture(pattern, value);
                }
            }
            Pattern::MatchStar(node) => {
                if let Some(name) = &node.name {
                    self.bind(name.as_str(), value.clone());
                }
            }
            Pattern::MatchAs(node) => {
                if let Some(pattern) = &node.pattern {
                    self.capture(pattern, value);
                }
                if let Some(name) = &node.name {
                    self.bind(name.as_str(), value.clone());
                }
            }
            Pattern::MatchOr(node) => {
                for pattern in &node.patterns {
                    self.capture(pattern, value);
                }
            }
        }
    }

    // --- names ---

    pub(super) fn assign(&mut self, target: &Expr, value: Thing) {
        match target {
            Expr::Name(node) => self.bind(&node.id, value),
            Expr::Tuple(node) => self.assign_each(&node.elts, &value),
            Expr::List(node) => self.assign_each(&node.elts, &value),
            Expr::Starred(node) => self.assign(&node.value, value),
            Expr::Subscript(node) => {
                let receiver = self.eval(&node.value);
                let key = self.eval(&node.slice);
                self.put_item(&receiver, &key, value);
            }
            Expr::Attribute(node) => {
                let receiver = self.eval(&node.value);
                self.put_field(&receiver, node.attr.as_str(), value);
            }
            _ => {
                self.eval(target);
            }
        }
    }

    fn assign_each(&mut self, targets: &[Expr], value: &Thing) {
        let starred = targets
            .iter()
            .any(|target| matches!(target, Expr::Starred(_)));
        let items = self.items(value).filter(|_| !starred);
        for (at, target) in targets.iter().enumerate() {
            let item = items
                .as_ref()
                .and_then(|items| items.get(at).cloned())
                .unwrap_or_else(|| self.element(value));
            let item = match target {
                Expr::Starred(node) => {
                    let site = usize::from(node.range.start());
                    self.list(site, Vec::new(), Some(item))
                }
                _ => item,
            };
            self.assign(target, item);
        }
    }

    pub(super) fn bind(&mut self, name: &str, value: Thing) {
        let weak = self.weak > 0;
        let outer = self
            .state
            .frames
            .last()
            .is_some_and(|frame| frame.outer.contains(name));
        let names = match self.state.frames.last_mut() {
            Some(frame) if !outer => &mut frame.locals,
            Some(_) | None => {
                if outer {
                    // Whichever scope it belongs to may now hold it.
                    for frame in self.state.frames.iter_mut().rev().skip(1) {
                        if let Some(old) = frame.locals.get_mut(name) {
                            *old = old.join(&value);
                        }
                    }
                }
                match self.state.modules.get_mut(self.module) {
                    Some(names) => names,
                    None => return,
                }
            }
        };
        match names.get_mut(name) {
            Some(old) if weak || outer => *old = old.join(&value),
            Some(old) => *old = value,
            None => {
                names.insert(name.to_owned(), value);
            }
        }
    }

    fn put_item(&mut self, receiver: &Thing, key: &Thing, value: Thing) {
        for way in receiver.ways().to_vec() {
            match &way {
                Thing::Heap(at) => {
                    let constant = match key {
                        Thing::Text(text) => text.literal(),
                        _ => None,
                    };
                    match (self.state.heap.get_mut(at), constant) {
                        (Some(Held::Dict { entries, .. }), Some(key)) => {
                            let joined = entries
                                .get(&key)
                                .map_or(value.clone(), |old| old.join(&value));
                            entries.insert(key, joined);
                        }
                        (Some(Held::Dict { rest, .. } | Held::List { rest, .. }), _) => {
                            *rest = super::state::join_options(rest.take(), Some(value.clone()));
                        }
                        (Some(Held::Instance { .. }) | None, _) => {
                            self.reading.unknown_call("__setitem__");
                        }
                    }
                    if let Some(Held::List { items, .. }) = self.state.heap.get_mut(at) {
                        for item in items {
                            *item = item.join(&value);
                        }
                    }
                }
                Thing::Object(object) if object.kind == "environ" => {
                    let name = self.word(key).literal().map(|name| name.into_owned());
                    self.set_variable(name.as_deref());
                }
                Thing::Object(_)
                | Thing::Data(_)
                | Thing::None
                | Thing::Text(_)
                | Thing::Number(_)
                | Thing::Method(..) => {}
                Thing::Name(name) if name.contains("rcParams") => {}
                Thing::Name(_)
                | Thing::Module(_)
                | Thing::Function(_)
                | Thing::Class(_)
                | Thing::Either(_)
                | Thing::Unknown(_) => {
                    self.reading
                        .unknown_call("assignment into an unknown object");
                }
            }
        }
    }

    fn put_field(&mut self, receiver: &Thing, name: &str, value: Thing) {
        for way in receiver.ways().to_vec() {
            match &way {
                Thing::Heap(at) => {
                    if let Some(Held::Instance { fields, .. }) = self.state.heap.get_mut(at) {
                        let joined = fields
                            .get(name)
                            .map_or(value.clone(), |old| old.join(&value));
                        fields.insert(name.to_owned(), joined);
                    }
                }
                Thing::Name(module) if is_plain_setting(module, name) => {}
                Thing::Name(module) => {
                    // From here on the table's description of this name is wrong.
                    self.reading
                        .unknown_call(&format!("assignment to {module}.{name}"));
                }
                Thing::Module(at) => {
                    if let Some(names) = self.state.modules.get_mut(*at) {
                        let joined = names
                            .get(name)
                            .map_or(value.clone(), |old| old.join(&value));
                        names.insert(name.to_owned(), joined);
                    }
                }
                Thing::Class(class) => {
                    self.reading
                        .unknown_call(&format!("assignment to {}.{name}", class.name));
                }
                Thing::Unknown(_) => {
                    self.reading
                        .unknown_call(&format!("assignment to a field {name}"));
                }
                Thing::None
                | Thing::Number(_)
                | Thing::Text(_)
                | Thing::Data(_)
                | Thing::Object(_)
                | Thing::Function(_)
                | Thing::Method(..)
                | Thing::Either(_) => {}
            }
        }
    }

    // --- definitions ---

    fn define(&mut self, node: &StmtFunctionDef) {
        let mut binding = Binding::Instance;
        let mut unknown = false;
        let mut callers = Vec::new();
        for decorator in &node.decorator_list {
            match self.decorator(&decorator.expression) {
                Decorator::Binds(found) => binding = found,
                Decorator::Keeps => {}
                Decorator::Calls(caller) => callers.push(caller),
                Decorator::Unknown => unknown = true,
            }
        }
        let function = self.function(node, binding);
        let thing = Thing::Function(Rc::new(function));
        for caller in callers {
            let given = super::call::Given::of(vec![thing.clone()]);
            self.apply(&caller, given, "decorator", 0);
        }
        if unknown {
            // Whoever decorates may call it with anything.
            self.escape(&thing, crate::Taint::UNKNOWN);
            self.bind(node.name.as_str(), Thing::Unknown(crate::Taint::UNKNOWN));
        } else {
            self.bind(node.name.as_str(), thing);
        }
    }

    /// What a decorator makes of a function.
    fn decorator(&mut self, expression: &Expr) -> Decorator {
        let value = self.eval(expression);
        match &value {
            Thing::Name(name) => match name.as_ref() {
                "staticmethod" => Decorator::Binds(Binding::Static),
                "classmethod" => Decorator::Binds(Binding::Class),
                "property" | "functools.cached_property" => Decorator::Binds(Binding::Property),
                name if keeps_function(name) => Decorator::Keeps,
                name if super::super::known::PYTHON.call(name).is_some() => {
                    Decorator::Calls(value.clone())
                }
                name => {
                    self.reading.unknown_call(name);
                    Decorator::Unknown
                }
            },
            // The results of known calls such as `@lru_cache(maxsize=1)`.
            Thing::Data(_) | Thing::Object(_) => Decorator::Keeps,
            // `@x.setter`.
            Thing::Method(receiver, _)
                if matches!(**receiver, Thing::Function(_) | Thing::Data(_)) =>
            {
                Decorator::Keeps
            }
            Thing::Function(_)
            | Thing::Class(_)
            | Thing::Heap(_)
            | Thing::Method(..)
            | Thing::Either(_)
            | Thing::Unknown(_)
            | Thing::Module(_)
            | Thing::None
            | Thing::Number(_)
            | Thing::Text(_) => {
                self.reading.unknown_call("decorator");
                Decorator::Unknown
            }
        }
    }

    fn function(&mut self, node: &StmtFunctionDef, binding: Binding) -> Function {
        let mut defaults = BTreeMap::new();
        for parameter in node.parameters.iter_non_variadic_params() {
            if let Some(annotation) = parameter.annotation() {
                self.eval(annotation);
            }
            if let Some(default) = parameter.default() {
                let value = self.eval(default);
                defaults.insert(parameter.name().to_string(), value);
            }
        }
        if let Some(returns) = &node.returns {
            self.eval(returns);
        }
        Function {
            parameters: (*node.parameters).clone(),
            body: Body::Block(node.body.to_vec()),
            defaults,
            captured: self.captured(),
            module: self.module,
            binding,
        }
    }

    /// Local names that a function defined here can see.
    pub(super) fn captured(&self) -> BTreeMap<String, Thing> {
        self.state
            .frames
            .last()
            .map_or_else(BTreeMap::new, |frame| {
                let mut names = frame.captured.clone();
                if frame.scope == Scope::Function {
                    names.extend(frame.locals.clone());
                }
                names
            })
    }

    fn define_class(&mut self, node: &StmtClassDef) {
        let mut bases = Vec::new();
        if let Some(arguments) = &node.arguments {
            for base in &arguments.args {
                let base = self.eval(base);
                match &base {
                    Thing::Name(name) if super::super::known::PYTHON.call(name).is_none() => {
                        self.reading.unknown_call(name);
                    }
                    Thing::Name(_) | Thing::Class(_) | Thing::Data(_) => {}
                    _ => self.reading.unknown_call("base class"),
                }
                bases.push(base);
            }
            for keyword in &arguments.keywords {
                let value = self.eval(&keyword.value);
                if !matches!(&value, Thing::Name(name) if name.as_ref() == "abc.ABCMeta")
                    && !value.is_plain()
                {
                    self.reading.unknown_call("metaclass");
                }
            }
        }
        for decorator in &node.decorator_list {
            self.decorator(&decorator.expression);
        }
        let (captured, outer) = (self.captured(), self.module);
        self.state.frames.push(Frame {
            captured,
            scope: Scope::Class,
            ..Frame::default()
        });
        self.block(&node.body);
        self.module = outer;
        let members = self
            .state
            .frames
            .pop()
            .map(|frame| frame.locals)
            .unwrap_or_default();
        let name: Rc<str> = Rc::from(node.name.as_str());
        self.bind(
            node.name.as_str(),
            Thing::Class(Rc::new(Class {
                name,
                members,
                bases,
            })),
        );
    }
}

/// What becomes of a function that is decorated.
enum Decorator {
    Binds(Binding),
    /// It stays what it is.
    Keeps,
    /// A known function gets it and may call it.
    Calls(Thing),
    Unknown,
}

/// Decorators that hand the function back, to be called by its name alone.
fn keeps_function(name: &str) -> bool {
    let module = name.split('.').next().unwrap_or_default();
    matches!(
        module,
        "functools"
            | "dataclasses"
            | "contextlib"
            | "abc"
            | "typing"
            | "typing_extensions"
            | "enum"
            | "pytest"
            | "unittest"
            | "click"
            | "typer"
            | "attr"
            | "attrs"
            | "pydantic"
            | "torch"
            | "hypothesis"
    )
}

/// Settings of library modules that programs commonly assign.
fn is_plain_setting(module: &str, name: &str) -> bool {
    matches!(
        (module, name),
        (
            "sys",
            "stdout" | "stderr" | "stdin" | "argv" | "tracebacklimit"
        ) | ("decimal", _)
            | ("pandas.options.display" | "pandas.options.mode", _)
            | ("torch.backends.cudnn", _)
            | ("PIL.Image", "MAX_IMAGE_PIXELS")
    )
}
