//! A proxy that names what it refuses.
//!
//! It stands outside, where the decision cannot be touched. A listed host is reached at
//! port 443 only, at a public address only; everything else is answered with a refusal
//! that a person can read, and noted.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use crate::refusal::{Refusal, Report};
use crate::watch::{RefusalNotes, is_loopback, note};

/// What the first line of a report from inside begins with, and of the news that it runs.
pub(crate) const REPORT: &str = "REPORT ";
pub(crate) const STARTED: &str = "STARTED";
/// And of a connection to a port of this machine.
pub(crate) const LOOPBACK: &str = "LOOPBACK ";

const DIAL: Duration = Duration::from_secs(10);
const LONGEST_LINE: u64 = 64 * 1024;

/// Which hosts answer, and the proxy that the person uses to reach them.
#[derive(Debug, Clone)]
pub(crate) struct Proxy {
    pub(crate) hosts: Vec<String>,
    /// Ports of this machine that may be reached.
    pub(crate) loopback: Vec<u16>,
    pub(crate) upstream: Option<String>,
    pub(crate) notes: RefusalNotes,
    pub(crate) started: Arc<AtomicBool>,
}

/// A connection that can be used from two threads.
pub(crate) trait Duplex: Read + Write + Send + Sized + 'static {
    fn twin(&self) -> io::Result<Self>;
    fn end(&self);
}

impl Duplex for TcpStream {
    fn twin(&self) -> io::Result<Self> {
        self.try_clone()
    }
    fn end(&self) {
        let _ = self.shutdown(Shutdown::Write);
    }
}

impl Duplex for UnixStream {
    fn twin(&self) -> io::Result<Self> {
        self.try_clone()
    }
    fn end(&self) {
        let _ = self.shutdown(Shutdown::Write);
    }
}

impl Proxy {
    /// Answers at a socket until the process ends.
    pub(crate) fn serve_socket(self, listener: UnixListener) {
        let proxy = Arc::new(self);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let proxy = Arc::clone(&proxy);
                thread::spawn(move || proxy.answer(stream));
            }
        });
    }

    /// Answers at a port of this machine until the process ends.
    pub(crate) fn serve_port(self, listener: TcpListener) {
        let proxy = Arc::new(self);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let proxy = Arc::clone(&proxy);
                thread::spawn(move || proxy.answer(stream));
            }
        });
    }

    fn answer(&self, mut stream: impl Duplex) {
        let Ok(reading) = stream.twin() else {
            return;
        };
        let mut reader = BufReader::new(reading);
        let Some(line) = read_line(&mut reader) else {
            return;
        };
        if let Some(report) = line.strip_prefix(REPORT) {
            self.take(report);
            let _ = stream.write_all(b"ok\n");
            return;
        }
        if line.starts_with(STARTED) {
            self.started.store(true, Ordering::SeqCst);
            let _ = stream.write_all(b"ok\n");
            return;
        }
        if let Some(port) = line.strip_prefix(LOOPBACK) {
            if let Some(service) = port.trim().parse().ok().and_then(|port| self.service(port))
                && stream.write_all(b"ok\n").is_ok()
            {
                join(stream, service);
            }
            return;
        }
        let Some((method, host, port)) = wanted(&line) else {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
            return;
        };
        while read_line(&mut reader).is_some_and(|header| !header.trim_end().is_empty()) {}
        let listed = self
            .hosts
            .iter()
            .any(|known| known.eq_ignore_ascii_case(&host));
        let distant = if listed && port == 443 && method == "CONNECT" {
            self.dial(&host).ok()
        } else {
            None
        };
        match distant {
            Some(distant) => {
                if stream
                    .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    .is_ok()
                {
                    join(stream, distant);
                }
            }
            None => {
                note(&self.notes, Refusal::Network(format!("{host}:{port}")));
                let _ = stream.write_all(refusal(&host, port).as_bytes());
            }
        }
    }

    fn take(&self, report: &str) {
        let Ok(report) = serde_json::from_str::<Report>(report) else {
            return;
        };
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        for refusal in report.refusals {
            // Only what would have answered outside was refused.
            let answers = match &refusal {
                Refusal::Network(host) => host
                    .parse::<SocketAddr>()
                    .is_ok_and(|address| !is_loopback(&address) || is_served(address.port())),
                Refusal::Write(_) | Refusal::Vanished(_) | Refusal::Hidden(_) => true,
            };
            if answers {
                notes.note(refusal);
            }
        }
    }

    /// A service of this machine that the person opened.
    fn service(&self, port: u16) -> Option<TcpStream> {
        if !self.loopback.contains(&port) {
            return None;
        }
        let places = [
            IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
            IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
        ];
        places
            .into_iter()
            .find_map(|place| TcpStream::connect_timeout(&SocketAddr::new(place, port), DIAL).ok())
    }

    fn dial(&self, host: &str) -> io::Result<TcpStream> {
        if let Some(upstream) = &self.upstream {
            return tunnel(upstream, host);
        }
        let public: Vec<SocketAddr> = (host, 443)
            .to_socket_addrs()?
            .filter(|address| is_public(address.ip()))
            .collect();
        for address in public {
            if let Ok(stream) = TcpStream::connect_timeout(&address, DIAL) {
                return Ok(stream);
            }
        }
        Err(io::Error::other("no public address answers"))
    }
}

