//! One call with everything that decides about it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use automode_shell::{Analysis, Context, FileFact};

use super::project;
use crate::effects::{self, Effects};
use crate::policy::{Policy, Subject};
use crate::scene::{ProjectState, Scene};
use crate::{Action, Facts, Query, Session, ToolCall, tool};

/// What goes into the engine.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub call: &'a ToolCall,
    pub session: &'a Session,
    pub policy: &'a Policy,
    pub judge: JudgePresence,
    /// Seconds since the epoch, for the pause after outages of the judge.
    pub now: u64,
}

/// Whether there is a judge to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgePresence {
    Absent,
    Present,
}

/// A question, normalised, with what is known so far.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub call: &'a ToolCall,
    pub session: &'a Session,
    pub policy: &'a Policy,
    pub judge: JudgePresence,
    pub now: u64,
    /// The canonical tool name.
    pub tool: Cow<'static, str>,
    pub action: Action,
    pub context: Context,
    pub facts: Facts,
    /// What the action does, and what the code it leaves behind would do.
    pub effects: Effects,
    /// What is known of the code that the project would load.
    pub project: ProjectState,
    /// What was asked for, answered or not.
    pub asked: BTreeSet<Query>,
}

impl<'a> Case<'a> {
    pub fn new(question: Question<'a>) -> Self {
        let Question {
            call,
            session,
            policy,
            judge,
            now,
        } = question;
        let (tool, action) = tool::normalize(call);
        let context = context(call, session, policy);
        let mut case = Self {
            call,
            session,
            policy,
            judge,
            now,
            tool,
            action,
            context,
            facts: Facts::default(),
            effects: Effects::unknown(),
            project: ProjectState::Unknown,
            asked: BTreeSet::new(),
        };
        case.analyse();
        case
    }

    /// Reads the action. A directory that its input names may be one that the tool does
    /// not know of, so it counts beside the session's.
    fn analyse(&mut self) {
        let read = |context: &Context| effects::of(&self.action, context, &self.facts.shell);
        let mut effects = read(&self.context);
        if self.context.cwd != self.call.cwd {
            effects = effects.and(read(&Context {
                cwd: self.call.cwd.clone(),
                ..self.context.clone()
            }));
        }
        self.effects = effects;
    }

    /// Takes new observations in, and analyses again where they touch the analysis.
    pub fn learn(&mut self, facts: Facts) {
        let Facts {
            paths,
            shell,
            repos,
            changes,
            transcript,
            calls,
            permit,
            instructions,
        } = facts;
        self.facts.paths.extend(paths);
        self.facts.repos.extend(repos);
        let changed = !changes.is_empty();
        self.facts.changes.extend(changes);
        self.facts.transcript = transcript.or(self.facts.transcript.take());
        self.facts.calls = calls.or(self.facts.calls.take());
        self.facts.permit = permit.or(self.facts.permit.take());
        self.facts.instructions.extend(instructions);
        if shell.files.is_empty() {
            if changed {
                self.project = project::state(self);
            }
            return;
        }
        for (path, fact) in shell.files {
            let fact = match fact {
                FileFact::Text { body, session } => FileFact::Text {
                    body,
                    session: session || self.wrote(&path),
                },
                FileFact::Directory | FileFact::Absent | FileFact::Unreadable => fact,
            };
            self.facts.shell.files.insert(path, fact);
        }
        self.analyse();
        if !self.facts.changes.is_empty() {
            self.project = project::state(self);
        }
    }

    /// What a shell command would do, where the action is one.
    pub fn analysis(&self) -> Option<&Analysis> {
        matches!(self.action, Action::Shell { .. }).then_some(&self.effects.analysis)
    }

    fn wrote(&self, path: &str) -> bool {
        let canonical = self
            .facts
            .paths
            .get(path)
            .and_then(|fact| fact.canonical.as_deref());
        self.session
            .written
            .iter()
            .any(|file| file.path == path || Some(file.path.as_str()) == canonical)
    }

    pub fn scene(&self) -> Scene<'_> {
        Scene {
            action: &self.action,
            analysis: Some(&self.effects.analysis),
            content: &self.effects.content,
            context: &self.context,
            facts: &self.facts,
            session: self.session,
            project: &self.project,
        }
    }

    pub fn subject(&self) -> Subject<'_> {
        Subject {
            tool: &self.tool,
            input: &self.call.input,
            action: &self.action,
            analysis: self.analysis(),
            effects: &self.effects.analysis.effects,
            context: &self.context,
            facts: &self.facts,
        }
    }
}

/// The project is the session's roots, or else the working directory; a person's
/// settings may open more.
fn context(call: &ToolCall, session: &Session, policy: &Policy) -> Context {
    let cwd = tool::working_directory(call).into_owned();
    let mut roots = if session.roots.is_empty() {
        vec![call.cwd.clone()]
    } else {
        session.roots.clone()
    };
    roots.extend_from_slice(policy.directories());
    Context {
        cwd,
        home: session.home.clone(),
        roots,
        variables: session.variables.clone(),
    }
}
