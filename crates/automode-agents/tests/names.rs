//! Only this crate knows clients by name, and every row has its folder and its page.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use automode_agents::CLIENTS;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

/// Lines of code that name a client. Tests may, and so may help and examples for people.
fn naming(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_example =
        |line: &&str| !line.starts_with("  automode ") && !line.trim_start().starts_with("///");
    code.lines()
        .filter(is_example)
        .filter(|line| {
            CLIENTS.iter().any(|client| {
                let mut names = vec![client.title];
                names.extend(client.marks.variables);
                names.extend(
                    client
                        .files
                        .directory_variables
                        .iter()
                        .filter(|name| !name.starts_with("XDG")),
                );
                let quoted = format!("\"{}\"", client.name);
                let mut folders = client.files.protected.iter();
                client.name != "generic"
                    && (line.contains(&quoted)
                        || names.iter().any(|name| line.contains(name))
                        || folders.any(|name| line.contains(&format!("\"{name}"))))
            })
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn no_other_crate_names_a_client() {
    for name in [
        "automode",
        "automode-cli",
        "automode-providers",
        "automode-core",
    ] {
        let mut files = Vec::new();
        sources(&crates().join(name).join("src"), &mut files);
        // What is hidden in a result speaks to agents by their names.
        files.retain(|file| !file.ends_with("probe/instruction.rs"));
        for file in files {
            let found = naming(&fs::read_to_string(&file).unwrap());
            assert!(found.is_empty(), "{}: {found:#?}", file.display());
        }
    }
}

#[test]
fn a_name_is_found() {
    for line in [
        "if agent.name() == \"codex\" {",
        "env::var(\"CLAUDE_CONFIG_DIR\")",
        "home.join(\".gemini\")",
        "//! Reads the settings of Claude Code",
    ] {
        assert_eq!(naming(line), [line]);
    }
    assert!(naming("  automode install codex\nfn x() {}\n#[cfg(test)]\n\"codex\"").is_empty());
}

#[test]
fn every_row_has_its_folder_and_its_page() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let pages = crates().parent().unwrap().join("docs/agents");
    for client in CLIENTS {
        let folder = own.join(client.name.replace('-', "_")).join("mod.rs");
        assert!(folder.is_file(), "{}", folder.display());
        let page = pages.join(format!("{}.md", client.name));
        assert!(page.is_file(), "{}", page.display());
    }
}
