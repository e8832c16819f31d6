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
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use crate::caller::{self, Address};
use crate::landlocked::descendants;
use crate::metadata;
use crate::refusal::Refusal;
use crate::seccomp::{Listener, Notification, Reply};
use crate::watch::{Bounds, Notes, is_loopback, note};

/// What may be reached, and where it is written down.
pub(crate) struct Supervisor {
    /// Ports of this machine that were listed.
    pub(crate) ports: BTreeSet<u16>,
    /// Trees whose files and sockets belong to the command.
    pub(crate) sockets: Vec<PathBuf>,
    pub(crate) bounds: Bounds,
    pub(crate) notes: Notes,
}

impl Supervisor {
    /// Answers until no caller is left.
    pub(crate) fn serve(self, listener: Arc<Listener>) {
        let supervisor = Arc::new(self);
        loop {
            let notification = match listener.receive() {
                Ok(notification) => notification,
                Err(error) if matches!(error.raw_os_error(), Some(libc::EINTR | libc::ENOENT)) => {
                    continue;
                }
                Err(_) => return,
            };
            if metadata::is_change(&notification) {
                let reply = metadata::decide(&listener, &notification, &supervisor.sockets);
                if reply == Reply::Fail(libc::EACCES)
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
                let _ = listener.reply(&notification, Reply::GoOn);
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

    fn decide(&self, listener: &Listener, notification: &Notification) -> Reply {
        let Ok(socket) = socket_of(notification) else {
            return Reply::Fail(libc::EACCES);
        };
        if notification.call == libc::SYS_listen {
            return listen(&socket, notification);
        }
        let [_, at, length, ..] = notification.arguments;
        let address = caller::address(notification.thread, at, length);
        // Only now is it sure that this memory and socket were the caller's.
        if !listener.still_waits(notification) {
            return Reply::Fail(libc::EACCES);
        }
        let Some(address) = address else {
            return Reply::Fail(libc::EACCES);
        };
        if notification.call == libc::SYS_bind {
            return bind(&socket, &address);
        }
        self.connect(&socket, &address, notification)
    }

    fn connect(&self, socket: &OwnedFd, address: &Address, notification: &Notification) -> Reply {
        match address {
            Address::Internet(address) if is_loopback(address) && self.is_open(address.port()) => {
                answer(rustix::net::connect(socket, address))
            }
            Address::Internet(address) => {
                if address.port() != 0 {
                    note(&self.notes, Refusal::Network(address.to_string()));
                }
                Reply::Fail(libc::EACCES)
            }
            Address::Path(path) => self.connect_path(socket, path, notification),
            Address::Other => Reply::Fail(libc::EACCES),
        }
    }

    /// The socket is opened first and then checked by where it was found.
    fn connect_path(&self, socket: &OwnedFd, path: &Path, notification: &Notification) -> Reply {
        let Some(path) = caller::absolute(notification.thread, libc::AT_FDCWD, path) else {
            return Reply::Fail(libc::EACCES);
        };
        let Ok(found) = openat(CWD, &path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) else {
            return Reply::Fail(libc::ENOENT);
        };
        let link = format!("/proc/self/fd/{}", found.as_raw_fd());
        let own = fs::read_link(&link)
            .is_ok_and(|real| self.sockets.iter().any(|place| real.starts_with(place)));
        match SocketAddrUnix::new(link) {
            Ok(address) if own => answer(rustix::net::connect(socket, &address)),
            Ok(_) | Err(_) => Reply::Fail(libc::EACCES),
        }
    }

    /// Whether a port is listed, or a process of this run listens on it.
    fn is_open(&self, port: u16) -> bool {
        self.ports.contains(&port) || listens_inside(port).unwrap_or(false)
    }
}

/// Servers are for this run alone: an address that others could reach becomes loopback.
fn bind(socket: &OwnedFd, address: &Address) -> Reply {
    let address = match address {
        Address::Internet(address) => *address,
        // The kernel goes on; path rules decide on files, and its own on names. Should the
        // descriptor be another socket by then, path rules also refuse every port.
        Address::Path(_) | Address::Other => return Reply::GoOn,
    };
    let family = rustix::net::sockopt::socket_domain(socket).ok();
    let host = match address.ip().to_canonical() {
        ip if ip.is_loopback() => address.ip(),
        ip if !ip.is_unspecified() => return Reply::Fail(libc::EACCES),
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
            return Reply::Done;
        }
    }
    answer(first)
}

/// A socket without an address would listen on all of them.
fn listen(socket: &OwnedFd, notification: &Notification) -> Reply {
    let [_, backlog, ..] = notification.arguments;
    let family = rustix::net::sockopt::socket_domain(socket).ok();
    if family == Some(AddressFamily::INET) || family == Some(AddressFamily::INET6) {
        let bound = rustix::net::getsockname(socket)
            .ok()
            .and_then(|name| SocketAddr::try_from(name).ok());
        if !bound.is_some_and(|address| address.ip().to_canonical().is_loopback()) {
            return Reply::Fail(libc::EACCES);
        }
    }
    answer(rustix::net::listen(
        socket,
        i32::try_from(backlog).unwrap_or(128),
    ))
}

fn answer(result: rustix::io::Result<()>) -> Reply {
    match result {
        Ok(()) => Reply::Done,
        Err(error) => Reply::Fail(error.raw_os_error()),
    }
}

/// The caller's socket, shared: what is done to it here is done to the caller's.
fn socket_of(notification: &Notification) -> io::Result<OwnedFd> {
    let [descriptor, ..] = notification.arguments;
    let status = fs::read_to_string(format!("/proc/{}/status", notification.thread))?;
    let process = status
        .lines()
        .find_map(|line| line.strip_prefix("Tgid:"))
        .and_then(|text| text.trim().parse().ok())
        .and_then(Pid::from_raw)
        .ok_or_else(|| io::Error::other("no such process"))?;
    let process = pidfd_open(process, PidfdFlags::empty())?;
    let descriptor = i32::try_from(descriptor).map_err(io::Error::other)?;
    Ok(pidfd_getfd(&process, descriptor, PidfdGetfdFlags::empty())?)
}

/// Whether one of our own holds a listening socket with this port.
fn listens_inside(port: u16) -> io::Result<bool> {
    let mut sockets: Vec<String> = Vec::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let Ok(text) = fs::read_to_string(table) else {
            continue;
        };
        sockets.extend(text.lines().filter_map(|line| listening(line, port)));
    }
    for process in descendants() {
        let directory = format!("/proc/{}/fd", process.as_raw_nonzero());
        let Ok(entries) = fs::read_dir(directory) else {
            continue;
        };
        let holds = entries
            .flatten()
            .filter_map(|entry| fs::read_link(entry.path()).ok())
            .any(|to| sockets.iter().any(|socket| to == Path::new(socket)));
        if holds {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The socket of a line of the kernel's table, if it listens on the port.
fn listening(line: &str, port: u16) -> Option<String> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let (local, _, state) = (fields.next()?, fields.next()?, fields.next()?);
    let (_, found) = local.rsplit_once(':')?;
    let number = fields.nth(5)?;
    (state == "0A" && u16::from_str_radix(found, 16).ok()? == port)
        .then(|| format!("socket:[{number}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listening_sockets_are_found_in_the_kernels_table() {
        let line = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 12345 1 0";
        assert_eq!(listening(line, 8080), Some("socket:[12345]".to_owned()));
        assert_eq!(listening(line, 8081), None);
        assert_eq!(listening(&line.replace(" 0A ", " 01 "), 8080), None);
    }
}
