//! One file, read for what it would do once a runner loads it.

use std::collections::{BTreeMap, BTreeSet};

use automode_shell::language::capability::SourceLanguage;
use automode_shell::{
    Act, Analysis, Code, Coverage, Effect, Extent, Facts, FileChange, FileFact, Gap, GapKind,
    Target, analyse,
};

use super::data::data_marks;
use super::example::examples;
use super::kind::{self, ProjectFileKind};
use super::settings::{configured, manifest_marks, settings};
use super::source::{loaded_beside, markup, scanned, scripts};
use super::taken::taken_in;
use super::task_file::tasks_of_python;
use crate::effects::{exercised, lent, starting_commands};
use crate::engine::case::Case;
use crate::exceptions::{EXCEPTIONS, asked_program};
use crate::policy::Subject;
use crate::rules::CATALOGUE;
use crate::scene::{ProjectState, Scene, Suspicion, SuspicionOrigin, report};
use crate::{Action, ChangedFile, guards};

/// The most that is told of one file.
const TOLD: usize = 3;

/// Reads changed files in the surroundings of a call.
pub(super) struct ProjectReader<'c, 'a> {
    case: &'c Case<'a>,
    /// Files as they are when the code runs: modules load each other.
    facts: Facts,
}

impl<'c, 'a> ProjectReader<'c, 'a> {
    pub fn new(case: &'c Case<'a>) -> Self {
        let mut facts = case.facts.shell.clone();
        let changed = case.facts.changes.values().flat_map(|all| &all.files);
        facts
            .files
            .extend(changed.map(|file| (file.path.clone(), file.now.clone())));
        let written = case.effects.writes.iter().filter(|write| !write.append);
        facts.files.extend(written.map(|write| {
            let now = FileFact::Text {
                body: write.body.clone(),
                session: true,
            };
            (write.path.clone(), now)
        }));
        Self { case, facts }
    }

    /// Files that have to be seen before the changed ones can be read.
    pub fn needs(&self, files: &BTreeMap<String, ChangedFile>) -> BTreeSet<String> {
        let followed = files
            .values()
            .filter(|file| kind::of(&file.path) == ProjectFileKind::Followed);
        followed
            .filter_map(|file| text(&file.now).map(|text| (file, text)))
            .flat_map(|(file, text)| {
                let mut all = self.analyses(&file.path, text, exercised(&file.path, text));
                all.extend(self.lent_analyses(&file.path, text));
                all
            })
            .flat_map(|(_, analysis)| analysis.needs)
            .map(|need| need.path().to_owned())
            .filter(|path| !self.facts.files.contains_key(path))
            .collect()
    }

    /// What stands out in a file, beyond what its committed text had already.
    pub fn suspicions(&self, file: &ChangedFile) -> Vec<Suspicion> {
        let now = match &file.now {
            FileFact::Text { body, .. } => self.marks(&file.path, body),
            // What is not there is not loaded.
            FileFact::Absent => return Vec::new(),
            FileFact::Directory if file.path.ends_with('/') => {
                vec![unread("is a repository of its own that was not read")]
            }
            // git lists files: this is a link to a folder, which may lie anywhere.
            FileFact::Directory if self.is_listed(&file.path) => {
                vec![unread("leads to a folder that was not read")]
            }
            FileFact::Directory => return Vec::new(),
            FileFact::Unreadable if kind::is_data(&file.path) => return Vec::new(),
            FileFact::Unreadable => vec![unread("changed and could not be read")],
        };
        let mut known = match &file.before {
            Some(before) if !now.is_empty() => self.marks(&file.path, before),
            Some(_) | None => Vec::new(),
        };
        let mut new: Vec<ReadMark> = Vec::new();
        for mark in now {
            match known.iter().position(|old| *old == mark) {
                Some(at) => {
                    known.swap_remove(at);
                }
                None => new.push(mark),
            }
        }
        // What was found comes first, so that it is not lost among what was not read.
        new.sort_by_key(|mark| match mark.origin {
            SuspicionOrigin::Found => 0,
            SuspicionOrigin::Unread => 1,
        });
        new.into_iter()
            .take(TOLD)
            .map(|mark| Suspicion {
                subject: report::name(&file.path),
                why: mark.why,
                origin: mark.origin,
            })
            .collect()
    }

