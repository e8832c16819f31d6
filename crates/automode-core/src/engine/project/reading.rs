//! One file, read for what it would do once a runner loads it.

use std::collections::{BTreeMap, BTreeSet};

use automode_shell::language::capability::{
    Capability, CapabilityReading, CapabilityUse, SourceLanguage, capabilities,
};
use automode_shell::{
    Act, Analysis, Code, Coverage, Extent, Facts, FileFact, Gap, GapKind, Need, analyse,
};

use super::kind::{self, FileKind};
use crate::effects::{exercised, starting_commands};
use crate::engine::case::Case;
use crate::exceptions::EXCEPTIONS;
use crate::rules::CATALOGUE;
use crate::scene::{ProjectState, Scene, Suspicion, report};
use crate::{Action, ChangedFile, guards};

/// The most that is told of one file.
const TOLD: usize = 3;

/// Reads changed files in the surroundings of a call.
pub(super) struct Reader<'c, 'a> {
    case: &'c Case<'a>,
    /// Files as they are when the code runs: modules load each other.
    facts: Facts,
}

impl<'c, 'a> Reader<'c, 'a> {
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
            .filter(|file| kind::of(&file.path) == FileKind::Followed);
        followed
            .filter_map(|file| text(&file.now).map(|text| (file, text)))
            .flat_map(|(file, text)| self.analyses(&file.path, text))
            .flat_map(|(_, analysis)| analysis.needs)
            .map(|Need::File(path)| path)
            .filter(|path| !self.facts.files.contains_key(path))
            .collect()
    }

    /// What stands out in a file, beyond what its committed text had already.
    pub fn suspicions(&self, file: &ChangedFile) -> Vec<Suspicion> {
        let now = match &file.now {
            FileFact::Text { body, .. } => self.marks(&file.path, body),
            // What is not there is not loaded.
            FileFact::Absent | FileFact::Directory => return Vec::new(),
            FileFact::Unreadable if kind::is_data(&file.path) => return Vec::new(),
            FileFact::Unreadable => vec!["changed and could not be read".to_owned()],
        };
        let mut known = match &file.before {
            Some(before) if !now.is_empty() => self.marks(&file.path, before),
            Some(_) | None => Vec::new(),
        };
        let mut new: Vec<String> = Vec::new();
        for mark in now {
            match known.iter().position(|old| *old == mark) {
                Some(at) => {
                    known.swap_remove(at);
                }
                None => new.push(mark),
            }
        }
        new.into_iter()
            .take(TOLD)
            .map(|why| Suspicion {
                subject: report::name(&file.path),
                why,
            })
            .collect()
    }

    /// Everything in a text that keeps it from being clean.
    fn marks(&self, path: &str, text: &str) -> Vec<String> {
        match kind::of(path) {
            FileKind::Data | FileKind::Manifest => Vec::new(),
            FileKind::Followed => self.followed(path, text),
            FileKind::Scanned(language) => scanned(language, text),
            FileKind::Markup => scanned(SourceLanguage::JavaScript, &scripts(text)),
            FileKind::Settings => settings(text),
            FileKind::Foreign => vec!["is code that is not read".to_owned()],
            FileKind::Unnamed if text.starts_with("#!") => self.followed(path, text),
            FileKind::Unnamed => Vec::new(),
        }
    }

    fn followed(&self, path: &str, text: &str) -> Vec<String> {
        let analyses = self.analyses(path, text);
        if analyses.is_empty() {
            return vec!["is code that is not read".to_owned()];
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
    fn judged(&self, command: &str, analysis: &Analysis) -> Vec<String> {
        let action = Action::Shell {
            command: command.to_owned(),
        };
        let scene = Scene {
            action: &action,
            analysis: Some(analysis),
            content: &[],
            context: &self.case.context,
            facts: &self.case.facts,
            session: self.case.session,
            project: &ProjectState::Unknown,
        };
        let gaps = match &analysis.coverage {
            Coverage::Complete => &[][..],
            Coverage::Partial(gaps) => gaps,
            Coverage::Opaque(gap) => std::slice::from_ref(gap),
        };
        let mut marks: Vec<String> = gaps
            .iter()
            .filter(|gap| !is_library_call(gap))
            .map(|gap| {
                format!(
                    "holds code that is not understood: {}",
                    report::gap(&gap.kind)
                )
            })
            .collect();
        let found = CATALOGUE.iter().flat_map(|rule| rule.detect(&scene));
        marks.extend(found.map(|finding| format!("{}: {}", finding.rule, finding.evidence)));
        marks.extend(guards::check(&scene).map(|stop| stop.reason));
        let open = analysis.effects.iter().filter(|effect| {
            !self.is_read(&effect.act) && !EXCEPTIONS.iter().any(|by| by.covers(effect, &scene))
        });
        marks.extend(open.map(|effect| {
            format!(
                "does more than is routine: {}",
                report::line(&effect.act.to_string())
            )
        }));
        marks
    }
}

impl Reader<'_, '_> {
    /// Code whose text is among what is read: what it does is in the list itself.
    fn is_read(&self, act: &Act) -> bool {
        match act {
            Act::Execute {
                code: Code::File(target),
                origin,
            } => origin.seen || self.facts.files.get(&target.path).and_then(text).is_some(),
            Act::Execute { origin, .. } => origin.seen,
            // A test reads its data by names that it puts together; a place of secrets
            // has a beginning that shows, and sending is another effect.
            Act::Read { target } => target.extent == Extent::Unknown,
            _ => false,
        }
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
    match &gap.kind {
        GapKind::Call { name, .. } => {
            let last = name.rsplit(['.', ' ']).next().unwrap_or_default();
            !OPEN.contains(&last)
        }
        GapKind::Refused(_)
        | GapKind::Syntax(_)
        | GapKind::Program(_)
        | GapKind::DynamicProgram
        | GapKind::Argument { .. }
        | GapKind::DynamicWord { .. }
        | GapKind::Unseen(_)
        | GapKind::Budget => false,
    }
}

/// What a source file is able to do that a test does not need to.
fn scanned(language: SourceLanguage, text: &str) -> Vec<String> {
    match capabilities(language, text) {
        CapabilityReading::Clean => Vec::new(),
        CapabilityReading::Unread(why) => vec![format!("could not be read: {why}")],
        CapabilityReading::Uses(uses) => {
            let uses_both = |one: Capability, other: Capability| {
                let has = |wanted| uses.iter().any(|found| found.capability == wanted);
                has(one) && has(other)
            };
            // With the environment a place can be named that no text shows.
            let reads_anywhere = uses_both(Capability::FileRead, Capability::Environment);
            uses.iter()
                .filter(|found| reaches_out(found.capability, reads_anywhere))
                .map(described)
                .collect()
        }
    }
}

fn reaches_out(capability: Capability, reads_anywhere: bool) -> bool {
    match capability {
        Capability::Library => false,
        Capability::FileRead | Capability::Environment => reads_anywhere,
        Capability::FileWrite
        | Capability::FileDelete
        | Capability::Network
        | Capability::Process
        | Capability::Home
        | Capability::Native
        | Capability::DynamicCode
        | Capability::Privilege => true,
    }
}

/// Without its line: a use that only moved is not a new one.
fn described(found: &CapabilityUse) -> String {
    let what = match found.capability {
        Capability::FileRead => "reads files",
        Capability::FileWrite => "writes files",
        Capability::FileDelete => "deletes files",
        Capability::Network => "uses the network",
        Capability::Process => "starts programs",
        Capability::Home => "reaches outside the project",
        Capability::Environment => "reads the environment",
        Capability::Native => "calls foreign code",
        Capability::DynamicCode => "runs code that is only known at run time",
        Capability::Library => "calls a library that is not known",
        Capability::Privilege => "asks for more rights",
    };
    format!("{what} with `{}`", report::name(&found.text))
}

/// The scripts in a markup file.
fn scripts(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<script") {
        let Some((_, body)) = after.split_once('>') else {
            // A tag without an end: all of it may be script.
            out.push_str(after);
            break;
        };
        let (script, tail) = body.split_once("</script").unwrap_or((body, ""));
        out.push_str(script);
        out.push('\n');
        rest = tail;
    }
    out
}

/// Lines of a tool's settings that say what it loads or runs, or lead elsewhere.
fn settings(text: &str) -> Vec<String> {
    const TELLING: &[&str] = &[
        "command",
        "exec",
        "preload",
        "loader",
        "wrapper",
        "linker",
        "rustc-",
        "registry",
        "index-url",
        "proxy",
        "hook",
        "basetemp",
        "-p ",
        "script-shell",
        "node-options",
        "toolchain",
        "git =",
        "git=",
        "git:",
        "replace",
        "patch",
    ];
    /// Lines that name a place for people.
    const SHOWN: &[&str] = &[
        "homepage",
        "repository",
        "documentation",
        "xmlns",
        "schemalocation",
        "$schema",
        "url",
    ];
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with(['#', ';']) && !line.starts_with("//"))
        .filter(|line| {
            let lower = line.to_lowercase();
            let leads = ["../", "~/", "\"/", "'/", "= /", "=/", " /", "://"];
            let shown = SHOWN.iter().any(|word| lower.contains(word));
            TELLING.iter().any(|word| lower.contains(word))
                || (!shown && leads.iter().any(|lead| lower.contains(lead)))
        })
        .map(|line| format!("sets `{}`, which may load other code", report::name(line)))
        .collect()
}
