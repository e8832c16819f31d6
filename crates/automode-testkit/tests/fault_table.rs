//! The table of faults in `docs/doors.md`, and that of what a first user ran into, name tests that exist.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_cell_names_tests_that_exist() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(crates.join("../docs/doors.md")).expect("the page");
    let (_, table) = page
        .split_once("## Faults, cell by cell")
        .expect("the table");
    let sources = sources(&[
        crates.join("automode-doors/src"),
        crates.join("automode-cli/tests"),
    ]);
    let named = named(table);
    assert!(named.len() > 10, "{named:?}");
    assert_eq!(missing(&named, &sources), Vec::<String>::new());
    let rows = table.lines().filter(|line| line.starts_with("| "));
    for row in rows.skip(1) {
        assert_eq!(row.matches('|').count(), 7, "{row}");
    }
}

#[test]
fn what_a_first_user_ran_into_has_tests_that_exist() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page =
        fs::read_to_string(crates.join("automode-cli/tests/first-user.md")).expect("the page");
    let sources = sources(&[
        crates.join("automode-cli"),
        crates.join("automode/src"),
        crates.join("automode-server/src"),
    ]);
    let rows: Vec<_> = page.lines().filter(|row| row.starts_with("| ")).collect();
    assert!(rows.len() > 20, "{rows:?}");
    for row in rows.into_iter().skip(2) {
        assert!(!named(row).is_empty(), "no test: {row}");
    }
    assert_eq!(missing(&named(&page), &sources), Vec::<String>::new());
}

#[test]
fn a_seeded_name_is_missed() {
    let named =
        named("| a | it ends: `a_test_that_is_there`, `a_test_that_is_gone` | `unavailable` |");
    let sources = "#[test]\nfn a_test_that_is_there() {}\nfn a_test_that_is_gone() {}\n";
    assert_eq!(missing(&named, sources), ["a_test_that_is_gone"]);
}

/// The names of tests in a text: words in code with several parts.
fn named(text: &str) -> Vec<String> {
    let code = text.split('`').skip(1).step_by(2);
    let test = |word: &&str| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        word.chars().all(plain) && word.matches('_').count() > 1
    };
    code.filter(test).map(str::to_owned).collect()
}

/// Those that no test bears.
fn missing(named: &[String], sources: &str) -> Vec<String> {
    let lost = |name: &&String| !sources.contains(&format!("#[test]\nfn {name}("));
    named.iter().filter(lost).cloned().collect()
}

/// All source below these folders, without the blanks that its lines begin with.
fn sources(folders: &[PathBuf]) -> String {
    let mut folders = folders.to_vec();
    let mut all = String::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).expect("a source file");
                for line in text.lines() {
                    all.push_str(line.trim_start());
                    all.push('\n');
                }
            }
        }
    }
    all
}
