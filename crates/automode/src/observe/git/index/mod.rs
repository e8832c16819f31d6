//! git's index: what it tracks, and what each file looked like when git last saw it.
//!
//! Versions 2 to 4 are read, of a large one only the part that is asked for where it
//! can be found by halving. An index in several files, one with whole directories in it,
//! one that is not in order or has an extension that must be understood and is not, is
//! left to git itself.

mod part;
mod wanted;

use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

pub(super) use self::wanted::Wanted;

use self::part::IndexPart;
use super::object::Id;

/// The largest index that is read: about a million files.
const MOST: u64 = 128 * 1024 * 1024;
/// An index that is read as a whole: finding a part of it would cost more.
const SMALL: u64 = 64 * 1024;
/// Entries that are passed by one after the other before the next one is looked for.
const NEAR: usize = 64;
/// The digest at the end.
const CHECKSUM: usize = 20;
/// Signature, version and number of entries.
const HEADER: usize = 12;

/// The part of an index that was asked for.
pub(super) struct Index {
    /// By path, in git's order.
    pub(super) entries: Vec<IndexEntry>,
    /// When the index was written: a file that is as young may have changed unseen.
    written: (i64, i64),
    /// What git remembers of trees, as it stands in the file.
    trees: Vec<u8>,
}

/// A tracked file.
pub(super) struct IndexEntry {
    pub(super) path: Vec<u8>,
    pub(super) mode: u32,
    pub(super) id: Id,
    /// Not plainly tracked: in conflict, or only meant to be added.
    pub(super) odd: bool,
    stat: [u32; 9],
}

impl IndexEntry {
    /// Whether a file looks as it did, and that was long enough before the index was written.
    pub(super) fn looks_like(&self, found: &Metadata, index: &Index) -> bool {
        let low = |number: u64| (number & 0xffff_ffff) as u32;
        let signed = |number: i64| low(number.cast_unsigned());
        let now = [
            signed(found.ctime()),
            signed(found.ctime_nsec()),
            signed(found.mtime()),
            signed(found.mtime_nsec()),
            self.stat.get(4).copied().unwrap_or_default(),
            low(found.ino()),
            found.uid(),
            found.gid(),
            low(found.size()),
        ];
        now == self.stat && (found.mtime(), found.mtime_nsec()) < index.written
    }
}

/// What is remembered of a directory's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CachedTree {
    Is(Id),
    /// Something in it was staged since.
    Outdated,
}

impl Index {
    /// Reads an index, keeping the entries that are wanted.
    pub(super) fn read(path: &Path, wanted: &Wanted) -> Option<Self> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            // A repository that nothing was ever added to.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Some(Self::empty((0, 0)));
            }
            Err(_) => return None,
        };
        let about = file.metadata().ok()?;
        (about.is_file() && about.len() <= MOST).then_some(())?;
        let written = (about.mtime(), about.mtime_nsec());
        if about.len() > SMALL && !wanted.is_everything() {
            let mut index = Self::empty(written);
            if index.read_part(&file, about.len(), wanted).is_some() {
                return Some(index);
            }
        }
        let mut bytes = Vec::with_capacity(usize::try_from(about.len()).ok()?.checked_add(1)?);
        file.read_to_end(&mut bytes).ok()?;
        let mut index = Self::empty(written);
        let extensions = index.scan(&bytes, wanted)?;
        index.extend(extensions)?;
        Some(index)
    }

    const fn empty(written: (i64, i64)) -> Self {
        Self {
            entries: Vec::new(),
            written,
            trees: Vec::new(),
        }
    }

    /// Looks the wanted entries up. `None`: they cannot be found without reading all of it.
    fn read_part(&mut self, file: &File, length: u64, wanted: &Wanted) -> Option<()> {
        let part = IndexPart::open(file, length)?;
        let extensions = part.extensions()?;
        self.extend(&extensions)?;
        let mut place = part.at(HEADER as u64);
        for range in wanted.ranges() {
            let mut passed = 0_usize;
            while place
                .entry()?
                .is_some_and(|raw| raw.name < range.from.as_slice())
            {
                passed = passed.saturating_add(1);
                // What is not close by is looked for.
                if passed == NEAR {
                    let found = part.find(&range.from, place.here())?;
                    if found > place.here() {
                        place = part.at(found);
                        continue;
                    }
                }
                place.go_on()?;
            }
            while let Some(raw) = place.entry()? {
                if range.is_past(raw.name) {
                    break;
                }
                self.entries.push(raw.entry()?);
                place.go_on()?;
            }
        }
        Some(())
    }

    /// Goes through the entries. What is left are the extensions.
    fn scan<'a>(&mut self, bytes: &'a [u8], wanted: &Wanted) -> Option<&'a [u8]> {
        let (head, mut rest) = bytes.split_at_checked(HEADER)?;
        let version = version(head)?;
        let mut ranges = wanted.ranges().iter().peekable();
        let mut path: Vec<u8> = Vec::new();
        for _ in 0..number(head, 8)? {
            let (flags, more, name) = flags(rest)?;
            let length = if version == 4 {
                let (strip, used) = strip(rest.get(name..)?)?;
                let shared = path.len().checked_sub(strip)?;
                let suffix = rest.get(name.checked_add(used)?..)?;
                let end = suffix.iter().position(|byte| *byte == 0)?;
                let suffix = suffix.get(..end)?;
                (path.get(shared..)? <= suffix).then_some(())?;
                path.truncate(shared);
                path.extend_from_slice(suffix);
                name.checked_add(used)?.checked_add(end)?.checked_add(1)?
            } else {
                let raw = RawEntry::read(rest)?;
                (path.as_slice() <= raw.name).then_some(())?;
                path.clear();
                path.extend_from_slice(raw.name);
                raw.length
            };
            while ranges.next_if(|range| range.is_past(&path)).is_some() {}
            if ranges.peek().is_some_and(|range| range.holds(&path)) {
                self.entries.push(entry(rest, &path, is_odd(flags, more))?);
            }
            rest = rest.get(length..)?;
        }
        rest.get(..rest.len().checked_sub(CHECKSUM)?)
    }

    fn extend(&mut self, mut rest: &[u8]) -> Option<()> {
        while !rest.is_empty() {
            let (head, after) = rest.split_at_checked(8)?;
            let length = usize::try_from(number(head, 4)?).ok()?;
            let (body, after) = after.split_at_checked(length)?;
            match head.get(..4)? {
                b"TREE" => self.trees = body.to_vec(),
                // Git may do without an extension whose name begins with a capital.
                name if name.first().is_some_and(u8::is_ascii_uppercase) => {}
                _ => return None,
            }
            rest = after;
        }
        Some(())
    }

    /// The tree that git remembers for a directory.
    pub(super) fn tree(&self, directory: &[u8]) -> CachedTree {
        let parts: Vec<&[u8]> = directory
            .split(|byte| *byte == b'/')
            .filter(|part| !part.is_empty())
            .collect();
        let mut rest = self.trees.as_slice();
        let found = tree(&mut rest, Some(&parts), true);
        found.flatten().map_or(CachedTree::Outdated, CachedTree::Is)
    }
}

