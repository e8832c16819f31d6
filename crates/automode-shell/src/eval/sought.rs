//! What a search of texts looks for, where that is plain words.
//!
//! A search shows the lines that hold its words and nothing else. So a file whose text
//! does not hold them is not shown, however wide the search is. Whatever is not surely a
//! plain word (a pattern, a list of them in a file, the opposite of a match) is not here.

use crate::{Invocation, Piece, Value};

/// Options whose next word is a number.
const COUNTS: &[&str] = &[
    "-A",
    "-B",
    "-C",
    "-m",
    "--after-context",
    "--before-context",
    "--context",
    "--max-count",
];

/// Letters that turn a search into something else: the lines that do not match, patterns
/// from a file, another text in place of the match, records that are no lines.
const OTHERWISE: &[char] = &['v', 'f', 'z', 'U', 'y', 'x', 'o', 'P', 'E'];

/// The words that a text must hold one of to be shown; nothing where that is not known.
pub(super) fn words(invocation: &Invocation) -> Option<Vec<String>> {
    let mut sought = Vec::new();
    let mut counted = false;
    // `-e` says that the next word is looked for, whatever it reads like.
    let mut told = false;
    for word in invocation.argv.iter().skip(1) {
        let Some(word) = word.literal() else {
            // Behind the words, a pattern of names is where to look.
            if !sought.is_empty() && is_pattern(word) {
                continue;
            }
            return None;
        };
        let skipped = counted && word.chars().all(|c| c.is_ascii_digit());
        counted = COUNTS.contains(&&*word);
        if skipped {
            continue;
        }
        if std::mem::take(&mut told) {
            sought.push(is_plain_word(&word).then(|| word.to_lowercase())?);
        } else if word.starts_with("--") {
            if !is_plain_option(&word) {
                return None;
            }
        } else if word.starts_with('-') {
            if !counted && word.contains(OTHERWISE) {
                return None;
            }
            // `-e.` has its pattern glued on.
            told = word.ends_with('e');
            if !told && word.contains('e') {
                return None;
            }
        } else if is_place(&word) {
            // `grep -r . src`: the first word is what is looked for.
            (!sought.is_empty()).then_some(())?;
        } else {
            sought.push(is_plain_word(&word).then(|| word.to_lowercase())?);
        }
    }
    (!sought.is_empty()).then_some(sought)
}

/// Names of files that the shell finds, and nothing that is only known at run time.
fn is_pattern(word: &Value) -> bool {
    let mut pieces = word.pieces.iter();
    pieces.all(|piece| matches!(piece, Piece::Text(_) | Piece::Glob(_)))
}

/// The names that a search is held to: `--include=*.py`, `-g '*.py'`. The latter takes
/// hidden and ignored files too.
pub(super) fn included(invocation: &Invocation) -> Vec<String> {
    const GLOBS: &[&str] = &["-g", "--glob", "--iglob"];
    let words: Vec<String> = invocation.argv.iter().skip(1).map(Value::shown).collect();
    let searches = invocation
        .argv
        .first()
        .and_then(Value::literal)
        .is_some_and(|name| matches!(name.rsplit('/').next(), Some("rg" | "ripgrep")));
    let glued = words.iter().filter_map(|word| {
        let glob = || {
            word.strip_prefix("--glob=")
                .or_else(|| word.strip_prefix("--iglob="))
                .or_else(|| word.strip_prefix("-g").filter(|rest| !rest.is_empty()))
        };
        word.strip_prefix("--include=")
            .or_else(|| glob().filter(|_| searches))
    });
    let next = words
        .windows(2)
        .filter(|pair| {
            searches
                && pair
                    .first()
                    .is_some_and(|flag| GLOBS.contains(&flag.as_str()))
        })
        .filter_map(|pair| pair.get(1).map(String::as_str));
    glued
        .chain(next)
        .map(|glob| glob.trim_matches(['"', '\'']))
        .filter(|glob| !glob.starts_with('!'))
        .map(|glob| glob.trim_start_matches("**/").to_lowercase())
        .collect()
}

/// Long options that leave what is looked for and shown as it is.
fn is_plain_option(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    COUNTS.contains(&name)
        || matches!(
            name,
            "--include"
                | "--exclude"
                | "--exclude-dir"
                | "--color"
                | "--colour"
                | "--line-number"
                | "--ignore-case"
                | "--recursive"
                | "--with-filename"
                | "--no-heading"
                | "--heading"
                | "--hidden"
                | "--no-ignore"
                | "--fixed-strings"
                | "--word-regexp"
                | "--files-with-matches"
                | "--count"
        )
}

/// A directory to search, by a spelling that no one looks for.
fn is_place(word: &str) -> bool {
    matches!(word, "." | ".." | "/") || word.starts_with("./") || word.ends_with('/')
}

/// Letters, digits and blanks, so long that it is looked for and no switch.
fn is_plain_word(word: &str) -> bool {
    word.chars().count() >= 3
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | ':' | '/' | ','))
}

/// Whether a search looks for what every line has: `rg . local`.
pub(super) fn takes_every_line(invocation: &Invocation) -> bool {
    const EVERYTHING: &[&str] = &[
        "", ".", ".*", ".+", "^", "$", "^.*$", "^.*", "^.", "(.*)", "(.+)", "\\S", "\\S+", "\\w",
        "\\w+", "[^ ]", "=", ":", "-",
    ];
    let words = invocation.argv.iter().skip(1);
    words.filter_map(Value::literal).any(|word| {
        let glued = ["-e", "--regexp="]
            .iter()
            .find_map(|flag| word.strip_prefix(flag));
        EVERYTHING.contains(&glued.unwrap_or(&word))
    })
}
