//! Memory for a process that ends at once.
//!
//! A hook asks for a few thousand small pieces and is gone: a general allocator spends a sixth
//! of its work on them, and the kernel brings every page in by a fault of its own. The thread
//! that [asks for it](hurry) gets its pieces from one room, which is brought in by the dozen,
//! and a piece that is given back is the next of its size. What is too large, too much or of
//! another thread is the system's.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::ptr;

/// The allocator of a binary: the system's, until a thread hurries.
#[derive(Debug)]
pub struct Memory;

/// All pieces lie at multiples of it.
const UNIT: usize = 16;
/// The largest piece that is counted in units; above it sizes double.
const SMALL: usize = 1024;
/// The largest piece of the room.
const LARGEST: usize = 32 * 1024;
/// Sizes in units, and five that double.
const SIZES: usize = SMALL / UNIT + 5;
/// Smaller than a huge page, which would be cleared whole.
const ROOM: usize = 1024 * 1024;
/// So much is brought in at once.
const STRIDE: usize = 96 * 1024;

#[repr(C, align(4096))]
struct Room {
    bytes: UnsafeCell<[u8; ROOM]>,
    books: UnsafeCell<Books>,
}

/// What is taken, and what was given back.
struct Books {
    /// Everything before it is taken.
    next: usize,
    /// Everything before it is brought in.
    present: usize,
    /// The first free piece of every size; each piece begins with the address of the next.
    free: [*mut u8; SIZES],
}

#[expect(unsafe_code, reason = "one thread alone opens the books")]
// SAFETY: the books and bytes that are not handed out are touched by the one thread whose `HURRIES`
// is set; `hurry` sets it once in the life of a process.
unsafe impl Sync for Room {}

static ROOM_OF_ALL: Room = Room {
    bytes: UnsafeCell::new([0; ROOM]),
    books: UnsafeCell::new(Books {
        next: 0,
        present: 0,
        free: [ptr::null_mut(); SIZES],
    }),
};

thread_local! {
    /// Whether the room is this thread's.
    static HURRIES: Cell<bool> = const { Cell::new(false) };
}
/// Whether the room has been given to a thread.
static IS_GIVEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// From now on this thread takes its memory from the room. It is the first thread that asks.
pub fn hurry() {
    if !IS_GIVEN.swap(true, std::sync::atomic::Ordering::Relaxed) {
        HURRIES.set(true);
    }
}

/// The number of a size and the bytes of its pieces; none where the room has no such pieces.
#[inline]
const fn size_of_piece(layout: Layout) -> Option<(usize, usize)> {
    let size = layout.size();
    if layout.align() > UNIT || size == 0 || size > LARGEST {
        return None;
    }
    if size <= SMALL {
        let units = size.div_ceil(UNIT);
        return Some((units - 1, units * UNIT));
    }
    let whole = size.next_power_of_two();
    let doubled = (whole / SMALL).trailing_zeros() as usize;
    Some((SMALL / UNIT + doubled - 1, whole))
}

/// Whether a piece is of the room.
fn is_ours(piece: *mut u8) -> bool {
    piece.addr().wrapping_sub(ROOM_OF_ALL.bytes.get().addr()) < ROOM
}

/// A piece of the room, where this thread has it and it has one.
#[expect(unsafe_code, reason = "an allocator hands out raw memory")]
#[inline]
fn take(layout: Layout) -> Option<*mut u8> {
    if !HURRIES.get() {
        return None;
    }
    let (number, whole) = size_of_piece(layout)?;
    // SAFETY: this thread alone opens the books, and no reference to them outlives this function.
    let books = unsafe { &mut *ROOM_OF_ALL.books.get() };
    let first = books.free.get_mut(number)?;
    if !first.is_null() {
        let piece = *first;
        // SAFETY: a free piece begins with the address of the next one, written when it was given back.
        *first = unsafe { piece.cast::<*mut u8>().read() };
        return Some(piece);
    }
    let end = books.next.checked_add(whole).filter(|end| *end <= ROOM)?;
    // SAFETY: the piece ends within the room.
    let piece = unsafe { ROOM_OF_ALL.bytes.get().cast::<u8>().add(books.next) };
    books.next = end;
    if end > books.present {
        books.bring_in();
    }
    Some(piece)
}

