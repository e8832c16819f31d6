//! Path patterns in the manner of gitignore, and lexical paths.
//!
//! A pattern has an anchor (`//` the root, `~/` home, `/` the settings file's
//! root, else the working directory) and segments; `**` spans directories, `*`,
//! `?` and `[…]` stay within one. A pattern without a slash matches at any depth,
//! and what matches a directory matches everything in it.
//! Paths are folded lexically; links are the caller's business.

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
    segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    /// `**`: any number of directories, none included.
    Deep,
    Literal(String),
    Wild(Vec<Piece>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Star,
    One,
    Char(char),
    Class {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
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
        let mut segments: Vec<Segment> = body
            .split('/')
            .filter(|segment| !segment.is_empty() && *segment != ".")
            .map(Segment::parse)
            .collect();
        if anchor == Anchor::Here && !body.contains('/') {
            segments.insert(0, Segment::Deep);
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
            Segment::Literal(_) => parts(path).any(|name| segment.fits(name, case)),
            Segment::Deep | Segment::Wild(_) => true,
        })
    }

    /// The literal directories at the start: everything matched lies below them.
    pub(super) fn base(&self) -> Vec<&str> {
        self.segments
            .iter()
            .map_while(|segment| match segment {
                Segment::Literal(text) => Some(text.as_str()),
                Segment::Deep | Segment::Wild(_) => None,
            })
            .collect()
    }

    /// No wildcard: it names one file or directory.
    pub(super) fn names_one(&self) -> bool {
        let mut segments = self.segments.as_slice();
        if let [Segment::Deep, rest @ ..] = segments {
            segments = rest;
        }
        segments.iter().all(|s| matches!(s, Segment::Literal(_)))
    }

    /// Whether a name that the shell expands from `glob` may be matched: both end in
    /// names that have a text in common.
    pub(super) fn may_meet(&self, glob: &[&str], case: Case) -> bool {
        if glob.len() > MAX_OVERLAP {
            return true;
        }
        let shell: Vec<Segment> = glob.iter().map(|segment| Segment::parse(segment)).collect();
        overlap(&self.segments, &shell, case)
    }
}

impl Segment {
    fn parse(text: &str) -> Self {
        if text == "**" {
            return Self::Deep;
        }
        let mut pieces = Vec::new();
        let mut wild = false;
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            let piece = match c {
                '*' => Piece::Star,
                '?' => Piece::One,
                '[' => match class(rest.as_str()) {
                    Some((piece, after)) => {
                        rest = after.chars();
                        piece
                    }
                    None => Piece::Char('['),
                },
                '\\' => Piece::Char(rest.next().unwrap_or('\\')),
                other => Piece::Char(other),
            };
            wild |= !matches!(piece, Piece::Char(_));
            if piece != Piece::Star || pieces.last() != Some(&Piece::Star) {
                pieces.push(piece);
            }
        }
        if wild {
            return Self::Wild(pieces);
        }
        Self::Literal(
            pieces
                .into_iter()
                .filter_map(|piece| match piece {
                    Piece::Char(c) => Some(c),
                    Piece::Star | Piece::One | Piece::Class { .. } => None,
                })
                .collect(),
        )
    }

    fn fits(&self, name: &str, case: Case) -> bool {
        match self {
            Self::Deep => true,
            Self::Literal(text) => match case {
                Case::Matters => text == name,
                Case::Ignored => same_letters(text, name),
            },
            Self::Wild(pieces) => {
                let name: Vec<char> = name.chars().collect();
                wild(pieces, &name, case)
            }
        }
    }

    fn pieces(&self) -> Vec<Piece> {
        match self {
            Self::Deep => vec![Piece::Star],
            Self::Literal(text) => text.chars().map(Piece::Char).collect(),
            Self::Wild(pieces) => pieces.clone(),
        }
    }
}

impl Piece {
    fn takes(&self, c: char, case: Case) -> bool {
        let same = |a: char, b: char| {
            a == b || (case == Case::Ignored && a.to_lowercase().eq(b.to_lowercase()))
        };
        match self {
            Self::Star | Self::One => true,
            Self::Char(own) => same(*own, c),
            Self::Class { ranges, negated } => {
                let inside = ranges.iter().any(|(low, high)| {
                    (*low..=*high).contains(&c)
                        || (case == Case::Ignored
                            && c.to_lowercase()
                                .chain(c.to_uppercase())
                                .any(|c| (*low..=*high).contains(&c)))
                });
                inside != *negated
            }
        }
    }
}

