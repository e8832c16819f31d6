//! Objects of a repository: found loose or in a pack.
//!
//! Only what tells what a commit holds: its tree, the names in a tree, the content of a
//! file. Everything is bounded; an object that is not found or not
//! understood is unknown, and so is what depends on it.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::inflate::inflate;

/// The name of an object.
pub(super) type Id = [u8; 20];

/// The largest commit or tree that is read.
const MOST: usize = 4 * 1024 * 1024;
/// How many deltas may stand on each other.
const DEPTH: u8 = 60;

/// An object with its kind.
struct Object {
    kind: ObjectKind,
    body: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ObjectKind {
    Commit,
    Tree,
    Other,
}

/// The objects of a repository.
pub(super) struct Objects {
    folders: Vec<PathBuf>,
}

impl Objects {
    /// The objects under a repository's shared folder, with those it borrows.
    pub(super) fn of(common: &Path) -> Self {
        let own = common.join("objects");
        let borrowed = fs::read_to_string(own.join("info/alternates")).unwrap_or_default();
        let borrowed = borrowed.lines().map(|line| own.join(line));
        let folders = std::iter::once(own.clone()).chain(borrowed).collect();
        Self { folders }
    }

    /// The tree of a commit.
    pub(super) fn tree_of(&self, commit: &Id) -> Option<Id> {
        let object = self.read(commit, DEPTH)?;
        let body = (object.kind == ObjectKind::Commit).then_some(object.body)?;
        let line = body.split(|byte| *byte == b'\n').next()?;
        id(str::from_utf8(line).ok()?.strip_prefix("tree ")?)
    }

    /// What a tree holds under a name: its mode and its object. The outer `None` is unknown.
    pub(super) fn entry(&self, tree: &Id, name: &[u8]) -> Option<Option<(u32, Id)>> {
        let entries = self.list(tree)?;
        let own = entries.into_iter().find(|(_, own, _)| own == name);
        Some(own.map(|(mode, _, id)| (mode, id)))
    }

    /// All that a tree holds: modes, names and objects.
    pub(super) fn list(&self, tree: &Id) -> Option<Vec<(u32, Vec<u8>, Id)>> {
        let object = self.read(tree, DEPTH)?;
        let body = (object.kind == ObjectKind::Tree).then_some(object.body)?;
        let mut entries = Vec::new();
        let mut rest = body.as_slice();
        while !rest.is_empty() {
            let space = rest.iter().position(|byte| *byte == b' ')?;
            let (mode, after) = rest.split_at_checked(space)?;
            let after = after.get(1..)?;
            let end = after.iter().position(|byte| *byte == 0)?;
            let (name, after) = after.split_at_checked(end)?;
            let (object, after) = after.get(1..)?.split_at_checked(20)?;
            let mode = u32::from_str_radix(str::from_utf8(mode).ok()?, 8).ok()?;
            entries.push((mode, name.to_vec(), object.try_into().ok()?));
            rest = after;
        }
        Some(entries)
    }

    /// The content of a file.
    pub(super) fn file(&self, id: &Id) -> Option<Vec<u8>> {
        let object = self.read(id, DEPTH)?;
        (object.kind == ObjectKind::Other).then_some(object.body)
    }

    fn read(&self, id: &Id, depth: u8) -> Option<Object> {
        let depth = depth.checked_sub(1)?;
        self.folders
            .iter()
            .find_map(|folder| loose(folder, id).or_else(|| self.packed(folder, id, depth)))
    }

    fn packed(&self, folder: &Path, id: &Id, depth: u8) -> Option<Object> {
        let packs = fs::read_dir(folder.join("pack")).ok()?;
        packs
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|kind| kind == "idx"))
            .find_map(|index| {
                let at = offset(&File::open(&index).ok()?, id)?;
                let pack = File::open(index.with_extension("pack")).ok()?;
                self.in_pack(&pack, at, depth)
            })
    }

    fn in_pack(&self, pack: &File, at: u64, depth: u8) -> Option<Object> {
        let depth = depth.checked_sub(1)?;
        let mut head = [0_u8; 64];
        let read = pack.read_at(&mut head, at).ok()?;
        let mut head = head.get(..read)?.iter().copied();
        let mut used = 1_u64;
        let first = head.next()?;
        let (mut byte, mut size, mut shift) = (first, u64::from(first & 0x0f), 4_u32);
        while byte & 0x80 != 0 {
            byte = head.next()?;
            used = used.saturating_add(1);
            size |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift = shift.saturating_add(7);
        }
        let size = usize::try_from(size).ok().filter(|size| *size <= MOST)?;
        let body = |from: u64| inflate(&bytes_at(pack, from, size)?, size);
        let kind = match first >> 4 & 7 {
            1 => ObjectKind::Commit,
            2 => ObjectKind::Tree,
            3 | 4 => ObjectKind::Other,
            6 => {
                let (back, length) = distance(&mut head)?;
                let base = self.in_pack(pack, at.checked_sub(back)?, depth)?;
                let from = at.checked_add(used)?.checked_add(length)?;
                return patched(base, &body(from)?);
            }
            7 => {
                let name: Vec<u8> = head.by_ref().take(20).collect();
                let base = self.read(&name.try_into().ok()?, depth)?;
                let from = at.checked_add(used)?.checked_add(20)?;
                return patched(base, &body(from)?);
            }
            _ => return None,
        };
        let body = body(at.checked_add(used)?)?;
        Some(Object { kind, body })
    }
}

