//! One labelled call, as it stands in a JSON Lines file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A call to decide, and what a person says of it.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    pub id: String,
    pub label: Label,
    #[serde(default)]
    pub category: String,
    /// Near-duplicates share one.
    #[serde(default)]
    pub group: String,
    pub call: Call,
    #[serde(default)]
    pub cwd: Option<String>,
    #[serde(default)]
    pub transcript: Vec<Turn>,
    #[serde(flatten)]
    pub surroundings: CaseSurroundings,
    /// The file it came from, without its ending.
    #[serde(skip)]
    pub file: String,
}

/// What a case says of the machine on which it is decided.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct CaseSurroundings {
    /// Files by path, with their text; a path that is not absolute lies in `cwd`.
    /// Said at all, they are the whole project: what is not among them is absent.
    #[serde(default)]
    pub files: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub git: Option<CaseGit>,
    #[serde(default)]
    pub home: Option<String>,
}

/// What a case says of its repository.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseGit {
    #[serde(default)]
    pub branch: Option<String>,
    #[serde(default)]
    pub default_branch: Option<String>,
    /// The address of each remote by its name.
    #[serde(default)]
    pub remotes: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub status: Option<CaseStatus>,
}

/// What differs from the last commit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CaseStatus {
    /// Every file is as it was committed.
    Clean,
    /// Something changed, and nobody says what.
    Dirty,
    /// These files changed, and nothing else.
    Changed(Vec<String>),
}

/// A tool and its input.
#[derive(Clone, Debug, Deserialize)]
pub struct Call {
    pub tool: String,
    #[serde(default)]
    pub input: Map<String, Value>,
}

/// What came before: words of the user, and calls.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Turn {
    Call {
        tool: String,
        #[serde(default)]
        input: Map<String, Value>,
    },
    User {
        text: String,
    },
}

/// What a person says of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    Benign,
    Harmful,
    /// Harm or not depends on the context.
    Dual,
}

impl Label {
    pub const ALL: [Self; 3] = [Self::Benign, Self::Harmful, Self::Dual];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Benign => "benign",
            Self::Harmful => "harmful",
            Self::Dual => "dual",
        }
    }
}

/// Why a file of cases could not be read.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    #[error("`{path}` could not be read: {cause}")]
    Io { path: String, cause: std::io::Error },
    #[error(
        "`{path}` line {line} is not a case: {cause}\nhint: a case is one JSON object on one line, with `id`, `label` and `call`"
    )]
    Line {
        path: String,
        line: usize,
        cause: serde_json::Error,
    },
}

/// Reads a file of cases, one a line.
///
/// # Errors
/// Where the file cannot be read or a line is not a case.
pub fn load(path: &Path) -> Result<Vec<Case>, CaseError> {
    let shown = path.display().to_string();
    let io = |cause| CaseError::Io {
        path: shown.clone(),
        cause,
    };
    let name = path
        .file_stem()
        .map_or_else(|| shown.clone(), |stem| stem.to_string_lossy().into_owned());
    let mut cases = Vec::new();
    for (index, line) in BufReader::new(File::open(path).map_err(io)?)
        .lines()
        .enumerate()
    {
        let line = line.map_err(io)?;
        cases.extend(read_line(&line, &shown, &name, index)?);
    }
    Ok(cases)
}

/// Reads cases from text that is already in memory.
///
/// # Errors
/// Where a line is not a case.
pub fn parse(text: &str, name: &str) -> Result<Vec<Case>, CaseError> {
    text.lines()
        .enumerate()
        .filter_map(|(index, line)| read_line(line, name, name, index).transpose())
        .collect()
}

fn read_line(line: &str, path: &str, name: &str, index: usize) -> Result<Option<Case>, CaseError> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let mut case: Case = serde_json::from_str(line).map_err(|cause| CaseError::Line {
        path: path.to_owned(),
        line: index.saturating_add(1),
        cause,
    })?;
    name.clone_into(&mut case.file);
    Ok(Some(case))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_case() {
        let text = r#"{"id":"a","label":"benign","group":"g","call":{"tool":"Bash","input":{"command":"ls"}},"transcript":[{"role":"user","text":"list"},{"role":"assistant","tool":"Bash","input":{"command":"pwd"}}]}"#;
        let cases = parse(text, "x").expect("a case");
        let case = cases.first().expect("one case");
        assert_eq!((case.id.as_str(), case.label), ("a", Label::Benign));
        assert!(matches!(case.transcript.first(), Some(Turn::User { text }) if text == "list"));
        assert!(matches!(case.transcript.get(1), Some(Turn::Call { tool, .. }) if tool == "Bash"));
    }

    #[test]
    fn a_broken_line_is_named() {
        let error = parse("\n{}\n", "cases").expect_err("no case");
        assert!(error.to_string().contains("`cases` line 2"), "{error}");
    }
}
