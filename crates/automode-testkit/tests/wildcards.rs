//! A `match` on an enum of the pure crates names every variant.
//!
//! Rules and exceptions list what they speak of; the rest is no finding of theirs and no
//! routine of theirs, which never allows.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use automode_testkit::{enums, wildcards, without_tests};

const PURE: [&str; 3] = ["automode-shell", "automode-core", "automode-agents"];

/// Folders whose files pick effects from the list of all of them.
const PICKING: [&str; 2] = ["automode-core/src/rules", "automode-core/src/exceptions"];

/// What the rest may be there.
const NOTHING: [&str; 4] = ["_ => None,", "_ => false,", "_ => return None,", "_ => {}"];

/// Every source file of the pure crates that is not test code.
fn sources() -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> = PURE.map(|name| crates.join(name).join("src")).to_vec();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy();
            if matches!(name.as_ref(), "tests" | "laws" | "examples" | "fixture") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).expect("a source file");
                found.push((path, without_tests(&text).to_owned()));
            }
        }
    }
    assert!(!found.is_empty(), "there are sources");
    found
}

#[test]
fn no_rest_takes_in_what_is_added_later() {
    let sources = sources();
    let own: BTreeSet<String> = sources.iter().flat_map(|(_, text)| enums(text)).collect();
    for (path, text) in &sources {
        let picks = PICKING
            .iter()
            .any(|folder| path.to_string_lossy().contains(folder));
        let found: Vec<_> = wildcards(text, &own)
            .into_iter()
            .filter(|(_, arm)| !(picks && NOTHING.contains(&arm.as_str())))
            .collect();
        assert_eq!(found, [], "{}: name the variants", path.display());
    }
}

#[test]
fn a_seeded_rest_is_found() {
    let own = enums("pub enum Act {\n    Read,\n}\npub(crate) enum Host {\n}\n");
    assert_eq!(own, BTreeSet::from(["Act", "Host"].map(str::to_owned)));
    let check = |source: &str, lines: &[usize]| {
        let found: Vec<usize> = wildcards(source, &own).iter().map(|(at, _)| *at).collect();
        assert_eq!(found, lines, "{source}");
    };
    check("match act {\n    Act::Read => 1,\n    _ => 2,\n}\n", &[3]);
    check(
        "match act {\n    Act::List\n    | Act::Read => {\n        call();\n    }\n    _ => 2,\n}\n",
        &[6],
    );
    check(
        "match word {\n    \"a\" => match act {\n        Act::Read => 1,\n    },\n    _ => 2,\n}\n",
        &[],
    );
    check("match foreign {\n    Kind::A => 1,\n    _ => 2,\n}\n", &[]);
    check(
        "match act {\n    Act::Read => 1,\n    _ if odd => 2,\n    Act::List => 3,\n}\n",
        &[],
    );
}
