//! One request in, one answer out, then the connection closes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::Sent;

pub(super) struct ModelRequest {
    pub path: String,
    pub body: Value,
}

pub(super) fn read(stream: &mut TcpStream) -> Option<ModelRequest> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split_whitespace().nth(1)?.to_owned();
    let (mut length, mut chunked) = (0_u64, false);
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let lower = line.trim().to_ascii_lowercase();
        match lower.split_once(':') {
            None if lower.is_empty() => break,
            Some(("content-length", value)) => length = value.trim().parse().ok()?,
            Some(("transfer-encoding", value)) => chunked = value.trim() == "chunked",
            Some(_) | None => {}
        }
    }
    let bytes = if chunked {
        chunks(&mut reader)?
    } else {
        exactly(&mut reader, length)?
    };
    Some(ModelRequest {
        path,
        body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
    })
}

fn exactly(reader: &mut impl Read, length: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn chunks(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let length = u64::from_str_radix(line.trim(), 16).ok()?;
        bytes.extend(exactly(reader, length)?);
        line.clear();
        reader.read_line(&mut line).ok()?;
        if length == 0 {
            return Some(bytes);
        }
    }
}

pub(super) fn write(stream: &mut TcpStream, sent: &Sent) -> io::Result<()> {
    match sent {
        Sent::Json(value) => {
            let text = value.to_string();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{text}",
                text.len()
            )?;
        }
        Sent::Events(events) => {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\nconnection: close\r\n\r\n"
            )?;
            for (name, data) in events {
                if let Some(name) = name {
                    writeln!(stream, "event: {name}")?;
                }
                match data {
                    Value::String(text) => write!(stream, "data: {text}\n\n")?,
                    data => write!(stream, "data: {data}\n\n")?,
                }
            }
        }
    }
    stream.flush()
}
