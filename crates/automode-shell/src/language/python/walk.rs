//! Statements.

use super::PyProgram;
use super::state::PyScope;
use super::value::PyValue;
use ruff_python_ast::{Expr, Stmt};

impl PyProgram<'_, '_> {
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
                    self.assign(&node.target, PyValue::Data(crate::Taint::NONE));
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
                    .map_or(PyValue::None, |value| self.eval(value));
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
            .is_some_and(|frame| frame.scope == PyScope::Class)
    }

    fn outer_names(&mut self, names: &[ruff_python_ast::Identifier]) {
        if let Some(frame) = self.state.frames.last_mut() {
            frame
                .outer
                .extend(names.iter().map(|name| name.to_string()));
        }
    }
}
