//! Ignored files that another commit has.
//!
//! `git switch` refuses to write over a new file, and writes over an ignored one without a word:
//! to git such a file is worth nothing. Where the other side follows `local/notes.txt` and this
//! side ignores it, the notes are gone. The same goes for every commit that is replayed on the
//! way, also where a later one takes the file away again.

use std::borrow::Cow;

use automode_shell::{Invocation, Nature};

use super::local_data::{COMMIT, ID};
use crate::rules::git_directory;
use crate::scene::{Scene, report};
use crate::{Finding, Query};

/// A subcommand that brings the files of other commits.
struct Bringer {
    name: &'static str,
    /// Options whose value is the next word and no revision.
    valued: &'static [&'static str],
}

const BRINGERS: &[Bringer] = &[
    Bringer {
        name: "am",
        valued: &[],
    },
    Bringer {
        name: "bisect",
        valued: &["--term-old", "--term-new", "--term-good", "--term-bad"],
    },
    Bringer {
        name: "checkout",
        valued: &["-b", "-B", "--orphan", "--conflict"],
    },
    Bringer {
        name: "cherry-pick",
        valued: &["-m", "--mainline", "-X", "--strategy", "--cleanup"],
    },
    Bringer {
        name: "merge",
        valued: &["-m", "--message", "-F", "--file", "-s", "-X", "--strategy"],
    },
    Bringer {
        name: "pull",
        valued: &["-s", "-X", "--strategy", "--depth", "-j", "--jobs"],
    },
    Bringer {
        name: "rebase",
        valued: &["-s", "-X", "--strategy", "-x", "--exec"],
    },
    Bringer {
        name: "reset",
        valued: &[],
    },
    Bringer {
        name: "revert",
        valued: &["-m", "--mainline", "-X", "--strategy", "--cleanup"],
    },
    Bringer {
        name: "stash",
        valued: &[],
    },
    Bringer {
        name: "switch",
        valued: &["-c", "-C", "--create", "--force-create", "--orphan"],
    },
];

/// Subcommands that give commits the names by which a later one brings them.
const NAMES: &[&str] = &["branch", "tag", "worktree", "fetch"];

/// What a command brings.
#[derive(Default)]
struct Brought {
    revisions: Vec<String>,
    /// Something comes whose name is not read here.
    unseen: bool,
}

/// What to ask about the commits that a command brings.
#[must_use]
pub fn replaced_queries(starts: &[Invocation], cwd: &str) -> Vec<Query> {
    if !starts.iter().any(|start| brought(start).is_some()) {
        return Vec::new();
    }
    let asked = |start: &Invocation| {
        let brought = brought(start).map(|brought| brought.revisions);
        let revisions = brought.or_else(|| given_names(start)).unwrap_or_default();
        let directory = git_directory(start, cwd);
        let query = move |revision| Query::Replaced {
            directory: directory.clone(),
            revision,
        };
        revisions.into_iter().map(query).collect::<Vec<_>>()
    };
    starts.iter().flat_map(asked).collect()
}

/// The words of a start of git behind the first that is one of these; what is only known at run
/// time is empty.
fn behind<'s, T>(
    start: &'s Invocation,
    find: impl Fn(&str) -> Option<T>,
) -> Option<(T, Vec<Cow<'s, str>>)> {
    if !start.is_a(Nature::Git) {
        return None;
    }
    let mut words = start.argv.iter().skip(1).map(|word| word.literal());
    let found = words.find_map(|word| find(&word?))?;
    Some((found, words.map(Option::unwrap_or_default).collect()))
}

/// The commits that get a name, by which the same line may bring them.
fn given_names(start: &Invocation) -> Option<Vec<String>> {
    let (_, rest) = behind(start, |word| NAMES.contains(&word).then_some(()))?;
    let rest: Vec<&str> = rest.iter().map(Cow::as_ref).collect();
    Some(plain(&rest, &["-m", "--message"]))
}

