//! A machine of its own for a door: a home, a project, and doubles of the other side.

use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_automode");
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Bench {
    pub root: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["home", "shop"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        Self { root }
    }

    pub fn path(&self, name: &str) -> String {
        self.root.path().join(name).to_str().unwrap().to_owned()
    }

    /// The person's settings.
    pub fn configure(&self, text: &str) {
        let folder = self.root.path().join("home/.config/automode");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), text).unwrap();
    }

    /// A script beside the project, and its path.
    pub fn script(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// What a double wrote down; empty where it wrote nothing.
    pub fn noted(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub fn door(&self, arguments: &[&str]) -> Door {
        let mut child = Command::new(PROGRAM)
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("AUTOMODE_STATE_DIR", self.path("state"))
            .current_dir(self.root.path().join("shop"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (said, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.split(b'\n').map_while(Result::ok) {
                if said
                    .send(String::from_utf8_lossy(&line).into_owned())
                    .is_err()
                {
                    return;
                }
            }
        });
        Door {
            stdin: child.stdin.take(),
            child,
            lines,
        }
    }

    /// A door that listens, and its port.
    pub fn listening(&self, arguments: &[&str]) -> (Door, u16) {
        let door = self.door(arguments);
        let line = door.line().unwrap();
        let address = line.rsplit("http://").next().unwrap();
        let port = address.rsplit(':').next().unwrap();
        let port = port.trim_end_matches("/mcp").parse().unwrap();
        (door, port)
    }
}

/// A door that runs.
pub struct Door {
    pub child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Door {
    pub fn say(&mut self, message: &Value) {
        self.say_raw(&format!("{message}\n"));
    }

    pub fn say_raw(&mut self, text: &str) {
        // A door that has ended hears nothing.
        let _ = self.stdin.as_mut().unwrap().write_all(text.as_bytes());
    }

    /// What it says next; nothing at its end.
    pub fn line(&self) -> Option<String> {
        self.lines.recv_timeout(PATIENCE).ok()
    }

    /// The next message with this id.
    pub fn answer(&self, id: u64) -> Value {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            let line = self.line().unwrap_or_else(|| panic!("no answer to {id}"));
            if let Ok(message) = serde_json::from_str::<Value>(&line)
                && message["id"] == id
                && message.get("method").is_none()
            {
                return message;
            }
        }
        panic!("no answer to {id} in time");
    }

    /// Whether it says nothing for a while.
    pub fn is_silent(&self) -> bool {
        self.lines
            .recv_timeout(Duration::from_millis(1500))
            .is_err()
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Its exit code once it has ended by itself.
    pub fn ended(&mut self) -> Option<i32> {
        self.stdin.take();
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("it does not end");
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until something holds.
pub fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if holds() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("not in time: {what}");
}

/// A request as a service hears it.
#[derive(Clone, Debug)]
pub struct Heard {
    pub head: String,
    pub body: String,
}

/// A service on loopback that answers each request with raw bytes.
pub struct Service {
    pub port: u16,
    pub heard: Arc<Mutex<Vec<Heard>>>,
}

impl Service {
    pub fn start(answer: impl Fn(&Heard) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (all, answer) = (Arc::clone(&heard), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (all, answer) = (Arc::clone(&all), Arc::clone(&answer));
                thread::spawn(move || {
                    let mut stream = stream;
                    let Some(request) = read_request(&mut stream) else {
                        return;
                    };
                    all.lock().unwrap().push(request.clone());
                    // Who has gone needs no answer.
                    let _ = stream.write_all(answer(&request).as_bytes());
                });
            }
        });
        Self { port, heard }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }
}

/// A whole reply of a kind.
pub fn reply(kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn read_request(stream: &mut TcpStream) -> Option<Heard> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = stream.read(&mut piece).ok()?;
        bytes.extend_from_slice(piece.get(..read)?);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    let (name, value) = line.split_once(':')?;
                    name.eq_ignore_ascii_case("content-length")
                        .then(|| value.trim().parse::<usize>().ok())?
                })
                .unwrap_or(0);
            if body.len() >= length {
                return Some(Heard {
                    head: head.to_owned(),
                    body: body.to_owned(),
                });
            }
        }
        if read == 0 {
            return None;
        }
    }
}

/// One request to a door; its status, headers and body as far as they came.
pub fn request(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, String, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let host = headers.iter().all(|(name, _)| *name != "host");
    let host = if host { "host: 127.0.0.1\r\n" } else { "" };
    let more: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let text = format!(
        "{method} {path} HTTP/1.1\r\n{host}{more}content-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(text.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    // A door that was killed breaks off.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let body = if head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked")
    {
        whole(body)
    } else {
        body.to_owned()
    };
    (status.unwrap_or(0), head.to_owned(), body)
}

/// A body that came in chunks.
fn whole(chunked: &str) -> String {
    let (mut all, mut rest) = (String::new(), chunked);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        all.push_str(after.get(..size).unwrap_or(after));
        rest = after.get(size + 2..).unwrap_or_default();
    }
    all
}
