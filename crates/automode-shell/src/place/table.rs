//! Kinds of places by the patterns of their paths.
//!
//! Every path of every command is looked up, in hundreds of patterns of which hardly
//! any begins like it: the compiler sorts them by their first letter, or by the last one
//! where a wildcard stands in front, and a look-up reads the share of two letters. Of those,
//! most have a letter that the name has not.

use super::pattern::{ANYWHERE, PathName, PathNames, begins_here, letter};

/// The first kind whose pattern fits wins.
pub(super) type PlaceRows<K> = &'static [(K, &'static [&'static str])];

/// Where the kinds of one sort lie.
pub(super) struct PlaceTable<K: 'static> {
    /// Below a home directory.
    pub home: PlaceIndex<K>,
    /// By absolute path.
    pub system: PlaceIndex<K>,
    /// By name, wherever they lie.
    pub anywhere: PlaceIndex<K>,
}

impl<K: Copy> PlaceTable<K> {
    /// The kind of a path. Another user's home has the same places, one or two
    /// names further down.
    pub fn find(&self, path: &PathNames<'_>) -> Option<K> {
        let all = path.all();
        let foreign = match all.first().map(PathName::as_str) {
            Some("root") => all.get(1..),
            Some("home" | "users") => all.get(2..),
            _ => None,
        };
        path.below_home()
            .and_then(|below| self.home.first(below))
            .or_else(|| self.home.first(foreign?))
            .or_else(|| self.system.first(all))
            .or_else(|| self.anywhere.first(all))
    }
}

/// More patterns than any table has.
const MOST: usize = 1024;
/// The letter under which patterns stand of which neither end tells anything.
const WILD: usize = b'*' as usize;
/// From here on stand patterns by their last letter.
const BY_END: usize = 256;
/// How many shares there are.
const SHARES: usize = 512;

/// Some patterns of an index: where each stands and how long it is, and its letters.
type Patterns<'i> = (&'i [(u8, u8, u8)], &'i [u32]);

/// Rows with their patterns sorted by a letter.
pub(super) struct PlaceIndex<K: 'static> {
    rows: PlaceRows<K>,
    /// Row and column of each pattern, and the length of its first name where it says all of it.
    sorted: [(u8, u8, u8); MOST],
    /// The letters of the first name of each.
    letters: [u32; MOST],
    /// Where the share of each letter begins, and behind the last one.
    starts: [u16; SHARES + 1],
    /// Some patterns may begin at any name.
    floats: bool,
}

