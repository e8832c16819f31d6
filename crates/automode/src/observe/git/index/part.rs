//! A part of a large index, without reading the rest.
//!
//! The entries of versions 2 and 3 are in order, begin at multiples of eight and end in
//! zeroes, so a place in the middle of the file can be brought into step with them. It
//! counts only after a row of entries that all fit together and are in order: a name may
//! hold anything but a zero byte, and no single entry is believed. Where the extensions
//! behind the entries are not met exactly, all of the index is read instead.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::{CHECKSUM, HEADER, RawEntry, number, version};

/// What is looked at to get into step.
const WINDOW: usize = 4 * 1024;
/// Entries that have to fit together before one is believed.
const ROW: usize = 8;
/// What is read on from where a search has ended.
const STRETCH: u64 = 16 * 1024;
/// Longer than any entry.
const LONGEST: usize = 8 * 1024;
/// The kinds of things that an index holds.
const MODES: [u32; 4] = [0o100_644, 0o100_755, 0o120_000, 0o160_000];

/// An index with its entries in place.
pub(super) struct IndexPart<'a> {
    file: &'a File,
    /// Where the checksum begins.
    length: u64,
    /// Where the entries end.
    end: u64,
}

impl<'a> IndexPart<'a> {
    /// `None`: its entries cannot be found by halving.
    pub(super) fn open(file: &'a File, length: u64) -> Option<Self> {
        let mut head = [0; HEADER];
        file.read_exact_at(&mut head, 0).ok()?;
        matches!(version(&head)?, 2 | 3).then_some(())?;
        let length = length.checked_sub(CHECKSUM as u64)?;
        let mut part = Self {
            file,
            length,
            end: length,
        };
        let last = part.halve(HEADER as u64, |_| true)?;
        let mut place = part.at(last);
        while place.entry()?.is_some() {
            place.go_on()?;
        }
        part.end = place.here();
        Some(part)
    }

    /// What stands behind the entries.
    pub(super) fn extensions(&self) -> Option<Vec<u8>> {
        let bytes = self.read(
            self.end,
            usize::try_from(self.length.checked_sub(self.end)?).ok()?,
        )?;
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (head, after) = rest.split_at_checked(8)?;
            head.iter()
                .take(4)
                .all(u8::is_ascii_alphabetic)
                .then_some(())?;
            rest = after.get(usize::try_from(number(head, 4)?).ok()?..)?;
        }
        Some(bytes)
    }

    /// The begin of an entry that stands at a name or before it, and not far before it.
    /// `from` is the begin of an entry that stands no later.
    pub(super) fn find(&self, name: &[u8], from: u64) -> Option<u64> {
        self.halve(from, |found| found <= name)
    }

    /// The begin of an entry close before the first one that is not `early`.
    fn halve(&self, from: u64, early: impl Fn(&[u8]) -> bool) -> Option<u64> {
        let (mut low, mut high) = (from, self.end);
        while high.checked_sub(low)? > STRETCH {
            let half = high.checked_sub(low)? / 2;
            // Entries begin at multiples of eight behind the header.
            let middle = low.checked_add(half / 8 * 8)?;
            let window = self.read(middle, WINDOW)?;
            match in_step(&window) {
                Some((at, name)) if early(name) => low = middle.checked_add(at as u64)?,
                // Past it, or past the entries.
                Some(_) | None => high = middle,
            }
        }
        Some(low)
    }

    /// The entries from the begin of one.
    pub(super) fn at(&self, from: u64) -> PartPlace<'_, 'a> {
        PartPlace {
            part: self,
            base: from,
            bytes: Vec::new(),
            at: 0,
        }
    }

    /// As many bytes as there are.
    fn read(&self, from: u64, most: usize) -> Option<Vec<u8>> {
        let left = usize::try_from(self.length.saturating_sub(from)).ok()?;
        let mut bytes = vec![0; most.min(left)];
        self.file.read_exact_at(&mut bytes, from).ok()?;
        Some(bytes)
    }
}

/// A place among the entries, which moves on.
pub(super) struct PartPlace<'p, 'a> {
    part: &'p IndexPart<'a>,
    base: u64,
    bytes: Vec<u8>,
    at: usize,
}

impl PartPlace<'_, '_> {
    /// The entry here. Nothing behind the last one; `None` where the file cannot be read.
    pub(super) fn entry(&mut self) -> Option<Option<RawEntry<'_>>> {
        let here = self.here();
        if self.bytes.len().checked_sub(self.at)? < LONGEST {
            let stretch = usize::try_from(STRETCH).ok()?;
            let is_all = self.base.checked_add(self.bytes.len() as u64)? >= self.part.length;
            if !is_all || self.bytes.is_empty() {
                self.bytes = self.part.read(here, stretch)?;
                (self.base, self.at) = (here, 0);
            }
        }
        if here >= self.part.end {
            return Some(None);
        }
        Some(fitting(self.bytes.get(self.at..)?))
    }

    /// Goes to the next entry.
    pub(super) fn go_on(&mut self) -> Option<()> {
        let length = fitting(self.bytes.get(self.at..)?)?.length;
        self.at = self.at.checked_add(length)?;
        Some(())
    }

    pub(super) fn here(&self) -> u64 {
        self.base.saturating_add(self.at as u64)
    }
}

/// The begin and the name of an entry that follows a row of others.
fn in_step(window: &[u8]) -> Option<(usize, &[u8])> {
    let row = |start: usize| {
        let mut at = start;
        let mut last: &[u8] = b"";
        for _ in 0..ROW {
            let entry = fitting(window.get(at..)?)?;
            (last <= entry.name).then_some(())?;
            last = entry.name;
            at = at.checked_add(entry.length)?;
        }
        let entry = fitting(window.get(at..)?)?;
        (last <= entry.name).then_some((at, entry.name))
    };
    (0..window.len()).step_by(8).find_map(row)
}

/// An entry in which everything is as git writes it.
fn fitting(bytes: &[u8]) -> Option<RawEntry<'_>> {
    MODES.contains(&number(bytes, 24)?).then_some(())?;
    let entry = RawEntry::read(bytes)?;
    let padding = bytes.get(entry.end..entry.length)?;
    let is_named = !entry.name.is_empty() && !entry.name.contains(&0);
    (is_named && padding.iter().all(|byte| *byte == 0)).then_some(entry)
}
