//! The first program inside bubblewrap: it starts the command and watches it.
//!
//! It runs with the same rights as the command and is not trusted with a decision: the
//! namespaces refuse by themselves, and the proxy decides outside. What it adds is the
//! filter, the way to the proxy, and the names for the report.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Arc, PoisonError, mpsc};
use std::thread;

use serde::{Deserialize, Serialize};

use crate::environment;
use crate::proxy::{REPORT, STARTED, join};
use crate::seccomp::{self, CallReply, Listener};
use crate::watch::{self, Bounds, RefusalNotes, note};

/// Where the launcher's files stand inside.
pub(crate) const PLACE: &str = "/run/automode";
pub(crate) const ORDER: &str = "order.json";
pub(crate) const SOCKET: &str = "proxy.sock";

/// What is started, and within which bounds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct InsideOrder {
    pub(crate) shell: PathBuf,
    pub(crate) command: String,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) bounds: Bounds,
}

/// The exit code that means: the command was not started.
pub const NOT_STARTED: u8 = 125;

/// Runs the order that lies at the launcher's place; the command's exit code.
#[must_use]
pub(crate) fn inside() -> u8 {
    match start(Path::new(PLACE)) {
        Ok(code) => code,
        Err(reason) => {
            eprintln!("automode: not started: {reason}");
            NOT_STARTED
        }
    }
}

fn start(place: &Path) -> Result<u8, String> {
    let order = std::fs::read(place.join(ORDER)).map_err(|error| format!("no order: {error}"))?;
    let mut order: InsideOrder =
        serde_json::from_slice(&order).map_err(|error| format!("broken order: {error}"))?;
    let refusing = seccomp::compile(&seccomp::refused());
    seccomp::install(&refusing).map_err(|error| format!("no system call filter: {error}"))?;
    let socket = place.join(SOCKET);
    match bridge(socket.clone()) {
        Ok(address) => environment::with_proxy(&mut order.variables, &address),
        Err(error) => return Err(format!("no proxy: {error}")),
    }
    say(&socket, STARTED).map_err(|error| format!("the launcher is gone: {error}"))?;
    let notes = RefusalNotes::default();
    let bounds = order.bounds.clone();
    let status = watched(&notes, bounds, move || {
        Command::new(&order.shell)
            .arg("-c")
            .arg(&order.command)
            .env_clear()
            .envs(&order.variables)
            .status()
    })?;
    tell(&socket, &notes);
    Ok(code_of(status))
}

/// Runs a command in a thread whose calls are reported.
fn watched(
    notes: &RefusalNotes,
    bounds: Bounds,
    run: impl FnOnce() -> std::io::Result<ExitStatus> + Send + 'static,
) -> Result<ExitStatus, String> {
    let (send, receive) = mpsc::channel::<Listener>();
    let mut rules = seccomp::reported_network();
    rules.extend(seccomp::reported_writes());
    let noting = Arc::clone(notes);
    thread::spawn(move || {
        if let Ok(listener) = receive.recv() {
            serve(&listener, &bounds, &noting);
        }
    });
    let running = thread::spawn(move || {
        // Without it the command runs as confined, and less is told about it.
        if let Ok(listener) = seccomp::install_listener(&seccomp::compile(&rules)) {
            let _ = send.send(listener);
        }
        run()
    });
    running
        .join()
        .map_err(|_| "the starting thread died".to_owned())?
        .map_err(|error| format!("the shell did not start: {error}"))
}

fn serve(listener: &Listener, bounds: &Bounds, notes: &RefusalNotes) {
    while let Some(notification) = listener.next() {
        let refusal = if notification.call == libc::SYS_connect {
            watch::distant(&notification)
        } else {
            bounds.refusal(&notification)
        };
        if let Some(refusal) = refusal
            && listener.still_waits(&notification)
        {
            note(notes, refusal);
        }
        let _ = listener.reply(&notification, CallReply::GoOn);
    }
}

/// A port inside that leads to the socket of the proxy outside.
fn bridge(socket: PathBuf) -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let socket = socket.clone();
            thread::spawn(move || {
                if let Ok(outside) = UnixStream::connect(&socket) {
                    join(stream, outside);
                }
            });
        }
    });
    Ok(address)
}

/// Hands the notes to the launcher, and waits until it has them.
fn tell(socket: &Path, notes: &RefusalNotes) {
    let report = notes.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if report.refusals.is_empty() {
        return;
    }
    if let Ok(text) = serde_json::to_string(&report) {
        // The command has run; a launcher that is gone only misses the names.
        let _ = say(socket, &format!("{REPORT}{text}"));
    }
}

fn say(socket: &Path, line: &str) -> std::io::Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    writeln!(stream, "{line}")?;
    stream.read(&mut [0_u8; 3]).map(|_| ())
}

/// As a shell would tell it.
pub(crate) fn code_of(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
