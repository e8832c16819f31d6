//! A deadline and last words for a process, without a thread.
//!
//! A hook that is late, killed or out of stack must still block, and a second thread to
//! watch it costs a tenth of a start. A timer and the deadly signals end in one handler
//! that writes what was prepared for that case and leaves. The handler allocates
//! nothing, takes no lock and calls only what POSIX lets a handler call.

mod memory;
mod start;

pub use memory::{Memory, hurry};
pub use start::start;

use std::ffi::{CString, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, Ordering};
use std::time::Duration;

/// What a late process says, prepared while it is still alive.
#[derive(Debug)]
pub struct LastWords {
    /// The answer, for standard output.
    pub answer: Vec<u8>,
    /// The exit code behind the answer.
    pub exit: u8,
    /// What becomes of it is written down.
    pub record: Option<Record>,
}

/// A file that tells of the end. It is written under the first name and shows under the second.
#[derive(Debug)]
pub struct Record {
    pub directory: CString,
    pub unfinished: CString,
    pub finished: CString,
    pub body: Vec<u8>,
}

/// Signals that end a process unless it says otherwise.
const DEADLY: &[c_int] = &[
    libc::SIGABRT,
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGXCPU,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGBUS,
    libc::SIGSEGV,
    libc::SIGALRM,
];

/// Signals that hardly anybody sends: a process that is done at once need not know them.
const RARE: &[c_int] = &[
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGIO,
    #[cfg(target_os = "linux")]
    libc::SIGSTKFLT,
    #[cfg(target_os = "linux")]
    libc::SIGPWR,
    // A process that is stopped answers nobody, and a client's patience ends in leave to go on.
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
];

/// The signals without a name.
#[cfg(target_os = "linux")]
const REAL_TIME: std::ops::RangeInclusive<c_int> = 34..=64;
#[cfg(not(target_os = "linux"))]
const REAL_TIME: std::ops::Range<c_int> = 0..0;

/// How long a process is quick: then the rare signals are caught too.
const QUICK: Duration = Duration::from_millis(25);

/// The exit code of a death while an answer is due.
static CODE: AtomicI32 = AtomicI32::new(0);
/// Whether an answer is due.
static DUE: AtomicBool = AtomicBool::new(true);
static WORDS: AtomicPtr<LastWords> = AtomicPtr::new(ptr::null_mut());
/// Microseconds that are left behind the quick ones; `0` once the next alarm is the last.
static LEFT: AtomicU64 = AtomicU64::new(0);

/// Catches the deadly signals: while an answer is due they end the process with `code`.
pub fn catch(code: u8) {
    CODE.store(i32::from(code), Ordering::Relaxed);
    for signal in DEADLY {
        handle(*signal);
    }
    // A file that may not grow is an error of the write, not the end.
    ignore(libc::SIGXFSZ);
}

/// Whether an answer is due: an end without one then ends with the code that was given.
pub fn set_due(due: bool) {
    DUE.store(due, Ordering::Relaxed);
}

/// Says the last words after this time.
pub fn set_deadline(deadline: Duration) {
    let quick = QUICK.min(deadline);
    let left = deadline.saturating_sub(quick).as_micros();
    LEFT.store(u64::try_from(left).unwrap_or(u64::MAX), Ordering::Relaxed);
    set_timer(micros(quick).max(1));
}

/// The answer is on its way: nothing is late any more.
pub fn clear_deadline() {
    set_timer(0);
}

/// What to say when it is too late, instead of what was to be said before.
pub fn prepare(words: LastWords) {
    // Never freed: a handler may be reading the ones before.
    WORDS.store(Box::into_raw(Box::new(words)), Ordering::Release);
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[expect(unsafe_code, reason = "the C library's timer")]
fn set_timer(micros: u64) {
    let second = 1_000_000;
    let value = libc::timeval {
        tv_sec: libc::time_t::try_from(micros / second).unwrap_or(libc::time_t::MAX),
        tv_usec: libc::suseconds_t::try_from(micros % second).unwrap_or(0),
    };
    let once = libc::itimerval {
        it_interval: libc::timeval {
            tv_sec: 0,
            tv_usec: 0,
        },
        it_value: value,
    };
    // SAFETY: the timer is a whole value and the old one is not wanted.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const once, ptr::null_mut()) };
}

/// Whether the timer has run out: somebody else may send its signal too.
#[expect(unsafe_code, reason = "the C library's timer")]
fn is_over() -> bool {
    // SAFETY: all zeroes is a valid value of this plain structure, which the call fills.
    unsafe {
        let mut timer: libc::itimerval = std::mem::zeroed();
        libc::getitimer(libc::ITIMER_REAL, &raw mut timer);
        timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0
    }
}

#[expect(unsafe_code, reason = "the C library's signals")]
fn handle(signal: c_int) {
    // SAFETY: all zeroes is a valid value of this plain structure, and the handler only does what
    // a handler may. Where the system refuses one, the command line around the process has to do.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(c_int) as libc::sighandler_t;
        // A stack that overflowed has no room for a handler.
        action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, ptr::null_mut());
    }
}

