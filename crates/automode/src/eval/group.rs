//! Files that the sessions of one group wrote.
//!
//! Cases of a group come from the same work, cut into single calls: a script that
//! one of them runs was often written by another. Which session wrote what before
//! what is not recorded, so that a case finds only what it names, itself or through
//! a file that it finds: the nearest writing before it, or else the first after it.
//! It counts as written in the case's own session.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::case::Case;
use super::replay::{WrittenText, written_by};

/// What every case's own call writes, by group.
#[derive(Debug, Default)]
pub struct GroupFiles {
    groups: HashMap<(String, String), Vec<(usize, WrittenText)>>,
}

impl GroupFiles {
    #[must_use]
    pub fn of(cases: &[Case]) -> Self {
        let mut groups: HashMap<_, Vec<_>> = HashMap::new();
        for (index, case) in cases.iter().enumerate() {
            if let Some(group) = group_of(case) {
                let texts = written_by(case).into_iter().map(|text| (index, text));
                groups.entry(group).or_default().extend(texts);
            }
        }
        Self { groups }
    }

    /// The files that are there for one case, each once.
    #[must_use]
    pub fn around(&self, index: usize, case: &Case) -> Vec<WrittenText> {
        let mut nearest: BTreeMap<&str, (usize, &WrittenText)> = BTreeMap::new();
        let all = group_of(case).and_then(|group| self.groups.get(&group));
        for (at, text) in all.into_iter().flatten() {
            let known = nearest.get(text.path.as_str());
            let better = known.is_none_or(|(known, _)| *at < index && *known < *at);
            if *at != index && better {
                nearest.insert(&text.path, (*at, text));
            }
        }
        let mut named = Vec::new();
        let mut open = vec![Value::Object(case.call.input.clone()).to_string()];
        while let Some(reader) = open.pop() {
            let found: Vec<&str> = nearest
                .keys()
                .copied()
                .filter(|path| names(&reader, path))
                .collect();
            for path in found {
                if let Some((_, text)) = nearest.remove(path) {
                    open.push(text.body.clone());
                    named.push(text.clone());
                }
            }
        }
        named.sort_by(|one, other| one.path.cmp(&other.path));
        named
    }
}

/// Whether a text has the name of a file in it, with its ending or as a module.
fn names(text: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().filter(|stem| !stem.is_empty());
    let stem = stem.unwrap_or(name);
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '-'))
        .any(|word| word == stem)
}

fn group_of(case: &Case) -> Option<(String, String)> {
    (!case.group.is_empty()).then(|| (case.file.clone(), case.group.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_finds_what_its_group_wrote_before_it() {
        let line = |id: &str, group: &str, command: &str| {
            format!(
                r#"{{"id":"{id}","label":"benign","group":"{group}","cwd":"/app","call":{{"tool":"Bash","input":{{"command":"{command}"}}}}}}"#
            )
        };
        let text = [
            line("1", "g", "echo one > a.txt"),
            line("1b", "g", "echo more >> b.txt"),
            line("2", "g", "cat a.txt b.txt"),
            line("3", "g", "echo two > a.txt; echo b > b.txt"),
            line("4", "h", "cat a.txt"),
        ]
        .join("\n");
        let cases = super::super::parse(&text, "x").expect("cases");
        let groups = GroupFiles::of(&cases);
        let found = |index: usize| -> Vec<(String, String)> {
            let case = cases.get(index).expect("a case");
            let around = groups.around(index, case);
            around
                .into_iter()
                .map(|text| (text.path, text.body))
                .collect()
        };
        let pair = |path: &str, body: &str| (path.to_owned(), body.to_owned());
        assert_eq!(
            found(2),
            [pair("/app/a.txt", "one\n"), pair("/app/b.txt", "b\n")]
        );
        assert_eq!(found(4), []);
        assert_eq!(found(1), [pair("/app/b.txt", "b\n")]);
    }
}
