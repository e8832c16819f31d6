//! One file, read for what it would do once a runner loads it.

use std::collections::{BTreeMap, BTreeSet};

use automode_shell::language::capability::SourceLanguage;
use automode_shell::{
    Act, Analysis, Code, Coverage, Extent, Facts, FileFact, Gap, GapKind, Target, analyse,
};

use super::example::examples;
use super::kind::{self, ProjectFileKind};
use super::settings::{manifest_marks, settings};
use super::source::{loaded_beside, scanned, scripts};
use super::task_file::tasks_of_python;
use crate::effects::{exercised, starting_commands};
use crate::engine::case::Case;
use crate::exceptions::{EXCEPTIONS, asked_program, in_tables, is_well_known};
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
            .flat_map(|(file, text)| self.analyses(&file.path, text))
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
            ProjectFileKind::Data => Vec::new(),
            ProjectFileKind::Manifest => return self.manifest(path, text),
            ProjectFileKind::Followed => return self.followed(path, text),
            ProjectFileKind::Scanned(language) => scanned(language, text)
                .into_iter()
                .chain(loaded_beside(language, text))
                .chain(self.climbs_out(path, text))
                .collect(),
            ProjectFileKind::Markup => scanned(SourceLanguage::JavaScript, &scripts(text)),
            ProjectFileKind::Settings => settings(text)
                .into_iter()
                .chain(self.taken_in(path, text))
                .collect(),
            ProjectFileKind::Foreign => vec!["is code that is not read".to_owned()],
            ProjectFileKind::Unnamed if text.starts_with("#!") => return self.followed(path, text),
            ProjectFileKind::Unnamed => vec!["is of a kind that is not read".to_owned()],
        };
        marks.into_iter().map(unread).collect()
    }

    /// Packages that a build takes in and runs, where this session wrote the list: those that
    /// few know are code that nobody chose.
    fn taken_in(&self, path: &str, text: &str) -> Vec<String> {
        let session = self.case.session.written.iter();
        let written = session.into_iter().any(|file| file.path == path)
            || self
                .case
                .effects
                .writes
                .iter()
                .any(|write| write.path == path);
        if !written || !path.ends_with("/Cargo.toml") {
            return Vec::new();
        }
        in_tables(text)
            .filter(|name| !is_well_known(name))
            .map(|name| format!("takes in `{}`, which is built and run", report::name(&name)))
            .collect()
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
        let followed = super::directories(self.case)
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
            Ok(_) | Err(_) => vec![unread("holds tasks that were not read")],
        }
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
            })
            .collect()
    }

    fn followed(&self, path: &str, text: &str) -> Vec<ReadMark> {
        let analyses = self.analyses(path, text);
        if analyses.is_empty() {
            return vec![unread("is code that is not read")];
        }
        analyses
            .iter()
            .flat_map(|(command, analysis)| self.judged(command, analysis))
            .collect()
    }

    fn analyses(&self, path: &str, text: &str) -> Vec<(String, Analysis)> {
        let mut facts = self.facts.clone();
        let body = FileFact::Text {
            body: self.importable(path, exercised(path, text)),
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
            .map(|root| format!("sys.path.insert(0, '{root}'); "))
            .collect();
        format!("import sys; {roots}\n{text}")
    }

    /// What all rules, guards and exceptions say of code, as if it had been typed.
    fn judged(&self, command: &str, analysis: &Analysis) -> Vec<ReadMark> {
        let action = Action::Shell {
            command: command.to_owned(),
        };
        let scene = Scene {
            action: &action,
            analysis: Some(analysis),
            content: &[],
            writes: &[],
            context: &self.case.context,
            facts: &self.case.facts,
            session: self.case.session,
            project: &ProjectState::Unknown,
            known_places: &self.case.known_places,
        };
        let gaps = match &analysis.coverage {
            Coverage::Complete => &[][..],
            Coverage::Partial(gaps) => gaps,
            Coverage::Opaque(gap) => std::slice::from_ref(gap),
        };
        let mut marks: Vec<ReadMark> = gaps
            .iter()
            .filter(|gap| !is_library_call(gap) && !asked_program::accepts(gap, &scene))
            .map(|gap| {
                unread(format!(
                    "holds code that is not understood: {}",
                    report::gap(&gap.kind)
                ))
            })
            .collect();
        let rules = CATALOGUE.iter().flat_map(|rule| rule.detect(&scene));
        marks.extend(rules.map(|finding| found(format!("{}: {}", finding.rule, finding.evidence))));
        marks.extend(guards::check(&scene).map(|stop| found(stop.reason)));
        let open = analysis.effects.iter().filter(|effect| {
            !self.is_read(&effect.act)
                && !EXCEPTIONS.iter().any(|by| by.covers(effect, &scene))
                && !asked_program::covers(effect, &scene)
        });
        marks.extend(open.map(|effect| {
            unread(format!(
                "does more than is routine: {}",
                report::line(&effect.act.to_string())
            ))
        }));
        marks
    }
}

impl ProjectReader<'_, '_> {
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
        "eval",
        "exec",
        "compile",
        "getattr",
        "__import__",
        "import_module",
        "run_path",
        "run_module",
        "loads",
        "load",
        "CDLL",
        "cdll",
        "windll",
        "PyDLL",
        "system",
        "popen",
        "Popen",
        "spawn",
        "execv",
        "execve",
        "execvp",
        "fork",
        "setattr",
        "globals",
        "vars",
        "__subclasses__",
        "__globals__",
        "__builtins__",
        "dlopen",
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
    !OPEN.contains(&last)
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