/// Whether somebody listens at a port, where this process stands.
pub(crate) fn is_served(port: u16) -> bool {
    const LISTENING: &str = "0A";
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().any(|table| {
        let table = std::fs::read_to_string(table).unwrap_or_default();
        table.lines().skip(1).any(|line| {
            let mut fields = line.split_ascii_whitespace().skip(1);
            let own = fields.next().and_then(|own| own.rsplit_once(':'));
            let number = own.and_then(|(_, number)| u16::from_str_radix(number, 16).ok());
            number == Some(port) && fields.nth(1) == Some(LISTENING)
        })
    })
}

/// Copies both ways until both ends are done.
pub(crate) fn join(first: impl Duplex, second: impl Duplex) {
    let (Ok(mut from), Ok(mut to)) = (first.twin(), second.twin()) else {
        return;
    };
    let there = thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        to.end();
    });
    let (mut from, mut to) = (second, first);
    let _ = io::copy(&mut from, &mut to);
    to.end();
    let _ = there.join();
}

/// A way through the person's own proxy.
fn tunnel(upstream: &str, host: &str) -> io::Result<TcpStream> {
    let address = upstream
        .strip_prefix("http://")
        .unwrap_or(upstream)
        .trim_end_matches('/');
    let address = address
        .rsplit_once('@')
        .map_or(address, |(_, address)| address);
    let address = address
        .to_socket_addrs()?
        .next()
        .ok_or_else(|| io::Error::other("the proxy has no address"))?;
    let mut stream = TcpStream::connect_timeout(&address, DIAL)?;
    write!(
        stream,
        "CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n"
    )?;
    // Byte by byte: what follows the header belongs to the connection.
    let mut header = Vec::new();
    let mut byte = [0_u8; 1];
    while !header.ends_with(b"\r\n\r\n") && header.len() < 16 * 1024 {
        stream.read_exact(&mut byte)?;
        header.extend(byte);
    }
    let accepted = header.starts_with(b"HTTP/1.1 200") || header.starts_with(b"HTTP/1.0 200");
    if accepted {
        Ok(stream)
    } else {
        Err(io::Error::other("the proxy refused"))
    }
}

fn read_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    reader
        .take(LONGEST_LINE)
        .read_line(&mut line)
        .ok()
        .filter(|count| *count > 0)?;
    Some(line)
}

/// The method, host and port of a request to a proxy.
fn wanted(line: &str) -> Option<(String, String, u16)> {
    let mut words = line.split_ascii_whitespace();
    let (method, target) = (words.next()?, words.next()?);
    let (rest, usual) = match target.split_once("://") {
        Some(("https", rest)) => (rest, 443),
        Some((_, rest)) => (rest, 80),
        None => (target, 443),
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let authority = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
        Some(_) | None => (authority, usual),
    };
    (!host.is_empty()).then(|| (method.to_owned(), host.to_owned(), port))
}

