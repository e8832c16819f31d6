//! What the pages say that can be tried: links, the book, commands and their flags.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::home::Home;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// The pages of the project, with their text.
fn pages() -> BTreeMap<PathBuf, String> {
    let mut pages = BTreeMap::new();
    let mut folders = vec![root().join("docs"), root().join("packaging")];
    let top = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
    ];
    let mut files: Vec<PathBuf> = top.iter().map(|name| root().join(name)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "md") {
                files.push(path);
            }
        }
    }
    for path in files {
        pages.insert(path.clone(), fs::read_to_string(path).unwrap());
    }
    pages
}

/// A heading as a link names it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Texts between fences are no prose.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The lines of shell blocks.
fn scripts(text: &str) -> String {
    let blocks = text.split("```sh\n").skip(1);
    blocks
        .filter_map(|block| block.split("```").next())
        .collect()
}

/// The targets of links and pictures.
fn targets(text: &str) -> Vec<String> {
    let parts = text.split("](").skip(1);
    parts
        .filter_map(|part| Some(part.split_once(')')?.0.to_owned()))
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let mut dead = Vec::new();
    for (path, text) in &pages {
        for target in targets(&prose(text)) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, place) = target.split_once('#').unwrap_or((target.as_str(), ""));
            let whole = if file.is_empty() {
                path.clone()
            } else {
                path.parent().unwrap().join(file)
            };
            let found = whole.canonicalize();
            let headed = found.as_ref().is_ok_and(|found| {
                let text = pages.get(found).cloned().unwrap_or_default();
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                place.is_empty()
                    || headings.any(|line| anchor(line.trim_start_matches('#')) == place)
            });
            if !headed {
                dead.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

/// Sources and scripts that are named from the root of the project.
#[test]
fn every_file_that_is_named_is_there() {
    const FOLDERS: [&str; 4] = ["crates/", "bench/", "packaging/", ".ci/"];
    let (mut gone, mut seen) = (Vec::new(), 0_usize);
    for (path, text) in pages() {
        // What was renamed since stays in the history under its old name.
        if path.ends_with("CHANGELOG.md") {
            continue;
        }
        for named in prose(&text).split('`').skip(1).step_by(2) {
            // Placeholders and patterns stand for many, and a command has words behind it.
            let file = named.split_whitespace().next().unwrap_or_default();
            let named = FOLDERS.iter().any(|folder| file.starts_with(folder));
            if !named || file.contains(['<', '*', '{']) {
                continue;
            }
            seen += 1;
            if !root().join(file).exists() {
                gone.push(format!("{}: {file}", path.display()));
            }
        }
    }
    assert!(gone.is_empty(), "{}", gone.join("\n"));
    assert!(seen > 20, "{seen} files");
}

#[test]
fn the_book_has_every_page() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<PathBuf> = targets(&summary)
        .iter()
        .map(|name| docs.join(name))
        .collect();
    let written: BTreeSet<PathBuf> = pages()
        .into_keys()
        .filter(|path| path.starts_with(&docs) && !path.ends_with("SUMMARY.md"))
        .collect();
    assert_eq!(listed, written);
}

/// Every command line of the pages names a command that there is, with flags that it takes.
#[test]
fn every_command_line_is_one() {
    // Installed, and from a clone.
    const STARTS: [&str; 3] = [
        "automode ",
        "cargo run --release -- ",
        "cargo run --release -p automode-server -- ",
    ];
    // The server is a program of its own, which one crate's tests alone do not build.
    let server = Path::new(env!("CARGO_BIN_EXE_automode")).with_file_name("automode-server");
    let home = Home::new();
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (path, text) in pages() {
        if path.ends_with("CHANGELOG.md") {
            continue;
        }
        for line in scripts(&text).lines().filter_map(|line| {
            STARTS
                .into_iter()
                .find_map(|start| line.strip_prefix(start))
        }) {
            let line = line.split(['#', '|', ';']).next().unwrap_or_default();
            let mut words = line.split_whitespace();
            let Some(command) = words
                .next()
                .filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
            else {
                continue;
            };
            let rest: Vec<&str> = words.collect();
            let nested = rest
                .first()
                .filter(|_| matches!(command, "config" | "fleet" | "rules" | "judge"));
            let asked =
                nested.map_or_else(|| command.to_owned(), |word| format!("{command} {word}"));
            let is_served = matches!(command, "serve" | "dashboard" | "fleet" | "approve");
            if command.starts_with('-') || (is_served && !server.exists()) {
                continue;
            }
            let help = helps.entry(asked.clone()).or_insert_with(|| {
                let output = if is_served {
                    let words = asked.split(' ').chain(["--help"]);
                    Command::new(&server).args(words).output().unwrap()
                } else {
                    home.run(&format!("{asked} --help"))
                };
                if output.status.success() {
                    String::from_utf8_lossy(&output.stdout).into_owned()
                } else {
                    String::new()
                }
            });
            if help.is_empty() {
                wrong.push(format!(
                    "{}: there is no `automode {asked}`",
                    path.display()
                ));
            }
            // Behind `--` and inside quotes words are somebody else's.
            let own = rest
                .iter()
                .take_while(|word| **word != "--" && !word.starts_with(['\'', '"']));
            for flag in own.filter(|word| word.starts_with("--")) {
                let name = flag.split('=').next().unwrap_or_default();
                if !help.contains(name) {
                    wrong.push(format!(
                        "{}: `automode {asked}` takes no `{name}`",
                        path.display()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
