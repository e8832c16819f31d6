//! What a command does as such, with the words of the command line filled in.

use super::meaning::{Meaning, Side};
use super::table::{Git, Part, ProgramAct, Source, Text, Vcs, Walls};
use super::{Nested, TaskRequest, git, lookup, remote};
use crate::ir::Runner;
use crate::place::{Place, Zone};
use crate::template::{PathUse, Performer, perform};
use crate::{
    Act, Code, Direction, Host, Layer, PackageOp, PackageSource, Scope, Span, Taint, Target, Value,
    VcsOp,
};

impl Performer<Text> for Meaning<'_> {
    fn text(&self, words: Text) -> Option<String> {
        Some(self.fill(words))
    }

    fn happens(&mut self, act: Act) {
        // All of the environment comes out, through pipes and in files.
        if let Act::Credential { what, direction } = &act
            && what == "environment"
            && *direction == Direction::Receive
        {
            self.marks = self.marks.with(Taint::SECRET);
        }
        self.effect(act, self.invocation.span);
    }

    fn use_path(&mut self, used: PathUse, place: Text) {
        self.place(used, place);
    }

    fn connect_to(&mut self, direction: Direction, other: Text) {
        let word = self.word(other);
        self.connect(host(&word), direction, &word);
    }
}

impl Meaning<'_> {
    pub(super) fn act(&mut self, what: ProgramAct) {
        let span = self.invocation.span;
        match what {
            ProgramAct::Act(template) => perform(template, self),
            ProgramAct::Vcs(Vcs::Discard([Part::From(place)])) => self.discard_each(*place),
            ProgramAct::Vcs(op) => self.vcs(op),
            ProgramAct::Package(op, source, scope, text) => self.packages(op, source, scope, text),
            ProgramAct::ExecuteProgram(text) => self.execute(Code::Program(self.fill(text)), span),
            ProgramAct::ExecutePackage(text) => self.execute(Code::Package(self.fill(text)), span),
            ProgramAct::ExecuteRemote(text) => self.execute(
                Code::Remote {
                    host: self.fill(text),
                },
                span,
            ),
            ProgramAct::ExecuteContainer(text, walls) => {
                let code = Code::Container {
                    image: self.fill(text),
                    isolated: walls == Walls::Isolated && !self.open_mount,
                };
                self.execute(code, span);
            }
            ProgramAct::ExecuteFile(text) => {
                let cwd = self.cwd_at(usize::MAX, Side::Operand);
                let target = Target::locate(&self.word(text), cwd.as_deref());
                self.execute(Code::File(target), span);
            }
            ProgramAct::Task(runner, text) => self.named_task(runner, text),
            ProgramAct::Project(text) => self.project(self.fill(text), span),
            ProgramAct::Install(runner) => self.lifecycle(runner, TaskRequest::Install),
            ProgramAct::Publishing(runner) => self.lifecycle(runner, TaskRequest::Publish),
            ProgramAct::Input(language) => {
                let layer = Layer::Text(self.program.to_owned());
                self.out.runs.push(Nested::Input {
                    language,
                    arguments: self.operand_values(),
                    layer,
                });
            }
            ProgramAct::EditorInput => self.editor_input(),
            ProgramAct::FedEditorInput => self.fed_editor_input(),
            ProgramAct::Unseen(text) => {
                let what = self.fill(text);
                self.unseen(what, span);
            }
            ProgramAct::Git(Git::Push) => git::push(self),
            ProgramAct::Git(Git::Config) => git::config(self),
            ProgramAct::Git(Git::Checkout) => git::checkout(self),
            ProgramAct::Git(Git::ResetBranch) => git::reset_branch(self),
            ProgramAct::Git(Git::Abort) => git::abort(self),
            ProgramAct::Git(Git::Extension) => git::extension(self),
            ProgramAct::Git(Git::Remove) => git::remove(self),
        }
    }

    /// The code of the project is not looked into: a gap that a setting may accept.
    fn project(&mut self, name: String, span: Span) {
        let runner = self.program.to_owned();
        self.unseen(format!("{runner} {name}"), span);
        self.execute(Code::Task { runner, name }, span);
    }

    fn execute(&mut self, code: Code, span: Span) {
        self.effect(lookup::unseen(code), span);
    }

    fn place(&mut self, used: PathUse, text: Text) {
        let cwd = self.cwd_at(usize::MAX, Side::Operand);
        let word = self.word(text);
        let home = self.context.home.as_deref();
        let word = match (word.literal().as_deref(), home) {
            (Some(text), Some(home)) if text == "~" || text.starts_with("~/") => {
                let rest = text.strip_prefix('~').unwrap_or_default();
                Value::text(format!("{home}{rest}"), word.span)
            }
            _ => word,
        };
        // A pattern of the table stands for every name that it matches.
        let word = match (text, word.literal()) {
            ([Part::Text(_)], Some(pattern)) if pattern.contains(['*', '?']) => Value {
                pieces: vec![crate::Piece::Glob(pattern.into_owned())],
                ..word.clone()
            },
            _ => word,
        };
        // A search that deletes only takes what its pattern matches.
        if used == PathUse::DeleteBelow {
            return self.delete_found(&word, cwd.as_deref());
        }
        self.path(used, &word, cwd.as_deref());
    }

    /// Changes of every path that is named are thrown away; of all where none is.
    fn discard_each(&mut self, from: usize) {
        let paths: Vec<Value> = self
            .operand_values()
            .into_iter()
            .skip(from.saturating_sub(1))
            .collect();
        git::discard(self, &paths);
        if paths.is_empty() || self.has("--pathspec-from-file") {
            let op = VcsOp::DiscardChanges { target: None };
            self.effect(Act::Vcs(op), self.invocation.span);
        }
    }

    fn vcs(&mut self, op: Vcs) {
        let span = self.invocation.span;
        let cwd = self.cwd_at(usize::MAX, Side::Operand);
        let target = |meaning: &Self, text: Text| {
            let word = meaning.word(text);
            (!word.pieces.is_empty()).then(|| Target::locate(&word, cwd.as_deref()))
        };
        let here = || {
            cwd.as_deref()
                .map(|cwd| Target::locate(&Value::text(cwd, span), None))
        };
        let op = match op {
            Vcs::Local => VcsOp::Local,
            Vcs::Discard(text) => VcsOp::DiscardChanges {
                target: target(self, text),
            },
            Vcs::Clean => VcsOp::Clean {
                target: here(),
                ignored: false,
            },
            Vcs::CleanIgnored => VcsOp::Clean {
                target: here(),
                ignored: true,
            },
            Vcs::DropHistory => VcsOp::DropHistory,
            Vcs::Rewrite => VcsOp::Rewrite,
            Vcs::Fetch => VcsOp::Fetch,
            Vcs::Remote(text) => {
                let url = self.fill(text);
                VcsOp::Remote {
                    url: (!url.is_empty()).then_some(url),
                }
            }
            Vcs::Apply => VcsOp::Apply,
        };
        self.effect(Act::Vcs(op), span);
    }

    /// Whether the directory that the program works in belongs to the project.
    fn works_in_project(&self) -> bool {
        let Some(cwd) = self.cwd_at(usize::MAX, Side::Operand) else {
            return false;
        };
        let here = self.context.cwd.trim_end_matches('/');
        let below = cwd
            .strip_prefix(here)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let span = self.invocation.span;
        let target = Target::locate(&Value::text(cwd.as_str(), span), None);
        let zone = Place::of(&target, self.context).zone;
        below || matches!(zone, Zone::Project | Zone::ProjectRoot | Zone::Temp)
    }

    fn packages(&mut self, op: PackageOp, source: Source, scope: Scope, text: Text) {
        let names: Vec<String> = match text {
            [Part::From(place)] => self
                .parsed
                .operands
                .iter()
                .skip(place.saturating_sub(1))
                .map(|operand| operand.value.shown())
                .collect(),
            text => self
                .fill(text)
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
        };
        let elsewhere = names.iter().find(|name| is_elsewhere(name)).cloned();
        let source = match (source, elsewhere) {
            (Source::Declared, _) => PackageSource::Declared,
            (Source::Registry, Some(place)) => PackageSource::Elsewhere(place),
            (Source::Registry, None) => PackageSource::Registry,
            (Source::Elsewhere, place) => {
                PackageSource::Elsewhere(place.unwrap_or_else(|| names.join(" ")))
            }
        };
        // `cd && npm rm x` is about what lies there, and that is not this project.
        let scope = match scope {
            Scope::Project if !self.works_in_project() => Scope::User,
            other => other,
        };
        let act = Act::Package {
            op,
            source,
            scope,
            names,
        };
        self.effect(act, self.invocation.span);
    }

    fn named_task(&mut self, runner: Runner, text: Text) {
        let word = self.word(text);
        let names = if word.pieces.is_empty() {
            Vec::new()
        } else {
            vec![word]
        };
        let skip = match text {
            [Part::Operand(place)] => *place,
            _ => 0,
        };
        let arguments = self
            .parsed
            .operands
            .iter()
            .skip(skip)
            .map(|operand| operand.value.clone())
            .collect();
        self.task(runner, names, arguments);
    }

    fn lifecycle(&mut self, runner: Runner, tasks: TaskRequest) {
        self.out.runs.push(Nested::Task {
            runner,
            tasks,
            file: self.task_file.clone(),
            arguments: Vec::new(),
            cwd: self.cwd_flag(),
            layer: Layer::Task(self.program.to_owned()),
        });
    }

    /// A template as one word; a lone place keeps what is known about its word.
    fn word(&self, text: Text) -> Value {
        let lone = match text {
            [Part::Operand(place)] => self
                .parsed
                .operands
                .get(place.saturating_sub(1))
                .map(|operand| &operand.value),
            [Part::Flag(id)] => self.flag_value(*id),
            _ => {
                let filled = self.fill(text);
                if filled.is_empty() {
                    return Value::default();
                }
                return Value::text(filled, self.invocation.span);
            }
        };
        lone.cloned().unwrap_or_default()
    }

    fn fill(&self, text: Text) -> String {
        let operand = |place: usize| {
            self.parsed
                .operands
                .get(place.saturating_sub(1))
                .map(|operand| operand.value.shown())
        };
        text.iter()
            .map(|part| match part {
                Part::Text(text) => (*text).to_owned(),
                Part::Operand(place) => operand(*place).unwrap_or_default(),
                Part::From(place) => self
                    .parsed
                    .operands
                    .iter()
                    .skip(place.saturating_sub(1))
                    .map(|operand| operand.value.shown())
                    .collect::<Vec<_>>()
                    .join(" "),
                Part::Flag(id) => self.flag_value(*id).map(Value::shown).unwrap_or_default(),
            })
            .collect()
    }
}

fn host(word: &Value) -> Host {
    match word.literal().as_deref() {
        Some("loopback") => Host::Loopback,
        Some("?" | "") => Host::Unknown,
        Some(text) => match text.strip_prefix("default:") {
            Some(name) => Host::Default(name.to_owned()),
            None => remote::host(word),
        },
        None => remote::host(word),
    }
}

/// A package that does not come from the manager's registry.
fn is_elsewhere(name: &str) -> bool {
    let archive = [
        ".tgz", ".tar.gz", ".whl", ".zip", ".deb", ".rpm", ".gem", ".crate",
    ];
    name.contains("://")
        || name.starts_with("git+")
        || name.starts_with("git@")
        || name.starts_with("github:")
        || name.starts_with("file:")
        || name.starts_with('/')
        || name.starts_with("./")
        || name.starts_with("../")
        || archive.iter().any(|ending| name.ends_with(ending))
}