fn refusal(host: &str, port: u16) -> String {
    let body = format!("automode: confined: network to {host}:{port} refused\n");
    format!(
        "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A name of a list must not lead to this machine or its neighbours.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [first, second, third, _] = address.octets();
            !(address.is_loopback()
                || address.is_private()
                || address.is_link_local()
                || address.is_unspecified()
                || address.is_broadcast()
                || address.is_multicast()
                || address.is_documentation()
                || first == 0
                || first >= 240
                || (first == 100 && (64..128).contains(&second))
                || (first == 192 && second == 0 && third == 0)
                || (first == 198 && (18..20).contains(&second)))
        }
        IpAddr::V6(address) => {
            let [first, second, ..] = address.segments();
            // Forms that carry an older address, which may be anybody's.
            let carries = (first == 0x64 && second == 0xff9b)
                || first == 0x2002
                || (first == 0x2001 && second == 0)
                || (first == 0 && second == 0);
            !(carries
                || first == 0xfec0
                || address.is_loopback()
                || address.is_unspecified()
                || address.is_multicast()
                || address.is_unique_local()
                || address.is_unicast_link_local())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let check = |line: &str, expected: Option<(&str, &str, u16)>| {
            let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c));
            assert_eq!(wanted(line), expected, "{line}");
        };
        check(
            "CONNECT a.example:443 HTTP/1.1",
            Some(("CONNECT", "a.example", 443)),
        );
        check(
            "GET http://a.example/x HTTP/1.1",
            Some(("GET", "a.example", 80)),
        );
        check(
            "GET http://u:p@a.example:8080/x HTTP/1.1",
            Some(("GET", "a.example", 8080)),
        );
        check("CONNECT [::1]:22 HTTP/1.1", Some(("CONNECT", "[::1]", 22)));
        check("nonsense", None);
        check("GET http:///x HTTP/1.1", None);
    }

    #[test]
    fn neighbours_are_not_public() {
        let check = |address: &str, expected: bool| {
            assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
        };
        check("8.8.8.8", true);
        check("127.0.0.1", false);
        check("10.1.2.3", false);
        check("169.254.169.254", false);
        check("100.64.0.1", false);
        check("::1", false);
        check("::ffff:10.0.0.1", false);
        check("fd00::1", false);
        check("64:ff9b::a00:1", false);
        check("2002:a00:1::1", false);
        check("::10.0.0.1", false);
        check("0.1.2.3", false);
        check("198.18.0.1", false);
        check("255.255.255.255", false);
        check("2606:4700::1", true);
        check("fe80::1", false);
    }

    #[test]
    fn an_unlisted_host_is_refused_and_noted() {
        let notes = RefusalNotes::default();
        let proxy = Proxy {
            hosts: vec![],
            loopback: vec![],
            upstream: None,
            notes: Arc::clone(&notes),
            started: Arc::default(),
        };
        let (mut mine, theirs) = UnixStream::pair().unwrap();
        mine.write_all(b"CONNECT registry.example:443 HTTP/1.1\r\n\r\n")
            .unwrap();
        let answering = thread::spawn(move || proxy.answer(theirs));
        let mut answer = String::new();
        mine.read_to_string(&mut answer).unwrap();
        answering.join().unwrap();
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
        assert_eq!(
            notes.lock().unwrap().refusals,
            [Refusal::Network("registry.example:443".into())]
        );
    }

    /// The person's own proxy, which lets everything through.
    fn upstream() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let asked = read_line(&mut reader).unwrap();
                while read_line(&mut reader).is_some_and(|line| !line.trim_end().is_empty()) {}
                let _ = write!(stream, "HTTP/1.1 200 OK\r\n\r\nreached by {asked}");
            }
        });
        format!("http://{address}")
    }

    #[test]
    fn a_listed_host_is_reached_at_its_port_alone() {
        let upstream = upstream();
        let check = |request: &str, reached: bool| {
            let notes = RefusalNotes::default();
            let proxy = Proxy {
                hosts: vec!["registry.example".into()],
                loopback: vec![],
                upstream: Some(upstream.clone()),
                notes: Arc::clone(&notes),
                started: Arc::default(),
            };
            let (mut mine, theirs) = UnixStream::pair().unwrap();
            write!(mine, "{request} HTTP/1.1\r\n\r\n").unwrap();
            mine.shutdown(Shutdown::Write).unwrap();
            let answering = thread::spawn(move || proxy.answer(theirs));
            let mut answer = String::new();
            mine.read_to_string(&mut answer).unwrap();
            answering.join().unwrap();
            let through = answer.contains("reached by CONNECT registry.example:443");
            assert_eq!(through, reached, "{request}: {answer}");
            assert_eq!(
                notes.lock().unwrap().refusals.is_empty(),
                reached,
                "{request}"
            );
        };
        check("CONNECT registry.example:443", true);
        check("CONNECT registry.example:80", false);
        check("CONNECT registry.example:22", false);
        check("CONNECT registry.example.evil.example:443", false);
        check("CONNECT evil.example:443", false);
        check("CONNECT registry.example@evil.example:443", false);
        check("CONNECT 127.0.0.1:443", false);
        check("GET http://registry.example/", false);
        check("GET https://registry.example/", false);
    }
}
