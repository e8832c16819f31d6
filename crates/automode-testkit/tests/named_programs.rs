//! Core names no program: what one is, the knowledge of `automode-shell` says.
//!
//! Many names of programs are also words, endings of files or keys of a format. Where core
//! means one of these, `words.txt` says so; a row that nothing needs any more has to go.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use automode_testkit::{described_names, named_programs, without_tests};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files below a folder with an ending, test code left out.
fn files(folder: PathBuf, ending: &str) -> Vec<(PathBuf, String)> {
    let mut folders = vec![folder];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem().expect("a name").to_string_lossy();
            if matches!(stem.as_ref(), "tests" | "laws" | "fixture" | "tables") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == ending) {
                let text = fs::read_to_string(&path).expect("a file");
                found.push((path, text));
            }
        }
    }
    found
}

/// Every name that the knowledge describes.
fn names() -> BTreeSet<String> {
    let all = files(crates().join("automode-shell/knowledge"), "toml");
    let names: BTreeSet<String> = all
        .iter()
        .flat_map(|(path, text)| {
            let stem = path.file_stem().expect("a name").to_string_lossy();
            described_names(&stem, text)
        })
        .collect();
    assert!(names.len() > 2000, "{} names are known", names.len());
    names
}

/// What is no name of a program, by file: `FILE: MEANING: WORDS`.
fn words() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(crates().join("automode-testkit/words.txt")).expect("the words");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let mut words: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows.filter(|row| !row.is_empty()) {
        let mut parts = row.splitn(3, ": ");
        let file = parts.next().expect("a file").to_owned();
        assert!(parts.next().is_some(), "`{row}` says what the words are");
        let listed = parts.next().expect("words").split(' ').map(str::to_owned);
        words.entry(file).or_default().extend(listed);
    }
    words
}

#[test]
fn core_names_no_program() {
    let (names, words) = (names(), words());
    let root = crates().join("automode-core/src");
    let mut wrong = Vec::new();
    let mut needed: BTreeSet<(String, String)> = BTreeSet::new();
    for (path, text) in files(root.clone(), "rs") {
        let file = path.strip_prefix(&root).expect("below core");
        let file = file.to_string_lossy().into_owned();
        for (line, text) in named_programs(without_tests(&text), &names) {
            if words.get(&file).is_some_and(|words| words.contains(text)) {
                needed.insert((file.clone(), text.to_owned()));
            } else {
                wrong.push(format!("{file}:{line}: `{text}`"));
            }
        }
    }
    assert_eq!(
        wrong,
        Vec::<String>::new(),
        "hint: a nature or a table of the knowledge says it, or `words.txt` what else it is"
    );
    for (file, words) in &words {
        for word in words {
            let row = (file.clone(), word.clone());
            assert!(needed.contains(&row), "nothing needs `{word}` of {file}");
        }
    }
}

#[test]
fn a_seeded_name_is_found() {
    let names = described_names(
        "tee",
        "# Copies.\naliases = [\n  \"gtee\",\n]\n\n[[example]]\nrun = \"x\"\n",
    );
    assert_eq!(names, BTreeSet::from(["gtee", "tee"].map(str::to_owned)));
    let renamed = described_names("pip-module", "name = \"python -m pip\"\n");
    assert_eq!(renamed, BTreeSet::from(["python -m pip".to_owned()]));
    let check = |source: &str, found: &[(usize, &str)]| {
        assert_eq!(named_programs(source, &names), found, "{source}");
    };
    check("if name == \"tee\" {\n", &[(1, "tee")]);
    check(
        "const T: &[&str] = &[\n    \"a\", \"gtee\",\n];\n",
        &[(2, "gtee")],
    );
    check("let bytes = b\"tee\";\n", &[(1, "tee")]);
    check("// \"tee\" is a program\n", &[]);
    check("let text = \"a tee\";\n", &[]);
}
