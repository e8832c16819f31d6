//! `package.json` scripts and `deno.json` tasks.

use serde_json::{Map, Value as Json};

use super::Runner;
use super::lookup::TaskFile;
use super::steps::TaskSteps;
use crate::{Facts, FileFact, TaskRequest, Value};

/// What npm and its kin run by themselves, in order.
const INSTALL: &[&str] = &[
    "preinstall",
    "install",
    "postinstall",
    "prepublish",
    "preprepare",
    "prepare",
    "postprepare",
];
const PUBLISH: &[&str] = &[
    "prepublishOnly",
    "prepublish",
    "preprepare",
    "prepare",
    "postprepare",
    "prepack",
    "postpack",
    "publish",
    "postpublish",
    "preversion",
    "version",
    "postversion",
];

pub(super) fn node(
    found: &TaskFile<'_>,
    names: &[String],
    facts: &Facts,
    steps: &mut TaskSteps<'_>,
) {
    let Ok(Json::Object(manifest)) = serde_json::from_str::<Json>(found.text) else {
        return steps.unclear("package.json does not parse");
    };
    let empty = Map::new();
    let scripts = match manifest.get("scripts") {
        Some(Json::Object(scripts)) => scripts,
        Some(_) => return steps.unclear("`scripts` is not an object"),
        None => &empty,
    };
    let events = match steps.request.tasks {
        TaskRequest::Install => INSTALL,
        TaskRequest::Publish => PUBLISH,
        TaskRequest::Run(_) => {
            let declared = Declared {
                manifest: &manifest,
                directory: &found.directory,
                facts,
            };
            return run(&declared, scripts, names, steps);
        }
    };
    for event in events {
        if let Some(script) = scripts.get(*event) {
            shell(script, steps);
        }
    }
}

/// The packages that a manifest declares, and those of the workspaces around it.
struct Declared<'a> {
    manifest: &'a Map<String, Json>,
    directory: &'a str,
    facts: &'a Facts,
}

impl Declared<'_> {
    /// Whether a declared package brings a program: programs of an outer workspace are
    /// found too.
    fn brings(&self, program: &str, steps: &mut TaskSteps<'_>) -> bool {
        /// How far outside a workspace may begin.
        const OUTWARDS: usize = 4;
        if declares(self.manifest, program) {
            return true;
        }
        let mut directory = self.directory;
        for _ in 0..OUTWARDS {
            let Some((outer, _)) = directory
                .rsplit_once('/')
                .filter(|(outer, _)| !outer.is_empty())
            else {
                return false;
            };
            directory = outer;
            let path = format!("{directory}/package.json");
            match self.facts.files.get(&path) {
                Some(FileFact::Text { body, .. }) => {
                    let found = serde_json::from_str::<Json>(body).ok();
                    if let Some(Json::Object(manifest)) = found
                        && declares(&manifest, program)
                    {
                        return true;
                    }
                }
                Some(FileFact::Absent | FileFact::Directory | FileFact::Unreadable) => {}
                None => steps.need(&path),
            }
        }
        false
    }
}

fn run(
    declared: &Declared<'_>,
    scripts: &Map<String, Json>,
    names: &[String],
    steps: &mut TaskSteps<'_>,
) {
    if names.is_empty() {
        return steps.missing("default");
    }
    for name in names {
        let Some(script) = scripts.get(name) else {
            undeclared(declared, name, steps);
            continue;
        };
        if let Some(before) = scripts.get(&format!("pre{name}")) {
            shell(before, steps);
        }
        match script {
            Json::String(text) => steps.shell_with_arguments(text),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                steps.unclear(name)
            }
        }
        if let Some(after) = scripts.get(&format!("post{name}")) {
            shell(after, steps);
        }
    }
}

/// A name that is no script: yarn, pnpm and bun start the program of that name that
/// a declared package brings; `npm start` has a default.
fn undeclared(declared: &Declared<'_>, name: &str, steps: &mut TaskSteps<'_>) {
    let starts_programs = match steps.request.runner {
        Runner::Yarn | Runner::Pnpm | Runner::Bun => true,
        Runner::Npm
        | Runner::Deno
        | Runner::Make
        | Runner::Just
        | Runner::Task
        | Runner::Composer
        | Runner::Rake
        | Runner::Cargo
        | Runner::Poe
        | Runner::Pdm
        | Runner::Hatch
        | Runner::Tox
        | Runner::Nox
        | Runner::Compose => false,
    };
    if starts_programs && declared.brings(name, steps) {
        let mut argv = vec![Value::text(name, steps.request.span)];
        argv.extend(steps.request.arguments.iter().cloned());
        return steps.command(argv);
    }
    if steps.request.runner == Runner::Npm && name == "start" {
        return steps.shell("node server.js");
    }
    steps.missing(name);
}

