//! Compiles `knowledge/tables/*.toml` into `reference.rs`: tables that others look names up in.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::{Table, Value};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// The folder of these tables, below that of the knowledge.
pub const FOLDER: &str = "tables";

pub fn compile(knowledge: &Path) -> Fallible<()> {
    let root = knowledge.join(FOLDER);
    let mut text = String::new();
    spellings(&mut text, &table(&root, "spellings")?)?;
    open_ends(&mut text, &table(&root, "open-ends")?)?;
    manifests(&mut text, &table(&root, "manifests")?)?;
    options(&mut text, &table(&root, "options")?)?;
    interpreters(&mut text, &table(&root, "interpreters")?)?;
    let out = PathBuf::from(env::var("OUT_DIR")?).join("reference.rs");
    fs::write(out, text)?;
    Ok(())
}

fn table(root: &Path, name: &str) -> Fallible<Table> {
    let text = fs::read_to_string(root.join(name).with_extension("toml"))?;
    Ok(text
        .parse::<Table>()
        .map_err(|error| format!("knowledge/{FOLDER}/{name}.toml: {error}"))?)
}

fn section<'a>(table: &'a Table, name: &str) -> Fallible<&'a Table> {
    let section = table.get(name).and_then(Value::as_table);
    Ok(section.ok_or_else(|| format!("there is no [{name}]"))?)
}

fn words(text: &str) -> String {
    format!("&{:?}", text.split_whitespace().collect::<Vec<_>>())
}

/// The strings of a value: one, or a list of them.
fn strings(value: &Value) -> Fallible<Vec<&str>> {
    let all: &[Value] = match value {
        Value::Array(all) => all,
        one => std::slice::from_ref(one),
    };
    let strings: Option<Vec<&str>> = all.iter().map(Value::as_str).collect();
    Ok(strings.ok_or("a text or a list of texts is wanted")?)
}

fn spellings(text: &mut String, table: &Table) -> Fallible<()> {
    writeln!(text, "pub static SPELLINGS: &[Spelling] = &[")?;
    for (typed, stands_for) in section(table, "spelling")? {
        for stands_for in strings(stands_for)? {
            let (typed, stands_for) = (words(typed), words(stands_for));
            writeln!(
                text,
                "Spelling {{ typed: {typed}, stands_for: {stands_for} }},"
            )?;
        }
    }
    writeln!(text, "];")?;
    Ok(())
}

fn open_ends(text: &mut String, table: &Table) -> Fallible<()> {
    writeln!(text, "pub static OPEN_ENDS: &[OpenEnd] = &[")?;
    for (list, only_strict) in [("standard", false), ("strict", true)] {
        let rows = table.get(list).ok_or_else(|| format!("no `{list}`"))?;
        for row in strings(rows)? {
            let (names, opens) = row.rsplit_once(": ").ok_or_else(|| row.to_owned())?;
            let opens = match opens.split_once(' ').unwrap_or((opens, "")) {
                ("code", "") => "Code".to_owned(),
                ("anything", "") => "Anything".to_owned(),
                ("command", behind) => format!("Command({})", behind.parse::<usize>()?),
                _ => return Err(format!("`{row}` opens nothing that is known").into()),
            };
            let names = words(names);
            writeln!(
                text,
                "OpenEnd {{ words: {names}, opens: Opens::{opens}, only_strict: {only_strict} }},"
            )?;
        }
    }
    writeln!(text, "];")?;
    Ok(())
}

fn manifests(text: &mut String, table: &Table) -> Fallible<()> {
    writeln!(text, "pub static MANIFESTS: &[ManifestFamily] = &[")?;
    let packages = section(table, "package")?;
    let families = table.get("family").and_then(Value::as_array);
    for family in families.ok_or("there is no family")? {
        let list = |key: &str| family.get(key).and_then(Value::as_str).map(words);
        let programs = list("programs").ok_or("a family has programs")?;
        let manifests = list("manifests").ok_or("a family has manifests")?;
        writeln!(
            text,
            "ManifestFamily {{ programs: {programs}, manifests: {manifests} }},"
        )?;
    }
    writeln!(text, "];")?;
    writeln!(text, "pub(super) static PACKAGES: &[(&str, &str)] = &[")?;
    for (program, package) in packages {
        let package = package.as_str().ok_or("a package is a text")?;
        writeln!(text, "({program:?}, {package:?}),")?;
    }
    writeln!(text, "];")?;
    Ok(())
}

fn interpreters(text: &mut String, table: &Table) -> Fallible<()> {
    writeln!(text, "pub(super) static INTERPRETERS: &[NamedWords] = &[")?;
    for (program, endings) in section(table, "ending")? {
        let endings = words(endings.as_str().ok_or("endings are a text")?);
        writeln!(text, "({program:?}, {endings}),")?;
    }
    writeln!(text, "];")?;
    Ok(())
}

fn options(text: &mut String, table: &Table) -> Fallible<()> {
    writeln!(text, "pub static PASSWORD_OPTIONS: &[PasswordOption] = &[")?;
    for (programs, how) in section(table, "password")? {
        let how: Vec<&str> = strings(how)?
            .iter()
            .flat_map(|how| how.split(' '))
            .collect();
        let (letter, glue, at_login) = match how.as_slice() {
            [letter, glue] => (letter, glue, false),
            [letter, glue, "login"] => (letter, glue, true),
            _ => return Err(format!("`{programs}`: a letter and how it is given").into()),
        };
        let letter = letter
            .strip_prefix('-')
            .and_then(|rest| rest.bytes().next());
        let letter = letter.ok_or("a letter has a dash")?;
        let glue = match *glue {
            "glued" | "next" | "either" => crate::notation::camel(glue),
            other => return Err(format!("`{other}` is no way to give a password").into()),
        };
        for program in programs.split_whitespace() {
            writeln!(
                text,
                "PasswordOption {{ program: {program:?}, letter: {letter}, given: Given::{glue}, at_login: {at_login} }},"
            )?;
        }
    }
    writeln!(text, "];")?;
    for (list, name) in [
        ("hidden", "HIDDEN_OPTIONS"),
        ("before-subcommand", "OPTIONS_BEFORE_SUBCOMMAND"),
    ] {
        writeln!(text, "pub(super) static {name}: &[NamedWords] = &[")?;
        for (programs, options) in section(table, list)? {
            let options = words(options.as_str().ok_or("options are a text")?);
            for program in programs.split_whitespace() {
                writeln!(text, "({program:?}, {options}),")?;
            }
        }
        writeln!(text, "];")?;
    }
    writeln!(text, "pub static WRAPPERS: &[Wrapper] = &[")?;
    for (name, wrapper) in section(table, "wrapper")? {
        let list = |key: &str| words(wrapper.get(key).and_then(Value::as_str).unwrap_or(""));
        let (flags, valued) = (list("flags"), list("valued"));
        let operands = wrapper.get("operands").and_then(Value::as_integer);
        let operands = operands.unwrap_or_default();
        writeln!(
            text,
            "Wrapper {{ name: {name:?}, flags: {flags}, valued: {valued}, operands: {operands} }},"
        )?;
    }
    writeln!(text, "];")?;
    Ok(())
}
