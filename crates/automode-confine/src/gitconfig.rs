//! What git's settings name that acts later: directories of hooks, and more settings.
//!
//! Only names are read here, to keep what they lead to from being changed. A file that is
//! no plain file, or too large to be settings, names nothing.

use std::fs;
use std::path::{Path, PathBuf};

/// Larger than anybody's settings.
const LARGEST: u64 = 1_000_000;
/// Settings that name settings that name settings.
const MOST_FILES: usize = 16;

/// The text of a plain file; a pipe would never end.
#[must_use]
pub(crate) fn small_text(path: &Path) -> Option<String> {
    let found = fs::metadata(path).ok()?;
    if !found.is_file() || found.len() > LARGEST {
        return None;
    }
    fs::read_to_string(path).ok()
}

/// The hooks and further settings that a file of settings names, for the tree at `top`.
#[must_use]
pub(crate) fn named(top: &Path, settings: &Path) -> Vec<PathBuf> {
    let mut names = Vec::new();
    let mut files = vec![settings.to_owned()];
    let mut at = 0;
    while let Some(file) = files.get(at).cloned() {
        at += 1;
        let Some(text) = small_text(&file) else {
            continue;
        };
        for (section, key, value) in values(&text) {
            if value.is_empty() || value.starts_with('~') {
                continue;
            }
            match (section.as_str(), key.as_str()) {
                ("core", "hookspath") => names.push(top.join(&value)),
                ("include" | "includeif", "path") => {
                    let path = file.parent().unwrap_or(top).join(&value);
                    let path = fs::canonicalize(&path).unwrap_or(path);
                    if files.len() < MOST_FILES && !files.contains(&path) {
                        files.push(path.clone());
                    }
                    names.push(path);
                }
                (_, _) => {}
            }
        }
    }
    names
}

/// Section, key and value of every line, the first two in lower case.
fn values(text: &str) -> Vec<(String, String, String)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.replace("\\\n", "").lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let Some((name, after)) = rest.split_once(']') else {
                continue;
            };
            let name = name.split([' ', '\t', '.', '"']).next().unwrap_or_default();
            section = name.to_ascii_lowercase();
            line = after.trim();
        }
        if let Some((key, value)) = line.split_once('=') {
            found.push((
                section.clone(),
                key.trim().to_ascii_lowercase(),
                plain(value.trim()),
            ));
        }
    }
    found
}

/// A value without its quotes and the comment after it.
fn plain(value: &str) -> String {
    let mut text = String::new();
    let mut quoted = false;
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' => text.extend(letters.next()),
            '#' | ';' if !quoted => break,
            other => text.push(other),
        }
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_git_reads_them() {
        let check = |text: &str, expected: &[&str]| {
            let temp = tempfile::tempdir().unwrap();
            let file = temp.path().join("config");
            fs::write(&file, text).unwrap();
            let found: Vec<String> = named(Path::new("/app"), &file)
                .iter()
                .map(|path| path.strip_prefix(temp.path()).unwrap_or(path))
                .map(|path| path.display().to_string())
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        check("[core]\n\thooksPath = .githooks\n", &["/app/.githooks"]);
        check("[CORE] HOOKSPATH=\"a b\" ; ours\n", &["/app/a b"]);
        check("[core]\nhooksPath = a\\\nb # x\n", &["/app/ab"]);
        check("[include]\npath = ours\n", &["ours"]);
        check("[includeIf \"gitdir:x\"]\npath = /app/y\n", &["/app/y"]);
        check("[core]\nhooksPath = ~/hooks\n", &[]);
        check("[alias]\nhooksPath = x\n", &[]);
        check("[core\nhooksPath = x\n", &[]);
    }
}
