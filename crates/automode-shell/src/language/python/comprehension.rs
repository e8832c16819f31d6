//! Functions inside expressions: lambdas, comprehensions, and the call itself.

use super::PyProgram;
use super::arguments::CallArguments;
use super::state::join_options;
use super::value::{Binding, FunctionBody, HeapObject, PyFunction, PyValue};
use ruff_python_ast::{Comprehension, Expr, ExprCall, ExprLambda};
use std::rc::Rc;

impl PyProgram<'_, '_> {
    pub(super) fn lambda(&mut self, node: &ExprLambda) -> PyValue {
        let parameters = node.parameters.as_deref().cloned().unwrap_or_default();
        let mut defaults = std::collections::BTreeMap::new();
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = parameter.default() {
                let value = self.eval(default);
                defaults.insert(parameter.name().to_string(), value);
            }
        }
        PyValue::Function(Rc::new(PyFunction {
            parameters,
            body: FunctionBody::Expression((*node.body).clone()),
            defaults,
            captured: self.captured(),
            module: self.module,
            binding: Binding::Instance,
        }))
    }

    pub(super) fn comprehension(
        &mut self,
        generators: &[Comprehension],
        parts: &[&Expr],
        site: usize,
    ) -> PyValue {
        let mut element = PyValue::None;
        self.generate(generators, &mut |program| {
            for part in parts {
                element = program.eval(part);
            }
        });
        self.list(site, Vec::new(), Some(element))
    }

    pub(super) fn dict_comprehension(&mut self, node: &ruff_python_ast::ExprDictComp) -> PyValue {
        let mut value = PyValue::None;
        self.generate(&node.generators, &mut |program| {
            if let Some(key) = &node.key {
                program.eval(key);
            }
            value = program.eval(&node.value);
        });
        self.hold(
            usize::from(node.range.start()),
            HeapObject::Dict {
                entries: std::collections::BTreeMap::new(),
                rest: Some(value),
            },
        )
    }

    fn generate(&mut self, generators: &[Comprehension], body: &mut dyn FnMut(&mut Self)) {
        self.weak = self.weak.saturating_add(1);
        self.branch = self.branch.saturating_add(1);
        let mut own = Vec::new();
        for generator in generators {
            names_of(&generator.target, &mut own);
        }
        let before: Vec<(String, Option<PyValue>)> = own
            .into_iter()
            .map(|name| {
                let old = self.scope().and_then(|names| names.remove(&name));
                (name, old)
            })
            .collect();
        for generator in generators {
            let over = self.eval(&generator.iter);
            let element = self.element(&over);
            self.assign(&generator.target, element);
            for test in &generator.ifs {
                self.eval(test);
            }
        }
        body(self);
        // The names of a comprehension are its own.
        for (name, old) in before {
            if let Some(names) = self.scope() {
                match old {
                    Some(old) => names.insert(name, old),
                    None => names.remove(&name),
                };
            }
        }
        self.weak = self.weak.saturating_sub(1);
        self.branch = self.branch.saturating_sub(1);
    }

    /// The names that an assignment here would change.
    pub(super) fn scope(&mut self) -> Option<&mut super::state::Names> {
        match self.state.frames.last_mut() {
            Some(frame) => Some(&mut frame.locals),
            None => self.state.modules.get_mut(self.module),
        }
    }

    pub(super) fn call(&mut self, node: &ExprCall) -> PyValue {
        let above = method_of_super(&node.func);
        let function = match above {
            Some(_) => PyValue::None,
            None => self.eval(&node.func),
        };
        let mut given = CallArguments::default();
        for argument in &node.arguments.args {
            let value = self.eval(argument);
            match (argument, self.items(&value)) {
                (Expr::Starred(_), Some(items)) if given.more.is_none() => {
                    given.positional.extend(items)
                }
                (Expr::Starred(_), _) => {
                    let element = self.element(&value);
                    given.more = join_options(given.more.take(), Some(element));
                }
                _ => given.positional.push(value),
            }
        }
        for keyword in &node.arguments.keywords {
            let value = self.eval(&keyword.value);
            match &keyword.arg {
                Some(name) => given.keywords.push((name.to_string(), value)),
                None => {
                    let mut entries = std::collections::BTreeMap::new();
                    let mut rest = None;
                    self.spread(&value, &mut entries, &mut rest);
                    given.keywords.extend(entries);
                    given.more = join_options(given.more.take(), rest);
                }
            }
        }
        let site = usize::from(node.range_start);
        let label = self.label(&node.func);
        if let Some(name) = above {
            return self.super_call(name, &given, &label, site);
        }
        self.apply(&function, given, &label, site)
    }

    /// The text of an expression, for the name of a gap.
    fn label(&self, expression: &Expr) -> String {
        let range = ruff_text_size::Ranged::range(expression);
        self.text
            .get(usize::from(range.start())..usize::from(range.end()))
            .unwrap_or("call")
            .split_whitespace()
            .collect()
    }
}

/// The method of `super().method`.
fn method_of_super(function: &Expr) -> Option<&str> {
    let Expr::Attribute(attribute) = function else {
        return None;
    };
    let Expr::Call(call) = &*attribute.value else {
        return None;
    };
    match &*call.func {
        Expr::Name(name) if name.id == "super" => Some(attribute.attr.as_str()),
        _ => None,
    }
}

/// The names that a target binds.
fn names_of(target: &Expr, names: &mut Vec<String>) {
    match target {
        Expr::Name(node) => names.push(node.id.to_string()),
        Expr::Tuple(node) => node.elts.iter().for_each(|target| names_of(target, names)),
        Expr::List(node) => node.elts.iter().for_each(|target| names_of(target, names)),
        Expr::Starred(node) => names_of(&node.value, names),
        _ => {}
    }
}
