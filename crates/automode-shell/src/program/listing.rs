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

/// Flags with which git lists files that it tracks.
const TRACKED: &[&str] = &[
    "-z",
    "-c",
    "-m",
    "-d",
    "--cached",
    "--modified",
    "--deleted",
    "--full-name",
    "--exclude-standard",
    "--recurse-submodules",
    "--",
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

/// Whether a search asks for names that no secret has: `-name '*.py'`.
fn names_plain(words: &[std::borrow::Cow<'_, str>]) -> bool {
    let widened = ["-o", "-or", "!", "-not", ","];
    let wide = words.iter().any(|word| widened.contains(&word.as_ref()));
    let named = words.windows(2).any(|pair| match pair {
        [flag, name] => {
            let ending = name.strip_prefix("*.").unwrap_or_default();
            matches!(flag.as_ref(), "-name" | "-iname")
                && !ending.is_empty()
                && ending.chars().all(|c| c.is_ascii_alphanumeric())
        }
        _ => false,
    });
    named && !wide
}

/// Whether a search goes into files that are hidden or ignored, as secrets are.
fn searches_hidden(words: &[std::borrow::Cow<'_, str>]) -> bool {
    words.iter().any(|word| {
        let short = word.starts_with('-') && !word.starts_with("--");
        [
            "--hidden",
            "--no-ignore",
            "--unrestricted",
            "--glob",
            "--iglob",
        ]
        .iter()
        .any(|flag| word.starts_with(flag))
            || (short && word.contains(['u', '.', 'g']))
    })
}

impl Invocation {
    /// Its words name where it looks, and it prints the names of what it finds.
    #[must_use]
    pub fn prints_names(&self) -> bool {
        let Some(words) = self.literal_arguments() else {
            return false;
        };
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_ref()));
        if self.is_a(Nature::Git) {
            // What is not tracked is where secrets are kept.
            let tracked = words
                .iter()
                .filter(|word| word.starts_with('-'))
                .all(|word| TRACKED.contains(&word.as_ref()));
            return has(&["ls-files"]) && tracked || has(&["diff"]) && has(&["--name-only"]);
        }
        // What `find` names has hidden files in it; the forms that are followed are read as
        // patterns before it comes to this.
        let finds = self
            .argv
            .first()
            .is_some_and(|name| matches!(name.shown().as_str(), "find" | "gfind" | "bfs"));
        let unseen = finds && !names_plain(&words)
            || self.is_a(Nature::FileSearch)
                && words.iter().any(|word| {
                    let short = word.starts_with('-') && !word.starts_with("--");
                    matches!(
                        word.as_ref(),
                        "--hidden" | "--no-ignore" | "--unrestricted" | "--no-ignore-vcs"
                    ) || (short && word.len() < 4 && word.contains(['H', 'I', 'u']))
                });
        // Hidden files are those that hold secrets.
        let hidden = !self.is_a(Nature::FileSearch)
            && words.iter().any(|word| {
                word.starts_with("--") || word.starts_with('-') && word.contains(['a', 'A', 'f'])
            });
        (self.is_a(Nature::Listing) && !has(MAKES_UP) && !hidden && !unseen)
            || (self.is_a(Nature::TextSearch) && has(NAMES_ALONE) && !searches_hidden(&words))
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