impl Books {
    /// Brings the next pages in. Where the system cannot, each comes when it is touched.
    #[expect(unsafe_code, reason = "a system call")]
    #[cold]
    fn bring_in(&mut self) {
        let from = self.present;
        let to = self
            .next
            .saturating_add(STRIDE)
            .next_multiple_of(4096)
            .min(ROOM);
        self.present = to;
        #[cfg(target_os = "linux")]
        // SAFETY: the range is within the room, and bringing pages in changes no byte of them.
        unsafe {
            let start = ROOM_OF_ALL.bytes.get().cast::<u8>().add(from);
            libc::madvise(start.cast(), to - from, libc::MADV_POPULATE_WRITE);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = from;
    }
}

/// Takes a piece of the room back. One that another thread gives back is not used again.
#[expect(unsafe_code, reason = "an allocator hands out raw memory")]
#[inline]
fn give_back(piece: *mut u8, layout: Layout) {
    if !HURRIES.get() {
        return;
    }
    // SAFETY: this thread alone opens the books, and no reference to them outlives this function.
    let books = unsafe { &mut *ROOM_OF_ALL.books.get() };
    let known = size_of_piece(layout).and_then(|(number, _)| books.free.get_mut(number));
    if let Some(first) = known {
        // SAFETY: the piece is at least a unit long, aligned to it, and nobody's any more.
        unsafe { piece.cast::<*mut u8>().write(*first) };
        *first = piece;
    }
}

#[expect(unsafe_code, reason = "an allocator hands out raw memory")]
// SAFETY: pieces of the room do not overlap, are as long and aligned as their layout asks, and are
// told from the system's by their address.
unsafe impl GlobalAlloc for Memory {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match take(layout) {
            Some(piece) => piece,
            // SAFETY: the caller's promise.
            None => unsafe { System.alloc(layout) },
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match take(layout) {
            Some(piece) => {
                // SAFETY: the piece is as long as the layout.
                unsafe { piece.write_bytes(0, layout.size()) };
                piece
            }
            // SAFETY: the caller's promise.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if is_ours(piece) {
            give_back(piece, layout);
        } else {
            // SAFETY: the caller's promise; what is not of the room is the system's.
            unsafe { System.dealloc(piece, layout) };
        }
    }

    #[inline]
    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !is_ours(piece) {
            // SAFETY: the caller's promise; what is not of the room is the system's.
            return unsafe { System.realloc(piece, layout, size) };
        }
        // SAFETY: the caller promises a size that is not too large for the alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        if let (Some(old), Some(new)) = (size_of_piece(layout), size_of_piece(wanted))
            && old == new
        {
            return piece;
        }
        // SAFETY: the caller's promise.
        let moved = unsafe { self.alloc(wanted) };
        if !moved.is_null() {
            // SAFETY: both pieces are that long, and a new piece overlaps no other.
            unsafe { ptr::copy_nonoverlapping(piece, moved, layout.size().min(size)) };
            give_back(piece, layout);
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::thread;

    use super::*;

    #[global_allocator]
    static MEMORY: Memory = Memory;

    /// Takes, fills, grows, checks and gives back pieces of many sizes, more than the room has.
    fn work(seed: u64) {
        let mut state = seed;
        let mut next = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or_default()
        };
        let mut held: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for round in 0..20_000 {
            let mark = u8::try_from(round % 251).unwrap_or_default();
            let length = match next() % 8 {
                0 => next() % 70_000,
                1 | 2 => next() % 4_000,
                _ => next() % 200,
            };
            let key = next() % 300;
            if let Some(mut old) = held.remove(&key) {
                let first = old.first().copied();
                assert!(old.iter().all(|byte| Some(*byte) == first), "torn");
                if let Some(first) = first {
                    old.resize(old.len() + length, first);
                    old.shrink_to_fit();
                    assert!(old.iter().all(|byte| *byte == first), "torn by growing");
                }
            }
            held.insert(key, vec![mark; length]);
            let zeroes = vec![0_u8; next() % 3_000];
            assert!(zeroes.iter().all(|byte| *byte == 0), "not cleared");
        }
    }

    #[test]
    fn pieces_never_overlap_whoever_takes_them() {
        let other = thread::spawn(|| work(1));
        let hurried = thread::spawn(|| {
            hurry();
            work(2);
            // Taken here, given back by another thread.
            (0..100).map(|at| vec![at; 100]).collect::<Vec<Vec<u8>>>()
        });
        let handed = hurried.join().unwrap_or_default();
        assert!(
            (0..100)
                .zip(&handed)
                .all(|(at, piece)| *piece == vec![at; 100])
        );
        drop(handed);
        work(3);
        assert!(other.join().is_ok());
    }

    #[test]
    fn a_size_has_pieces_that_are_long_enough() {
        for size in 1..=LARGEST {
            let layout = Layout::from_size_align(size, 8).unwrap_or(Layout::new::<u8>());
            let found = size_of_piece(layout);
            assert!(
                found.is_some_and(|(at, whole)| at < SIZES
                    && whole >= size
                    && whole < 2 * size + UNIT)
            );
        }
        let larger = Layout::from_size_align(LARGEST + 1, 8).ok();
        assert_eq!(larger.and_then(size_of_piece), None);
    }
}
