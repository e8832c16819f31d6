//! A policy before it goes out: read, linted, and held to the organisation's cases.
//!
//! Every group's settings are looked at as that group's devices will read them. What
//! could not be checked counts as a fault.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use automode::config::{self, Places};
use serde::{Deserialize, Serialize};

use crate::policy_document::PolicyDocument;

/// What is to be said about a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PolicyReview {
    /// It does not go out with these.
    pub faults: Vec<String>,
    /// Worth a look.
    pub notes: Vec<String>,
    pub cases: Vec<CaseResult>,
}

/// One labelled case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseResult {
    pub name: String,
    pub passed: bool,
    pub verdict: String,
    #[serde(default)]
    pub reason: String,
}

impl PolicyReview {
    /// Whether it may go out.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.faults.is_empty() && self.cases.iter().all(|case| case.passed)
    }

    /// What came of the cases under the rules of a group. A group is told of where it differs.
    fn add_cases(&mut self, group: &str, results: Vec<CaseResult>) {
        if group.is_empty() {
            self.cases = results;
            return;
        }
        let differing = results.into_iter().filter(|result| {
            let same = |known: &&CaseResult| known.name == result.name;
            let known = self.cases.iter().find(same);
            known.is_none_or(|known| known.verdict != result.verdict)
        });
        let named = differing.map(|result| CaseResult {
            name: format!("{} (group {group})", result.name),
            ..result
        });
        let named: Vec<_> = named.collect();
        self.cases.extend(named);
    }
}

/// Looks at a policy. `cases` is the text of a file of `automode test`; none where empty.
#[must_use]
pub fn review(policy: &str, cases: &str) -> PolicyReview {
    let mut review = PolicyReview::default();
    let document = match PolicyDocument::read(policy) {
        Ok(document) => document,
        Err(error) => {
            review.faults.push(error.to_string());
            return review;
        }
    };
    let place = std::env::temp_dir().join(format!("automode-review-{}", crate::secret::name()));
    if let Err(error) = std::fs::create_dir(&place) {
        review
            .faults
            .push(format!("it could not be looked at: {error}"));
        return review;
    }
    let mut groups = document.groups();
    groups.insert(0, String::new());
    for group in &groups {
        let settings = match group.is_empty() {
            true => document.for_everyone(policy),
            false => document.for_group(group),
        };
        lint(&mut review, &place, group, &settings);
    }
    if !cases.trim().is_empty() && review.faults.is_empty() {
        for group in &groups {
            match run_cases(&place, &document.for_group(group), cases) {
                Ok(results) => review.add_cases(group, results),
                Err(why) => review.faults.push(why),
            }
        }
    }
    // Left behind it is a few kilobytes in a temporary directory.
    let _ = std::fs::remove_dir_all(&place);
    review
}

fn lint(review: &mut PolicyReview, place: &Path, group: &str, settings: &str) {
    let file = place.join("policy.toml");
    if let Err(error) = std::fs::write(&file, settings) {
        review
            .faults
            .push(format!("it could not be looked at: {error}"));
        return;
    }
    let policy = config::load(&Places::find(place, Some(file.clone()), &|_| None));
    let shown = file.display().to_string();
    // What holds for everyone is not said again for a group, whose lines are not the editor's.
    let add = |list: &mut Vec<String>, text: &str| {
        let common = text.replace(&shown, "policy");
        let own = match group.is_empty() {
            true => common.clone(),
            false => format!("group {group}: {}", unnumbered(&common)),
        };
        let same = |known: &String| *known == own || unnumbered(known) == unnumbered(&common);
        if !list.iter().any(same) {
            list.push(own);
        }
    };
    let beyond = config::overreach(settings, &shown);
    for fault in policy.provenance().faults.iter().chain(&beyond) {
        add(&mut review.faults, fault);
    }
    for address in config::judge_addresses(settings) {
        let note = format!(
            "judge-address: {address} is asked only by machines whose own settings name it (hint: `hosts` of `[judge]`); the others keep the policy they have"
        );
        add(&mut review.notes, &note);
    }
    for note in policy.lint() {
        if note.origin.contains(&shown) {
            add(
                &mut review.notes,
                &format!("{}: {} {}", note.kind.name(), note.subject, note.text),
            );
        }
    }
}

