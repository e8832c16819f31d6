//! No function is so long that nobody reads it to its end.

use std::fs;
use std::path::{Path, PathBuf};

use automode_testkit::{lengths, without_tests};

const LONGEST: usize = 120;

#[test]
fn functions_have_an_end_in_sight() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> = fs::read_dir(crates)
        .expect("the crates")
        .map(|entry| entry.expect("an entry").path().join("src"))
        .filter(|path| path.is_dir())
        .collect();
    let mut seen = 0_usize;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            // A test is a list of cases, as long as it needs.
            if path.file_stem().is_some_and(|name| name == "tests") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).expect("a source file");
                let all = lengths(without_tests(&text));
                seen = seen.saturating_add(all.len());
                let long: Vec<_> = all
                    .into_iter()
                    .filter(|(_, lines)| *lines > LONGEST)
                    .collect();
                assert_eq!(long, [], "{}", path.display());
            }
        }
    }
    assert!(seen > 5_000, "{seen} functions");
}

#[test]
fn a_seeded_length_is_told() {
    let check = |source: &str, expected: &[(&str, usize)]| {
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, lines)| ((*name).to_owned(), *lines))
            .collect();
        assert_eq!(lengths(source), expected, "{source}");
    };
    check(
        "fn a() {\n    one();\n    two();\n}\nfn b() {}\n",
        &[("a", 4), ("b", 1)],
    );
    check(
        "impl X {\n    pub(crate) const fn a(\n        &self,\n    ) -> u8 {\n        1\n    }\n}\n",
        &[("a", 5)],
    );
    check("trait T {\n    fn a(&self) -> u8;\n}\n", &[("a", 1)]);
    check("// a fn of ours\nlet fn_a = 1;\n", &[]);
    let long = format!("fn long() {{\n{}}}\n", "    step();\n".repeat(130));
    assert!(lengths(&long).iter().any(|(_, lines)| *lines > LONGEST));
}