/// Programs whose package has another name.
const BROUGHT_BY: &[(&str, &str)] = &[
    ("ng", "@angular/cli"),
    ("nest", "@nestjs/cli"),
    ("playwright", "@playwright/test"),
    ("sb", "storybook"),
    ("tsc", "typescript"),
    ("biome", "@biomejs/biome"),
    ("changeset", "@changesets/cli"),
    ("commitlint", "@commitlint/cli"),
    ("babel", "@babel/cli"),
    ("svelte-kit", "@sveltejs/kit"),
    ("prisma", "prisma"),
    ("vue-cli-service", "@vue/cli-service"),
];

/// Whether a declared package brings a program.
fn declares(manifest: &Map<String, Json>, program: &str) -> bool {
    let package = BROUGHT_BY
        .iter()
        .find(|(name, _)| *name == program)
        .map_or(program, |(_, package)| package);
    ["dependencies", "devDependencies", "optionalDependencies"]
        .iter()
        .filter_map(|table| manifest.get(*table)?.as_object())
        .any(|table| table.contains_key(package))
}

fn shell(script: &Json, steps: &mut TaskSteps<'_>) {
    match script {
        Json::String(text) => steps.shell(text.as_str()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
            steps.unclear("a script that is not text")
        }
    }
}

pub(super) fn deno(
    found: &TaskFile<'_>,
    names: &[String],
    facts: &Facts,
    steps: &mut TaskSteps<'_>,
) {
    if found.path.ends_with("/package.json") {
        return node(found, names, facts, steps);
    }
    let plain = without_comments(found.text);
    let Ok(Json::Object(config)) = serde_json::from_str::<Json>(&plain) else {
        return steps.unclear("deno.json does not parse");
    };
    let Some(Json::Object(tasks)) = config.get("tasks") else {
        return steps.missing(&names.join(" "));
    };
    for name in names {
        deno_task(tasks, name, steps, 0);
    }
}

fn deno_task(tasks: &Map<String, Json>, name: &str, steps: &mut TaskSteps<'_>, depth: usize) {
    match tasks.get(name) {
        _ if depth > 16 => steps.unclear("tasks that depend on each other"),
        Some(Json::String(text)) => steps.shell_with_arguments(text),
        Some(Json::Object(task)) => {
            if let Some(Json::Array(needed)) = task.get("dependencies") {
                for needed in needed {
                    match needed {
                        Json::String(needed) => {
                            deno_task(tasks, needed, steps, depth.saturating_add(1))
                        }
                        Json::Null
                        | Json::Bool(_)
                        | Json::Number(_)
                        | Json::Array(_)
                        | Json::Object(_) => steps.unclear(name),
                    }
                }
            }
            match task.get("command") {
                Some(Json::String(text)) => steps.shell_with_arguments(text),
                Some(_) => steps.unclear(name),
                None => steps.exists(),
            }
        }
        Some(_) => steps.unclear(name),
        None => steps.missing(name),
    }
}

/// JSON without `//` and `/* */` comments and trailing commas; texts stay as they are.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if quoted => {
                plain.push(letter);
                plain.extend(letters.next());
            }
            '"' => {
                quoted = !quoted;
                plain.push(letter);
            }
            '/' if !quoted && letters.peek() == Some(&'/') => {
                for skipped in letters.by_ref() {
                    if skipped == '\n' {
                        plain.push('\n');
                        break;
                    }
                }
            }
            '/' if !quoted && letters.peek() == Some(&'*') => {
                let mut star = false;
                letters.next();
                for skipped in letters.by_ref() {
                    if star && skipped == '/' {
                        break;
                    }
                    star = skipped == '*';
                }
            }
            '}' | ']' if !quoted => {
                let kept = plain.trim_end();
                if kept.ends_with(',') {
                    plain.truncate(kept.len().saturating_sub(1));
                }
                plain.push(letter);
            }
            letter => plain.push(letter),
        }
    }
    plain
}
