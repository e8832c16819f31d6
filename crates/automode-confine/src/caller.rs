//! What a waiting system call names: read from the caller's memory.
//!
//! The caller, or another of its threads, may change it right after. So it serves reports,
//! and copies that are used instead of the original; never a check of what the kernel
//! will read again.

use std::fs::{self, File};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};

use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

/// An address as a caller passes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    Internet(SocketAddr),
    /// A socket that is a file.
    Path(PathBuf),
    /// A socket with a name of its own, or a family we do not know.
    Other,
}

const LONGEST_PATH: usize = 4096;

/// The text at an address, up to its end.
pub(crate) fn text(thread: u32, address: u64) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let memory = File::open(format!("/proc/{thread}/mem")).ok()?;
    let mut bytes: Vec<u8> = Vec::new();
    // By pages: the text may end right before one that cannot be read.
    while bytes.len() < LONGEST_PATH {
        let at = address.checked_add(bytes.len() as u64)?;
        let mut page = vec![0_u8; usize::try_from(4096 - at % 4096).ok()?];
        let count = memory
            .read_at(&mut page, at)
            .ok()
            .filter(|count| *count > 0)?;
        page.truncate(count);
        if let Some(end) = page.iter().position(|byte| *byte == 0) {
            page.truncate(end);
            bytes.extend(page);
            return Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)));
        }
        bytes.extend(page);
    }
    None
}

/// The address of a socket.
pub(crate) fn address(thread: u32, at: u64, length: u64) -> Option<Address> {
    let length = usize::try_from(length).ok()?.min(128);
    let mut bytes = vec![0_u8; length];
    let memory = File::open(format!("/proc/{thread}/mem")).ok()?;
    memory.read_exact_at(&mut bytes, at).ok()?;
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Option<Address> {
    use std::os::unix::ffi::OsStrExt;
    let family = i32::from(u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?));
    if family == libc::AF_UNIX {
        let name = bytes.get(2..)?;
        let end = name
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(name.len());
        return Some(match name.get(..end) {
            Some(path) if !path.is_empty() => {
                Address::Path(PathBuf::from(std::ffi::OsStr::from_bytes(path)))
            }
            Some(_) | None => Address::Other,
        });
    }
    let port = || Some(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?));
    if family == libc::AF_INET {
        let octets: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
        let host = IpAddr::V4(Ipv4Addr::from(octets));
        return Some(Address::Internet(SocketAddr::new(host, port()?)));
    }
    if family == libc::AF_INET6 {
        let octets: [u8; 16] = bytes.get(8..24)?.try_into().ok()?;
        let host = IpAddr::V6(Ipv6Addr::from(octets));
        return Some(Address::Internet(SocketAddr::new(host, port()?)));
    }
    Some(Address::Other)
}

/// The caller's own open file, shared.
pub(crate) fn descriptor(thread: u32, number: i32) -> io::Result<OwnedFd> {
    let status = fs::read_to_string(format!("/proc/{thread}/status"))?;
    let process = status
        .lines()
        .find_map(|line| line.strip_prefix("Tgid:"))
        .and_then(|text| text.trim().parse().ok())
        .and_then(Pid::from_raw)
        .ok_or_else(|| io::Error::other("no such process"))?;
    let process = pidfd_open(process, PidfdFlags::empty())?;
    Ok(pidfd_getfd(&process, number, PidfdGetfdFlags::empty())?)
}

/// Where the caller's open file lies.
pub(crate) fn place_of(thread: u32, number: i32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{thread}/fd/{number}")).ok()
}

/// A path as the caller means it: relative to a descriptor, or to where it stands.
pub(crate) fn absolute(thread: u32, directory: i32, path: &Path) -> Option<PathBuf> {
    if path.is_absolute() {
        let plain = lexical(path);
        // The caller's own directory there, not ours.
        for own in ["/proc/self", "/proc/thread-self"] {
            if let Ok(rest) = plain.strip_prefix(own) {
                return Some(Path::new("/proc").join(thread.to_string()).join(rest));
            }
        }
        return Some(plain);
    }
    let base = if directory == libc::AT_FDCWD {
        fs::read_link(format!("/proc/{thread}/cwd")).ok()?
    } else {
        place_of(thread, directory)?
    };
    Some(lexical(&base.join(path)))
}

/// Without `.` and `..`, by the letters alone.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let mut bytes = vec![0_u8; 16];
        bytes[..2].copy_from_slice(&2_u16.to_ne_bytes());
        bytes[2..4].copy_from_slice(&443_u16.to_be_bytes());
        bytes[4..8].copy_from_slice(&[203, 0, 113, 7]);
        let expected = Address::Internet("203.0.113.7:443".parse().unwrap());
        assert_eq!(parse(&bytes), Some(expected));
        let mut bytes = 1_u16.to_ne_bytes().to_vec();
        bytes.extend(b"/run/docker.sock\0rest");
        assert_eq!(
            parse(&bytes),
            Some(Address::Path("/run/docker.sock".into()))
        );
        let mut bytes = 1_u16.to_ne_bytes().to_vec();
        bytes.extend(b"\0abstract");
        assert_eq!(parse(&bytes), Some(Address::Other));
        assert_eq!(parse(&[2]), None);
    }

    #[test]
    fn own_memory_is_read() {
        let word = c"hello";
        let thread = rustix::thread::gettid().as_raw_nonzero().get();
        let found = text(thread.unsigned_abs(), word.as_ptr() as u64);
        assert_eq!(found, Some(PathBuf::from("hello")));
    }
}