/// Reads a bracket class after its `[`; `None` where it never closes.
fn class(text: &str) -> Option<(Piece, &str)> {
    let (negated, mut rest) = match text.strip_prefix(['!', '^']) {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut ranges = Vec::new();
    loop {
        let mut chars = rest.chars();
        let low = chars.next()?;
        if low == ']' && !ranges.is_empty() {
            return Some((Piece::Class { ranges, negated }, chars.as_str()));
        }
        let after = chars.as_str();
        let high = after
            .strip_prefix('-')
            .and_then(|tail| tail.chars().next())
            .filter(|high| *high != ']');
        match high {
            Some(high) => {
                ranges.push((low, high));
                rest = after.get(high.len_utf8().saturating_add(1)..)?;
            }
            None => {
                ranges.push((low, low));
                rest = after;
            }
        }
    }
}

/// Whether the segments match the names from first to last.
fn fits(segments: &[Segment], names: &[&str], case: Case) -> bool {
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
            let here = reach.get(used).copied().unwrap_or(false);
            match segment {
                Segment::Deep => {
                    // A last `**` needs at least one name: `x/**` is what lies below.
                    let was = flowing;
                    flowing |= here;
                    set(&mut after, used, if last { was } else { flowing });
                }
                Segment::Literal(_) | Segment::Wild(_) => {
                    if here && names.get(used).is_some_and(|name| segment.fits(name, case)) {
                        set(&mut after, used.saturating_add(1), true);
                    }
                }
            }
        }
        reach = after;
    }
    reach.last().copied().unwrap_or(false)
}

fn set(row: &mut [bool], at: usize, value: bool) {
    if let Some(slot) = row.get_mut(at) {
        *slot |= value;
    }
}

fn wild(pieces: &[Piece], name: &[char], case: Case) -> bool {
    let mut reach = vec![false; name.len().saturating_add(1)];
    set(&mut reach, 0, true);
    for piece in pieces {
        let mut after = vec![false; reach.len()];
        let mut flowing = false;
        for used in 0..reach.len() {
            let here = reach.get(used).copied().unwrap_or(false);
            if *piece == Piece::Star {
                flowing |= here;
                set(&mut after, used, flowing);
            } else if here && name.get(used).is_some_and(|c| piece.takes(*c, case)) {
                set(&mut after, used.saturating_add(1), true);
            }
        }
        reach = after;
    }
    reach.last().copied().unwrap_or(false)
}

/// Whether two rows of segments have a path in common; the right one is a shell
/// pattern, whose wildcards skip names that begin with a dot. A path below
/// something the left one matches counts too.
fn overlap(rule: &[Segment], shell: &[Segment], case: Case) -> bool {
    match (rule, shell) {
        ([] | [Segment::Deep], _) => true,
        (_, []) => false,
        ([Segment::Deep, rest @ ..], [_, names @ ..]) => {
            overlap(rest, shell, case) || overlap(rule, names, case)
        }
        (_, [Segment::Deep, names @ ..]) => {
            overlap(rule, names, case)
                || rule
                    .split_first()
                    .is_some_and(|(_, rest)| overlap(rest, shell, case))
        }
        ([one, rest @ ..], [name, names @ ..]) => {
            let dotted = matches!(one, Segment::Literal(text) if text.starts_with('.'));
            let skips = matches!(name, Segment::Wild(pieces)
                if !matches!(pieces.first(), Some(Piece::Char('.'))));
            !(dotted && skips)
                && common(&one.pieces(), &name.pieces(), case)
                && overlap(rest, names, case)
        }
    }
}

/// Whether two rows of pieces have a name in common.
fn common(a: &[Piece], b: &[Piece], case: Case) -> bool {
    let width = b.len().saturating_add(1);
    let mut row = vec![false; width];
    for i in 0..=a.len() {
        let mut next = vec![false; width];
        for j in 0..width {
            let (left, right) = (
                i.checked_sub(1).and_then(|i| a.get(i)),
                j.checked_sub(1).and_then(|j| b.get(j)),
            );
            let up = row.get(j).copied().unwrap_or(false);
            let aside = j
                .checked_sub(1)
                .and_then(|j| next.get(j))
                .copied()
                .unwrap_or(false);
            let across = j
                .checked_sub(1)
                .and_then(|j| row.get(j))
                .copied()
                .unwrap_or(false);
            let here = match (left, right) {
                (None, None) => true,
                (Some(Piece::Star), _) if up || aside => true,
                (_, Some(Piece::Star)) if up || aside => true,
                (Some(left), Some(right)) => across && agree(left, right, case),
                (Some(_), None) | (None, Some(_)) => false,
            };
            set(&mut next, j, here);
        }
        row = next;
    }
    row.last().copied().unwrap_or(false)
}

fn agree(a: &Piece, b: &Piece, case: Case) -> bool {
    match (a, b) {
        (Piece::Char(c), other) | (other, Piece::Char(c)) => other.takes(*c, case),
        // Two classes, or a class and any one: rarely disjoint, so say yes.
        (Piece::Star | Piece::One | Piece::Class { .. }, _) => true,
    }
}

/// Equal but for case.
fn same_letters(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
        || !(a.is_ascii() && b.is_ascii()) && a.to_lowercase() == b.to_lowercase()
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
    }

    #[test]
    fn below_a_root() {
        assert_eq!(below("/a/b/c", "/a", Case::Matters), Some(vec!["b", "c"]));
        assert_eq!(below("/ab/c", "/a", Case::Matters), None);
        assert_eq!(below("/A/b", "/a", Case::Ignored), Some(vec!["b"]));
    }
}
