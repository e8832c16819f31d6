//! Compiles `languages/*.toml` into `languages.rs`.
//!
//! A call is described by a line such as `read 0:src, write 1:dst -> str`: effects
//! with the argument they concern (by position, keyword or both), then what the
//! call gives back.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::{Table, Value};

use crate::notation::{camel, shared_act};

pub type Fallible<T> = Result<T, Box<dyn Error>>;

/// Languages whose calls are described one by one.
const SPOKEN: &[(&str, &str)] = &[
    ("python", "PYTHON"),
    ("javascript", "JAVASCRIPT"),
    ("ruby", "RUBY"),
    ("perl", "PERL"),
    ("php", "PHP"),
    ("lua", "LUA"),
    ("awk", "AWK"),
];

pub fn compile() -> Fallible<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("languages");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut text = String::new();
    let sql = table(&root, "sql")?;
    for (key, constant) in [
        ("pure", "SQL_PURE"),
        ("admin", "SQL_ADMIN"),
        ("change", "SQL_CHANGE"),
    ] {
        words(&mut text, constant, string(&sql, key))?;
    }
    let powershell = table(&root, "powershell")?;
    words(
        &mut text,
        "POWERSHELL_DANGEROUS",
        string(&powershell, "dangerous"),
    )?;
    aliases(&mut text, &powershell)?;
    let mut known = Behaviours::new();
    for (file, constant) in SPOKEN {
        let library = table(&root, file)?;
        spoken(&mut text, &mut known, constant, &library)
            .map_err(|error| format!("languages/{file}.toml: {error}"))?;
    }
    for (behaviour, at) in known {
        writeln!(text, "static BEHAVIOUR_{at}: CallBehaviour = {behaviour};")?;
    }
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("languages.rs"),
        text,
    )?;
    Ok(())
}

fn table(root: &Path, name: &str) -> Fallible<Table> {
    let text = fs::read_to_string(root.join(name).with_extension("toml"))?;
    Ok(text
        .parse::<Table>()
        .map_err(|error| format!("languages/{name}.toml: {error}"))?)
}

fn string<'a>(table: &'a Table, key: &str) -> &'a str {
    table.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A sorted list of words.
fn words(text: &mut String, constant: &str, list: &str) -> Fallible<()> {
    let mut words: Vec<&str> = list.split_whitespace().collect();
    words.sort_unstable();
    words.dedup();
    writeln!(text, "pub(crate) static {constant}: &[&str] = &{words:?};")?;
    Ok(())
}

/// Aliases of PowerShell with the commands they stand for, sorted.
fn aliases(text: &mut String, powershell: &Table) -> Fallible<()> {
    let aliases = powershell.get("aliases").and_then(Value::as_table);
    let mut rows: Vec<(&str, &str)> = aliases
        .ok_or("powershell.toml has no aliases")?
        .iter()
        .filter_map(|(command, names)| Some((command.as_str(), names.as_str()?)))
        .flat_map(|(command, names)| names.split_whitespace().map(move |name| (name, command)))
        .collect();
    rows.sort_unstable();
    writeln!(
        text,
        "pub(crate) static POWERSHELL_ALIASES: &[(&str, &str)] = &{rows:?};"
    )?;
    Ok(())
}

/// How a behaviour begins that only computes.
const NO_EFFECTS: &str = "effects: &[],";

/// What calls do, with the number under which it is written.
type Behaviours = BTreeMap<String, usize>;

fn spoken(
    text: &mut String,
    known: &mut Behaviours,
    constant: &str,
    library: &Table,
) -> Fallible<()> {
    let calls = behaviours(library, "calls")?;
    let mut kinds = String::new();
    if let Some(Value::Table(described)) = library.get("kind") {
        let mut described: Vec<_> = described.iter().collect();
        described.sort_by_key(|(name, _)| name.as_str());
        for (name, kind) in described {
            let kind = kind.as_table().ok_or("a kind is a table")?;
            let calls = behaviours(kind, "calls").map_err(|error| format!("{name}: {error}"))?;
            writeln!(kinds, "({name:?}, {}),", row(&calls, known))?;
        }
    }
    let mut modules: Vec<&str> = string(library, "modules").split_whitespace().collect();
    modules.sort_unstable();
    modules.dedup();
    let doing: BTreeSet<&str> = calls
        .iter()
        .filter(|(_, behaviour)| !behaviour.contains(NO_EFFECTS))
        .filter_map(|(name, _)| name.rsplit('.').next())
        .collect();
    let doing: Vec<&str> = doing.into_iter().collect();
    writeln!(
        text,
        "pub(crate) static {constant}: LibraryTable = LibraryTable {{ calls: {}, doing: &{doing:?}, kinds: &[{kinds}], modules: &{modules:?} }};",
        row(&calls, known)
    )?;
    Ok(())
}

