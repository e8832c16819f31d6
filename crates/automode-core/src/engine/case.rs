//! One call with everything that decides about it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use automode_shell::{Act, Analysis, Context, Effect, FileFact, Invocation};

use super::project;
use crate::effects::{self, Effects};
use crate::policy::{Policy, Subject};
use crate::scene::{KnownPlaces, ProjectState, Scene};
use crate::transcript::Entry;
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

#[cfg(test)]
impl<'a> Question<'a> {
    pub fn without_judge(call: &'a ToolCall, session: &'a Session, policy: &'a Policy) -> Self {
        Self {
            call,
            session,
            policy,
            judge: JudgePresence::Absent,
            now: 0,
        }
    }
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
    /// What was made of its texts so far.
    pub analysed: project::AnalysisMemo,
    /// The places of this call that were looked up before.
    pub known_places: KnownPlaces,
    /// What was asked for, answered or not.
    pub asked: BTreeSet<Query>,
}

impl<'a> Case<'a> {
    /// What was said so far: as it was read back, or as the session has it.
    pub fn entries(&self) -> &[Entry] {
        let recalled = self.facts.transcript.as_deref();
        recalled.unwrap_or(&self.session.transcript)
    }

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
            analysed: project::AnalysisMemo::default(),
            known_places: KnownPlaces::default(),
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
            matches,
            folders,
            leads,
            shell,
            repos,
            changes,
            outgoing,
            replaced,
            transcript,
            calls,
            permit,
            instructions,
        } = facts;
        self.facts.paths.extend(paths);
        self.facts.matches.extend(matches);
        self.facts.folders.extend(folders);
        for (directory, found) in leads {
            self.facts.leads.entry(directory).or_default().extend(found);
        }
        self.facts.repos.extend(repos);
        if !changes.is_empty() {
            self.analysed.forget();
        }
        self.facts.changes.extend(changes);
        for (directory, found) in outgoing {
            let known = self.facts.outgoing.remove(&directory);
            let all = match known {
                Some(known) => known.with(found),
                None => found,
            };
            self.facts.outgoing.insert(directory, all);
        }
        for (directory, found) in replaced {
            let all = match self.facts.replaced.remove(&directory) {
                Some(known) => known.with(found),
                None => found,
            };
            self.facts.replaced.insert(directory, all);
        }
        self.facts.transcript = transcript.or(self.facts.transcript.take());
        self.facts.calls = calls.or(self.facts.calls.take());
        self.facts.permit = permit.or(self.facts.permit.take());
        self.facts.instructions.extend(instructions);
        if shell.files.is_empty() {
            return;
        }
        let assumed = self.assumed(&shell.files);
        self.facts.shell.programs.extend(shell.programs);
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
        if assumed {
            let files = &self.facts.shell.files;
            let needs = &mut self.effects.analysis.needs;
            needs.retain(|need| !files.contains_key(need.path()));
        } else {
            // What the command writes is there when the code runs.
            let wrote = !self.effects.writes.is_empty();
            self.analyse();
            if wrote || !self.effects.writes.is_empty() {
                self.analysed.forget();
            }
        }
    }

    /// Judges the code that the project would load, from all that was looked at.
    pub fn judge_project(&mut self) {
        if !self.facts.changes.is_empty() {
            self.project = project::state(self);
        }
    }

    /// Whether every file is what the analysis took it for, so that another one would say the
    /// same. Only of commands that read and stay where they are: nothing else in them asks
    /// for these files.
    fn assumed(&self, files: &BTreeMap<String, FileFact>) -> bool {
        let Effects {
            analysis,
            content,
            writes,
        } = &self.effects;
        let stays = |start: &Invocation| start.cwd.as_ref() == Some(&self.context.cwd);
        let reads = |effect: &Effect| matches!(effect.act, Act::Read { .. });
        let expected = |(path, found): (&String, &FileFact)| {
            let mut needs = analysis.needs.iter().filter(|need| need.path() == path);
            needs.next().is_some_and(|need| need.assumed(found))
                && needs.all(|need| need.assumed(found))
        };
        self.context.cwd == self.call.cwd
            && content.is_empty()
            && writes.is_empty()
            && analysis.effects.iter().all(reads)
            && analysis.invocations.iter().all(stays)
            && files.iter().all(expected)
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
        let written = |path| self.session.written.find(path).is_some();
        written(path) || canonical.is_some_and(|canonical| canonical != path && written(canonical))
    }

    pub fn scene(&self) -> Scene<'_> {
        Scene {
            action: &self.action,
            analysis: Some(&self.effects.analysis),
            content: &self.effects.content,
            writes: &self.effects.writes,
            context: &self.context,
            facts: &self.facts,
            session: self.session,
            project: &self.project,
            known_places: &self.known_places,
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
        variables: session
            .variables
            .iter()
            .cloned()
            .chain(runner_files(session))
            .collect(),
    }
}

