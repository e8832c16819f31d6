//! One file, read for what it would do once a runner loads it.

use std::collections::{BTreeMap, BTreeSet};

use automode_shell::language::capability::SourceLanguage;
use automode_shell::{
    Act, Analysis, Certainty, Code, Coverage, Effect, Extent, Facts, FileFact, GapKind, Need, Span,
    Target, Value, analyse,
};

use super::change::{does_the_same, may_start_anew};
use super::data::{code_in_data, commands_of, data_marks, values_of};
use super::example::examples;
use super::kind::{self, ProjectFileKind};
use super::library_call::powerful_imports;
use super::mark::{
    MarkReach, ReadMark, beyond_routine, found, not_understood, unread, unread_beyond,
};
use super::memo::Analyses;
use super::settings::{configured, manifest_marks, settings};
use super::source::{joined_texts, loaded_beside, markup, scan, scripts};
use super::taken::taken_in;
use super::task_file::tasks_of_python;
use super::way::WayOfReading;
use crate::effects::{exercised, lent, starting_commands};
use crate::engine::case::Case;
use crate::exceptions::EXCEPTIONS;
use crate::policy::Subject;
use crate::rules::CATALOGUE;
use crate::scene::{
    ProjectState, Scene, Suspicion, SuspicionOrigin, included_secret, lies_among_fixtures, report,
};
use crate::{Action, ChangedFile, Weight, guards};

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
            .flat_map(|(file, text)| self.needs_of(&file.path, text))
            .collect()
    }

    /// What a module loads comes first: without it the calls of what it defines tell little.
    fn needs_of(&self, path: &str, text: &str) -> BTreeSet<String> {
        let loaded = self.unmet([self.analyses(path, text, exercised(path, text))]);
        if loaded.is_empty() {
            self.unmet(self.lent_analyses(path, text))
        } else {
            loaded
        }
    }

    /// Files that analyses ask for and nobody looked at.
    fn unmet(&self, all: impl IntoIterator<Item = Analyses>) -> BTreeSet<String> {
        let mut unmet = BTreeSet::new();
        for analyses in all {
            let needs = analyses.iter().flat_map(|(_, analysis)| &analysis.needs);
            let open = needs.map(Need::path);
            unmet.extend(
                open.filter(|path| !self.facts.files.contains_key(*path))
                    .map(str::to_owned),
            );
        }
        unmet
    }

    /// What stands out in a file, beyond what its committed text had already.
    pub fn suspicions(&self, file: &ChangedFile) -> Vec<Suspicion> {
        if let (Some(before), Some(now)) = (&file.before, text(&file.now))
            && does_the_same(&file.path, before, now)
        {
            return Vec::new();
        }
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
        let starts_anew = match (&file.before, text(&file.now)) {
            (Some(before), Some(now)) => may_start_anew(&file.path, before, now),
            (Some(_) | None, _) => true,
        };
        let mut new: Vec<ReadMark> = Vec::new();
        for mark in now {
            let was_there = match mark.reach {
                MarkReach::Part => true,
                MarkReach::Start => !starts_anew,
                MarkReach::Beyond => false,
            };
            let old = known.iter().position(|old| was_there && *old == mark);
            match old {
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
        marks.extend(self.included(path, text));
        marks.extend(self.marks_of_kind(path, text));
        marks
    }

    fn marks_of_kind(&self, path: &str, text: &str) -> Vec<ReadMark> {
        let scanned = |language, text: &str| match scan(language, text) {
            Ok(marks) => marks.into_iter().map(unread).collect(),
            Err(why) => vec![unread_beyond(why)],
        };
        let marks: Vec<String> = match kind::of(path) {
            ProjectFileKind::Data => {
                let mut marks: Vec<ReadMark> =
                    data_marks(path, text).into_iter().map(unread).collect();
                // Test data says what it likes: tests are about it.
                if !lies_among_fixtures(&self.case.context, path) {
                    marks.extend(code_in_data(path, text).into_iter().map(unread));
                    marks.extend(self.commands_in(path, text));
                    marks.extend(self.code_outside(path, text));
                }
                return marks;
            }
            ProjectFileKind::Manifest => return self.manifest(path, text),
            ProjectFileKind::Followed => return self.followed(path, text),
            ProjectFileKind::Scanned(language) => {
                let mut marks: Vec<ReadMark> = scanned(language, text);
                let beside = self
                    .unreadable(path, text)
                    .into_iter()
                    .chain(loaded_beside(language, text))
                    .chain(self.taken_in(path, text))
                    .chain(self.climbs_out(path, text))
                    .chain(configured(path, text));
                marks.extend(beside.map(unread));
                return marks;
            }
            ProjectFileKind::Markup => {
                let mut marks = scanned(SourceLanguage::JavaScript, &scripts(text));
                marks.extend(markup(text).into_iter().map(unread));
                return marks;
            }
            ProjectFileKind::Settings => settings(path, text)
                .into_iter()
                .chain(self.taken_in(path, text))
                .collect(),
            ProjectFileKind::Foreign => return vec![unread_beyond("is code that is not read")],
            ProjectFileKind::Unnamed if text.starts_with("#!") => return self.followed(path, text),
            ProjectFileKind::Unnamed => {
                return vec![unread_beyond("is of a kind that is not read")];
            }
        };
        marks.into_iter().map(unread).collect()
    }

    /// A secret that the text has its reader take in.
    fn included(&self, path: &str, text: &str) -> Option<ReadMark> {
        let secret = included_secret(&self.case.scene(), path, text)?;
        Some(found(format!("takes in {}", report::name(&secret))))
    }

    /// Files that a rule keeps from being read, and that a text of code names. The words of a
    /// name that is put together count as one.
    fn unreadable(&self, path: &str, text: &str) -> Option<String> {
        if !self.case.policy.speaks_of_reading() {
            return None;
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let roots = self.case.context.roots.iter().map(String::as_str);
        let places: Vec<&str> = roots.chain([folder]).collect();
        joined_texts(text).find_map(|name| {
            places.iter().find_map(|place| {
                let place = crate::path::absolute(&name, place, self.case.context.home.as_deref());
                let target = Target::locate(&Value::text(place, Span::default()), None);
                let effect = Effect {
                    act: Act::Read { target },
                    by: usize::MAX,
                    span: Span::default(),
                    certainty: Certainty::Always,
                };
                self.denied(&[effect]).map(|mark| mark.why)
            })
        })
    }

    /// Commands in data, for code that runs what it finds there: what no judge would let pass
    /// stands out, everything else is only text.
    fn commands_in(&self, path: &str, text: &str) -> Vec<ReadMark> {
        commands_of(path, text)
            .into_iter()
            .filter_map(|command| {
                let analysis = analyse(&command, &self.case.context, &self.facts);
                let action = Action::Shell {
                    command: command.clone(),
                };
                let scene = self.scene(&action, &analysis);
                let rules = CATALOGUE.iter().flat_map(|rule| rule.detect(&scene));
                let veto = rules
                    .into_iter()
                    .find(|finding| finding.weight == Weight::Veto)
                    .map(|finding| format!("holds a command: {}", finding.evidence));
                let stop = || {
                    let stop = guards::check(&scene)?;
                    Some(format!("holds a command: {}", stop.reason))
                };
                veto.or_else(stop).map(found)
            })
            .take(TOLD)
            .collect()
    }

    /// Code outside of the project that data names, for what loads the modules that it finds
    /// there.
    fn code_outside(&self, path: &str, text: &str) -> Option<ReadMark> {
        let settings = matches!(
            kind::ending(path),
            "json" | "json5" | "jsonl" | "yml" | "yaml" | "toml" | "ini" | "cfg" | "conf"
        );
        if !settings {
            return None;
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let home = self.case.context.home.as_deref();
        values_of(text).iter().find_map(|value| {
            let name = value.strip_prefix("file://").unwrap_or(value);
            let leads = name.starts_with(['/', '~']) || name.starts_with("../");
            if !leads || name.contains(char::is_whitespace) {
                return None;
            }
            let place = crate::path::absolute(name, folder, home);
            let code = match kind::of(&place) {
                ProjectFileKind::Followed | ProjectFileKind::Scanned(_) => true,
                ProjectFileKind::Foreign => !place.starts_with("/usr/"),
                ProjectFileKind::Data
                | ProjectFileKind::Manifest
                | ProjectFileKind::Markup
                | ProjectFileKind::Settings
                | ProjectFileKind::Unnamed => false,
            };
            (code && !self.case.context.is_inside(&place)).then(|| {
                unread(format!(
                    "names code outside of the project: {}",
                    report::name(&place)
                ))
            })
        })
    }

    /// Packages that a build takes in and runs, where this session wrote the list.
    fn taken_in(&self, path: &str, text: &str) -> Vec<String> {
        let written = self.case.session.written.find(path).is_some();
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
            Ok(_) | Err(_) => vec![unread_beyond("holds tasks that were not read")],
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
            return vec![unread_beyond("holds tasks that were not read")];
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
        self.judged(script, &analysis, WayOfReading::Typed)
    }

    fn followed(&self, path: &str, text: &str) -> Vec<ReadMark> {
        let analyses = self.analyses(path, text, exercised(path, text));
        if analyses.is_empty() {
            return vec![unread_beyond("is code that is not read")];
        }
        let mut marks: Vec<ReadMark> = analyses
            .iter()
            .flat_map(|(command, analysis)| self.judged(command, analysis, WayOfReading::Typed))
            .collect();
        marks.extend(powerful_imports(path, text).into_iter().map(unread));
        let packed = [".zip", ".egg", ".whl", ".pyz"];
        if text.contains("sys.path") && packed.iter().any(|ending| text.contains(ending)) {
            marks.push(unread("takes modules from an archive that was not read"));
        }
        let lent = self.lent_analyses(path, text);
        for (command, analysis) in lent.iter().flat_map(|analyses| analyses.iter()) {
            for mark in self.judged(command, analysis, WayOfReading::Called) {
                if !marks.contains(&mark) {
                    marks.push(mark);
                }
            }
        }
        marks
    }

    /// The same with a call of everything that the file defines.
    fn lent_analyses(&self, path: &str, text: &str) -> Vec<Analyses> {
        lent(path, text)
            .into_iter()
            .map(|body| self.analyses(path, text, body))
            .collect()
    }

    fn analyses(&self, path: &str, text: &str, body: String) -> Analyses {
        let body = self.importable(path, body);
        self.case.analysed.of(path, body, |body| {
            let mut facts = self.facts.clone();
            let body = FileFact::Text {
                body,
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
        })
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

    /// What all rules, guards and exceptions say of code that is read in this way.
    fn judged(&self, command: &str, analysis: &Analysis, way: WayOfReading) -> Vec<ReadMark> {
        let action = Action::Shell {
            command: command.to_owned(),
        };
        let scene = self.scene(&action, analysis);
        let mut marks: Vec<ReadMark> = analysis
            .coverage
            .gaps()
            .iter()
            .filter(|gap| way.counts_gap(gap, &scene))
            .map(not_understood)
            .collect();
        let rules = CATALOGUE.iter().flat_map(|rule| rule.detect(&scene));
        let rules = rules.filter(|finding| way.counts_rule(finding.rule));
        marks.extend(rules.map(|finding| found(format!("{}: {}", finding.rule, finding.evidence))));
        marks.extend(guards::check(&scene).map(|stop| found(stop.reason)));
        marks.extend(self.denied(&analysis.effects));
        let open = analysis.effects.iter().filter(|effect| {
            way.counts_effect(effect, &scene)
                && !self.is_read(&effect.act)
                && !EXCEPTIONS.iter().any(|by| by.covers(effect, &scene))
        });
        marks.extend(open.map(beyond_routine));
        marks
    }

    /// A deny rule on files or hosts, which holds for what code does as for what is typed.
    fn denied(&self, effects: &[Effect]) -> Option<ReadMark> {
        let subject = Subject {
            tool: "",
            input: &serde_json::Map::new(),
            action: &Action::Inert,
            analysis: None,
            effects,
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

fn text(fact: &FileFact) -> Option<&str> {
    match fact {
        FileFact::Text { body, .. } => Some(body),
        FileFact::Directory | FileFact::Absent | FileFact::Unreadable => None,
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
