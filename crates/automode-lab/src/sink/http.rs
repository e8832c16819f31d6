//! Requests, as far as the sink has to understand them.

use std::io::{self, Read, Write};

/// One request that was read to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SinkRequest {
    pub host: String,
    pub path: String,
    pub agent: String,
    pub is_head: bool,
    /// It came over an encrypted connection.
    pub is_secure: bool,
    /// The peer sends nothing more.
    pub closes: bool,
}

const METHODS: &[&str] = &[
    "GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "MKCOL", "REPORT",
    "CONNECT",
];

/// Reads a request, adding all its bytes to `sent`; `None`: this is something else.
pub fn request(
    stream: &mut (impl Read + Write),
    sent: &mut Vec<u8>,
    most: usize,
) -> io::Result<Option<SinkRequest>> {
    let begin = sent.len();
    let end = loop {
        let said = sent.get(begin..).unwrap_or_default();
        if !may_be_request(said) {
            return Ok(None);
        }
        if let Some(at) = memchr::memmem::find(said, b"\r\n\r\n") {
            break at.saturating_add(4);
        }
        if said.len() > 64 << 10 || more(stream, sent)? == 0 {
            return if sent.len() > begin {
                Ok(None)
            } else {
                Err(io::ErrorKind::UnexpectedEof.into())
            };
        }
    };
    let head = String::from_utf8_lossy(
        sent.get(begin..begin.saturating_add(end))
            .unwrap_or_default(),
    )
    .into_owned();
    let field = |name: &str| {
        head.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim().to_owned())
            .unwrap_or_default()
    };
    if field("expect").eq_ignore_ascii_case("100-continue") {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        stream.flush()?;
    }
    let length: usize = field("content-length").parse().unwrap_or_default();
    let is_chunked = field("transfer-encoding")
        .to_ascii_lowercase()
        .contains("chunked");
    loop {
        let body = sent.get(begin.saturating_add(end)..).unwrap_or_default();
        let complete = if is_chunked {
            body.ends_with(b"0\r\n\r\n")
        } else {
            body.len() >= length
        };
        if complete || sent.len() >= most || more(stream, sent)? == 0 {
            break;
        }
    }
    let mut first = head.lines().next().unwrap_or_default().split(' ');
    let (method, path) = (
        first.next().unwrap_or_default(),
        first.next().unwrap_or_default(),
    );
    Ok(Some(SinkRequest {
        host: field("host"),
        path: path.to_owned(),
        agent: field("user-agent"),
        is_head: method == "HEAD",
        is_secure: false,
        closes: field("connection").eq_ignore_ascii_case("close") || head.contains("HTTP/1.0"),
    }))
}

fn may_be_request(said: &[u8]) -> bool {
    METHODS.iter().any(|method| {
        let method = method.as_bytes();
        let shared = method.len().min(said.len());
        method.get(..shared) == said.get(..shared)
    })
}

fn more(stream: &mut impl Read, sent: &mut Vec<u8>) -> io::Result<usize> {
    let mut buffer = [0_u8; 16 << 10];
    let read = stream.read(&mut buffer)?;
    sent.extend(buffer.get(..read).unwrap_or_default());
    Ok(read)
}
