//! Path patterns in the manner of gitignore, and lexical paths.
//!
//! A pattern has an anchor (`//` the root, `~/` home, `/` the settings file's
//! root, else the working directory) and segments; `**` spans directories, `*`,
//! `?` and `[…]` stay within one. A pattern without a slash matches at any depth,
//! and what matches a directory matches everything in it.
//! Paths are folded lexically; links are the caller's business.

use super::segment::{CommandSegment, is, same_letters, set};
use crate::path::{Case, parts};

/// The longest shell pattern that is compared name by name; a longer one may meet anything.
const MAX_OVERLAP: usize = 48;

/// Where a pattern starts to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Root,
    Home,
    /// The directory that the settings file speaks for.
    Settings,
    /// The working directory.
    Here,
}

/// A parsed path pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathPattern {
    pub(super) anchor: Anchor,
    segments: Vec<CommandSegment>,
}

impl PathPattern {
    pub(super) fn parse(pattern: &str) -> Self {
        let (anchor, rest) = if let Some(rest) = pattern.strip_prefix("//") {
            (Anchor::Root, rest)
        } else if pattern == "~" {
            (Anchor::Home, "")
        } else if let Some(rest) = pattern.strip_prefix("~/") {
            (Anchor::Home, rest)
        } else if let Some(rest) = pattern.strip_prefix('/') {
            (Anchor::Settings, rest)
        } else {
            (Anchor::Here, pattern.strip_prefix("./").unwrap_or(pattern))
        };
        let body = rest.strip_suffix('/').unwrap_or(rest);
        let mut segments: Vec<CommandSegment> = body
            .split('/')
            .filter(|segment| !segment.is_empty() && *segment != ".")
            .map(CommandSegment::parse)
            .collect();
        if anchor == Anchor::Here && !body.contains('/') {
            segments.insert(0, CommandSegment::Deep);
        }
        Self { anchor, segments }
    }

    /// Whether `path`, split below the anchor, is matched itself or through a parent.
    pub(super) fn matches(&self, below: &[&str], case: Case) -> bool {
        if self.segments.is_empty() {
            return true;
        }
        // `x/**` is everything below `x`, not `x` itself.
        (1..=below.len()).any(|end| {
            below
                .get(..end)
                .is_some_and(|head| fits(&self.segments, head, case))
        })
    }

    /// Whether the path has every name that the pattern spells out: a quick no.
    pub(super) fn could_match(&self, path: &str, case: Case) -> bool {
        self.segments.iter().all(|segment| match segment {
            CommandSegment::Literal(_) => parts(path).any(|name| segment.fits(name, case)),
            CommandSegment::Deep | CommandSegment::Wild(_) => true,
        })
    }

    /// The literal directories at the start: everything matched lies below them.
    pub(super) fn base(&self) -> Vec<&str> {
        self.segments
            .iter()
            .map_while(|segment| match segment {
                CommandSegment::Literal(text) => Some(text.as_str()),
                CommandSegment::Deep | CommandSegment::Wild(_) => None,
            })
            .collect()
    }

    /// The literal names at the start, also of a pattern that matches at any depth where it
    /// names one file.
    pub(super) fn outright(&self) -> Vec<&str> {
        match self.segments.as_slice() {
            [CommandSegment::Deep, rest @ ..] if self.names_one() => rest
                .iter()
                .filter_map(|segment| match segment {
                    CommandSegment::Literal(text) => Some(text.as_str()),
                    CommandSegment::Deep | CommandSegment::Wild(_) => None,
                })
                .collect(),
            _ => self.base(),
        }
    }

    /// No wildcard: it names one file or directory.
    pub(super) fn names_one(&self) -> bool {
        let mut segments = self.segments.as_slice();
        if let [CommandSegment::Deep, rest @ ..] = segments {
            segments = rest;
        }
        segments
            .iter()
            .all(|s| matches!(s, CommandSegment::Literal(_)))
    }

    /// Whether a name that the shell expands from `glob` may be matched: both end in
    /// names that have a text in common.
    pub(super) fn may_meet(&self, glob: &[&str], case: Case) -> bool {
        if glob.len() > MAX_OVERLAP {
            return true;
        }
        let shell: Vec<CommandSegment> = glob
            .iter()
            .map(|segment| CommandSegment::parse(segment))
            .collect();
        overlap(&self.segments, &shell, case)
    }
}

/// Whether the segments match the names from first to last.
fn fits(segments: &[CommandSegment], names: &[&str], case: Case) -> bool {
    // `reach` holds how many names may be used up so far.
    let mut reach = vec![false; names.len().saturating_add(1)];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for (at, segment) in segments.iter().enumerate() {
        let last = at.saturating_add(1) == segments.len();
        let mut after = vec![false; reach.len()];
        let mut flowing = false;
        for used in 0..reach.len() {
            let here = is(&reach, used);
            match segment {
                CommandSegment::Deep => {
                    // A last `**` needs at least one name: `x/**` is what lies below.
                    let was = flowing;
                    flowing |= here;
                    set(&mut after, used, if last { was } else { flowing });
                }
                CommandSegment::Literal(_) | CommandSegment::Wild(_) => {
                    if here && names.get(used).is_some_and(|name| segment.fits(name, case)) {
                        set(&mut after, used.saturating_add(1), true);
                    }
                }
            }
        }
        reach = after;
    }
    is(&reach, names.len())
}