impl<K: Copy> PlaceIndex<K> {
    /// Sorts by counting.
    #[expect(
        clippy::indexing_slicing,
        reason = "runs in the compiler, which refuses what is out of bounds"
    )]
    pub const fn new(rows: PlaceRows<K>) -> Self {
        let mut starts = [0_u16; SHARES + 1];
        let mut sorted = [(0, 0, 0); MOST];
        let mut letters = [0; MOST];
        let mut floats = false;
        let mut filled = 0;
        let mut share = 0;
        while share < SHARES {
            starts[share] = filled as u16;
            let mut row = 0;
            while row < rows.len() {
                let mut column = 0;
                while column < rows[row].1.len() {
                    if share_of(rows[row].1[column]) == share {
                        assert!(row < 256 && column < 256);
                        let pattern = rows[row].1[column];
                        floats = floats || matches!(pattern.as_bytes(), [b'*', b'*', b'/', ..]);
                        sorted[filled] = (row as u8, column as u8, certain_length(pattern));
                        letters[filled] = letters_of(pattern);
                        filled += 1;
                    }
                    column += 1;
                }
                row += 1;
            }
            share += 1;
        }
        starts[SHARES] = filled as u16;
        Self {
            rows,
            sorted,
            letters,
            starts,
            floats,
        }
    }

    /// The kind of the first row with a pattern that fits.
    fn first(&self, names: &[PathName<'_>]) -> Option<K> {
        let mut best: Option<u8> = None;
        let mut tail = names;
        while let Some((name, rest)) = tail.split_first() {
            let is_first = tail.len() == names.len();
            if !is_first && !self.floats {
                break;
            }
            let length = name.certain_length();
            let lacks = name.lacked_letters();
            let own = match name.ends() {
                Some((first, last)) => [
                    self.share(usize::from(first)),
                    self.share(usize::from(last).saturating_add(BY_END)),
                    self.share(WILD),
                ],
                // A wildcard of the command may stand for any letter.
                None => [self.between(0, SHARES), (&[], &[]), (&[], &[])],
            };
            let own = own.into_iter();
            let own = own.flat_map(|(sorted, letters)| sorted.iter().zip(letters));
            for ((row, column, wanted), letters) in own {
                let is_unlike = letters & lacks != 0
                    || *wanted > 0 && length.is_some_and(|own| own != usize::from(*wanted));
                if is_unlike || best.is_some_and(|best| best <= *row) {
                    continue;
                }
                let pattern = self.pattern(*row, *column);
                let fits = match pattern.strip_prefix(ANYWHERE) {
                    Some(below) => begins_here(tail, below),
                    None => is_first && begins_here(tail, pattern),
                };
                if fits {
                    best = Some(*row);
                }
            }
            tail = rest;
        }
        let (kind, _) = self.rows.get(usize::from(best?))?;
        Some(*kind)
    }

    fn share(&self, share: usize) -> Patterns<'_> {
        self.between(share, share.saturating_add(1))
    }

    /// The patterns of some shares.
    fn between(&self, from: usize, to: usize) -> Patterns<'_> {
        let start = |letter: usize| self.starts.get(letter).copied().map_or(0, usize::from);
        let range = start(from)..start(to);
        let sorted = self.sorted.get(range.clone()).unwrap_or_default();
        (sorted, self.letters.get(range).unwrap_or_default())
    }

    fn pattern(&self, row: u8, column: u8) -> &'static str {
        let row = self.rows.get(usize::from(row));
        row.and_then(|(_, patterns)| patterns.get(usize::from(column)))
            .copied()
            .unwrap_or_default()
    }
}

/// Where a pattern stands: by its last letter if that certainly ends the first name, else by its first.
const fn share_of(pattern: &str) -> usize {
    let name = match pattern.as_bytes() {
        [b'*', b'*', b'/', name @ ..] => name,
        name => name,
    };
    match name {
        [b'*', .., b'*' | b'$'] | [b'*'] => WILD,
        [b'*', rest @ .., last] if !has_slash(rest) => *last as usize + BY_END,
        [first, ..] => *first as usize,
        [] => WILD,
    }
}

/// How long the first name of a pattern is; 0 where it has a wildcard or is too long to say.
#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, which refuses what is out of bounds"
)]
const fn certain_length(pattern: &str) -> u8 {
    let name = match pattern.as_bytes() {
        [b'*', b'*', b'/', name @ ..] => name,
        name => name,
    };
    let mut length = 0;
    while length < name.len() && name[length] != b'/' && name[length] != b'$' {
        if name[length] == b'*' {
            return 0;
        }
        length += 1;
    }
    if length < 256 { length as u8 } else { 0 }
}

/// The letters that the first name of a pattern has for sure.
const fn letters_of(pattern: &str) -> u32 {
    let mut name = match pattern.as_bytes() {
        [b'*', b'*', b'/', name @ ..] => name,
        name => name,
    };
    let mut letters = 0;
    while let [first, rest @ ..] = name {
        match *first {
            b'/' | b'$' => return letters,
            b'*' => {}
            byte => letters |= letter(byte),
        }
        name = rest;
    }
    letters
}

const fn has_slash(mut text: &[u8]) -> bool {
    while let [first, rest @ ..] = text {
        if *first == b'/' {
            return true;
        }
        text = rest;
    }
    false
}
