//! The kernel's calls for filters and their notifications.
//!
//! The only unsafe code of the workspace: no safe library offers the listener.
//! Every block passes pointers to values that live on this stack for the whole call, of the
//! sizes that the kernel's headers give; file descriptors are owned from the moment they exist.

#![expect(unsafe_code, reason = "seccomp listeners have no safe interface")]

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::program::FilterInstruction;

const SET_MODE_FILTER: libc::c_long = 1;
const NEW_LISTENER: libc::c_long = 1 << 3;
const CONTINUE: u32 = 1;
/// Marks files to be closed in what is started; by its value, as C libraries differ in what they name.
const CLOSE_RANGE_CLOEXEC: libc::c_uint = 1 << 2;

/// The end that learns of calls.
#[derive(Debug)]
pub(crate) struct Listener(OwnedFd);

/// One call that waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notification {
    id: u64,
    /// The calling thread.
    pub(crate) thread: u32,
    pub(crate) call: i64,
    pub(crate) arguments: [u64; 6],
}

/// The answer to a waiting call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallReply {
    /// The kernel goes on with the call as it stands then.
    GoOn,
    /// It was done in its place.
    Done,
    Fail(i32),
}

/// Puts a filter on this thread and all it starts.
pub(crate) fn install(program: &[FilterInstruction]) -> io::Result<()> {
    set_filter(program, 0).map(|_| ())
}

/// As [`install`], for a program that notifies.
pub(crate) fn install_listener(program: &[FilterInstruction]) -> io::Result<Listener> {
    let descriptor = set_filter(program, NEW_LISTENER)?;
    let descriptor = i32::try_from(descriptor).map_err(io::Error::other)?;
    // SAFETY: the kernel has just made this descriptor for us, and nobody else knows it.
    Ok(Listener(unsafe { OwnedFd::from_raw_fd(descriptor) }))
}

/// Goes to a user and mount namespace of its own, where a person may mount.
///
/// Only for a process of one thread, which the kernel insists on.
pub(crate) fn leave_namespaces() -> io::Result<()> {
    // SAFETY: the call takes numbers alone, and leaves memory and descriptors as they are.
    let answer = unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS) };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Keeps every file that is open beyond input, output and errors from what is started.
///
/// A launcher inherits what its parent forgot to close; a file opened outside stays open inside.
pub(crate) fn keep_files() -> io::Result<()> {
    let first: libc::c_uint = 3;
    let last = libc::c_uint::MAX;
    let flags: libc::c_uint = CLOSE_RANGE_CLOEXEC;
    // By its number: not every C library has a name for the call.
    // SAFETY: the call takes numbers alone, and marks descriptors without closing one.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn set_filter(program: &[FilterInstruction], flags: libc::c_long) -> io::Result<libc::c_long> {
    rustix::thread::set_no_new_privs(true)?;
    let length = u16::try_from(program.len()).map_err(io::Error::other)?;
    let filter = libc::sock_fprog {
        len: length,
        filter: program.as_ptr().cast_mut(),
    };
    // SAFETY: the kernel copies the program, which outlives the call and is not written.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, SET_MODE_FILTER, flags, &raw const filter) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}

impl Listener {
    /// The next call; an error means that this one is gone, or that no caller is left.
    pub(crate) fn receive(&self) -> io::Result<Notification> {
        // SAFETY: all zeroes is a valid value of this structure, and what the kernel wants.
        let mut raw: libc::seccomp_notif = unsafe { MaybeUninit::zeroed().assume_init() };
        // SAFETY: the request writes one `seccomp_notif` to a pointer that is valid for it.
        let result = unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_RECV as _,
                &raw mut raw,
            )
        };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Notification {
            id: raw.id,
            thread: raw.pid,
            call: i64::from(raw.data.nr),
            arguments: raw.data.args,
        })
    }

    /// The next call that somebody waits with; `None` when no caller is left.
    pub(crate) fn next(&self) -> Option<Notification> {
        loop {
            match self.receive() {
                Ok(notification) => return Some(notification),
                // The caller was interrupted or has died; others may still come.
                Err(error)
                    if matches!(error.raw_os_error(), Some(libc::EINTR | libc::ENOENT))
                        && !self.is_abandoned() => {}
                Err(_) => return None,
            }
        }
    }

    /// Whether nobody is left whose calls are reported.
    pub(crate) fn is_abandoned(&self) -> bool {
        let mut asked = libc::pollfd {
            fd: self.0.as_raw_fd(),
            events: 0,
            revents: 0,
        };
        // SAFETY: the call reads and writes one `pollfd` that lives on this stack.
        let count = unsafe { libc::poll(&raw mut asked, 1, 0) };
        count > 0 && asked.revents & (libc::POLLHUP | libc::POLLERR) != 0
    }

    /// Whether the caller still waits: what was read of it until now was its own.
    pub(crate) fn still_waits(&self, notification: &Notification) -> bool {
        let id = notification.id;
        // SAFETY: the request reads one `u64` from a pointer that is valid for it.
        let result = unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_ID_VALID as _,
                &raw const id,
            )
        };
        result == 0
    }

    pub(crate) fn reply(&self, notification: &Notification, reply: CallReply) -> io::Result<()> {
        let (error, flags) = match reply {
            CallReply::GoOn => (0, CONTINUE),
            CallReply::Done => (0, 0),
            CallReply::Fail(error) => (-error, 0),
        };
        let response = libc::seccomp_notif_resp {
            id: notification.id,
            val: 0,
            error,
            flags,
        };
        // SAFETY: the request reads one `seccomp_notif_resp` from a pointer that is valid for it.
        let result = unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_SEND as _,
                &raw const response,
            )
        };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}
