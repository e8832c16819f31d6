//! Which modules of a crate a source file imports, read from its text.
//!
//! Paths that begin with `crate::`, and those that climb to the root with
//! `super::`, lead to a top module, by its name or by a name that the root hands on.

use std::collections::{BTreeMap, BTreeSet};

/// The names that the root of a crate gives its modules and what it hands on.
#[derive(Clone, Debug, Default)]
pub struct Imports {
    modules: BTreeSet<String>,
    /// The module that a handed-on name comes from.
    origins: BTreeMap<String, String>,
}

impl Imports {
    /// Reads `lib.rs`.
    #[must_use]
    pub fn of_root(source: &str) -> Self {
        let mut face = Self::default();
        for statement in without_comments(source).split(';') {
            let statement = statement.trim();
            let words: Vec<&str> = statement.split_whitespace().collect();
            if let ["mod", name] | ["pub", "mod", name] = words.as_slice() {
                face.modules.insert((*name).to_owned());
            }
            let Some(path) = statement.strip_prefix("pub use ") else {
                continue;
            };
            let Some((module, names)) = path.split_once("::") else {
                continue;
            };
            for name in names.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
                if !name.is_empty() {
                    face.origins.insert(name.to_owned(), module.to_owned());
                }
            }
        }
        face
    }

    fn resolve(&self, name: &str) -> Option<&str> {
        match self.modules.get(name) {
            Some(module) => Some(module),
            None => self.origins.get(name).map(String::as_str),
        }
    }
}

/// The top modules that a source file of the module at `path` imports.
#[must_use]
pub fn imports(source: &str, path: &[&str], face: &Imports) -> BTreeSet<String> {
    let source = without_comments(source);
    let climb = "super::".repeat(path.len());
    let mut found = BTreeSet::new();
    for start in ["crate::", climb.as_str()] {
        for (at, _) in source.match_indices(start) {
            let behind = source.get(at + start.len()..).unwrap_or_default();
            let before = source.get(..at).unwrap_or_default();
            if before.ends_with("super::") || before.ends_with('$') || behind.starts_with("super::")
            {
                continue;
            }
            for name in first_names(behind) {
                if let Some(module) = face.resolve(name) {
                    found.insert(module.to_owned());
                }
            }
        }
    }
    found
}

/// The first name of a path, or of each path in a group.
fn first_names(text: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = |text: &str| text.find(|c| !is_name(c)).unwrap_or(text.len());
    let Some(group) = text.strip_prefix('{') else {
        return text.get(..name(text)).into_iter().collect();
    };
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let mut expects = true;
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => expects = true,
            _ if expects && is_name(letter) => {
                let rest = group.get(at..).unwrap_or_default();
                names.extend(rest.get(..name(rest)));
                expects = false;
            }
            _ => {}
        }
    }
    names
}

/// The source in front of its tests.
#[must_use]
pub fn without_tests(source: &str) -> &str {
    source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or(source)
}

fn without_comments(source: &str) -> String {
    let lines = source.lines();
    let code = lines.map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    code.collect::<Vec<_>>().join("\n")
}
