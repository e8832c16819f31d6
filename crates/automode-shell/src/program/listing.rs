//! Whether a program start prints names of files, or hands such names on.
//!
//! What reads files that a listing names reads what the listing looked at, as long
//! as nothing on the way makes up a name: a format, another program, a part of a
//! line. What is not known to print names alone does not.

use super::Nature;
use crate::{Invocation, Stdin};

/// Flags after which a listing prints what it is told, or follows links elsewhere.
const MAKES_UP: &[&str] = &[
    "-printf",
    "-fprintf",
    "-exec",
    "-execdir",
    "-ok",
    "-okdir",
    "-L",
    "-follow",
    "-x",
    "-X",
    "--exec",
    "--exec-batch",
    "--format",
];

/// Flags after which a search of text prints names in place of lines.
const NAMES_ALONE: &[&str] = &[
    "-l",
    "--files-with-matches",
    "-rl",
    "-rln",
    "-lr",
    "-L",
    "--files",
    "-ril",
    "-rlE",
];

impl Invocation {
    /// Its words name where it looks, and it prints the names of what it finds.
    #[must_use]
    pub fn prints_names(&self) -> bool {
        let words: Option<Vec<_>> = self
            .argv
            .iter()
            .skip(1)
            .map(|word| word.literal())
            .collect();
        let Some(words) = words else {
            return false;
        };
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_ref()));
        if self.is_a(Nature::Git) {
            return has(&["ls-files"]) && !has(&["--format"])
                || has(&["diff"]) && has(&["--name-only"]);
        }
        // Hidden files are those that hold secrets.
        let hidden = !self.is_a(Nature::FileSearch)
            && words.iter().any(|word| {
                word.starts_with("--") || word.starts_with('-') && word.contains(['a', 'A', 'f'])
            });
        (self.is_a(Nature::Listing) && !has(MAKES_UP) && !hidden)
            || (self.is_a(Nature::TextSearch) && has(NAMES_ALONE))
    }

    /// It hands on some of the lines that it is fed, as they are.
    #[must_use]
    pub fn passes_lines(&self) -> bool {
        let fed = !matches!(self.stdin, Stdin::Inherited);
        let cut = self.argv.iter().skip(1).any(|word| {
            word.literal()
                .is_none_or(|word| matches!(word.as_ref(), "-o" | "--only-matching" | "-c"))
        });
        fed && !cut && self.is_a(Nature::LineFilter)
    }
}
