//! Every command of a script, wherever it stands.

use super::tree::{
    Assignment, AssignmentValue, Command, CommandKind, Condition, Operation, ParameterExpansion,
    PartKind, RedirectTarget, Script, Subscript, Word,
};

impl Script {
    /// Calls back for each command in it, also in substitutions and function bodies.
    pub fn visit<'s>(&'s self, see: &mut dyn FnMut(&'s Command)) {
        for item in &self.items {
            let pipelines =
                std::iter::once(&item.first).chain(item.rest.iter().map(|(_, next)| next));
            for stage in pipelines.flat_map(|pipeline| &pipeline.stages) {
                stage.command.visit(see);
            }
        }
    }
}

impl Command {
    /// Calls back for this command and each one inside it.
    pub fn visit<'s>(&'s self, see: &mut dyn FnMut(&'s Command)) {
        see(self);
        for redirect in &self.redirects {
            match &redirect.target {
                RedirectTarget::Word(word) => word.visit(see),
                RedirectTarget::Document(document) => {
                    if let Some(body) = document.body() {
                        body.visit(see);
                    }
                }
            }
        }
        match &self.kind {
            CommandKind::Simple(simple) => {
                assignments(&simple.assignments, see);
                words(&simple.words, see);
                assignments(&simple.arrays, see);
            }
            CommandKind::Group(script) | CommandKind::Subshell(script) => script.visit(see),
            CommandKind::If { arms, otherwise } => {
                for (condition, branch) in arms {
                    condition.visit(see);
                    branch.visit(see);
                }
                if let Some(branch) = otherwise {
                    branch.visit(see);
                }
            }
            CommandKind::Loop { condition, body } => {
                condition.visit(see);
                body.visit(see);
            }
            CommandKind::For {
                words: list, body, ..
            }
            | CommandKind::Select {
                words: list, body, ..
            } => {
                words(list.as_deref().unwrap_or_default(), see);
                body.visit(see);
            }
            CommandKind::ArithmeticFor { header, body } => {
                words(header, see);
                body.visit(see);
            }
            CommandKind::Case { subject, arms } => {
                subject.visit(see);
                for arm in arms {
                    words(&arm.patterns, see);
                    arm.body.visit(see);
                }
            }
            CommandKind::Conditional(condition) => condition.visit(see),
            CommandKind::Arithmetic(word) => word.visit(see),
            CommandKind::Function { body, .. } => body.visit(see),
            CommandKind::Coprocess { body, .. } => body.visit(see),
        }
    }
}

impl Condition {
    fn visit<'s>(&'s self, see: &mut dyn FnMut(&'s Command)) {
        match self {
            Self::Not(inner) => inner.visit(see),
            Self::Both(left, right) | Self::Either(left, right) => {
                left.visit(see);
                right.visit(see);
            }
            Self::Unary { operand, .. } => operand.visit(see),
            Self::Binary { left, right, .. } => {
                left.visit(see);
                right.visit(see);
            }
            Self::Word(word) => word.visit(see),
        }
    }
}

impl Word {
    /// Calls back for each command in the word's substitutions.
    pub fn visit<'s>(&'s self, see: &mut dyn FnMut(&'s Command)) {
        for part in &self.parts {
            match &part.kind {
                PartKind::Literal(_) => {}
                PartKind::Parameter(parameter) => parameter.visit(see),
                PartKind::Command(script) | PartKind::Process(_, script) => script.visit(see),
                PartKind::Arithmetic(word) => word.visit(see),
            }
        }
    }
}

impl ParameterExpansion {
    fn visit<'s>(&'s self, see: &mut dyn FnMut(&'s Command)) {
        if let Some(Subscript::Key(key)) = &self.subscript {
            key.visit(see);
        }
        match &self.operation {
            Operation::Value
            | Operation::Length
            | Operation::Names
            | Operation::Keys
            | Operation::Transform(_) => {}
            Operation::Fallback { word, .. } => word.visit(see),
            Operation::Trim { pattern, .. } | Operation::Case { pattern, .. } => pattern.visit(see),
            Operation::Replace { pattern, with, .. } => {
                pattern.visit(see);
                with.visit(see);
            }
            Operation::Slice { offset, length } => {
                offset.visit(see);
                if let Some(length) = length {
                    length.visit(see);
                }
            }
        }
    }
}

fn words<'s>(words: &'s [Word], see: &mut dyn FnMut(&'s Command)) {
    for word in words {
        word.visit(see);
    }
}

fn assignments<'s>(assignments: &'s [Assignment], see: &mut dyn FnMut(&'s Command)) {
    for assignment in assignments {
        if let Some(key) = &assignment.subscript {
            key.visit(see);
        }
        match &assignment.value {
            AssignmentValue::Scalar(word) => word.visit(see),
            AssignmentValue::Array(elements) => {
                for element in elements {
                    if let Some(key) = &element.key {
                        key.visit(see);
                    }
                    element.value.visit(see);
                }
            }
        }
    }
}