    /// Whether git names it among what changed.
    fn is_listed(&self, path: &str) -> bool {
        let mut lists = self.case.facts.changes.values();
        lists.any(|changes| changes.files.iter().any(|file| file.path == path))
    }

    /// Everything in a text that keeps it from being clean.
    fn marks(&self, path: &str, text: &str) -> Vec<ReadMark> {
        let mut marks: Vec<ReadMark> = examples(path, text).into_iter().map(unread).collect();
        marks.extend(tasks_of_python(path, text).into_iter().map(unread));
        marks.extend(self.marks_of_kind(path, text));
        marks
    }

    fn marks_of_kind(&self, path: &str, text: &str) -> Vec<ReadMark> {
        let marks = match kind::of(path) {
            ProjectFileKind::Data => data_marks(path, text),
            ProjectFileKind::Manifest => return self.manifest(path, text),
            ProjectFileKind::Followed => return self.followed(path, text),
            ProjectFileKind::Scanned(language) => scanned(language, text)
                .into_iter()
                .chain(loaded_beside(language, text))
                .chain(self.taken_in(path, text))
                .chain(self.climbs_out(path, text))
                .chain(configured(path, text))
                .collect(),
            ProjectFileKind::Markup => scanned(SourceLanguage::JavaScript, &scripts(text))
                .into_iter()
                .chain(markup(text))
                .collect(),
            ProjectFileKind::Settings => settings(path, text)
                .into_iter()
                .chain(self.taken_in(path, text))
                .collect(),
            ProjectFileKind::Foreign => vec!["is code that is not read".to_owned()],
            ProjectFileKind::Unnamed if text.starts_with("#!") => return self.followed(path, text),
            ProjectFileKind::Unnamed => vec!["is of a kind that is not read".to_owned()],
        };
        marks.into_iter().map(unread).collect()
    }

    /// Packages that a build takes in and runs, where this session wrote the list.
    fn taken_in(&self, path: &str, text: &str) -> Vec<String> {
        let mut session = self.case.session.written.iter();
        let written = session.any(|file| file.path == path);
        let mut writes = self.case.effects.writes.iter();
        if written || writes.any(|write| write.path == path) {
            taken_in(path, text)
        } else {
            Vec::new()
        }
    }

    /// Names that lead out of the project from where the file lies: modules and data that
    /// nobody read.
    fn climbs_out(&self, path: &str, text: &str) -> Vec<String> {
        let depth = self
            .case
            .context
            .roots
            .iter()
            .filter_map(|root| path.strip_prefix(root.as_str())?.strip_prefix('/'))
            .map(|inside| inside.matches('/').count())
            .min();
        let Some(depth) = depth else {
            return Vec::new();
        };
        let climb = "../".repeat(depth.saturating_add(1));
        ['"', '\'', '`']
            .iter()
            .map(|quote| format!("{quote}{climb}"))
            .filter(|start| text.contains(start.as_str()))
            .map(|start| format!("reaches out of the project with `{start}`"))
            .collect()
    }

