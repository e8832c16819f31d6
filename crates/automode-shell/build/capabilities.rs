//! Compiles `languages/capability/*.toml` into `capabilities.rs`.
//!
//! A name is described by a line such as `read 0` or `delete self when File`: what
//! it does, the argument that is a path, and the words without which it does not
//! count. A module below `imports` does so wherever it is imported, and all its names
//! with it. A table may inherit another and add to it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::{Table, Value};

use crate::languages::Fallible;

const TABLES: &[&str] = &[
    "rust",
    "go",
    "java",
    "kotlin",
    "c",
    "csharp",
    "swift",
    "ruby",
    "php",
    "javascript",
    "groovy",
    "cmake",
    "elixir",
    "terraform",
];
const LISTS: &[&str] = &[
    "harmless",
    "watched",
    "temporary",
    "project",
    "through",
    "prefixes",
];

/// A table with what it inherits.
#[derive(Default)]
struct Merged {
    lists: BTreeMap<&'static str, BTreeSet<String>>,
    names: BTreeMap<String, String>,
    methods: BTreeMap<String, String>,
    imports: BTreeMap<String, String>,
}

pub fn compile() -> Fallible<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("languages/capability");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut text = String::new();
    for name in TABLES {
        let mut merged = Merged::default();
        merge(&root, name, &mut merged)
            .map_err(|error| format!("languages/capability/{name}.toml: {error}"))?;
        emit(&mut text, name, &merged)?;
    }
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("capabilities.rs"),
        text,
    )?;
    Ok(())
}

fn merge(root: &Path, name: &str, merged: &mut Merged) -> Fallible<()> {
    let table: Table = fs::read_to_string(root.join(name).with_extension("toml"))?.parse()?;
    for (key, value) in &table {
        let known = LISTS.contains(&key.as_str())
            || matches!(key.as_str(), "inherits" | "names" | "methods" | "imports");
        if !known {
            return Err(format!("`{key}` is no key of a capability table").into());
        }
        if key == "inherits" {
            merge(root, value.as_str().ok_or("`inherits` is a name")?, merged)?;
        }
    }
    for list in LISTS {
        let words = table.get(*list).and_then(Value::as_str).unwrap_or_default();
        let known = merged.lists.entry(list).or_default();
        known.extend(words.split_whitespace().map(str::to_owned));
    }
    for (key, into) in [
        ("names", &mut merged.names),
        ("methods", &mut merged.methods),
        ("imports", &mut merged.imports),
    ] {
        let Some(rows) = table.get(key).and_then(Value::as_table) else {
            continue;
        };
        for (names, line) in rows {
            let line = line.as_str().ok_or("a name is described by a line")?;
            let compiled = rule(line).map_err(|error| format!("`{names}`: {error}"))?;
            for name in names.split_whitespace() {
                into.insert(name.to_owned(), compiled.clone());
            }
        }
    }
    // A module that is named in full needs no import; one of a single small word may be any
    // variable.
    let is_telling =
        |module: &str| module.contains(['/', '.', '_']) || module.to_lowercase() != module;
    for (module, rule) in merged
        .imports
        .iter()
        .filter(|(module, _)| is_telling(module))
    {
        let all = format!("{}.*", module.replace('/', "."));
        merged.names.entry(all).or_insert_with(|| rule.clone());
    }
    Ok(())
}

fn rule(line: &str) -> Fallible<String> {
    let (line, when) = line.split_once(" when ").unwrap_or((line, ""));
    let mut words = line.split_whitespace();
    let capability = match words.next() {
        Some("clean") => "None",
        Some("read") => "Some(Capability::FileRead)",
        Some("write") => "Some(Capability::FileWrite)",
        Some("delete") => "Some(Capability::FileDelete)",
        Some("network") => "Some(Capability::Network)",
        Some("process") => "Some(Capability::Process)",
        Some("home") => "Some(Capability::Home)",
        Some("environment") => "Some(Capability::Environment)",
        Some("native") => "Some(Capability::Native)",
        Some("dynamic") => "Some(Capability::DynamicCode)",
        Some("library") => "Some(Capability::Library)",
        other => return Err(format!("{other:?} is no capability").into()),
    };
    let argument = match words.next() {
        None => "None".to_owned(),
        Some("self") => "Some(u8::MAX)".to_owned(),
        Some(number) => format!("Some({})", number.parse::<u8>()?),
    };
    let when: Vec<&str> = when.split_whitespace().collect();
    Ok(format!(
        "NameRule {{ capability: {capability}, argument: {argument}, when: &{when:?} }}"
    ))
}

fn emit(text: &mut String, name: &str, merged: &Merged) -> Fallible<()> {
    let constant = name.to_uppercase();
    writeln!(
        text,
        "static {constant}: CapabilityTable = CapabilityTable {{"
    )?;
    for (list, words) in &merged.lists {
        writeln!(text, "{list}: &{:?},", words.iter().collect::<Vec<_>>())?;
    }
    for (field, rows) in [
        ("names", &merged.names),
        ("methods", &merged.methods),
        ("imports", &merged.imports),
    ] {
        writeln!(text, "{field}: &[")?;
        for (name, rule) in rows {
            writeln!(text, "({name:?}, {rule}),")?;
        }
        writeln!(text, "],")?;
    }
    writeln!(text, "}};")?;
    Ok(())
}
