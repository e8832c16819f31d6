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
/// How many tags may stand for each other.
const TAGS: u8 = 5;
/// The most objects that are looked at for one beginning.
const ALIKE: usize = 64;

/// An object with its kind.
struct Object {
    kind: ObjectKind,
    body: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ObjectKind {
    Commit,
    Tree,
    Tag,
    Other,
}

/// A commit, as far as it leads on.
pub(super) struct Commit {
    pub(super) name: Id,
    pub(super) tree: Id,
    pub(super) parents: Vec<Id>,
    /// Seconds since 1970.
    pub(super) time: u64,
}

impl Commit {
    fn read(name: Id, body: &[u8]) -> Option<Self> {
        let committer = body
            .split(|byte| *byte == b'\n')
            .find(|line| line.starts_with(b"committer "))?;
        let time = str::from_utf8(committer.rsplit(|byte| *byte == b' ').nth(1)?);
        Some(Self {
            name,
            tree: headed(body, "tree ").next()?,
            parents: headed(body, "parent ").collect(),
            time: time.ok()?.parse().ok()?,
        })
    }
}

/// The names of objects in the head of one, behind a word.
fn headed<'b>(body: &'b [u8], word: &'b str) -> impl Iterator<Item = Id> + 'b {
    let lines = body.split(|byte| *byte == b'\n');
    let head = lines.take_while(|line| !line.is_empty());
    head.filter_map(move |line| id(str::from_utf8(line).ok()?.strip_prefix(word)?))
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

    /// What a name of an object leads to: the commit itself, or the one that a tag stands for.
    pub(super) fn commit(&self, name: &Id) -> Option<Commit> {
        let mut name = *name;
        for _ in 0..TAGS {
            let object = self.read(&name, DEPTH)?;
            match object.kind {
                ObjectKind::Commit => return Commit::read(name, &object.body),
                ObjectKind::Tag => name = headed(&object.body, "object ").next()?,
                ObjectKind::Tree | ObjectKind::Other => return None,
            }
        }
        None
    }

    /// Whether an object is a file or a tree.
    pub(super) fn is_other(&self, name: &Id) -> bool {
        let found = self.read(name, DEPTH);
        found.is_some_and(|found| matches!(found.kind, ObjectKind::Tree | ObjectKind::Other))
    }

    /// The objects whose names begin with these digits, as far as they are few.
    pub(super) fn beginning(&self, digits: &str) -> Option<Vec<Id>> {
        let digits = digits.to_ascii_lowercase();
        let mut found = Vec::new();
        for folder in &self.folders {
            loose_names(folder, &digits, &mut found)?;
            for index in indexes(folder) {
                packed_names(&File::open(&index).ok()?, &digits, &mut found)?;
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
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
        indexes(folder).find_map(|index| {
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
            3 => ObjectKind::Other,
            4 => ObjectKind::Tag,
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

/// The indexes of the packs in a folder of objects.
fn indexes(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let packs = fs::read_dir(folder.join("pack")).into_iter().flatten();
    let files = packs.flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|kind| kind == "idx"))
}

/// Loose objects whose names begin with these digits. `None`: too many.
fn loose_names(folder: &Path, digits: &str, found: &mut Vec<Id>) -> Option<()> {
    let (first, rest) = digits.split_at_checked(2)?;
    let names = fs::read_dir(folder.join(first)).into_iter().flatten();
    for name in names.flatten() {
        let name = name.file_name();
        let named = name.to_str().filter(|name| name.starts_with(rest));
        found.extend(named.and_then(|name| id(&format!("{first}{name}"))));
        (found.len() < ALIKE).then_some(())?;
    }
    Some(())
}

/// Packed objects whose names begin with these digits. `None`: too many, or not understood.
fn packed_names(index: &File, digits: &str, found: &mut Vec<Id>) -> Option<()> {
    let lowest = id(&format!("{digits:0<40}"))?;
    let (mut low, high) = range(index, &lowest)?;
    let mut end = high;
    while low < end {
        let middle = low.midpoint(end);
        match name_at(index, middle)? < lowest {
            true => low = middle.saturating_add(1),
            false => end = middle,
        }
    }
    for at in low..high {
        let name = name_at(index, at)?;
        if !automode_core::hex(&name).starts_with(digits) {
            break;
        }
        found.push(name);
        (found.len() < ALIKE).then_some(())?;
    }
    Some(())
}

/// Where the names stand in a pack's index in its second version.
const NAMES: u64 = 8 + 256 * 4;

fn word_at(index: &File, at: u64) -> Option<u32> {
    let mut bytes = [0_u8; 4];
    index.read_exact_at(&mut bytes, at).ok()?;
    Some(u32::from_be_bytes(bytes))
}

/// How many names begin with a byte or a lower one.
fn fan(index: &File, first: u64) -> Option<u64> {
    word_at(index, first.saturating_mul(4).saturating_add(8)).map(u64::from)
}

/// The places of the names that have the first byte of this one.
fn range(index: &File, id: &Id) -> Option<(u64, u64)> {
    (word_at(index, 0)? == 0xff74_4f63 && word_at(index, 4)? == 2).then_some(())?;
    let first = u64::from(*id.first()?);
    let low = match first.checked_sub(1) {
        Some(before) => fan(index, before)?,
        None => 0,
    };
    Some((low, fan(index, first)?))
}

fn name_at(index: &File, at: u64) -> Option<Id> {
    let mut name = [0_u8; 20];
    let from = at.saturating_mul(20).saturating_add(NAMES);
    index.read_exact_at(&mut name, from).ok()?;
    Some(name)
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
        b"tag" => ObjectKind::Tag,
        _ => ObjectKind::Other,
    };
    Some(Object {
        kind,
        body: content.get(1..)?.to_vec(),
    })
}

/// Where an object stands in a pack, by the pack's index.
fn offset(index: &File, id: &Id) -> Option<u64> {
    let (mut low, mut high) = range(index, id)?;
    let total = fan(index, 255)?;
    while low < high {
        let middle = low.midpoint(high);
        match name_at(index, middle)?.cmp(id) {
            std::cmp::Ordering::Less => low = middle.saturating_add(1),
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => {
                // Behind the names stand the checksums, then the places.
                let places = total.saturating_mul(24).saturating_add(NAMES);
                let place = word_at(index, middle.saturating_mul(4).saturating_add(places))?;
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