    /// A manifest that no runner was followed through, and what tools read in it.
    fn manifest(&self, path: &str, text: &str) -> Vec<ReadMark> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        // A runner takes the nearest one on its way up.
        // What a hook runs, nobody followed.
        let followed = !super::starts_hooks(self.case)
            && super::directories(self.case)
                .iter()
                .any(|start| start == folder || start.starts_with(&format!("{folder}/")));
        match serde_json::from_str(text) {
            Ok(serde_json::Value::Object(manifest)) => manifest
                .iter()
                .flat_map(|(key, value)| match (key.as_str(), value) {
                    ("scripts", _) if followed => Vec::new(),
                    ("scripts", scripts) => self.scripts(scripts),
                    (key, value) => manifest_marks(key, value).into_iter().map(unread).collect(),
                })
                .collect(),
            Ok(_) | Err(_) if followed => Vec::new(),
            Ok(_) | Err(_) if kind::is_makefile(path) => self.targets(path, text),
            Ok(_) | Err(_) => vec![unread("holds tasks that were not read")],
        }
    }

    /// Every target of a Makefile, as if it had been asked for.
    fn targets(&self, path: &str, text: &str) -> Vec<ReadMark> {
        let usual = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let targets: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with(['\t', ' ', '#', '.']) && !line.contains(":="))
            .filter_map(|line| line.split_once(':'))
            .flat_map(|(names, _)| names.split_whitespace())
            .filter(|name| name.chars().all(usual))
            .collect();
        if path.contains(['\'', '\\']) {
            return vec![unread("holds tasks that were not read")];
        }
        let all = format!("make -f '{path}' {}", targets.join(" "));
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.task(&format!("cd '{folder}' && {all}"))
    }

    /// The scripts of a manifest, each as if it had been typed. Tools that run the project's
    /// code are what this reading is for.
    fn scripts(&self, scripts: &serde_json::Value) -> Vec<ReadMark> {
        let scripts = scripts.as_object().into_iter().flatten();
        scripts
            .flat_map(|(name, script)| {
                let Some(script) = script.as_str() else {
                    return vec![unread(format!("has a script that was not read: `{name}`"))];
                };
                self.task(script)
            })
            .collect()
    }

    /// What a task does beside running the project's code, which is what this reading is for.
    fn task(&self, script: &str) -> Vec<ReadMark> {
        let mut analysis = analyse(script, &self.case.context, &self.facts);
        let runs = |act: &Act| {
            if let Act::Execute { code, .. } = act {
                matches!(code, Code::Task { .. })
            } else {
                false
            }
        };
        if analysis.effects.iter().any(|effect| runs(&effect.act)) {
            analysis.effects.retain(|effect| !runs(&effect.act));
            analysis.coverage = without_unseen(analysis.coverage);
        }
        self.judged(script, &analysis)
    }

    fn followed(&self, path: &str, text: &str) -> Vec<ReadMark> {
        let analyses = self.analyses(path, text, exercised(path, text));
        if analyses.is_empty() {
            return vec![unread("is code that is not read")];
        }
        let mut marks: Vec<ReadMark> = analyses
            .iter()
            .flat_map(|(command, analysis)| self.judged(command, analysis))
            .collect();
        marks.extend(powerful_imports(path, text).into_iter().map(unread));
        let packed = [".zip", ".egg", ".whl", ".pyz"];
        if text.contains("sys.path") && packed.iter().any(|ending| text.contains(ending)) {
            marks.push(unread("takes modules from an archive that was not read"));
        }
        for (command, analysis) in self.lent_analyses(path, text) {
            for mark in self.judged_when_called(&command, &analysis) {
                if !marks.contains(&mark) {
                    marks.push(mark);
                }
            }
        }
        marks
    }

    /// The same with a call of everything that the file defines.
    fn lent_analyses(&self, path: &str, text: &str) -> Vec<(String, Analysis)> {
        lent(path, text)
            .into_iter()
            .flat_map(|body| self.analyses(path, text, body))
            .collect()
    }

    fn analyses(&self, path: &str, text: &str, body: String) -> Vec<(String, Analysis)> {
        let mut facts = self.facts.clone();
        let body = FileFact::Text {
            body: self.importable(path, body),
            session: true,
        };
        facts.files.insert(path.to_owned(), body);
        let context = &self.case.context;
        starting_commands(path, text, context)
            .into_iter()
            .map(|command| {
                let analysis = analyse(&command, context, &facts);
                (command, analysis)
            })
            .collect()
    }

    /// Python as a test runner loads it, which looks for modules from the project's root.
    fn importable(&self, path: &str, text: String) -> String {
        let python = kind::ending(path) == "py";
        // A statement that must stand first would no longer do so.
        if !python || text.contains("from __future__") {
            return text;
        }
        let roots: String = self
            .case
            .context
            .roots
            .iter()
            .filter(|root| !root.contains(['\'', '\\']))
            // Where packages lie that are installed as they stand.
            .flat_map(|root| [root.clone(), format!("{root}/src")])
            .map(|root| format!("sys.path.insert(0, '{root}'); "))
            .collect();
        format!("import sys; {roots}\n{text}")
    }

    /// What all rules, guards and exceptions say of code, as if it had been typed.
    fn judged(&self, command: &str, analysis: &Analysis) -> Vec<ReadMark> {
        let action = Action::Shell {
            command: command.to_owned(),
        };
        let scene = self.scene(&action, analysis);
        let mut marks: Vec<ReadMark> = gaps_of(&analysis.coverage)
            .iter()
            .filter(|gap| !is_library_call(gap) && !asked_program::accepts(gap, &scene))
            .filter(|gap| !self.is_module(gap))
            .map(not_understood)
            .collect();
        let rules = CATALOGUE.iter().flat_map(|rule| rule.detect(&scene));
        marks.extend(rules.map(|finding| found(format!("{}: {}", finding.rule, finding.evidence))));
        marks.extend(guards::check(&scene).map(|stop| found(stop.reason)));
        marks.extend(self.denied(analysis));
        let open = analysis.effects.iter().filter(|effect| {
            !self.is_read(&effect.act)
                && !EXCEPTIONS.iter().any(|by| by.covers(effect, &scene))
                && !asked_program::covers(effect, &scene)
        });
        marks.extend(open.map(beyond_routine));
        marks
    }
}

