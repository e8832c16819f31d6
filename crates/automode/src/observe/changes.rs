//! What differs from a commit: changed and untracked files, with their texts.
//!
//! Read from the repository's own files; where those are too many or not understood,
//! three short runs of `git` tell. What does not fit, and what git cannot tell, makes
//! the answer partial; it is never left out in silence.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use automode_core::{ChangedFile, Changes, Tracking};

use super::git::GitDifference;
use super::{file, git, repo};

/// The most files that are read, and the most bytes of them.
const MOST_FILES: usize = 400;
const MOST_BYTES: usize = 8 * 1024 * 1024;

pub(super) fn look(directory: &Path, since: Option<&str>) -> Changes {
    let Some(repository) = repo::find(directory) else {
        return Changes {
            tracking: if directory.is_dir() {
                Tracking::Absent
            } else {
                Tracking::Partial
            },
            files: Vec::new(),
        };
    };
    let plain =
        |commit: &&str| commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let since = since.filter(plain);
    let root = &repository.root;
    match git::since(&repository, since).or_else(|| asked(root, since)) {
        Some(difference) => read(root, difference),
        None => Changes {
            tracking: Tracking::Partial,
            files: Vec::new(),
        },
    }
}

/// What git itself says.
fn asked(root: &Path, since: Option<&str>) -> Option<GitDifference> {
    let Listed {
        names,
        untracked,
        commit,
    } = listed(root, since)?;
    let before = commit.map_or_else(BTreeMap::new, |commit| {
        let wanted: Vec<&str> = names.iter().take(MOST_FILES).map(String::as_str).collect();
        git::texts(root, &commit, &wanted)
    });
    Some(GitDifference {
        names,
        untracked,
        before,
    })
}

/// The names of what differs, below the root, and the commit that has the rest.
struct Listed {
    names: BTreeSet<String>,
    /// Those that git does not follow.
    untracked: BTreeSet<String>,
    commit: Option<String>,
}

fn listed(root: &Path, since: Option<&str>) -> Option<Listed> {
    let head = git::output(root, &["rev-parse", "--verify", "-q", "HEAD"]);
    let Some(head) = head.and_then(|text| text_of(&text)) else {
        // Nothing is committed yet: everything that is there is new.
        let all = git::output(
            root,
            &[
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ],
        )?;
        return Some(Listed {
            names: names(&all)?,
            untracked: BTreeSet::new(),
            commit: None,
        });
    };
    let commit = since.unwrap_or(&head);
    let compared = [
        "diff",
        "--name-only",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        // Only where they stand is told, which starts nothing in them.
        "--ignore-submodules=dirty",
        commit,
        "--",
    ];
    let mut all = names(&git::output(root, &compared)?)?;
    let untracked = ["ls-files", "-z", "--others", "--exclude-standard"];
    let untracked = names(&git::output(root, &untracked)?)?;
    all.extend(untracked.iter().cloned());
    Some(Listed {
        names: all,
        untracked,
        commit: Some(commit.to_owned()),
    })
}

fn read(root: &Path, difference: GitDifference) -> Changes {
    let GitDifference {
        names,
        untracked,
        mut before,
    } = difference;
    let mut tracking = if names.len() > MOST_FILES {
        Tracking::Partial
    } else {
        Tracking::Whole
    };
    let mut left = MOST_BYTES;
    let mut files = Vec::new();
    for name in names.iter().take(MOST_FILES) {
        let path = root.join(name);
        let size = fs::metadata(&path).map_or(0, |found| found.len());
        match left.checked_sub(usize::try_from(size).unwrap_or(usize::MAX)) {
            // A large file is not read by itself; it does not use the budget up.
            None => {
                tracking = Tracking::Partial;
                break;
            }
            Some(rest) if size <= file::MOST => left = rest,
            Some(_) => {}
        }
        let Some(path) = path.to_str() else {
            tracking = Tracking::Partial;
            continue;
        };
        files.push(ChangedFile {
            path: path.to_owned(),
            before: before.remove(name.as_str()),
            now: file::read(Path::new(path)),
            tracked: !untracked.contains(name),
        });
    }
    Changes { tracking, files }
}

fn text_of(output: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(output).ok()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Names with a zero byte after each; `None`: one is no text.
fn names(output: &[u8]) -> Option<BTreeSet<String>> {
    output
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| std::str::from_utf8(name).ok().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::test_git::run;
    use automode_shell::FileFact;

    fn shown(changes: &Changes, root: &Path) -> Vec<(String, Option<String>, Option<String>)> {
        let prefix = format!("{}/", root.display());
        let mut all: Vec<_> = changes
            .files
            .iter()
            .map(|file| {
                let now = match &file.now {
                    FileFact::Text { body, .. } => Some(body.clone()),
                    FileFact::Absent | FileFact::Directory | FileFact::Unreadable => None,
                };
                let name = file.path.strip_prefix(&prefix).unwrap_or(&file.path);
                (name.to_owned(), file.before.clone(), now)
            })
            .collect();
        all.sort();
        all
    }

    #[test]
    fn what_differs_is_told_with_both_texts() {
        let tree = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(tree.path()).expect("canonical");
        let text = |text: &str| Some(text.to_owned());
        let file = |name: &str, before: Option<String>, now: Option<String>| {
            (name.to_owned(), before, now)
        };
        assert_eq!(look(&root, None).tracking, Tracking::Absent);
        run(&root, &["init", "-q"]);
        fs::write(root.join("a b.py"), "1").expect("written");
        fs::write(root.join("same.py"), "1").expect("written");
        fs::write(root.join(".gitignore"), "out\n").expect("written");
        assert_eq!(look(&root, None).files.len(), 3, "nothing is committed yet");
        run(&root, &["add", "."]);
        run(&root, &["commit", "-qm", "one"]);
        let head = git::output(&root, &["rev-parse", "HEAD"]).and_then(|text| text_of(&text));
        assert_eq!(shown(&look(&root, None), &root), []);
        fs::write(root.join("a b.py"), "2").expect("written");
        fs::create_dir_all(root.join("new/out")).expect("a directory");
        fs::write(root.join("new/x.py"), "3").expect("written");
        fs::write(root.join("new/out/y.py"), "ignored").expect("written");
        let expected = [
            file("a b.py", text("1"), text("2")),
            file("new/x.py", None, text("3")),
        ];
        let changes = look(&root.join("new"), None);
        assert_eq!(changes.tracking, Tracking::Whole);
        assert_eq!(shown(&changes, &root), expected);
        run(&root, &["add", "."]);
        run(&root, &["commit", "-qm", "two"]);
        assert_eq!(shown(&look(&root, None), &root), []);
        assert_eq!(shown(&look(&root, head.as_deref()), &root), expected);
        fs::remove_file(root.join("same.py")).expect("removed");
        assert_eq!(
            shown(&look(&root, None), &root),
            [file("same.py", text("1"), None)]
        );
    }
}
