//! Names of one directory that a pattern stands for.
//!
//! What a pattern takes is told by looking into its directory. The match is wider than
//! the shell's: it knows no case and no hidden names, so nothing that may be taken is left out.
//! A pattern with more than `*` and `?`, or with one of them in a folder's name, is none.

use std::collections::BTreeSet;

/// A directory and a pattern of names in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamePattern<'p> {
    pub directory: &'p str,
    name: &'p str,
}

/// The most names that a pattern may take; beyond, it counts as not looked at.
pub const MAX_MATCHES: usize = 64;

impl<'p> NamePattern<'p> {
    /// Reads an absolute path whose last name is a pattern.
    #[must_use]
    pub fn read(path: &'p str) -> Option<Self> {
        const MARKS: &[char] = &['*', '?', '[', ']', '(', ')', '{', '}', '|', '\\'];
        let (directory, name) = path.rsplit_once('/')?;
        let plain = !directory.contains(MARKS) && directory.starts_with('/');
        let known = name
            .chars()
            .all(|letter| matches!(letter, '*' | '?') || !MARKS.contains(&letter));
        let pattern = name.contains(['*', '?']) && !name.contains("**");
        (plain && known && pattern).then_some(Self { directory, name })
    }

    /// Which entries of its directory it may take, told by the paths that there are.
    pub fn taken_among<'f>(&self, files: impl Iterator<Item = &'f String>) -> Vec<String> {
        let entries: BTreeSet<String> = files
            .filter_map(|file| {
                let below = file.strip_prefix(self.directory)?.strip_prefix('/')?;
                let name = below.split('/').next()?;
                self.may_take(name)
                    .then(|| format!("{}/{name}", self.directory))
            })
            .collect();
        entries.into_iter().collect()
    }

    /// Whether the pattern may take a name.
    #[must_use]
    pub fn may_take(&self, name: &str) -> bool {
        let pattern: Vec<char> = self.name.to_lowercase().chars().collect();
        let name: Vec<char> = name.to_lowercase().chars().collect();
        let (mut at, mut letter) = (0usize, 0usize);
        // Where the last `*` stands, and how far it reaches.
        let mut star: Option<(usize, usize)> = None;
        while let Some(found) = name.get(letter) {
            match (pattern.get(at), star) {
                (Some('*'), _) => {
                    star = Some((at, letter));
                    at = at.saturating_add(1);
                }
                (Some(wanted), _) if wanted == found || *wanted == '?' => {
                    at = at.saturating_add(1);
                    letter = letter.saturating_add(1);
                }
                (_, Some((back, reached))) => {
                    let reached = reached.saturating_add(1);
                    star = Some((back, reached));
                    at = back.saturating_add(1);
                    letter = reached;
                }
                (_, None) => return false,
            }
        }
        pattern.iter().skip(at).all(|rest| *rest == '*')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_takes_what_the_shell_takes_and_more() {
        let takes = |pattern: &str, name: &str| {
            NamePattern::read(pattern).is_some_and(|pattern| pattern.may_take(name))
        };
        for (pattern, name) in [
            ("/app/out_*.txt", "out_1.txt"),
            ("/app/out_*.txt", "out_.txt"),
            ("/app/out_*.txt", "OUT_1.TXT"),
            ("/app/*.log", ".log"),
            ("/app/*.log", ".hidden.log"),
            ("/app/a*b*c", "aXbbYc"),
            ("/app/a?c", "abc"),
        ] {
            assert!(takes(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("/app/out_*.txt", "out_1.txt.bak"),
            ("/app/out_*.txt", "about_1.txt"),
            ("/app/a?c", "ac"),
            ("/app/*/x", "x"),
            ("/app/**", "x"),
            ("/app/[ab]", "a"),
            ("/*", "etc"),
            ("out_*", "out_1"),
            ("/app/out", "out"),
        ] {
            assert!(!takes(pattern, name), "{pattern} {name}");
        }
    }
}
