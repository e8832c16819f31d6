//! git's index: what it tracks, and what each file looked like when git last saw it.
//!
//! Versions 2 to 4 are read in one pass that keeps only what is asked for. An index in
//! several files, one with whole directories in it or one with an extension that must
//! be understood and is not, is left to git itself.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::object::Id;

/// The largest index that is read: about a million files.
const MOST: u64 = 128 * 1024 * 1024;

/// The part of an index that was asked for.
pub(super) struct Index {
    /// By path, in git's order.
    pub(super) entries: Vec<Entry>,
    /// When the index was written: a file that is as young may have changed unseen.
    written: (i64, i64),
    /// What git remembers of trees, as it stands in the file.
    trees: Vec<u8>,
}

/// A tracked file.
pub(super) struct Entry {
    pub(super) path: Vec<u8>,
    pub(super) mode: u32,
    pub(super) id: Id,
    /// Not plainly tracked: in conflict, or only meant to be added.
    pub(super) odd: bool,
    stat: [u32; 9],
}

impl Entry {
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
    pub(super) fn read(path: &Path, wanted: impl Fn(&[u8]) -> bool) -> Option<Self> {
        let about = match fs::metadata(path) {
            Ok(about) => about,
            // A repository that nothing was ever added to.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Some(Self {
                    entries: Vec::new(),
                    written: (0, 0),
                    trees: Vec::new(),
                });
            }
            Err(_) => return None,
        };
        (about.len() <= MOST).then_some(())?;
        let bytes = fs::read(path).ok()?;
        let mut index = Self {
            entries: Vec::new(),
            written: (about.mtime(), about.mtime_nsec()),
            trees: Vec::new(),
        };
        let extensions = index.scan(&bytes, wanted)?;
        index.extend(extensions)?;
        Some(index)
    }

    /// Goes through the entries. What is left are the extensions.
    fn scan<'a>(&mut self, bytes: &'a [u8], wanted: impl Fn(&[u8]) -> bool) -> Option<&'a [u8]> {
        let (head, mut rest) = bytes.split_at_checked(12)?;
        let version = number(head, 4)?;
        (head.starts_with(b"DIRC") && (2..=4).contains(&version)).then_some(())?;
        let mut path: Vec<u8> = Vec::new();
        for _ in 0..number(head, 8)? {
            let flags = u16::from_be_bytes(rest.get(60..62)?.try_into().ok()?);
            let extended = flags & 0x4000 != 0;
            let more = match extended {
                true => u16::from_be_bytes(rest.get(62..64)?.try_into().ok()?),
                false => 0,
            };
            let name = if extended { 64 } else { 62 };
            let length = if version == 4 {
                let (strip, used) = strip(rest.get(name..)?)?;
                path.truncate(path.len().checked_sub(strip)?);
                let suffix = rest.get(name.checked_add(used)?..)?;
                let end = suffix.iter().position(|byte| *byte == 0)?;
                path.extend_from_slice(suffix.get(..end)?);
                name.checked_add(used)?.checked_add(end)?.checked_add(1)?
            } else {
                let text = rest.get(name..)?;
                let end = match usize::from(flags & 0x0fff) {
                    0x0fff => text.iter().position(|byte| *byte == 0)?,
                    length => length,
                };
                path.clear();
                path.extend_from_slice(text.get(..end)?);
                // Padded with one to eight zeroes to a multiple of eight.
                (name.checked_add(end)? / 8)
                    .checked_add(1)?
                    .checked_mul(8)?
            };
            if wanted(&path) {
                let odd = flags & 0x3000 != 0 || more & 0x2000 != 0;
                self.entries.push(entry(rest, &path, odd)?);
            }
            rest = rest.get(length..)?;
        }
        // The last twenty bytes are the checksum.
        rest.get(..rest.len().checked_sub(20)?)
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

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

fn entry(bytes: &[u8], path: &[u8], odd: bool) -> Option<Entry> {
    let word = |at: usize| number(bytes, at.saturating_mul(4));
    Some(Entry {
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