/// An entry of version 2 or 3 as it stands in the file.
struct RawEntry<'a> {
    bytes: &'a [u8],
    name: &'a [u8],
    flags: u16,
    more: u16,
    /// Where the name ends, and the zeroes behind it.
    end: usize,
    length: usize,
}

impl<'a> RawEntry<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (flags, more, from) = flags(bytes)?;
        let text = bytes.get(from..)?;
        let length = match usize::from(flags & 0x0fff) {
            0x0fff => text.iter().position(|byte| *byte == 0)?,
            length => length,
        };
        let end = from.checked_add(length)?;
        Some(Self {
            bytes,
            name: text.get(..length)?,
            flags,
            more,
            end,
            // Padded with one to eight zeroes to a multiple of eight.
            length: (end / 8).checked_add(1)?.checked_mul(8)?,
        })
    }

    fn entry(&self) -> Option<IndexEntry> {
        entry(self.bytes, self.name, is_odd(self.flags, self.more))
    }
}

/// The flags of an entry, those that an extended one has, and where its name begins.
fn flags(entry: &[u8]) -> Option<(u16, u16, usize)> {
    let short = |at: usize| {
        let two = entry.get(at..at.checked_add(2)?)?;
        Some(u16::from_be_bytes(two.try_into().ok()?))
    };
    let flags = short(60)?;
    match flags & 0x4000 {
        0 => Some((flags, 0, 62)),
        _ => Some((flags, short(62)?, 64)),
    }
}

/// In conflict, or only meant to be added.
const fn is_odd(flags: u16, more: u16) -> bool {
    flags & 0x3000 != 0 || more & 0x2000 != 0
}

/// The version of an index, where it is one that is read here.
fn version(head: &[u8]) -> Option<u32> {
    let version = number(head, 4)?;
    (head.starts_with(b"DIRC") && (2..=4).contains(&version)).then_some(version)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

fn entry(bytes: &[u8], path: &[u8], odd: bool) -> Option<IndexEntry> {
    let word = |at: usize| number(bytes, at.saturating_mul(4));
    Some(IndexEntry {
        path: path.to_vec(),
        mode: word(6)?,
        id: bytes.get(40..60)?.try_into().ok()?,
        odd,
        stat: [
            word(0)?,
            word(1)?,
            word(2)?,
            word(3)?,
            word(4)?,
            word(5)?,
            word(7)?,
            word(8)?,
            word(9)?,
        ],
    })
}

/// How much of the path before goes, and in how many bytes that is said.
fn strip(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut used = 1;
    let mut byte = *bytes.first()?;
    let mut strip = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = *bytes.get(used)?;
        used = used.checked_add(1)?;
        strip = strip.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
    }
    Some((strip, used))
}

/// Reads one tree and all below it. The name of the one that `wanted` leads to, where it holds.
fn tree(rest: &mut &[u8], wanted: Option<&[&[u8]]>, top: bool) -> Option<Option<Id>> {
    let end = rest.iter().position(|byte| *byte == 0)?;
    let name = rest.get(..end)?;
    let wanted = match (wanted, top) {
        (Some(parts), true) => Some(parts),
        (Some([first, parts @ ..]), false) if *first == name => Some(parts),
        (Some(_), false) | (None, _) => None,
    };
    *rest = rest.get(end.checked_add(1)?..)?;
    let line = rest.iter().position(|byte| *byte == b'\n')?;
    let counts = str::from_utf8(rest.get(..line)?).ok()?;
    *rest = rest.get(line.checked_add(1)?..)?;
    let (entries, below) = counts.split_once(' ')?;
    let id: Option<Id> = match entries.parse::<i64>().ok()? {
        0.. => {
            let (id, after) = rest.split_at_checked(20)?;
            *rest = after;
            Some(id.try_into().ok()?)
        }
        _ => None,
    };
    let mut found = match wanted {
        Some([]) => id,
        Some(_) | None => None,
    };
    for _ in 0..below.parse::<u32>().ok()? {
        let inside = tree(rest, wanted.filter(|parts| !parts.is_empty()), false)?;
        found = found.or(inside);
    }
    Some(found)
}

#[cfg(test)]
mod tests;
