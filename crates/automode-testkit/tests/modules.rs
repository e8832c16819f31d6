//! The modules of a crate import each other only as `modules.txt` says.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use automode_testkit::{Imports, imports, picture, without_tests};

const TABLE: &str = include_str!("../modules.txt");

/// For each crate, what each of its modules may import.
type Table = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

fn table(text: &str) -> Table {
    let mut table = Table::new();
    let mut owner = String::new();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    for line in lines.filter(|line| !line.trim().is_empty()) {
        if !line.starts_with(' ') {
            owner = line.trim().to_owned();
            continue;
        }
        let (module, others) = line.split_once(':').expect("a module and a colon");
        let others = others.split_whitespace().map(str::to_owned).collect();
        let modules = table.entry(owner.clone()).or_default();
        modules.insert(module.trim().to_owned(), others);
    }
    table
}

/// What each crate of the workspace really needs of the others.
fn crates() -> BTreeMap<String, BTreeSet<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = |path: &Path| fs::read_to_string(path.join("Cargo.toml")).ok();
    let needs = |text: String| {
        let own = text
            .split("\n[")
            .find_map(|part| part.strip_prefix("dependencies]"));
        let lines = own.into_iter().flat_map(str::lines);
        lines
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .filter(|name| name.starts_with("automode"))
            .map(str::to_owned)
            .collect()
    };
    fs::read_dir(folder)
        .expect("the crates")
        .map(|entry| entry.expect("an entry").path())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.to_owned();
            Some((name, needs(manifest(&path)?)))
        })
        .collect()
}

#[test]
fn the_picture_is_drawn_from_the_table() {
    let tables = table(TABLE);
    let crates = tables.get("crates").expect("a table of the crates");
    let pure = ["automode-shell", "automode-core", "automode-agents"];
    let drawn = picture(crates, &pure, "The crates and what they depend on");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/crates.svg");
    if std::env::var_os("AUTOMODE_DRAW").is_some() {
        fs::write(&path, &drawn).expect("written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, drawn, "draw it again with AUTOMODE_DRAW=1");
}

/// What each top module of a crate really imports.
fn found(name: &str) -> BTreeMap<String, BTreeSet<String>> {
    if name == "crates" {
        return crates();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(name)
        .join("src");
    let face = fs::read_to_string(root.join("lib.rs")).expect("the root of a crate");
    let mut modules = BTreeMap::new();
    gather(&root, &root, &Imports::of_root(&face), &mut modules);
    modules
}

fn gather(
    root: &Path,
    folder: &Path,
    face: &Imports,
    modules: &mut BTreeMap<String, BTreeSet<String>>,
) {
    for path in fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
    {
        if path.is_dir() {
            gather(root, &path, face, modules);
            continue;
        }
        let relative = path.strip_prefix(root).expect("a file of the crate");
        let parts: Vec<String> = relative
            .with_extension("")
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let test = parts
            .iter()
            .any(|part| part == "tests" || part == "examples" || part == "laws");
        if test || parts == ["lib"] || path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let module: Vec<&str> = parts
            .iter()
            .map(String::as_str)
            .filter(|part| *part != "mod")
            .collect();
        let source = fs::read_to_string(&path).expect("a source file");
        let own = module.first().copied().unwrap_or_default().to_owned();
        let mut others = imports(without_tests(&source), &module, face);
        others.remove(&own);
        modules.entry(own).or_default().extend(others);
    }
}

#[test]
fn modules_import_what_the_table_says() {
    for (name, allowed) in table(TABLE) {
        assert_eq!(
            found(&name),
            allowed,
            "{name}: the sources, then modules.txt"
        );
    }
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    for (name, allowed) in table(TABLE) {
        assert_eq!(circle(&allowed), None, "{name}");
    }
}

/// Modules of which each imports another one of them.
fn circle(modules: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut left = modules.clone();
    loop {
        let done: Vec<String> = left
            .iter()
            .filter(|(_, others)| others.iter().all(|other| !left.contains_key(other)))
            .map(|(module, _)| module.clone())
            .collect();
        if done.is_empty() {
            break;
        }
        left.retain(|module, _| !done.contains(module));
    }
    (!left.is_empty()).then(|| left.into_keys().collect())
}

#[test]
fn a_seeded_violation_is_found() {
    let face = Imports::of_root(
        "mod eval;\nmod ir;\nmod place;\npub use ir::{Act, Effect};\npub use place::taint_of;\n",
    );
    let check = |module: &[&str], source: &str, expected: &[&str]| {
        let found: Vec<String> = imports(source, module, &face).into_iter().collect();
        assert_eq!(found, expected, "{source}");
    };
    check(&["ir", "effect"], "use crate::eval::Shell;\n", &["eval"]);
    check(&["ir"], "use super::eval::Shell;\n", &["eval"]);
    check(
        &["ir", "effect"],
        "use super::super::eval::run;\n",
        &["eval"],
    );
    check(&["ir", "effect"], "use super::Span;\n", &[]);
    check(&["eval"], "use crate::{Act, taint_of};\n", &["ir", "place"]);
    check(
        &["eval"],
        "use crate::{\n    ir::Act,\n    place::{Place, Zone},\n};\n",
        &["ir", "place"],
    );
    check(&["eval"], "fn f() { crate::place::of(); }\n", &["place"]);
    check(&["eval"], "// crate::place is another\n", &[]);
    let text = "[[x]]\n#[cfg(test)]\nmod tests {\n    use crate::eval;\n}\n";
    check(&["ir"], without_tests(text), &[]);
    let table = table("x\n    a: b\n    b: a\n    c: a\n");
    let modules = table.get("x").expect("a crate");
    assert_eq!(
        circle(modules),
        Some(["a", "b", "c"].map(str::to_owned).to_vec())
    );
}
