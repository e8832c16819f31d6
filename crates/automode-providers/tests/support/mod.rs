//! A server on loopback that checks what it is sent and answers as it is told.

pub mod schema;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
    pub raw: String,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// One answer.
#[derive(Clone, Debug)]
pub enum Play {
    Json(u16, Value),
    Headers(u16, Vec<(&'static str, String)>, Value),
    Raw(Vec<u8>),
    /// The bytes of a JSON answer, one at a time with a pause.
    Drip(Value, Duration),
    /// A body of this many bytes, announced or not.
    Huge(usize, bool),
    Silence(Duration),
    Close,
}

pub struct Server {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// Answers the plays in turn, the last one again and again.
    pub fn start(plays: Vec<Play>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&received);
        thread::spawn(move || {
            let mut turn = 0;
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let Some(request) = receive(&stream) else {
                    continue;
                };
                seen.lock().unwrap().push(request);
                let play = plays[turn.min(plays.len() - 1)].clone();
                turn += 1;
                thread::spawn(move || answer(stream, play));
            }
        });
        Self { url, received }
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

fn receive(stream: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_owned(), value.to_owned())),
            None => break,
        }
    }
    let length = headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let raw = String::from_utf8(body).ok()?;
    Some(Received {
        path,
        headers,
        body: serde_json::from_str(&raw).unwrap_or(Value::Null),
        raw,
    })
}

fn head(status: u16, length: usize, headers: &[(&str, String)]) -> String {
    let mut head =
        format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head + "\r\n"
}

/// Whoever asked may be gone: writing fails then, and that is all right.
fn answer(mut stream: TcpStream, play: Play) {
    let json = ("content-type", "application/json".to_owned());
    match play {
        Play::Json(status, value) => answer(stream, Play::Headers(status, vec![json], value)),
        Play::Headers(status, headers, value) => {
            let body = value.to_string();
            let _ = stream.write_all((head(status, body.len(), &headers) + &body).as_bytes());
        }
        Play::Raw(bytes) => {
            let _ = stream.write_all(&bytes);
        }
        Play::Drip(value, pause) => {
            let body = value.to_string();
            let _ = stream.write_all(head(200, body.len(), &[json]).as_bytes());
            for byte in body.bytes() {
                thread::sleep(pause);
                if stream.write_all(&[byte]).is_err() {
                    return;
                }
            }
        }
        Play::Huge(bytes, announced) => {
            let head = if announced {
                head(200, bytes, &[json])
            } else {
                "HTTP/1.1 200 X\r\nconnection: close\r\ncontent-type: application/json\r\n\r\n"
                    .to_owned()
            };
            let _ = stream.write_all(head.as_bytes());
            let chunk = vec![b' '; 65_536];
            for _ in 0..bytes / chunk.len() {
                if stream.write_all(&chunk).is_err() {
                    return;
                }
            }
        }
        Play::Silence(time) => thread::sleep(time),
        Play::Close => {}
    }
}