/// Whether two rows of segments have a path in common; the right one is a shell
/// pattern. A path below something the left one matches counts too.
fn overlap(rule: &[CommandSegment], shell: &[CommandSegment], case: Case) -> bool {
    // A row holds, for what is left of the rule, whether each rest of the pattern meets it.
    let mut below = vec![true; shell.len().saturating_add(1)];
    for (at, one) in rule.iter().enumerate().rev() {
        let ends_deep = at.saturating_add(1) == rule.len() && *one == CommandSegment::Deep;
        let mut row = vec![false; below.len()];
        set(&mut row, shell.len(), ends_deep);
        for (at, name) in shell.iter().enumerate().rev() {
            let next = at.saturating_add(1);
            let (down, aside, across) = (is(&below, at), is(&row, next), is(&below, next));
            let meets = match (one, name) {
                (CommandSegment::Deep, _) => ends_deep || down || aside,
                (CommandSegment::Literal(_) | CommandSegment::Wild(_), CommandSegment::Deep) => {
                    down || aside
                }
                (
                    CommandSegment::Literal(_) | CommandSegment::Wild(_),
                    CommandSegment::Literal(_) | CommandSegment::Wild(_),
                ) => across && one.meets(name, case),
            };
            set(&mut row, at, meets);
        }
        below = row;
    }
    is(&below, 0)
}

/// The names of `path` below `root`, both absolute and folded.
pub(super) fn below<'a>(path: &'a str, root: &str, case: Case) -> Option<Vec<&'a str>> {
    let mut names = parts(path);
    for expected in parts(root) {
        let name = names.next()?;
        let same = match case {
            Case::Matters => name == expected,
            Case::Ignored => same_letters(name, expected),
        };
        if !same {
            return None;
        }
    }
    Some(names.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matches a path given below the anchor.
    #[track_caller]
    fn check(pattern: &str, path: &str, expected: bool) {
        let names: Vec<&str> = path.split('/').collect();
        let found = PathPattern::parse(pattern).matches(&names, Case::Matters);
        assert_eq!(found, expected, "`{pattern}` on `{path}`");
    }

    #[test]
    fn matching() {
        check(".env", ".env", true);
        check("./.env", ".env", true);
        check(".env", "a/b/.env", true);
        check(".env", ".envrc", false);
        check("**/.env", "a/.env", true);
        check("*.pem", "keys/a.pem", true);
        check("*.pem", "a.pem.txt", false);
        check("src/**", "src/a/b.rs", true);
        check("src/**", "src", false);
        check("src/**", "lib/src/a", false);
        check("/src/**", "src/a", true);
        check("/src", "src/a", true);
        check("/src", "lib/src", false);
        check("src/**/*.ts", "src/a.ts", true);
        check("src/**/*.ts", "src/x/y/a.ts", true);
        check("src/*.ts", "src/x/a.ts", false);
        check("secrets/", "a/secrets/x", true);
        check("//etc/passwd", "etc/passwd", true);
        check("//**/.env", "home/dev/.env", true);
        check("~/.ssh/**", ".ssh/id", true);
        check("a?c", "abc", true);
        check("a?c", "ac", false);
        check("[a-c]x", "bx", true);
        check("[!a-c]x", "bx", false);
        check("[", "[", true);
        check(r"a\*b", "a*b", true);
        check(r"a\*b", "axb", false);
        check("**", "x/y", true);
        check("src/**/**", "src/a/b", true);
        check("a**b", "axxb", true);
        check("a**b", "ax/xb", false);
    }

    #[test]
    fn case() {
        let pattern = PathPattern::parse("Secret[a-z].KEY");
        assert!(pattern.matches(&["secretB.key"], Case::Ignored));
        assert!(!pattern.matches(&["secretB.key"], Case::Matters));
    }

    #[track_caller]
    fn meets(pattern: &str, glob: &str, expected: bool) {
        let names: Vec<&str> = glob.split('/').collect();
        let found = PathPattern::parse(pattern).may_meet(&names, Case::Matters);
        assert_eq!(found, expected, "`{pattern}` with `{glob}`");
    }

    #[test]
    fn shell_patterns() {
        meets(".env", ".e*", true);
        meets(".env", "*", false);
        meets(".env", ".*", true);
        meets("*.pem", "k*", true);
        meets("*.pem", "*.txt", false);
        meets("/secrets/**", "secrets/*", true);
        meets("/secrets/**", "public/*", false);
        meets("//etc/shadow", "etc/sh?dow", true);
        meets("a[0-9]", "a?", true);
        meets("**/a/**/b", "x/a/y/z/b", true);
        meets("**/a/**/b", "x/a/y/z/c", false);
        meets("src/**/x", "**", true);
        // Many ways to spread the names cost no more than one.
        let rule = "**/a/".repeat(20);
        meets(&format!("{rule}b"), &["a"; 40].join("/"), false);
    }

    #[test]
    fn below_a_root() {
        assert_eq!(below("/a/b/c", "/a", Case::Matters), Some(vec!["b", "c"]));
        assert_eq!(below("/ab/c", "/a", Case::Matters), None);
        assert_eq!(below("/A/b", "/a", Case::Ignored), Some(vec!["b"]));
    }
}
