//! Subcommands that git does not bring itself: `git flow`, `git summary`.
//!
//! Git runs an alias of such a name where no program of it is installed. The settings
//! of the repository and of the person tell whether there is one; where they were not
//! seen, or take in other files, there may be.

use super::super::meaning::{Meaning, Side};
use super::branch::observed;
use crate::FileFact;

/// A gap where the name may be an alias.
pub(crate) fn extension(meaning: &mut Meaning<'_>) {
    let cwd = meaning.cwd_at(usize::MAX, Side::Operand);
    let here = cwd.map(|cwd| format!("{}/.git/config", cwd.trim_end_matches('/')));
    let home = meaning.context.home.clone();
    let own = home
        .iter()
        .flat_map(|home| [".gitconfig", ".config/git/config"].map(|file| format!("{home}/{file}")));
    let files: Vec<String> = here.iter().cloned().chain(own).collect();
    let words: Vec<String> = meaning
        .invocation
        .argv
        .iter()
        .skip(1)
        .map(|word| word.shown().to_lowercase())
        .collect();
    let known = here.is_some() && home.is_some();
    let mut plain = known;
    for file in files {
        plain &= match observed(meaning, file) {
            Some(FileFact::Absent) => true,
            Some(FileFact::Text { body, .. }) => !may_alias(&body, &words),
            Some(FileFact::Directory | FileFact::Unreadable) | None => false,
        };
    }
    if !plain {
        let span = meaning.invocation.span;
        meaning.unseen("what an alias of git does".to_owned(), span);
    }
}

/// Whether a file of settings gives one of these words a meaning, or takes in others.
fn may_alias(body: &str, words: &[String]) -> bool {
    let mut section = String::new();
    body.lines().any(|line| {
        let line = line.trim().to_lowercase();
        if let Some(name) = line.strip_prefix('[') {
            section = name.to_owned();
        }
        let key = line.split('=').next().unwrap_or_default().trim();
        let alias = section.starts_with("alias")
            && words
                .iter()
                .any(|word| key == word || section.contains(word.as_str()));
        alias || section.starts_with("include")
    })
}