fn row(calls: &BTreeMap<String, String>, known: &mut Behaviours) -> String {
    let mut row = String::from("&[");
    for (name, behaviour) in calls {
        let next = known.len();
        let at = *known.entry(behaviour.clone()).or_insert(next);
        row.push_str(&format!("({name:?}, &BEHAVIOUR_{at}),\n"));
    }
    row.push(']');
    row
}

/// The described calls of a table, and its `pure` ones.
fn behaviours(table: &Table, key: &str) -> Fallible<BTreeMap<String, String>> {
    let mut calls = BTreeMap::new();
    for (prefix, names) in groups(table.get("pure")) {
        for name in names.split_whitespace() {
            calls.insert(format!("{prefix}{name}"), behaviour("pure")?);
        }
    }
    if let Some(Value::Table(described)) = table.get(key) {
        for (name, line) in described {
            let line = line.as_str().ok_or("a call is described by a line")?;
            let compiled = behaviour(line).map_err(|error| format!("`{name}`: {error}"))?;
            for name in name.split_whitespace() {
                calls.insert(name.to_owned(), compiled.clone());
            }
        }
    }
    Ok(calls)
}

/// `pure` is a list of names, or a table of such lists by module.
fn groups(pure: Option<&Value>) -> Vec<(String, &str)> {
    match pure {
        Some(Value::String(names)) => vec![(String::new(), names)],
        Some(Value::Table(modules)) => modules
            .iter()
            .filter_map(|(module, names)| Some((format!("{module}."), names.as_str()?)))
            .map(|(prefix, names)| {
                if prefix == "builtins." {
                    (String::new(), names)
                } else {
                    (prefix, names)
                }
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn behaviour(line: &str) -> Fallible<String> {
    let (effects, gives) = match line.split_once("->") {
        Some((effects, gives)) => (effects, gives.trim()),
        None => (line, "data"),
    };
    let effects = effects
        .split(',')
        .map(str::trim)
        .filter(|effect| !effect.is_empty() && *effect != "pure")
        .map(effect)
        .collect::<Fallible<Vec<_>>>()?;
    Ok(format!(
        "CallBehaviour {{ effects: &[{}], gives: {gives:?} }}",
        effects.join(", ")
    ))
}

fn effect(text: &str) -> Fallible<String> {
    if let Some(act) = shared_act(text, &argument)? {
        return Ok(format!("CallEffect::Act({act})"));
    }
    let mut words = text.split_whitespace();
    let verb = words.next().unwrap_or_default();
    let word = words.next();
    let one = word.map(argument).transpose()?;
    let two = words.next().map(argument).transpose()?;
    let name = camel(verb);
    Ok(match (verb, one, two) {
        ("open", Some(one), Some(two)) => format!("CallEffect::{name}({one}, {two})"),
        (
            "decode" | "shell-or-words" | "secret" | "network" | "unknown" | "input" | "local",
            None,
            None,
        ) => format!("CallEffect::{name}"),
        ("fold", Some(_), None) => {
            let fold = camel(word.unwrap_or_default());
            format!("CallEffect::CallResult(CallResult::{fold})")
        }
        (
            "shell" | "process-words" | "program" | "callback" | "argv" | "words" | "code" | "load"
            | "reach" | "bind" | "serve" | "sql" | "directory" | "remote" | "unpack" | "put",
            Some(one),
            None,
        ) => format!("CallEffect::{name}({one})"),
        _ => return Err(format!("`{text}` is no effect").into()),
    })
}

/// `0`, `0:name`, `:name`, `self`, each with `?` where it may be missing; another word is itself.
fn argument(word: &str) -> Result<String, String> {
    let (word, optional) = match word.strip_suffix('?') {
        Some(word) => (word, true),
        None => (word, false),
    };
    let (at, name) = word.split_once(':').unwrap_or((word, ""));
    let (at, name) = match at {
        "self" => ("Receiver".to_owned(), name),
        "" => ("Keyword".to_owned(), name),
        text => match text.parse::<u8>() {
            Ok(at) => (format!("Position({at})"), name),
            Err(_) => ("Itself".to_owned(), text),
        },
    };
    Ok(format!(
        "Argument {{ place: ArgumentPlace::{at}, name: {name:?}, optional: {optional} }}"
    ))
}