fn gaps_of(coverage: &Coverage) -> &[Gap] {
    match coverage {
        Coverage::Complete => &[],
        Coverage::Partial(gaps) => gaps,
        Coverage::Opaque(gap) => std::slice::from_ref(gap),
    }
}

fn not_understood(gap: &Gap) -> ReadMark {
    unread(format!(
        "holds code that is not understood: {}",
        report::gap(&gap.kind)
    ))
}

fn beyond_routine(effect: &Effect) -> ReadMark {
    unread(format!(
        "does more than is routine: {}",
        report::line(&effect.act.to_string())
    ))
}

/// Rules about whom somebody else is told something: a function says what its caller wants said.
fn is_for_caller(rule: &str) -> bool {
    matches!(
        rule,
        "external-write" | "local-service" | "transport-weakening"
    )
}

impl ProjectReader<'_, '_> {
    /// What stands out in functions that somebody may call. Whom they talk to and what they
    /// leave where they are told is their caller's, and a caller that changed is read itself.
    fn judged_when_called(&self, command: &str, analysis: &Analysis) -> Vec<ReadMark> {
        let action = Action::Shell {
            command: command.to_owned(),
        };
        let scene = self.scene(&action, analysis);
        let mut marks: Vec<ReadMark> = gaps_of(&analysis.coverage)
            .iter()
            .filter(|gap| is_run_by_name(gap))
            .map(not_understood)
            .collect();
        let rules = CATALOGUE.iter().flat_map(|rule| rule.detect(&scene));
        marks.extend(
            rules
                .filter(|finding| !is_for_caller(finding.rule))
                .map(|finding| found(format!("{}: {}", finding.rule, finding.evidence))),
        );
        marks.extend(guards::check(&scene).map(|stop| found(stop.reason)));
        marks.extend(self.denied(analysis));
        let open = analysis.effects.iter().filter(|effect| {
            let changes = match effect.act.file_change() {
                FileChange::Delete { .. } => true,
                FileChange::Write { target, .. } => target.extent != Extent::Unknown,
                FileChange::Nothing | FileChange::Repository(_) | FileChange::Untold => false,
            };
            let runs = matches!(effect.act, Act::Execute { .. });
            (changes || runs)
                && !self.is_read(&effect.act)
                && !EXCEPTIONS.iter().any(|by| by.covers(effect, &scene))
        });
        marks.extend(open.map(beyond_routine));
        marks
    }

