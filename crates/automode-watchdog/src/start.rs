//! What a process needs before its first line, and no more.
//!
//! The standard library reads the table of the process's memory to find where its stack ends,
//! which costs a tenth of a bare start. A process that handles its signals itself needs three
//! things of what is done there: streams that are open, writes that fail instead of killing,
//! and a stack on which a handler can run when the other one is full.

use std::cell::UnsafeCell;
use std::ptr;

use crate::ignore;

/// More than any processor's registers need.
const ROOM: usize = 64 * 1024;

#[repr(align(16))]
struct SignalStack(UnsafeCell<[u8; ROOM]>);

#[expect(unsafe_code, reason = "only the system looks inside")]
// SAFETY: nothing in this program reads or writes it.
unsafe impl Sync for SignalStack {}

static STACK: SignalStack = SignalStack(UnsafeCell::new([0; ROOM]));

/// Makes a process ready that the standard library has not started.
pub fn start() {
    open_streams();
    // A reader that went away is an error of the write, not the end.
    ignore(libc::SIGPIPE);
    give_stack();
}

/// A stream that is closed would become the next file that is opened, and an answer be written into it.
#[expect(unsafe_code, reason = "the C library's system calls")]
fn open_streams() {
    let stream = |fd| libc::pollfd {
        fd,
        events: 0,
        revents: 0,
    };
    let mut streams = [0, 1, 2].map(stream);
    // SAFETY: three entries are there.
    let polled = unsafe { libc::poll(streams.as_mut_ptr(), 3, 0) };
    for stream in streams {
        let is_closed = if polled < 0 {
            // SAFETY: it only looks at a number.
            unsafe { libc::fcntl(stream.fd, libc::F_GETFD) < 0 }
        } else {
            stream.revents & libc::POLLNVAL != 0
        };
        // The lowest number that is free is the one that is given.
        // SAFETY: the name ends in a zero byte, and the end does not return.
        unsafe {
            if is_closed && libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) < 0 {
                libc::abort();
            }
        }
    }
}

#[expect(unsafe_code, reason = "the C library's signals")]
fn give_stack() {
    let stack = libc::stack_t {
        ss_sp: STACK.0.get().cast(),
        ss_flags: 0,
        ss_size: ROOM,
    };
    // SAFETY: the memory is there for good and nobody else's.
    unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) };
}
