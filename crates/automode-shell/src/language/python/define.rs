//! Functions and classes that the program defines.

use super::PyProgram;
use super::state::{Frame, Names, PyScope};
use super::value::{Binding, FunctionBody, PyClass, PyFunction, PyValue};
use ruff_python_ast::{Expr, StmtClassDef, StmtFunctionDef};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What becomes of a function that is decorated.
enum Decorator {
    Binds(Binding),
    /// It stays what it is.
    Keeps,
    /// A known function gets it and may call it.
    Calls(PyValue),
    /// It stays what it is, and is called later with anything.
    Registers,
    /// A function of the program gets it, and what comes of that shows only there.
    Wraps(PyValue),
    Unknown,
}

impl PyProgram<'_, '_> {
    pub(super) fn define(&mut self, node: &StmtFunctionDef) {
        let mut binding = Binding::Instance;
        let mut unknown = false;
        let mut registered = false;
        let mut callers = Vec::new();
        for decorator in &node.decorator_list {
            match self.decorator(&decorator.expression) {
                Decorator::Binds(found) => binding = found,
                Decorator::Keeps => {}
                Decorator::Calls(caller) => callers.push(caller),
                Decorator::Registers => registered = true,
                Decorator::Wraps(caller) => {
                    callers.push(caller);
                    unknown = true;
                }
                Decorator::Unknown => unknown = true,
            }
        }
        let function = self.function(node, binding);
        let thing = PyValue::Function(Rc::new(function));
        for caller in callers {
            let given = super::arguments::CallArguments::of(vec![thing.clone()]);
            self.apply(&caller, given, "decorator", 0);
        }
        if registered {
            self.escape(&thing, crate::Taint::UNKNOWN);
        }
        if unknown {
            // Whoever decorates may call it with anything.
            self.escape(&thing, crate::Taint::UNKNOWN);
            self.bind(node.name.as_str(), PyValue::Unknown(crate::Taint::UNKNOWN));
        } else {
            self.bind(node.name.as_str(), thing);
        }
    }

    /// What a decorator makes of a function.
    fn decorator(&mut self, expression: &Expr) -> Decorator {
        let value = self.eval(expression);
        match &value {
            PyValue::Name(name) => match name.as_ref() {
                "staticmethod" => Decorator::Binds(Binding::Static),
                "classmethod" => Decorator::Binds(Binding::Class),
                "property" | "functools.cached_property" => Decorator::Binds(Binding::Property),
                name if keeps_function(name) => Decorator::Keeps,
                name if super::super::library::PYTHON.call(name).is_some() => {
                    Decorator::Calls(value.clone())
                }
                name => {
                    self.reading.unknown_call(name);
                    Decorator::Unknown
                }
            },
            // `@app.route("/")`: a server calls it for every request.
            PyValue::Object(object) if object.kind == "registrar" => Decorator::Registers,
            // The results of known calls such as `@lru_cache(maxsize=1)`.
            PyValue::Data(_) | PyValue::Object(_) => Decorator::Keeps,
            // `@x.setter`.
            PyValue::Method(receiver, _)
                if matches!(**receiver, PyValue::Function(_) | PyValue::Data(_)) =>
            {
                Decorator::Keeps
            }
            PyValue::Function(_) => {
                self.reading.unknown_call("decorator");
                Decorator::Wraps(value.clone())
            }
            PyValue::Class(_)
            | PyValue::Heap(_)
            | PyValue::Method(..)
            | PyValue::Either(_)
            | PyValue::Unknown(_)
            | PyValue::Module(_)
            | PyValue::None
            | PyValue::Number(_)
            | PyValue::Text(_) => {
                self.reading.unknown_call("decorator");
                Decorator::Unknown
            }
        }
    }

    fn function(&mut self, node: &StmtFunctionDef, binding: Binding) -> PyFunction {
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
        PyFunction {
            parameters: (*node.parameters).clone(),
            body: FunctionBody::Block(node.body.to_vec()),
            defaults,
            captured: self.captured(),
            module: self.module,
            binding,
        }
    }

    /// Local names that a function defined here can see.
    pub(super) fn captured(&self) -> Names {
        self.state
            .frames
            .last()
            .map_or_else(Names::default, |frame| {
                let mut names = frame.captured.clone();
                if frame.scope == PyScope::Function && !frame.locals.is_empty() {
                    let locals = frame.locals.iter();
                    names.extend(locals.map(|(name, thing)| (name.clone(), thing.clone())));
                }
                names
            })
    }

    pub(super) fn define_class(&mut self, node: &StmtClassDef) {
        let mut bases = Vec::new();
        if let Some(arguments) = &node.arguments {
            for base in &arguments.args {
                let base = self.eval(base);
                if let PyValue::Name(name) = &base
                    && super::super::library::PYTHON.call(name).is_none()
                {
                    self.reading.unknown_call(name);
                } else if !matches!(
                    base,
                    PyValue::Name(_) | PyValue::Class(_) | PyValue::Data(_)
                ) {
                    self.reading.unknown_call("base class");
                }
                bases.push(base);
            }
            for keyword in &arguments.keywords {
                let value = self.eval(&keyword.value);
                if !matches!(&value, PyValue::Name(name) if name.as_ref() == "abc.ABCMeta")
                    && !value.is_plain()
                {
                    self.reading.unknown_call("metaclass");
                    self.escape(&value, crate::Taint::UNKNOWN);
                }
            }
        }
        for decorator in &node.decorator_list {
            self.decorator(&decorator.expression);
        }
        let (captured, outer) = (self.captured(), self.module);
        self.state.frames.push(Frame {
            captured,
            scope: PyScope::Class,
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
            PyValue::Class(Rc::new(PyClass {
                name,
                members,
                bases,
            })),
        );
    }
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
