//! Decides connections where the network is the machine's own.
//!
//! A permitted connection is made here, on the caller's own socket and with a copy of the
//! address. The kernel is never told to go on with a call whose address was only looked at.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::net::{AddressFamily, SocketAddrUnix};

use crate::caller::{self, Address};
use crate::landlocked::descendants;
use crate::metadata;
use crate::refusal::Refusal;
use crate::seccomp::{CallReply, Listener, Notification};
use crate::watch::{Bounds, RefusalNotes, is_loopback, note};

/// What may be reached, and where it is written down.
pub(crate) struct Supervisor {
    /// Ports of this machine that were listed.
    pub(crate) ports: BTreeSet<u16>,
    /// Trees whose files and sockets belong to the command.
    pub(crate) sockets: Vec<PathBuf>,
    pub(crate) bounds: Bounds,
    pub(crate) notes: RefusalNotes,
}

impl Supervisor {
    /// Answers until no caller is left.
    pub(crate) fn serve(self, listener: Arc<Listener>) {
        let supervisor = Arc::new(self);
        while let Some(notification) = listener.next() {
            if metadata::is_change(&notification) {
                let reply = metadata::decide(&listener, &notification, &supervisor.sockets);
                if reply == CallReply::Fail(libc::EACCES)
                    && let Some(path) = metadata::target(&notification)
                {
                    note(&supervisor.notes, Refusal::Write(path));
                }
                let _ = listener.reply(&notification, reply);
                continue;
            }
            if ![libc::SYS_connect, libc::SYS_bind, libc::SYS_listen].contains(&notification.call) {
                if let Some(refusal) = supervisor.bounds.refusal(&notification)
                    && listener.still_waits(&notification)
                {
                    note(&supervisor.notes, refusal);
                }
                let _ = listener.reply(&notification, CallReply::GoOn);
                continue;
            }
            let (supervisor, listener) = (Arc::clone(&supervisor), Arc::clone(&listener));
            // A connection may wait for a server that itself waits for an answer from here.
            thread::spawn(move || {
                let reply = supervisor.decide(&listener, &notification);
                let _ = listener.reply(&notification, reply);
            });
        }
    }

    fn decide(&self, listener: &Listener, notification: &Notification) -> CallReply {
        let Ok(socket) = socket_of(notification) else {
            return CallReply::Fail(libc::EACCES);
        };
        if notification.call == libc::SYS_listen {
            return listen(&socket, notification);
        }
        let [_, at, length, ..] = notification.arguments;
        let address = caller::address(notification.thread, at, length);
        // Only now is it sure that this memory and socket were the caller's.
        if !listener.still_waits(notification) {
            return CallReply::Fail(libc::EACCES);
        }
        let Some(address) = address else {
            return CallReply::Fail(libc::EACCES);
        };
        if notification.call == libc::SYS_bind {
            return bind(&socket, &address);
        }
        self.connect(&socket, &address, notification)
    }

    fn connect(
        &self,
        socket: &OwnedFd,
        address: &Address,
        notification: &Notification,
    ) -> CallReply {
        match address {
            Address::Internet(address) if is_loopback(address) && self.is_open(*address) => {
                answer(rustix::net::connect(socket, address))
            }
            Address::Internet(address) => {
                if address.port() != 0 {
                    note(&self.notes, Refusal::Network(address.to_string()));
                }
                CallReply::Fail(libc::EACCES)
            }
            Address::Path(path) => self.connect_path(socket, path, notification),
            Address::Other => CallReply::Fail(libc::EACCES),
        }
    }

    /// The socket is opened first and then checked by where it was found.
    fn connect_path(
        &self,
        socket: &OwnedFd,
        path: &Path,
        notification: &Notification,
    ) -> CallReply {
        let Some(path) = caller::absolute(notification.thread, libc::AT_FDCWD, path) else {
            return CallReply::Fail(libc::EACCES);
        };
        let Ok(found) = openat(CWD, &path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) else {
            return CallReply::Fail(libc::ENOENT);
        };
        let link = format!("/proc/self/fd/{}", found.as_raw_fd());
        let own = fs::read_link(&link)
            .is_ok_and(|real| self.sockets.iter().any(|place| real.starts_with(place)));
        match SocketAddrUnix::new(link) {
            Ok(address) if own => answer(rustix::net::connect(socket, &address)),
            Ok(_) | Err(_) => CallReply::Fail(libc::EACCES),
        }
    }

    /// Whether a port is listed, or a process of this run listens on it.
    fn is_open(&self, address: SocketAddr) -> bool {
        self.ports.contains(&address.port()) || listens_inside(address)
    }
}

