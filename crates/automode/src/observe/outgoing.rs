//! What the commits hold that a push would hand out.
//!
//! Told by git in two runs, messages and differences apart, so that no text can pass for
//! the other. What does not fit, and what git cannot tell, makes the answer partial.

use std::path::Path;

use automode_core::{Outgoing, OutgoingPart};

use super::{git, repo};

pub(super) fn look(directory: &Path, remote: Option<&str>, names: &[String]) -> Outgoing {
    let Some(repository) = repo::find(directory).filter(|_| !names.is_empty()) else {
        // Nothing is there, or nothing is named: nothing leaves.
        return Outgoing {
            whole: true,
            parts: Vec::new(),
        };
    };
    let root = &repository.root;
    // A remote that is an address has nothing that this repository knows of.
    let known = remote.map_or_else(
        || "--remotes".to_owned(),
        |remote| format!("--remotes={remote}"),
    );
    let log = |more: &[&str]| {
        let mut words = vec![
            "log",
            "--ignore-missing",
            "--no-color",
            "--no-show-signature",
        ];
        words.extend_from_slice(more);
        words.extend(names.iter().map(String::as_str));
        words.extend(["--not", known.as_str(), "--"]);
        git::history(root, &words)
    };
    let messages = log(&["--no-patch", "--format=%an%n%ae%n%cn%n%ce%n%B"]);
    let patches = log(&[
        "--patch",
        "--root",
        "--cc",
        // What attributes call binary is looked into all the same.
        "--text",
        "--unified=0",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--ignore-submodules=all",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--format=",
    ]);
    let (Some(messages), Some(patches)) = (messages, patches) else {
        return Outgoing::default();
    };
    let mut parts = vec![OutgoingPart {
        text: String::from_utf8_lossy(&messages).into_owned(),
        ..OutgoingPart::default()
    }];
    parts.extend(files(root, &String::from_utf8_lossy(&patches)));
    Outgoing { whole: true, parts }
}

/// The files of a patch with the lines that were added to each.
fn files(root: &Path, patch: &str) -> Vec<OutgoingPart> {
    let mut parts: Vec<OutgoingPart> = Vec::new();
    let (mut header, mut merged) = (true, false);
    for line in patch.lines() {
        if let Some(names) = line.strip_prefix("diff --") {
            header = true;
            merged = !names.starts_with("git ");
            parts.push(OutgoingPart {
                path: Some(absolute(root, named(names))),
                ..OutgoingPart::default()
            });
            continue;
        }
        let Some(part) = parts.last_mut() else {
            continue;
        };
        if line.starts_with("@@") {
            header = false;
        } else if !header {
            let added = match line.strip_prefix('+') {
                // A merge has a column for each parent.
                Some(added) if merged => Some(added.strip_prefix('+').unwrap_or(added)),
                None if merged => line.strip_prefix(" +"),
                added => added,
            };
            if let Some(added) = added {
                part.binary |= added.contains(['\0', char::REPLACEMENT_CHARACTER]);
                part.text.push_str(added);
                part.text.push('\n');
            }
        } else if let Some(name) = line
            .strip_prefix("+++ ")
            .filter(|name| *name != "/dev/null")
        {
            part.path = Some(absolute(root, name.strip_prefix("b/").unwrap_or(name)));
        } else if line.starts_with("new file") {
            part.added = true;
        }
    }
    parts
}

/// The name in the first line about a file: `git a/x b/x`, `cc x`.
fn named(line: &str) -> &str {
    match line.strip_prefix("git ") {
        Some(names) => {
            // Both halves are the same but for their first letter.
            let half = names.len() / 2;
            let second = names.get(half.saturating_add(1)..).unwrap_or(names);
            second.strip_prefix("b/").unwrap_or(second)
        }
        None => line.split_once(' ').map_or(line, |(_, name)| name),
    }
}

fn absolute(root: &Path, name: &str) -> String {
    root.join(name.trim_matches('"').trim_end_matches('\t'))
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::test_git::run;
    use std::fs;

    fn text(root: &Path, outgoing: &Outgoing, name: &str) -> String {
        let path = root.join(name).display().to_string();
        let all = outgoing.parts.iter();
        all.filter(|part| part.path.as_deref() == Some(path.as_str()))
            .map(|part| part.text.as_str())
            .collect()
    }

    #[test]
    fn what_no_remote_has_is_told_also_where_it_was_taken_away_again() {
        let tree = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(tree.path()).expect("canonical");
        run(&root, &["init", "-q", "-b", "work"]);
        fs::write(root.join("old.txt"), "known\n").expect("written");
        run(&root, &["add", "."]);
        run(&root, &["commit", "-qm", "one"]);
        run(&root, &["update-ref", "refs/remotes/origin/work", "HEAD"]);
        // A line that looks like the head of another file is still a line.
        fs::write(root.join("a b.txt"), "++ b/tests/x\nsecret\n").expect("written");
        run(&root, &["add", "."]);
        run(&root, &["commit", "-qm", "two\n\ndiff --git a/x b/x"]);
        run(&root, &["rm", "-q", "a b.txt"]);
        run(&root, &["commit", "-qm", "three"]);
        let head = ["HEAD".to_owned()];
        let found = look(&root, Some("origin"), &head);
        assert!(found.whole);
        assert_eq!(text(&root, &found, "a b.txt"), "++ b/tests/x\nsecret\n");
        assert_eq!(text(&root, &found, "old.txt"), "");
        let said = found.parts.first().map(|part| part.text.as_str());
        assert!(said.is_some_and(|said| said.contains("diff --git a/x b/x")));
        // Another remote has nothing of it yet.
        let found = look(&root, Some("other"), &head);
        assert_eq!(text(&root, &found, "old.txt"), "known\n");
        // A name that is none leaves nothing out in silence, and nothing is handed out.
        let found = look(&root, None, &["gone".to_owned()]);
        assert_eq!(found.parts.len(), 1);
    }
}