/// Files that a CI runner hands to a step to be added to, by their variables. Elsewhere the
/// variables are not set, and nothing is written. An earlier call that set one means another file.
const RUNNER_FILES: &[(&str, &str)] = &[
    ("GITHUB_OUTPUT", "/tmp/_runner_file_commands/set_output"),
    (
        "GITHUB_STEP_SUMMARY",
        "/tmp/_runner_file_commands/step_summary",
    ),
    ("GITHUB_STATE", "/tmp/_runner_file_commands/save_state"),
];

fn runner_files(session: &Session) -> impl Iterator<Item = (String, String)> + '_ {
    RUNNER_FILES
        .iter()
        .filter(move |(name, _)| {
            let known = session.variables.iter().any(|(own, _)| own == name);
            let is_set = session
                .calls
                .iter()
                .any(|call| names_bare(&call.brief, name));
            !known && !is_set
        })
        .map(|(name, path)| ((*name).to_owned(), (*path).to_owned()))
}

/// Whether a text has a variable's name in it other than to read it.
fn names_bare(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        !before.ends_with('$') && !before.ends_with("${")
    })
}

#[cfg(test)]
mod tests {
    use automode_shell::Need;

    use super::*;

    /// What is learned from files that are not there, and from another analysis with them.
    fn check(command: &str, found: &[(&str, FileFact)], is_assumed: bool) {
        let call = ToolCall::bash(command, "/w");
        let session = Session::default();
        let policy = Policy::default();
        let mut case = Case::new(Question::without_judge(&call, &session, &policy));
        let asked = case.effects.analysis.needs.clone();
        let mut files: BTreeMap<String, FileFact> = asked
            .iter()
            .map(|need| {
                let fact = match need {
                    Need::Below(_) => FileFact::Directory,
                    Need::File(_) | Need::Tree(_) | Need::Secret(_) => FileFact::Absent,
                };
                (need.path().to_owned(), fact)
            })
            .collect();
        for (path, fact) in found {
            files.insert((*path).to_owned(), fact.clone());
        }
        assert_eq!(case.assumed(&files), is_assumed, "{command}");
        case.learn(Facts {
            shell: automode_shell::Facts {
                files,
                ..automode_shell::Facts::default()
            },
            ..Facts::default()
        });
        let learned = case.effects.clone();
        case.analyse();
        assert_eq!(learned, case.effects, "{command}");
    }

    #[test]
    fn what_was_assumed_is_not_analysed_again() {
        let tree = |path| (path, FileFact::Directory);
        let text = |path, body: &str| {
            let body = body.to_owned();
            let fact = FileFact::Text {
                body,
                session: false,
            };
            (path, fact)
        };
        check("grep -rn word src | sort", &[tree("/w/src")], true);
        check(
            "grep -rn a src && grep -rn b lib",
            &[tree("/w/src"), tree("/w/lib")],
            true,
        );
        check("grep -rn word src", &[], false);
        check(
            "grep -rn word src",
            &[tree("/w/src"), text("/w/src/.env", "word")],
            false,
        );
        check(
            "grep -rn word src",
            &[tree("/w/src"), ("/w/src/.env", FileFact::Unreadable)],
            false,
        );
        check("grep -rn word src > out", &[tree("/w/src")], false);
        let linked = ("/w/src", FileFact::Unreadable);
        check("grep -rn word src", &[linked], false);
        check("cd src && grep -rn word .", &[tree("/w/src")], false);
        check("bash run.sh; grep -rn word src", &[tree("/w/src")], false);
        check("grep -rn word src; make", &[tree("/w/src")], false);
    }
}