/// A remark without the line that it stands at.
fn unnumbered(text: &str) -> String {
    let Some((before, after)) = text.split_once("policy:") else {
        return text.to_owned();
    };
    format!(
        "{before}policy{}",
        after.trim_start_matches(|c: char| c.is_ascii_digit())
    )
}

/// What `automode test --json` prints.
#[derive(Deserialize)]
struct Printed {
    cases: Vec<CaseResult>,
}

fn run_cases(place: &Path, settings: &str, cases: &str) -> Result<Vec<CaseResult>, String> {
    let unable = |error: &dyn std::fmt::Display| format!("the cases could not be run: {error}");
    let (file, listed) = (place.join("policy.toml"), place.join("cases.toml"));
    std::fs::write(&file, settings).map_err(|error| unable(&error))?;
    std::fs::write(&listed, cases).map_err(|error| unable(&error))?;
    let output = Command::new(program())
        .args(["test", "--json", "--config"])
        .args([&file, &listed])
        .current_dir(place)
        .env_clear()
        .env("HOME", place)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| unable(&error))?;
    let printed: Printed = serde_json::from_slice(&output.stdout).map_err(|_| {
        let told = String::from_utf8_lossy(&output.stderr);
        unable(&told.trim().replace(&place.display().to_string(), ""))
    })?;
    Ok(printed.cases)
}

/// The program beside this one, or the one that is installed.
#[must_use]
pub fn program() -> PathBuf {
    let beside = std::env::current_exe().ok().and_then(|own| {
        // A test of cargo lies one folder deeper.
        own.ancestors()
            .skip(1)
            .take(2)
            .map(|folder| folder.join("automode"))
            .find(|path| path.is_file())
    });
    beside.unwrap_or_else(|| PathBuf::from("automode"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_policy_does_not_pass() {
        for (policy, passes) in [
            ("", true),
            (
                "[permissions]\ndeny = [\"Bash(terraform destroy *)\"]\n",
                true,
            ),
            ("[permissions]\ndeni = [\"Bash(x)\"]\n", false),
            ("[permissions\n", false),
            ("[group.a.permissions]\nallow = [\"Bash(make)\"]\n", true),
            ("[group.a.permissions]\nallow = \"Bash\"\n", false),
            ("[group.a]\nx = 1\n", false),
            (
                "[[judge.chain]]\nkind = \"command\"\ncommand = [\"sh\"]\n",
                false,
            ),
        ] {
            let review = review(policy, "");
            assert_eq!(review.passes(), passes, "{policy}: {review:?}");
        }
    }

    #[test]
    fn a_fault_stands_at_the_line_of_the_editor_and_is_told_once() {
        let policy =
            "[group.web.permissions]\nallow = [\"Bash(make)\"]\n\n[permissions]\ndeni = []\n";
        let told = review(policy, "").faults;
        assert!(
            matches!(told.as_slice(), [one] if one.starts_with("policy:5: unknown key")),
            "{told:?}"
        );
        let policy = "[group.web.permissions]\nallow = [\"Bash(\"]\n";
        let told = review(policy, "").faults;
        assert!(
            matches!(told.as_slice(), [one] if one.starts_with("group web: policy:")),
            "{told:?}"
        );
    }

    #[test]
    fn a_group_is_told_of_where_its_rules_change_a_case() {
        let result = |name: &str, passed: bool, verdict: &str| CaseResult {
            name: name.to_owned(),
            passed,
            verdict: verdict.to_owned(),
            reason: String::new(),
        };
        let mut review = PolicyReview::default();
        let common = vec![result("a", true, "deny"), result("b", true, "ask")];
        review.add_cases("", common.clone());
        review.add_cases("web", common);
        assert_eq!(review.cases.len(), 2);
        let own = vec![result("a", true, "deny"), result("b", false, "allow")];
        review.add_cases("data", own);
        assert!(!review.passes());
        let last = review.cases.last().map(|case| case.name.as_str());
        assert_eq!(last, Some("b (group data)"));
    }
}
