//! Ways through the program: conditions, loops, contexts, attempts, matches.

use super::PyProgram;
use super::state::PyState;
use super::value::PyValue;
use crate::GapKind;
use ruff_python_ast::{
    ExceptHandler, Pattern, StmtFor, StmtIf, StmtMatch, StmtTry, StmtWhile, StmtWith,
};

/// Rounds of a loop before its values must have settled.
const ROUNDS: usize = 8;

impl PyProgram<'_, '_> {
    pub(super) fn condition(&mut self, node: &StmtIf) {
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

    pub(super) fn for_loop(&mut self, node: &StmtFor) {
        let over = self.eval(&node.iter);
        let element = self.element(&over);
        self.rounds(|program| {
            program.assign(&node.target, element.clone());
            program.block(&node.body);
        });
        self.block(&node.orelse);
    }

    pub(super) fn while_loop(&mut self, node: &StmtWhile) {
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

    pub(super) fn with(&mut self, node: &StmtWith) {
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
    fn enter(&mut self, value: &PyValue) -> PyValue {
        match value {
            PyValue::Object(object) => {
                match super::super::library::PYTHON.method(object.kind, "with") {
                    Some(behaviour) => {
                        let given = super::arguments::CallArguments::default();
                        self.perform(behaviour, Some(value), &given, "with", 0)
                    }
                    None => value.clone(),
                }
            }
            PyValue::Heap(_) => {
                let given = super::arguments::CallArguments::default();
                if self.has_method(value, "__enter__") {
                    let entered = self.call_method(value, "__enter__", given, "__enter__", 0);
                    if self.has_method(value, "__exit__") {
                        let given = super::arguments::CallArguments::any(crate::Taint::NONE);
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

    pub(super) fn attempt(&mut self, node: &StmtTry) {
        self.weak = self.weak.saturating_add(1);
        self.branch = self.branch.saturating_add(1);
        let before = self.fork();
        self.block(&node.body);
        self.state.join(before);
        let mut after: PyState = self.fork();
        for handler in &node.handlers {
            let ExceptHandler::ExceptHandler(handler) = handler;
            let before = self.fork();
            if let Some(kind) = &handler.type_ {
                self.eval(kind);
            }
            if let Some(name) = &handler.name {
                self.bind(name.as_str(), PyValue::Data(crate::Taint::NONE));
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

    pub(super) fn matches(&mut self, node: &StmtMatch) {
        let subject = self.eval(&node.subject);
        let stand_in = match self.state.is_plain(&subject) {
            true => PyValue::Data(self.taint(&subject)),
            false => PyValue::Unknown(self.taint(&subject)),
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

    fn capture(&mut self, pattern: &Pattern, value: &PyValue) {
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
}
