//! Writes and connections that the confined command attempts, for the report.
//!
//! Every answer is "go on": the namespace or the path rules decide. What is noted is what
//! they will refuse, as far as the names tell.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::caller::{self, Address};
use crate::refusal::{Refusal, Report};
use crate::seccomp::Notification;

/// What the command may do, as far as a report needs it.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Bounds {
    pub(crate) writable: Vec<PathBuf>,
    /// Unwritable places inside them.
    pub(crate) kept: Vec<PathBuf>,
    /// Where writing succeeds and is forgotten.
    pub(crate) forgotten: Vec<PathBuf>,
}

/// Shared by whoever notes something during a run.
pub(crate) type RefusalNotes = Arc<Mutex<Report>>;

pub(crate) fn note(notes: &RefusalNotes, refusal: Refusal) {
    notes
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .note(refusal);
}

impl Bounds {
    /// What will be refused of a waiting call that changes files.
    pub(crate) fn refusal(&self, notification: &Notification) -> Option<Refusal> {
        let (directory, name, creates) = target(notification)?;
        let path = caller::text(notification.thread, name)?;
        let path = caller::absolute(notification.thread, directory, &path)?;
        self.judge(path, creates)
    }

    fn judge(&self, path: PathBuf, creates: bool) -> Option<Refusal> {
        let under = |places: &[PathBuf]| places.iter().any(|place| path.starts_with(place));
        let device = ["/dev", "/proc"]
            .iter()
            .any(|place| path.starts_with(place));
        let kept = under(&self.kept);
        if device || (under(&self.writable) && !kept) {
            return None;
        }
        // What fails for another reason is not our refusal.
        let possible = if creates {
            path.parent()?.is_dir()
        } else {
            path.symlink_metadata().is_ok()
        };
        if !possible {
            return None;
        }
        let forgotten = self.forgotten.iter().any(|place| path.starts_with(place));
        if forgotten && !kept && is_unmounted(&path, &self.forgotten) {
            return Some(Refusal::Vanished(path));
        }
        Some(Refusal::Write(path))
    }
}

/// Whether a path lies on the forgotten file system itself, not on one mounted inside it.
fn is_unmounted(path: &Path, forgotten: &[PathBuf]) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).ok().map(|found| found.dev());
    let holder = path.ancestors().skip(1).find_map(device);
    forgotten
        .iter()
        .any(|place| path.starts_with(place) && device(place) == holder)
}

/// The directory, the name and whether it is made, of a call that changes files.
fn target(notification: &Notification) -> Option<(i32, u64, bool)> {
    let [first, second, third, ..] = notification.arguments;
    // Descriptors are the low half of their register, signed.
    let descriptor = |value: u64| i32::from_ne_bytes((value as u32).to_ne_bytes());
    let creates = |flags: u64| flags & (libc::O_CREAT.unsigned_abs() as u64) != 0;
    let call = notification.call;
    if call == libc::SYS_openat {
        return Some((descriptor(first), second, creates(third)));
    }
    if call == libc::SYS_mkdirat {
        return Some((descriptor(first), second, true));
    }
    if call == libc::SYS_unlinkat || call == libc::SYS_renameat2 {
        return Some((descriptor(first), second, false));
    }
    #[cfg(target_arch = "x86_64")]
    {
        if call == libc::SYS_renameat {
            return Some((descriptor(first), second, false));
        }
        if call == libc::SYS_open {
            return Some((libc::AT_FDCWD, first, creates(second)));
        }
        if call == libc::SYS_creat || call == libc::SYS_mkdir {
            return Some((libc::AT_FDCWD, first, true));
        }
        let legacy = [
            libc::SYS_unlink,
            libc::SYS_rmdir,
            libc::SYS_rename,
            libc::SYS_truncate,
        ];
        if legacy.contains(&call) {
            return Some((libc::AT_FDCWD, first, false));
        }
    }
    None
}

/// A connection that leaves this machine, or that nobody here answers: outside somebody may.
pub(crate) fn refused_connection(
    notification: &Notification,
    is_served: impl Fn(u16) -> bool,
) -> Option<Refusal> {
    let [_, at, length, ..] = notification.arguments;
    match caller::address(notification.thread, at, length)? {
        Address::Internet(address) if is_distant(&address) => {
            Some(Refusal::Network(address.to_string()))
        }
        Address::Internet(address) if is_loopback(&address) && !is_served(address.port()) => {
            Some(Refusal::Network(address.to_string()))
        }
        Address::Internet(_) | Address::Path(_) | Address::Other => None,
    }
}

/// Port 0 is how a resolver asks which way a packet would take; port 53 asks for a name.
fn is_distant(address: &std::net::SocketAddr) -> bool {
    !is_loopback(address) && address.port() != 0
}

/// This machine, in either family or one written as the other.
pub(crate) fn is_loopback(address: &std::net::SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback() || address.ip().to_canonical().is_unspecified()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_could_have_succeeded_is_told() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        for directory in ["app/.git", "other"] {
            fs::create_dir_all(top.join(directory)).unwrap();
        }
        let bounds = Bounds {
            writable: vec![top.join("app")],
            kept: vec![top.join("app/.git")],
            forgotten: vec![],
        };
        let check = |path: &str, creates: bool, told: bool| {
            let path = top.join(path);
            let expected = told.then(|| Refusal::Write(path.clone()));
            assert_eq!(bounds.judge(path, creates), expected);
        };
        check("app/new", true, false);
        check("app/.git/hooks", true, true);
        check("other/new", true, true);
        check("other/new", false, false);
        check("other", false, true);
        check("gone/new", true, false);
    }

    #[test]
    fn loopback_is_known_in_every_form() {
        let check = |address: &str, expected: bool| {
            assert_eq!(
                is_loopback(&address.parse().unwrap()),
                expected,
                "{address}"
            );
        };
        check("127.0.0.1:1", true);
        check("127.9.9.9:1", true);
        check("0.0.0.0:1", true);
        check("[::1]:1", true);
        check("[::ffff:127.0.0.1]:1", true);
        check("[::ffff:10.0.0.1]:1", false);
        check("10.0.0.1:1", false);
        check("[fe80::1]:1", false);
    }
}