    /// A deny rule on files or hosts, which holds for what code does as for what is typed.
    fn denied(&self, analysis: &Analysis) -> Option<ReadMark> {
        let subject = Subject {
            tool: "",
            input: &serde_json::Map::new(),
            action: &Action::Inert,
            analysis: None,
            effects: &analysis.effects,
            context: &self.case.context,
            facts: &self.case.facts,
        };
        let rule = self.case.policy.denies(&subject)?;
        Some(found(format!("does what the rule `{}` denies", rule.rule)))
    }

    fn scene<'s>(&'s self, action: &'s Action, analysis: &'s Analysis) -> Scene<'s> {
        Scene {
            action,
            analysis: Some(analysis),
            content: &[],
            writes: &[],
            context: &self.case.context,
            facts: &self.case.facts,
            session: self.case.session,
            project: &ProjectState::Unknown,
            known_places: &self.case.known_places,
        }
    }

    /// A module of the project as it stands: one that changed is read itself.
    fn is_module(&self, gap: &Gap) -> bool {
        let module = gap.kind.module();
        module.is_some_and(|path| self.case.context.is_inside(path))
    }

    /// Code whose text is among what is read: what it does is in the list itself.
    fn is_read(&self, act: &Act) -> bool {
        if let Some((code, origin)) = act.executes() {
            let is_known = |target: &Target| self.facts.files.get(&target.path).and_then(text);
            return origin.seen || matches!(code, Code::File(target) if is_known(target).is_some());
        }
        // A test reads its data by names that it puts together; a place of secrets
        // has a beginning that shows, and sending is another effect.
        matches!(act, Act::Read { target } if target.extent == Extent::Unknown)
    }
}

/// One thing that keeps a text from being clean.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ReadMark {
    why: String,
    origin: SuspicionOrigin,
}

fn unread(why: impl Into<String>) -> ReadMark {
    ReadMark {
        why: why.into(),
        origin: SuspicionOrigin::Unread,
    }
}

fn found(why: String) -> ReadMark {
    ReadMark {
        why,
        origin: SuspicionOrigin::Found,
    }
}

fn text(fact: &FileFact) -> Option<&str> {
    match fact {
        FileFact::Text { body, .. } => Some(body),
        FileFact::Directory | FileFact::Absent | FileFact::Unreadable => None,
    }
}

/// A call into a library, by a name that stands in the file.
fn is_library_call(gap: &Gap) -> bool {
    /// Names behind which any code may stand.
    const OPEN: &[&str] = &[
        "import_module",
        "loads",
        "load",
        "fork",
        "setattr",
        "getattr",
        "globals",
        "vars",
        "remove",
        "unlink",
        "rmtree",
        "rmdir",
        "rename",
        "replace_file",
        "truncate",
        "chmod",
        "chown",
        "kill",
        "connect",
        "urlopen",
        "urlretrieve",
        "socket",
    ];
    let GapKind::Call { name, .. } = &gap.kind else {
        return false;
    };
    let last = name.rsplit(['.', ' ']).next().unwrap_or_default();
    !OPEN.contains(&last) && !is_run_by_name(gap)
}

/// Modules that start programs, run text, or have power over other machines.
const POWERFUL: &[&str] = &[
    "Pyro5",
    "aioboto3",
    "aiodocker",
    "ansible",
    "ansible_runner",
    "asyncssh",
    "bdb",
    "boto3",
    "builtins",
    "cProfile",
    "cffi",
    "cloudpickle",
    "code",
    "codeop",
    "crontab",
    "delegator",
    "dill",
    "distutils",
    "docker",
    "dulwich",
    "envoy",
    "execnet",
    "fabric",
    "fs",
    "fsspec",
    "gcsfs",
    "git",
    "imp",
    "invoke",
    "jsonpickle",
    "keyring",
    "kubernetes",
    "marshal",
    "nntplib",
    "papermill",
    "paramiko",
    "pdb",
    "pexpect",
    "pip",
    "plumbum",
    "podman",
    "profile",
    "pssh",
    "pty",
    "ptyprocess",
    "py",
    "pycurl",
    "pygit2",
    "pyinfra",
    "pysftp",
    "rpyc",
    "runpy",
    "s3fs",
    "sarge",
    "scp",
    "secretstorage",
    "send2trash",
    "sh",
    "shellous",
    "smbclient",
    "telnetlib",
    "trace",
    "winrm",
    "zipimport",
];