#[expect(unsafe_code, reason = "the C library's signals")]
fn ignore(signal: c_int) {
    // SAFETY: a constant disposition for a signal.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

extern "C" fn on_signal(signal: c_int) {
    if signal == libc::SIGALRM && is_over() {
        let left = LEFT.swap(0, Ordering::Relaxed);
        if left == 0 {
            say_last_words();
        }
        for signal in RARE.iter().copied().chain(REAL_TIME) {
            handle(signal);
        }
        set_timer(left);
        return;
    }
    let due = DUE.load(Ordering::Relaxed);
    if due || matches!(signal, libc::SIGSEGV | libc::SIGBUS | libc::SIGABRT) {
        leave(if due { CODE.load(Ordering::Relaxed) } else { 0 });
    }
}

#[expect(
    unsafe_code,
    reason = "the words were leaked, so they are there for good"
)]
fn say_last_words() {
    let words = WORDS.load(Ordering::Acquire);
    // SAFETY: null, or made by `prepare` from a box that is never freed.
    let Some(words) = (unsafe { words.as_ref() }) else {
        leave(CODE.load(Ordering::Relaxed))
    };
    let is_said = is_writable(libc::STDOUT_FILENO) && write_all(libc::STDOUT_FILENO, &words.answer);
    if let Some(record) = &words.record {
        record.write();
    }
    let code = if is_said {
        c_int::from(words.exit)
    } else {
        CODE.load(Ordering::Relaxed)
    };
    leave(code)
}

impl Record {
    #[expect(unsafe_code, reason = "system calls that a handler may make")]
    fn write(&self) {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC;
        // SAFETY: the names end in a zero byte and live for good.
        unsafe {
            libc::mkdir(self.directory.as_ptr(), 0o700);
            let file = libc::open(self.unfinished.as_ptr(), flags, 0o600);
            if file >= 0 && write_all(file, &self.body) {
                libc::rename(self.unfinished.as_ptr(), self.finished.as_ptr());
            }
        }
    }
}

/// Whether somebody reads a stream. One that was closed at the start has been given to `/dev/null`
/// for reading and writing, which no shell does for an output.
#[expect(unsafe_code, reason = "system calls that a handler may make")]
fn is_writable(file: c_int) -> bool {
    let mut polled = libc::pollfd {
        fd: file,
        events: libc::POLLOUT,
        revents: 0,
    };
    // SAFETY: one entry is there, and the structure is as large as its call wants it.
    unsafe {
        let mut about: libc::stat = std::mem::zeroed();
        let is_device =
            libc::fstat(file, &raw mut about) == 0 && about.st_mode & libc::S_IFMT == libc::S_IFCHR;
        let mode = libc::fcntl(file, libc::F_GETFL) & libc::O_ACCMODE;
        let is_terminal = libc::isatty(file) == 1;
        let is_nowhere = is_device && !is_terminal && mode == libc::O_RDWR;
        !is_nowhere && libc::poll(&raw mut polled, 1, 0) == 1 && polled.revents & libc::POLLOUT != 0
    }
}

#[expect(unsafe_code, reason = "system calls that a handler may make")]
fn write_all(file: c_int, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: the bytes are there.
        let written = unsafe { libc::write(file, bytes.as_ptr().cast::<c_void>(), bytes.len()) };
        let rest = usize::try_from(written).ok().filter(|written| *written > 0);
        match rest.and_then(|written| bytes.get(written..)) {
            Some(rest) => bytes = rest,
            None => return false,
        }
    }
    true
}

#[expect(unsafe_code, reason = "the only way out that runs nothing more")]
fn leave(code: c_int) -> ! {
    // SAFETY: it does not return.
    unsafe { libc::_exit(code) }
}