fn brought(start: &Invocation) -> Option<Brought> {
    let find = |word: &str| BRINGERS.iter().find(|bringer| bringer.name == word);
    let (bringer, rest) = behind(start, find)?;
    let rest: Vec<&str> = rest.iter().map(Cow::as_ref).collect();
    let has = |options: &[&str]| rest.iter().any(|word| options.contains(word));
    if has(&["--abort", "--quit", "--no-overwrite-ignore"]) {
        return None;
    }
    let named = plain(&rest, bringer.valued);
    let range = |from: &str| format!("{from}..HEAD");
    let revisions = match bringer.name {
        // Files that are named are thrown back one by one.
        "checkout"
            if rest
                .iter()
                .skip_while(|word| **word != "--")
                .nth(1)
                .is_some() =>
        {
            Vec::new()
        }
        "reset" if !has(&["--hard", "--keep", "--merge"]) => Vec::new(),
        // What is not there is merged in the working tree.
        "am" => {
            return Some(Brought {
                revisions: Vec::new(),
                unseen: has(&["-3", "--3way"]),
            });
        }
        "stash" => stashed(&named),
        "bisect" => halved(&named),
        // Without a word, the branch that this one follows comes.
        "pull" => {
            let followed = ["@{upstream}".to_owned(), range("@{upstream}")];
            named.into_iter().skip(1).chain(followed).collect()
        }
        // A commit is taken back to the ones before it.
        "revert" => {
            let before = |typed: String| match typed.contains("..") {
                true => typed,
                false => format!("{typed}^@"),
            };
            named.into_iter().map(before).collect()
        }
        // The commits of this branch are made once more, one after the other.
        "rebase" if has(&["--continue", "--skip", "--edit-todo"]) => Vec::new(),
        "rebase" => {
            let followed = ["@{upstream}".to_owned()];
            let onto = match named.as_slice() {
                [] => &followed,
                named => named,
            };
            onto.iter().flat_map(|to| [to.clone(), range(to)]).collect()
        }
        _ => named,
    };
    Some(Brought {
        revisions,
        unseen: false,
    })
}

/// The words that are no options and no values of any.
fn plain(words: &[&str], valued: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = words.iter().take_while(|word| **word != "--");
    while let Some(word) = words.next() {
        if valued.contains(word) {
            words.next();
        } else if *word == "-" || !word.starts_with('-') && !word.is_empty() {
            found.push((*word).to_owned());
        }
    }
    found
}

/// What a stash brings back.
fn stashed(words: &[String]) -> Vec<String> {
    let (verb, named) = match words.split_first() {
        Some((verb, named)) => (verb.as_str(), named),
        None => return Vec::new(),
    };
    let named = match (verb, named) {
        ("pop" | "apply", named) => named,
        ("branch", [_, named @ ..]) => named,
        _ => return Vec::new(),
    };
    let stash = |number: &str| format!("stash@{{{number}}}");
    let typed = |word: &String| match word.bytes().all(|byte| byte.is_ascii_digit()) {
        true => stash(word),
        false => word.clone(),
    };
    match named {
        [] => vec![stash("0")],
        named => named.iter().map(typed).collect(),
    }
}

/// The commits that are tried one by one.
fn halved(words: &[String]) -> Vec<String> {
    const BAD: &str = "refs/bisect/bad";
    const GOOD: &str = "refs/bisect/good-*";
    let Some((verb, named)) = words.split_first() else {
        return Vec::new();
    };
    let here = ["HEAD".to_owned()];
    let or_here = match named {
        [] => &here,
        named => named,
    };
    match (verb.as_str(), named) {
        ("start", [bad, good @ ..]) => {
            let ranges = good.iter().map(|good| format!("{good}..{bad}"));
            ranges.chain([bad.clone()]).collect()
        }
        ("good" | "old", _) => or_here
            .iter()
            .map(|good| format!("{good}..{BAD}"))
            .collect(),
        ("bad" | "new", _) => or_here.iter().map(|bad| format!("{GOOD}..{bad}")).collect(),
        ("reset", named) => named.to_vec(),
        ("run" | "skip" | "next" | "replay", _) => vec![format!("{GOOD}..{BAD}")],
        _ => Vec::new(),
    }
}

/// Work of the user that a change of commits writes over.
pub(super) fn written_over(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    let brought = brought(start)?;
    let directory = git_directory(start, &scene.context.cwd);
    let found = scene.facts.replaced.get(&directory);
    let files = found.map_or(&[][..], |found| &found.files);
    let is_work = |file: &&String| !scene.place_of(file).regenerable;
    let whole = brought.revisions.is_empty() || found.is_some_and(|found| found.whole);
    let what = match files.iter().find(is_work) {
        Some(file) => format!(
            "writes over {}, which git ignores here and the other side has",
            report::name(file)
        ),
        None if whole && !brought.unseen => return None,
        None => "may write over ignored files: the other side could not be read".to_owned(),
    };
    Some(scene.evidence(ID, start.span, &what, COMMIT))
}