/// Imports of modules that nobody needs but for what they can do.
fn powerful_imports(path: &str, text: &str) -> Vec<String> {
    if !matches!(kind::ending(path), "py" | "pyw") {
        return Vec::new();
    }
    let statements = text.split(['\n', ';']).map(str::trim);
    statements
        .filter_map(|line| {
            let names = line
                .strip_prefix("import ")
                .or_else(|| line.strip_prefix("from "))?;
            let names = names.split(" import ").next().unwrap_or_default();
            let module = |name: &str| name.trim().split(['.', ' ']).next().map(str::to_owned);
            let mut modules = names.split(',').filter_map(module);
            modules.find(|module| POWERFUL.contains(&module.as_str()))
        })
        .map(|module| format!("uses `{module}`, which can do what is not seen here"))
        .collect()
}

/// A call, an import or a program that may be anything, whoever calls for it.
fn is_run_by_name(gap: &Gap) -> bool {
    /// Calls that run what they are given.
    const RUNS: &[&str] = &[
        "eval",
        "exec",
        "compile",
        "__import__",
        "run_path",
        "run_module",
        "runsource",
        "runcode",
        "exec_module",
        "load_module",
        "load_model",
        "spec_from_file_location",
        "SourceFileLoader",
        "SourcelessFileLoader",
        "ExtensionFileLoader",
        "zipimporter",
        "fileConfig",
        "methodcaller",
        "attrgetter",
        "CDLL",
        "cdll",
        "windll",
        "PyDLL",
        "dlopen",
        "system",
        "popen",
        "Popen",
        "spawn",
        "posix_spawn",
        "execv",
        "execve",
        "execvp",
        "create_subprocess_shell",
        "create_subprocess_exec",
        "__subclasses__",
        "__globals__",
        "__builtins__",
        "remove_tree",
        "send2trash",
        "run_process",
        "open_process",
    ];
    match &gap.kind {
        GapKind::Call { name, .. } => {
            let module = name.strip_prefix("import ").unwrap_or(name);
            let module = module.split(['.', '(', ' ']).next().unwrap_or_default();
            let last = name.rsplit(['.', ' ']).next().unwrap_or_default();
            RUNS.contains(&last)
                || POWERFUL.contains(&module)
                // A way round the name: `os.__dict__["system"]`, `vars(os)["system"]`.
                || ["__dict__", "__globals__", "__builtins__", "__subclasses__", "vars(", "globals("]
                    .iter()
                    .any(|way| name.contains(way))
                || name.starts_with("sys.path ")
                || name.starts_with("__path__")
        }
        // What the budget did not reach was not read.
        GapKind::DynamicProgram | GapKind::Budget => true,
        GapKind::Unseen(_)
        | GapKind::Syntax(_)
        | GapKind::Program(_)
        | GapKind::Argument { .. }
        | GapKind::DynamicWord { .. }
        | GapKind::Refused(_) => false,
    }
}

/// What is left to understand where tasks were looked at elsewhere.
fn without_unseen(coverage: Coverage) -> Coverage {
    match coverage {
        Coverage::Partial(mut gaps) => {
            gaps.retain(|gap| !matches!(gap.kind, GapKind::Unseen(_)));
            if gaps.is_empty() {
                Coverage::Complete
            } else {
                Coverage::Partial(gaps)
            }
        }
        Coverage::Complete | Coverage::Opaque(_) => coverage,
    }
}