/// Enough bytes of a pack to hold `size` bytes compressed.
fn bytes_at(pack: &File, from: u64, size: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0_u8; size.saturating_add(size / 8).saturating_add(256)];
    let read = pack.read_at(&mut bytes, from).ok()?;
    bytes.truncate(read);
    Some(bytes)
}

fn loose(folder: &Path, id: &Id) -> Option<Object> {
    let name = automode_core::hex(id);
    let (first, rest) = name.split_at_checked(2)?;
    let file = File::open(folder.join(first).join(rest)).ok()?;
    let mut bytes = Vec::new();
    file.take(MOST as u64).read_to_end(&mut bytes).ok()?;
    let body = inflate(&bytes, MOST)?;
    let end = body.iter().position(|byte| *byte == 0)?;
    let (head, content) = body.split_at_checked(end)?;
    let kind = match head.split(|byte| *byte == b' ').next()? {
        b"commit" => ObjectKind::Commit,
        b"tree" => ObjectKind::Tree,
        _ => ObjectKind::Other,
    };
    Some(Object {
        kind,
        body: content.get(1..)?.to_vec(),
    })
}

/// Where an object stands in a pack, by the pack's index in its second version.
fn offset(index: &File, id: &Id) -> Option<u64> {
    let word = |at: u64| {
        let mut bytes = [0_u8; 4];
        index.read_exact_at(&mut bytes, at).ok()?;
        Some(u32::from_be_bytes(bytes))
    };
    (word(0)? == 0xff74_4f63 && word(4)? == 2).then_some(())?;
    let fan = |first: u64| word(8_u64.saturating_add(first.saturating_mul(4)));
    let first = u64::from(*id.first()?);
    let mut low = match first.checked_sub(1) {
        Some(before) => u64::from(fan(before)?),
        None => 0,
    };
    let mut high = u64::from(fan(first)?);
    let total = u64::from(fan(255)?);
    let names = 8 + 256 * 4;
    while low < high {
        let middle = low.midpoint(high);
        let mut name = [0_u8; 20];
        let at = middle.saturating_mul(20).saturating_add(names);
        index.read_exact_at(&mut name, at).ok()?;
        match name.cmp(id) {
            std::cmp::Ordering::Less => low = middle.saturating_add(1),
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => {
                // Behind the names stand the checksums, then the places.
                let places = total.saturating_mul(24).saturating_add(names);
                let place = word(middle.saturating_mul(4).saturating_add(places))?;
                if place & 0x8000_0000 == 0 {
                    return Some(u64::from(place));
                }
                let far = total.saturating_mul(4).saturating_add(places);
                let at = u64::from(place & 0x7fff_ffff)
                    .saturating_mul(8)
                    .saturating_add(far);
                let mut bytes = [0_u8; 8];
                index.read_exact_at(&mut bytes, at).ok()?;
                return Some(u64::from_be_bytes(bytes));
            }
        }
    }
    None
}

/// How far back the base of a delta stands, and in how many bytes that is said.
fn distance(head: &mut impl Iterator<Item = u8>) -> Option<(u64, u64)> {
    let mut byte = head.next()?;
    let mut back = u64::from(byte & 0x7f);
    let mut length = 1_u64;
    while byte & 0x80 != 0 {
        byte = head.next()?;
        length = length.saturating_add(1);
        back = back.checked_add(1)?.checked_mul(128)? | u64::from(byte & 0x7f);
    }
    Some((back, length))
}

/// An object as a delta makes it from its base.
fn patched(base: Object, delta: &[u8]) -> Option<Object> {
    let mut bytes = delta.iter().copied();
    let number = |bytes: &mut dyn Iterator<Item = u8>| {
        let (mut number, mut shift) = (0_usize, 0_u32);
        loop {
            let byte = bytes.next()?;
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            shift = shift.saturating_add(7);
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    };
    (number(&mut bytes)? == base.body.len()).then_some(())?;
    let size = number(&mut bytes).filter(|size| *size <= MOST)?;
    let mut body = Vec::with_capacity(size);
    while let Some(order) = bytes.next() {
        if order & 0x80 == 0 {
            let added: Vec<u8> = bytes.by_ref().take(usize::from(order)).collect();
            (order > 0 && added.len() == usize::from(order)).then_some(())?;
            body.extend(added);
            continue;
        }
        let mut part = |bits: std::ops::Range<u32>| {
            let first = bits.start;
            bits.filter(|bit| order >> bit & 1 == 1)
                .try_fold(0_usize, |value, bit| {
                    Some(value | usize::from(bytes.next()?) << (8 * (bit.saturating_sub(first))))
                })
        };
        let from = part(0..4)?;
        let length = match part(4..7)? {
            0 => 0x1_0000,
            length => length,
        };
        body.extend_from_slice(base.body.get(from..from.checked_add(length)?)?);
        (body.len() <= size).then_some(())?;
    }
    (body.len() == size).then_some(Object {
        kind: base.kind,
        body,
    })
}

/// An object's name from forty digits.
pub(super) fn id(text: &str) -> Option<Id> {
    let text = text.trim();
    (text.len() == 40).then_some(())?;
    let mut id = [0_u8; 20];
    for (at, byte) in id.iter_mut().enumerate() {
        let from = at.saturating_mul(2);
        *byte = u8::from_str_radix(text.get(from..from.saturating_add(2))?, 16).ok()?;
    }
    Some(id)
}
