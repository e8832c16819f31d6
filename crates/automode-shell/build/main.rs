//! Compiles `knowledge/**/*.toml` into static tables and, for tests, its examples.

mod capabilities;
mod emit;
mod languages;
#[path = "../src/program/name_digest.rs"]
mod name_digest;
mod notation;
mod reference;
mod rows;
mod schema;
mod telling;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use schema::{EnvironmentFile, GitSettingsFile, Spec};

fn main() -> Result<(), Box<dyn Error>> {
    languages::compile()?;
    capabilities::compile()?;
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("knowledge");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.retain(|file| !file.starts_with(root.join(reference::FOLDER)));
    files.sort();
    reference::compile(&root)?;

    let mut tables = Tables::default();
    let mut wrong = Vec::new();
    for file in &files {
        let place = file.strip_prefix(&root)?.display().to_string();
        let text = fs::read_to_string(file)?;
        if let Err(error) = tables.add(&place, &text) {
            wrong.push(format!("knowledge/{place}: {error}"));
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("examples.rs"), format!("&[{}]", tables.examples))?;
    let (rows, spellings, values) = tables.source.rows();
    fs::write(out.join("flag-rows.bin"), rows)?;
    fs::write(out.join("flag-spellings.txt"), spellings)?;
    let source = format!("{values}{}", tables.finish()?);
    fs::write(out.join("knowledge.rs"), source)?;
    Ok(())
}

/// What has been compiled so far.
#[derive(Default)]
struct Tables {
    source: emit::TableSource,
    /// The constant that describes each name.
    programs: BTreeMap<String, String>,
    /// The kinds of program of each name.
    natures: BTreeMap<String, BTreeSet<String>>,
    examples: String,
    variables: String,
    settings: String,
}

impl Tables {
    fn add(&mut self, place: &str, text: &str) -> Result<(), String> {
        if place == "environment.toml" {
            self.variables = environment(text)?;
            return Ok(());
        }
        if place == "git-settings.toml" {
            self.settings = settings(text)?;
            return Ok(());
        }
        let spec: Spec = toml::from_str(text).map_err(|error| error.to_string())?;
        let stem = place.rsplit('/').next().unwrap_or(place);
        let stem = stem.strip_suffix(".toml").unwrap_or(stem);
        let name = spec.name.clone().unwrap_or_else(|| stem.to_owned());
        let mut names = vec![name.clone()];
        names.extend(spec.aliases.iter().cloned());
        for known in spec.only.keys().flat_map(|names| names.split_whitespace()) {
            if !names.iter().any(|name| name == known) {
                return Err(format!("`{known}` has options and is no name of the file"));
            }
        }
        let mut shared = None;
        for name in &names {
            let own = spec
                .only
                .keys()
                .any(|names| names.split_whitespace().any(|n| n == name));
            let constant = match &shared {
                Some(constant) if !own => String::clone(constant),
                Some(_) | None => {
                    let node =
                        tree::grow(&spec, name).map_err(|error| format!("{name}: {error}"))?;
                    self.source
                        .command(&node)
                        .map_err(|error| format!("{name}: {error}"))?
                }
            };
            if !own {
                shared = Some(constant.clone());
            }
            if self.programs.insert(name.clone(), constant).is_some() {
                return Err(format!("`{name}` is described twice"));
            }
        }
        self.add_natures(&spec, &names);
        self.add_examples(place, &spec)
    }

    /// Of all its names, or of those that a line names.
    fn add_natures(&mut self, spec: &Spec, all: &[String]) {
        for line in &spec.nature {
            let (nature, names) = match line.split_once(':') {
                Some((nature, names)) => (nature, names.split_whitespace().collect()),
                None => (line.as_str(), all.iter().map(String::as_str).collect()),
            };
            let names: Vec<&str> = names;
            for name in names {
                let natures = self.natures.entry(name.to_owned()).or_default();
                natures.insert(format!("Nature::{}", notation::camel(nature)));
            }
        }
    }

    fn add_examples(&mut self, place: &str, spec: &Spec) -> Result<(), String> {
        if spec.example.is_empty() {
            return Err("there is no example".to_owned());
        }
        for example in &spec.example {
            writeln!(
                self.examples,
                "Example {{ file: {place:?}, run: {:?}, effects: &{:?}, output: {:?} }},",
                example.run, example.effects, example.output
            )
            .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn finish(self) -> Result<String, std::fmt::Error> {
        let mut text = self.source.text;
        let names: BTreeSet<&String> = self.programs.keys().chain(self.natures.keys()).collect();
        writeln!(text, "{}\n{}", self.variables, self.settings)?;
        writeln!(text, "/// Sorted by name.")?;
        writeln!(text, "pub(crate) static PROGRAMS: &[Program] = &[")?;
        // Twice as many slots as names; in each the place of a name counted from one.
        let slots = (names.len() * 2).next_power_of_two();
        let mut filled = vec![0; slots];
        let mut sets = vec![String::new()];
        for (at, name) in names.into_iter().enumerate() {
            let command = self.programs.get(name);
            let command =
                command.map_or_else(|| "None".to_owned(), |known| format!("Some(&{known})"));
            let natures: Vec<&str> = self.natures.get(name).map_or_else(Vec::new, |natures| {
                natures.iter().map(String::as_str).collect()
            });
            let natures = natures.join(", ");
            let set = sets.iter().position(|known| *known == natures);
            let set = set.unwrap_or_else(|| {
                sets.push(natures);
                sets.len() - 1
            });
            writeln!(
                text,
                "Program {{ name: {name:?}, command: {command}, nature_set: {set} }},"
            )?;
            let mut slot = name_digest::name_digest(name) as usize % slots;
            while filled.get(slot).is_some_and(|taken| *taken != 0) {
                slot = (slot + 1) % slots;
            }
            if let Some(free) = filled.get_mut(slot) {
                *free = at + 1;
            }
        }
        writeln!(text, "];")?;
        writeln!(
            text,
            "/// Every set of kinds that some program has; none first."
        )?;
        writeln!(text, "pub(crate) static NATURE_SETS: &[Natures] = &[")?;
        for natures in sets {
            writeln!(text, "Natures::of(&[{natures}]),")?;
        }
        writeln!(text, "];")?;
        writeln!(
            text,
            "/// Where a name stands in the table, from one; searched from its digest on.\n\
             pub(crate) static PROGRAM_SLOTS: [u16; {slots}] = {filled:?};"
        )?;
        Ok(text)
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "toml") {
            files.push(path);
        }
    }
    Ok(())
}

fn settings(text: &str) -> Result<String, String> {
    let table: GitSettingsFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut source = String::from("pub(crate) static GIT_SETTINGS: &[Setting] = &[\n");
    for (keys, setting) in &table.key {
        let kind = match setting.is.as_str() {
            "nothing" | "shell" | "alias" | "program" | "read" | "write" | "remote" | "host"
            | "something" => notation::camel(&setting.is),
            other => return Err(format!("unknown kind of setting `{other}`")),
        };
        for key in keys.split_whitespace() {
            let (start, end) = match key.split_once('*') {
                Some((start, end)) => (start, Some(end)),
                None => (key, None),
            };
            writeln!(
                source,
                "Setting {{ start: {start:?}, end: {end:?}, kind: SettingKind::{kind} }},"
            )
            .map_err(|error| error.to_string())?;
        }
    }
    source.push_str("];\n");
    Ok(source)
}

fn environment(text: &str) -> Result<String, String> {
    let table: EnvironmentFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut rows: Vec<(&str, String)> = Vec::new();
    for (names, variable) in &table.variable {
        let runs = match variable.runs.as_str() {
            "nothing" | "something" | "shell" | "file" => notation::camel(&variable.runs),
            other => return Err(format!("unknown kind of variable `{other}`")),
        };
        for name in names.split_whitespace() {
            let fine = &variable.fine;
            let row = format!(
                "Variable {{ name: {name:?}, runs: VariableRuns::{runs}, fine: &{fine:?} }},\n"
            );
            rows.push((name, row));
        }
    }
    let (patterns, mut exact): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|(name, _)| name.contains('*'));
    exact.sort();
    if let Some([(name, _), _]) = exact.array_windows().find(|[one, next]| one.0 == next.0) {
        return Err(format!("the variable `{name}` is described twice"));
    }
    let text = |rows: Vec<(&str, String)>| rows.into_iter().map(|(_, row)| row).collect::<String>();
    let source = format!(
        "/// By name.\npub(crate) static VARIABLES: &[Variable] = &[\n{}];\n\
         pub(crate) static VARIABLE_PATTERNS: &[Variable] = &[\n{}];\n",
        text(exact),
        text(patterns)
    );
    Ok(source)
}
