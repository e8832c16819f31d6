//! A tree that is shown whole shows the secrets in it.
//!
//! `grep -r "" .` prints `.env` as `cat .env` does. For a command that shows what
//! it reads, the usual names of secret files are asked for in the directory; each
//! one that is there becomes a read of its own. Searches that leave hidden and
//! ignored files out count only when they are told not to.

use super::Evaluator;
use crate::place::COMMON_SECRETS;
use crate::program::Nature;
use crate::{Act, Effect, Extent, FileFact, Invocation, Need, Target};

/// Trees of one command that are looked into.
const TREES: usize = 4;

impl Evaluator<'_> {
    /// Adds a read of every secret file that a shown tree is known to hold.
    pub(super) fn secrets_in_trees(&mut self) {
        let shown: Vec<(Effect, String, Option<String>)> = self
            .effects
            .iter()
            .filter_map(|effect| {
                let Act::Read { target } = &effect.act else {
                    return None;
                };
                let invocation = self.invocations.get(effect.by)?;
                let (directory, pattern) = self.tree(target, invocation)?;
                Some((effect.clone(), directory, pattern))
            })
            .take(TREES)
            .collect();
        for (effect, directory, pattern) in shown {
            for name in COMMON_SECRETS {
                if pattern
                    .as_deref()
                    .is_some_and(|pattern| !takes(pattern, name))
                {
                    continue;
                }
                let path = format!("{}/{name}", directory.trim_end_matches('/'));
                match self.facts.files.get(&path) {
                    Some(FileFact::Text { .. } | FileFact::Unreadable) => {
                        let target = Target {
                            typed: path.clone(),
                            path,
                            extent: Extent::Exact,
                        };
                        self.effects.push(Effect {
                            act: Act::Read { target },
                            ..effect.clone()
                        });
                    }
                    Some(FileFact::Absent | FileFact::Directory) => {}
                    None => {
                        let need = Need::File(path);
                        if !self.needs.contains(&need) {
                            self.needs.push(need);
                        }
                    }
                }
            }
        }
    }

    /// The directory that a command shows, and the names in it that it takes.
    fn tree(&self, target: &Target, invocation: &Invocation) -> Option<(String, Option<String>)> {
        let says = |flags: &[&str], letters: &[char]| {
            invocation.argv.iter().skip(1).any(|word| {
                word.literal().is_some_and(|word| {
                    let short = word.starts_with('-') && !word.starts_with("--");
                    flags.contains(&word.as_ref()) || (short && word.contains(letters))
                })
            })
        };
        let shows = invocation.is_a(Nature::Concatenate) || invocation.is_a(Nature::LineFilter);
        let search = invocation.is_a(Nature::TextSearch);
        match target.extent {
            Extent::Exact if search => {
                let recursive = if shows {
                    says(
                        &[
                            "--recursive",
                            "--dereference-recursive",
                            "--directories=recurse",
                        ],
                        &['r', 'R'],
                    )
                } else {
                    says(
                        &[
                            "--hidden",
                            "--no-ignore",
                            "--unrestricted",
                            "--no-ignore-vcs",
                            "--all-types",
                        ],
                        &['u', '.'],
                    )
                };
                recursive.then(|| (target.path.clone(), None))
            }
            Extent::Pattern if shows => {
                let (directory, names) = target.path.rsplit_once('/')?;
                let directory = directory.strip_suffix("/**").unwrap_or(directory);
                let certain = !directory.contains(['*', '?', '[']);
                certain.then(|| (directory.to_owned(), Some(names.to_owned())))
            }
            Extent::Exact | Extent::Pattern | Extent::Below | Extent::Prefix | Extent::Unknown => {
                None
            }
        }
    }
}

/// Whether a pattern of names takes a name; `**` is every file there is.
fn takes(pattern: &str, name: &str) -> bool {
    if pattern == "**" {
        return true;
    }
    let hidden = name.starts_with('.') && !pattern.starts_with('.');
    let uncertain = pattern.contains(['?', '[', '{', '(']);
    !name.contains('/') && !hidden && (uncertain || crate::place::name_matches(pattern, name))
}
