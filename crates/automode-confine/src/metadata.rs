//! Rights and times of files, where path rules do not know them.
//!
//! The file is opened here, checked by where it was found, and changed through that very
//! descriptor: a link that is swapped after the look changes nothing.

use std::fs::{self, File};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, openat, utimensat};

use crate::caller;
use crate::seccomp::{CallReply, Listener, METADATA_CALLS, Notification};

/// Whether a waiting call is of this kind.
pub(crate) fn is_change(notification: &Notification) -> bool {
    METADATA_CALLS.contains(&notification.call)
}

/// Does what is asked to a file in one of the trees.
pub(crate) fn decide(
    listener: &Listener,
    notification: &Notification,
    trees: &[PathBuf],
) -> CallReply {
    let change = MetadataChange::of(notification);
    let times = change
        .times
        .and_then(|at| timestamps(notification.thread, at));
    let file = if change.path == 0 {
        // A file that was opened to be read can be changed through its descriptor.
        caller::descriptor(notification.thread, change.directory).ok()
    } else {
        opened(notification, &change)
    };
    if !listener.still_waits(notification) {
        return CallReply::Fail(libc::EACCES);
    }
    let Some(file) = file else {
        return CallReply::Fail(libc::ENOENT);
    };
    let link = format!("/proc/self/fd/{}", file.as_raw_fd());
    let own =
        fs::read_link(&link).is_ok_and(|real| trees.iter().any(|tree| real.starts_with(tree)));
    if !own {
        return CallReply::Fail(libc::EACCES);
    }
    if let Some((owner, group)) = change.owner {
        let number = |value: u32| (value != u32::MAX).then_some(value);
        return answer(rustix::fs::chownat(
            &file,
            "",
            number(owner).map(rustix::fs::Uid::from_raw),
            number(group).map(rustix::fs::Gid::from_raw),
            AtFlags::EMPTY_PATH,
        ));
    }
    let result = match (change.mode, times) {
        (Some(mode), _) => {
            rustix::fs::chmodat(CWD, &link, Mode::from_raw_mode(mode), AtFlags::empty())
        }
        (None, Some(times)) => utimensat(CWD, &link, &times, AtFlags::empty()),
        (None, None) => return CallReply::Fail(libc::EACCES),
    };
    answer(result)
}

/// The file that the caller names, opened so that it stays the same.
fn opened(notification: &Notification, change: &MetadataChange) -> Option<OwnedFd> {
    let path = target(notification)?;
    let follow = if change.flags & libc::AT_SYMLINK_NOFOLLOW.unsigned_abs() == 0 {
        OFlags::empty()
    } else {
        OFlags::NOFOLLOW
    };
    let flags = OFlags::PATH | OFlags::CLOEXEC | follow;
    openat(CWD, &path, flags, Mode::empty()).ok()
}

fn answer(result: rustix::io::Result<()>) -> CallReply {
    match result {
        Ok(()) => CallReply::Done,
        Err(error) => CallReply::Fail(error.raw_os_error()),
    }
}

/// The path that the caller names.
pub(crate) fn target(notification: &Notification) -> Option<PathBuf> {
    let change = MetadataChange::of(notification);
    if change.path == 0 {
        return caller::place_of(notification.thread, change.directory);
    }
    let path = caller::text(notification.thread, change.path)?;
    caller::absolute(notification.thread, change.directory, &path)
}

/// The arguments of a call, by name.
#[derive(Clone, Copy)]
struct MetadataChange {
    directory: i32,
    path: u64,
    mode: Option<u32>,
    owner: Option<(u32, u32)>,
    /// Where the times lie; zero means now.
    times: Option<u64>,
    flags: u32,
}

impl MetadataChange {
    fn of(notification: &Notification) -> Self {
        let [first, second, third, fourth, fifth, _] = notification.arguments;
        let low = |value: u64| u32::try_from(value & 0xffff_ffff).unwrap_or(0);
        let directory = i32::from_ne_bytes(low(first).to_ne_bytes());
        let plain = Self {
            directory,
            path: second,
            mode: None,
            owner: None,
            times: None,
            flags: 0,
        };
        #[cfg(target_arch = "x86_64")]
        {
            let legacy = Self {
                directory: libc::AT_FDCWD,
                path: first,
                ..plain
            };
            let owner = Some((low(second), low(third)));
            if notification.call == libc::SYS_chmod {
                return Self {
                    mode: Some(low(second)),
                    ..legacy
                };
            }
            if notification.call == libc::SYS_chown {
                return Self { owner, ..legacy };
            }
            if notification.call == libc::SYS_lchown {
                return Self {
                    owner,
                    flags: libc::AT_SYMLINK_NOFOLLOW.unsigned_abs(),
                    ..legacy
                };
            }
        }
        let by_descriptor = Self { path: 0, ..plain };
        if notification.call == libc::SYS_fchmod {
            return Self {
                mode: Some(low(second)),
                ..by_descriptor
            };
        }
        if notification.call == libc::SYS_fchown {
            return Self {
                owner: Some((low(second), low(third))),
                ..by_descriptor
            };
        }
        if notification.call == libc::SYS_fchownat {
            return Self {
                owner: Some((low(third), low(fourth))),
                flags: low(fifth),
                ..plain
            };
        }
        if notification.call == libc::SYS_utimensat {
            return Self {
                times: Some(third),
                flags: low(fourth),
                ..plain
            };
        }
        // The older call has no flags; what its register holds means nothing.
        let flags = if notification.call == libc::SYS_fchmodat2 {
            low(fourth)
        } else {
            0
        };
        Self {
            mode: Some(low(third)),
            flags,
            ..plain
        }
    }
}

fn timestamps(thread: u32, at: u64) -> Option<Timestamps> {
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: libc::UTIME_NOW,
    };
    if at == 0 {
        return Some(Timestamps {
            last_access: now,
            last_modification: now,
        });
    }
    let mut bytes = [0_u8; 32];
    File::open(format!("/proc/{thread}/mem"))
        .ok()?
        .read_exact_at(&mut bytes, at)
        .ok()?;
    let number = |from: usize| {
        Some(i64::from_ne_bytes(
            bytes.get(from..from + 8)?.try_into().ok()?,
        ))
    };
    Some(Timestamps {
        last_access: Timespec {
            tv_sec: number(0)?,
            tv_nsec: number(8)?,
        },
        last_modification: Timespec {
            tv_sec: number(16)?,
            tv_nsec: number(24)?,
        },
    })
}