/// Servers are for this run alone: an address that others could reach becomes loopback.
fn bind(socket: &OwnedFd, address: &Address) -> CallReply {
    let address = match address {
        Address::Internet(address) => *address,
        // The kernel goes on; path rules decide on files, and its own on names. Should the
        // descriptor be another socket by then, path rules also refuse every port.
        Address::Path(_) | Address::Other => return CallReply::GoOn,
    };
    let family = rustix::net::sockopt::socket_domain(socket).ok();
    let host = match address.ip().to_canonical() {
        ip if ip.is_loopback() => address.ip(),
        ip if !ip.is_unspecified() => return CallReply::Fail(libc::EACCES),
        _ if family == Some(AddressFamily::INET6) => {
            IpAddr::V6(Ipv4Addr::LOCALHOST.to_ipv6_mapped())
        }
        _ => IpAddr::V4(Ipv4Addr::LOCALHOST),
    };
    let first = rustix::net::bind(socket, &SocketAddr::new(host, address.port()));
    if first.is_err() && family == Some(AddressFamily::INET6) {
        // A socket for the newer family alone has no other loopback.
        let other = SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), address.port());
        if rustix::net::bind(socket, &other).is_ok() {
            return CallReply::Done;
        }
    }
    answer(first)
}

/// A socket without an address would listen on all of them.
fn listen(socket: &OwnedFd, notification: &Notification) -> CallReply {
    let [_, backlog, ..] = notification.arguments;
    let family = rustix::net::sockopt::socket_domain(socket).ok();
    if family == Some(AddressFamily::INET) || family == Some(AddressFamily::INET6) {
        let bound = rustix::net::getsockname(socket)
            .ok()
            .and_then(|name| SocketAddr::try_from(name).ok());
        if !bound.is_some_and(|address| address.ip().to_canonical().is_loopback()) {
            return CallReply::Fail(libc::EACCES);
        }
    }
    answer(rustix::net::listen(
        socket,
        i32::try_from(backlog).unwrap_or(128),
    ))
}

fn answer(result: rustix::io::Result<()>) -> CallReply {
    match result {
        Ok(()) => CallReply::Done,
        Err(error) => CallReply::Fail(error.raw_os_error()),
    }
}

/// The caller's socket, shared: what is done to it here is done to the caller's.
fn socket_of(notification: &Notification) -> io::Result<OwnedFd> {
    let [descriptor, ..] = notification.arguments;
    let number = i32::try_from(descriptor).map_err(io::Error::other)?;
    caller::descriptor(notification.thread, number)
}

/// Whether all that listens at an address belongs to us. A port alone says nothing: another
/// program may have the same one at another address, or share it.
fn listens_inside(address: SocketAddr) -> bool {
    let mut waiting: Vec<String> = Vec::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let Ok(text) = fs::read_to_string(table) else {
            continue;
        };
        waiting.extend(text.lines().filter_map(|line| listening(line, address)));
    }
    if waiting.is_empty() {
        return false;
    }
    for process in descendants() {
        let directory = format!("/proc/{}/fd", process.as_raw_nonzero());
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if let Ok(to) = fs::read_link(entry.path()) {
                waiting.retain(|socket| to != Path::new(socket));
            }
        }
    }
    waiting.is_empty()
}

/// The socket of a line of the kernel's table, if it would be asked at the address.
fn listening(line: &str, address: SocketAddr) -> Option<String> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let (local, _, state) = (fields.next()?, fields.next()?, fields.next()?);
    let (host, port) = local.rsplit_once(':')?;
    let number = fields.nth(5)?;
    let host = host_of(host)?;
    let asked = reached(address.ip());
    let hears = host == asked || host.is_unspecified();
    (state == "0A" && u16::from_str_radix(port, 16).ok()? == address.port() && hears)
        .then(|| format!("socket:[{number}]"))
}

/// The address that an unspecified one leads to.
fn reached(host: IpAddr) -> IpAddr {
    match host.to_canonical() {
        IpAddr::V4(host) if host.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(host) if host.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        other => other,
    }
}

/// The kernel writes addresses as words of this machine's order.
fn host_of(text: &str) -> Option<IpAddr> {
    let word = |at: usize| {
        let digits = text.get(at..at + 8)?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    if text.len() == 8 {
        return Some(IpAddr::V4(Ipv4Addr::from(word(0)?)));
    }
    let mut bytes = [0_u8; 16];
    for (index, part) in bytes.chunks_exact_mut(4).enumerate() {
        part.copy_from_slice(&word(index * 8)?);
    }
    Some(IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listening_sockets_are_found_in_the_kernels_table() {
        let line = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 12345 1 0";
        let check = |line: &str, address: &str, found: bool| {
            let expected = found.then(|| "socket:[12345]".to_owned());
            assert_eq!(
                listening(line, address.parse().unwrap()),
                expected,
                "{address}"
            );
        };
        check(line, "127.0.0.1:8080", true);
        check(line, "0.0.0.0:8080", true);
        check(line, "[::ffff:127.0.0.1]:8080", true);
        check(line, "127.0.0.1:8081", false);
        check(line, "127.0.0.2:8080", false);
        check(line, "[::1]:8080", false);
        check(&line.replace(" 0A ", " 01 "), "127.0.0.1:8080", false);
        let every = line.replace("0100007F", "00000000");
        check(&every, "127.0.0.2:8080", true);
        let newer = line.replace("0100007F", "00000000000000000000000001000000");
        check(&newer, "[::1]:8080", true);
        check(&newer, "127.0.0.1:8080", false);
        let mapped = line.replace("0100007F", "0000000000000000FFFF00000100007F");
        check(&mapped, "127.0.0.1:8080", true);
    }
}
