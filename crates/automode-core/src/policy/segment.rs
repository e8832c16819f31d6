//! One name of a path pattern: literal, wild, or `**`.

use crate::path::Case;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CommandSegment {
    /// `**`: any number of directories, none included.
    Deep,
    Literal(String),
    Wild(Vec<SegmentPiece>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SegmentPiece {
    Star,
    One,
    Char(char),
    Class {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
}

impl CommandSegment {
    pub(super) fn parse(text: &str) -> Self {
        if text == "**" {
            return Self::Deep;
        }
        let mut pieces = Vec::new();
        let mut wild = false;
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            let piece = match c {
                '*' => SegmentPiece::Star,
                '?' => SegmentPiece::One,
                '[' => match class(rest.as_str()) {
                    Some((piece, after)) => {
                        rest = after.chars();
                        piece
                    }
                    None => SegmentPiece::Char('['),
                },
                '\\' => SegmentPiece::Char(rest.next().unwrap_or('\\')),
                other => SegmentPiece::Char(other),
            };
            wild |= !matches!(piece, SegmentPiece::Char(_));
            if piece != SegmentPiece::Star || pieces.last() != Some(&SegmentPiece::Star) {
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
                    SegmentPiece::Char(c) => Some(c),
                    SegmentPiece::Star | SegmentPiece::One | SegmentPiece::Class { .. } => None,
                })
                .collect(),
        )
    }

    pub(super) fn fits(&self, name: &str, case: Case) -> bool {
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

    /// Whether a name may satisfy both this and a pattern of the shell, whose wildcards
    /// skip names that begin with a dot.
    pub(super) fn meets(&self, shell: &Self, case: Case) -> bool {
        let dotted = matches!(self, Self::Literal(text) if text.starts_with('.'));
        let skips = matches!(shell, Self::Wild(pieces)
            if !matches!(pieces.first(), Some(SegmentPiece::Char('.'))));
        !(dotted && skips) && common(&self.pieces(), &shell.pieces(), case)
    }

    fn pieces(&self) -> Vec<SegmentPiece> {
        match self {
            Self::Deep => vec![SegmentPiece::Star],
            Self::Literal(text) => text.chars().map(SegmentPiece::Char).collect(),
            Self::Wild(pieces) => pieces.clone(),
        }
    }
}

impl SegmentPiece {
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
fn class(text: &str) -> Option<(SegmentPiece, &str)> {
    let (negated, mut rest) = match text.strip_prefix(['!', '^']) {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut ranges = Vec::new();
    loop {
        let mut chars = rest.chars();
        let low = chars.next()?;
        if low == ']' && !ranges.is_empty() {
            return Some((SegmentPiece::Class { ranges, negated }, chars.as_str()));
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

/// Whether a row of possibilities holds one here.
pub(super) fn is(row: &[bool], at: usize) -> bool {
    row.get(at).copied().unwrap_or(false)
}

pub(super) fn set(row: &mut [bool], at: usize, value: bool) {
    if let Some(slot) = row.get_mut(at) {
        *slot |= value;
    }
}

fn wild(pieces: &[SegmentPiece], name: &[char], case: Case) -> bool {
    let mut reach = vec![false; name.len().saturating_add(1)];
    set(&mut reach, 0, true);
    for piece in pieces {
        let mut after = vec![false; reach.len()];
        let mut flowing = false;
        for used in 0..reach.len() {
            let here = is(&reach, used);
            if *piece == SegmentPiece::Star {
                flowing |= here;
                set(&mut after, used, flowing);
            } else if here && name.get(used).is_some_and(|c| piece.takes(*c, case)) {
                set(&mut after, used.saturating_add(1), true);
            }
        }
        reach = after;
    }
    is(&reach, name.len())
}

/// Whether two rows of pieces have a name in common.
fn common(a: &[SegmentPiece], b: &[SegmentPiece], case: Case) -> bool {
    let width = b.len().saturating_add(1);
    let mut row = vec![false; width];
    for i in 0..=a.len() {
        let mut next = vec![false; width];
        for j in 0..width {
            let (left, right) = (
                i.checked_sub(1).and_then(|i| a.get(i)),
                j.checked_sub(1).and_then(|j| b.get(j)),
            );
            let up = is(&row, j);
            let before = j.checked_sub(1);
            let aside = before.is_some_and(|j| is(&next, j));
            let across = before.is_some_and(|j| is(&row, j));
            let here = match (left, right) {
                (None, None) => true,
                (Some(SegmentPiece::Star), _) if up || aside => true,
                (_, Some(SegmentPiece::Star)) if up || aside => true,
                (Some(left), Some(right)) => across && agree(left, right, case),
                (Some(_), None) | (None, Some(_)) => false,
            };
            set(&mut next, j, here);
        }
        row = next;
    }
    is(&row, b.len())
}

fn agree(a: &SegmentPiece, b: &SegmentPiece, case: Case) -> bool {
    match (a, b) {
        (SegmentPiece::Char(c), other) | (other, SegmentPiece::Char(c)) => other.takes(*c, case),
        // Two classes, or a class and any one: rarely disjoint, so say yes.
        (SegmentPiece::Star | SegmentPiece::One | SegmentPiece::Class { .. }, _) => true,
    }
}

/// Equal but for case.
pub(super) fn same_letters(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
        || !(a.is_ascii() && b.is_ascii()) && a.to_lowercase() == b.to_lowercase()
}
