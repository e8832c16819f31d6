//! Compiles `knowledge/**/*.toml` into static tables and, for tests, its examples.

mod emit;
mod languages;
mod notation;
mod schema;
mod tree;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use schema::{Environment, Spec};

fn main() -> Result<(), Box<dyn Error>> {
    languages::compile()?;
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("knowledge");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();

    let mut source = emit::Source::default();
    let mut programs: BTreeMap<String, String> = BTreeMap::new();
    let mut examples = String::from("&[\n");
    let mut variables = String::new();
    for file in &files {
        let text = fs::read_to_string(file)?;
        let place = file.strip_prefix(&root)?.display().to_string();
        let blame = |error: String| format!("knowledge/{place}: {error}");
        if place == "environment.toml" {
            variables = environment(&text).map_err(blame)?;
            continue;
        }
        let spec: Spec = toml::from_str(&text).map_err(|error| blame(error.to_string()))?;
        let stem = file
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        let name = spec.name.clone().unwrap_or_else(|| stem.to_owned());
        let node = tree::grow(&spec).map_err(blame)?;
        let constant = source.command(&node).map_err(blame)?;
        for name in std::iter::once(&name).chain(&spec.aliases) {
            if programs.insert(name.clone(), constant.clone()).is_some() {
                return Err(blame(format!("`{name}` is described twice")).into());
            }
        }
        if spec.example.is_empty() {
            return Err(blame("there is no example".to_owned()).into());
        }
        for example in &spec.example {
            writeln!(
                examples,
                "Example {{ file: {place:?}, run: {:?}, effects: &{:?}, output: {:?} }},",
                example.run, example.effects, example.output
            )?;
        }
    }
    examples.push(']');

    writeln!(
        source.text,
        "/// Sorted by name.\npub(crate) static PROGRAMS: &[(&str, &Command)] = &["
    )?;
    for (name, constant) in &programs {
        writeln!(source.text, "({name:?}, &{constant}),")?;
    }
    writeln!(source.text, "];\n{variables}")?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("knowledge.rs"), source.text)?;
    fs::write(out.join("examples.rs"), examples)?;
    Ok(())
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

fn environment(text: &str) -> Result<String, String> {
    let table: Environment = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut source = String::from("pub(crate) static VARIABLES: &[Variable] = &[\n");
    for (names, variable) in &table.variable {
        let runs = match variable.runs.as_str() {
            "something" | "shell" | "file" => notation::camel(&variable.runs),
            other => return Err(format!("unknown kind of variable `{other}`")),
        };
        for name in names.split_whitespace() {
            writeln!(
                source,
                "Variable {{ name: {name:?}, runs: VariableRuns::{runs}, fine: &{:?} }},",
                variable.fine
            )
            .map_err(|error| error.to_string())?;
        }
    }
    source.push_str("];\n");
    Ok(source)
}
