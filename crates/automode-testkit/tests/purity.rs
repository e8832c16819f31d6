//! The pure crates stay pure, and dependencies point one way.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use automode_testkit::{Violation, impurities};

const PURE: [&str; 3] = ["automode-shell", "automode-core", "automode-agents"];

/// What each crate may depend on, of the workspace and beyond.
const DIRECTION: [(&str, &[&str]); 3] = [
    ("automode-shell", &[]),
    ("automode-core", &["automode-shell"]),
    ("automode-agents", &["automode-shell", "automode-core"]),
];

/// Libraries that do no IO, that pure crates may use.
const LIBRARIES: &[&str] = &[
    "serde",
    "serde_json",
    "thiserror",
    "sha2",
    "toml",
    "toml_edit",
    "jsonc-parser",
    "memchr",
];

/// Families of parsers.
const FAMILIES: &[&str] = &["ruff_"];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every source file of a crate that is not test code.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = fs::read_dir(directory).expect("a directory of sources");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if is_test(&path) {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// A module, a file or a folder, that its parent declares under `#[cfg(test)]`.
fn is_test(path: &Path) -> bool {
    let name = path
        .file_stem()
        .and_then(|name| name.to_str())
        .expect("a name");
    let folder = path.parent().expect("a folder");
    let parents = [
        folder.join("mod.rs"),
        folder.join("lib.rs"),
        folder.with_extension("rs"),
    ];
    let declared = format!("#[cfg(test)]\nmod {name};");
    parents
        .iter()
        .filter_map(|parent| fs::read_to_string(parent).ok())
        .any(|parent| parent.contains(&declared))
}

#[test]
fn pure_crates_touch_nothing() {
    for name in PURE {
        let all = sources(&crates().join(name).join("src"));
        assert!(!all.is_empty(), "{name} has sources");
        for path in all {
            let source = fs::read_to_string(&path).expect("a source file");
            let found = impurities(&source);
            assert_eq!(found, [], "{}", path.display());
        }
    }
}

#[test]
fn seeded_violations_are_found() {
    let check = |source: &str, line: usize, what: &'static str| {
        assert_eq!(impurities(source), [Violation { line, what }], "{source}");
    };
    check("use std::fs;\n", 1, "std::fs");
    check("fn f() {\n    std::env::var(\"HOME\");\n}\n", 2, "std::env");
    check("use std::{collections::BTreeMap, fs};\n", 1, "std::fs");
    check("use std::{net::TcpStream, rc::Rc};\n", 1, "std::net");
    check("let now = SystemTime::now();\n", 1, "SystemTime");
    check(
        "let x = std::process::Command::new(\"sh\");",
        1,
        "std::process",
    );
    check("let x = option_env!(\"HOME\");", 1, "option_env!");
}

#[test]
fn comments_and_tests_may_speak_of_the_world() {
    assert_eq!(impurities("// std::fs is forbidden\nfn f() {}\n"), []);
    assert_eq!(
        impurities("fn f() {}\n#[cfg(test)]\nmod tests {\nuse std::fs;\n}\n"),
        []
    );
}

#[test]
fn dependencies_point_one_way() {
    for (name, inner) in DIRECTION {
        let manifest = crates().join(name).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("a manifest");
        assert_eq!(foreign(&manifest, inner), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_seeded_dependency_is_found() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\nserde.workspace = true\nreqwest = \"1\"\n\
                    automode.workspace = true\n[dev-dependencies]\ntempfile = \"3\"\n";
    assert_eq!(
        foreign(manifest, &["automode-shell"]),
        ["reqwest", "automode"]
    );
}

/// Dependencies that are neither of the workspace below nor known to do no IO.
fn foreign(manifest: &str, inner: &[&str]) -> Vec<String> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section == "[dependencies]" && !line.is_empty() && !line.starts_with('#') {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            let parser = FAMILIES.iter().any(|family| name.starts_with(family));
            if !inner.contains(&name) && !LIBRARIES.contains(&name) && !parser {
                found.push(name.to_owned());
            }
        }
    }
    found
}
