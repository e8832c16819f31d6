//! Files of cases: TOML for people, JSON Lines for programs.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use automode::Verdict;
use automode::eval::{Call, Case, CaseSurroundings, Label};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::expectation::TestExpectation;

/// A call to decide, and what is expected.
pub struct PolicyCase {
    pub call: Case,
    pub expected: TestExpectation,
}

/// The shape of a TOML file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestDocument {
    #[serde(default)]
    case: Vec<CaseRow>,
}

/// One `[[case]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseRow {
    name: String,
    run: Option<String>,
    tool: Option<String>,
    input: Option<Map<String, Value>>,
    cwd: Option<String>,
    expect: ReasonWords,
    rule: Option<String>,
}

/// What a line of JSON says beside the case of `eval`.
#[derive(Deserialize)]
struct CaseBeside {
    expect: Option<ReasonWords>,
    rule: Option<String>,
}

/// One verdict, or several that are all right.
#[derive(Deserialize)]
#[serde(untagged)]
enum ReasonWords {
    One(Verdict),
    Several(Vec<Verdict>),
}

impl ReasonWords {
    fn verdicts(self) -> Vec<Verdict> {
        match self {
            Self::One(verdict) => vec![verdict],
            Self::Several(verdicts) => verdicts,
        }
    }
}

/// The cases of a file, by its ending.
pub fn parse(text: &str, path: &Path) -> Result<Vec<PolicyCase>> {
    let name = path.display().to_string();
    if path.extension().is_some_and(|ending| ending == "toml") {
        let document: TestDocument = toml::from_str(text)?;
        return document
            .case
            .into_iter()
            .map(|row| row.case(&name))
            .collect();
    }
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            json_line(line, &name).with_context(|| format!("line {}", index.saturating_add(1)))
        })
        .collect()
}

impl CaseRow {
    fn case(self, file: &str) -> Result<PolicyCase> {
        let name = self.name;
        let call = match (self.run, self.tool, self.input) {
            (Some(command), None, None) => Call {
                tool: "Bash".to_owned(),
                input: Map::from_iter([("command".to_owned(), Value::String(command))]),
            },
            (None, Some(tool), input) => Call {
                tool,
                input: input.unwrap_or_default(),
            },
            (Some(_), Some(_), _) | (Some(_), None, Some(_)) | (None, None, _) => {
                bail!("the case `{name}` needs either `run`, or `tool` with its `input`")
            }
        };
        let verdicts = self.expect.verdicts();
        if verdicts.is_empty() {
            bail!("the case `{name}` expects nothing\nhint: expect = \"deny\"");
        }
        Ok(PolicyCase {
            call: Case {
                id: name.clone(),
                label: Label::Dual,
                category: String::new(),
                group: name,
                call,
                cwd: self.cwd,
                transcript: Vec::new(),
                surroundings: CaseSurroundings::default(),
                file: file.to_owned(),
            },
            expected: TestExpectation {
                verdicts,
                rule: self.rule,
            },
        })
    }
}

/// A case of `automode eval`; without `expect`, its label tells.
fn json_line(line: &str, file: &str) -> Result<PolicyCase> {
    let mut call: Case = serde_json::from_str(line)?;
    file.clone_into(&mut call.file);
    let beside: CaseBeside = serde_json::from_str(line)?;
    let verdicts = match (beside.expect, call.label) {
        (Some(words), _) => words.verdicts(),
        (None, Label::Benign) => vec![Verdict::Allow],
        (None, Label::Harmful) => vec![Verdict::Ask, Verdict::Deny],
        (None, Label::Dual) => {
            return Err(anyhow!(
                "the case `{}` may be either: say what you expect\nhint: \"expect\": \"ask\"",
                call.id
            ));
        }
    };
    Ok(PolicyCase {
        expected: TestExpectation {
            verdicts,
            rule: beside.rule,
        },
        call,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str, path: &str) -> Result<usize> {
        parse(text, Path::new(path)).map(|cases| cases.len())
    }

    #[test]
    fn cases_are_read_from_both_forms() {
        let toml = "[[case]]\nname = 'a'\nrun = 'ls'\nexpect = 'allow'\n\
                    [[case]]\nname = 'b'\ntool = 'Write'\ninput = { file_path = 'x' }\nexpect = ['ask', 'deny']\n";
        assert_eq!(count(toml, "x.toml").ok(), Some(2));
        let json =
            r#"{"id":"a","label":"harmful","call":{"tool":"Bash","input":{"command":"rm -rf /"}}}"#;
        assert_eq!(count(json, "x.jsonl").ok(), Some(1));
    }

    #[test]
    fn a_case_that_says_too_little_is_an_error() {
        for toml in [
            "[[case]]\nname = 'a'\nexpect = 'allow'\n",
            "[[case]]\nname = 'a'\nrun = 'ls'\n",
            "[[case]]\nname = 'a'\nrun = 'ls'\nexpect = []\n",
            "[[case]]\nname = 'a'\nrun = 'ls'\nexpect = 'maybe'\n",
            "[[case]]\nname = 'a'\nrun = 'ls'\nexpects = 'allow'\n",
            "[[case]]\nname = 'a'\nrun = 'ls'\ntool = 'Bash'\nexpect = 'allow'\n",
        ] {
            assert!(count(toml, "x.toml").is_err(), "{toml}");
        }
        let dual = r#"{"id":"a","label":"dual","call":{"tool":"Bash","input":{"command":"x"}}}"#;
        assert!(count(dual, "x.jsonl").is_err());
    }
}
