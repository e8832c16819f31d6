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
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::environment;
use crate::proxy::{LOOPBACK, REPORT, STARTED, is_served, join};
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
    /// The launcher's namespaces: none of them may be the command's.
    pub(crate) outside: Vec<String>,
    /// Ports of the machine that answer here too.
    pub(crate) loopback: Vec<u16>,
}

/// The namespaces of this process that bubblewrap must have left.
pub(crate) fn namespaces() -> Vec<String> {
    let name = |kind: &str| {
        let name = std::fs::read_link(Path::new("/proc/self/ns").join(kind));
        name.map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    ["user", "mnt", "pid", "net", "ipc"].map(name).to_vec()
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
    // Told by nobody: whoever started this, the promise is kept or nothing starts.
    let own = namespaces();
    if own.len() != order.outside.len() || own.iter().any(|one| order.outside.contains(one)) {
        return Err("the namespaces are the machine's own".to_owned());
    }
    let refusing = seccomp::compile(&seccomp::refused());
    seccomp::install(&refusing).map_err(|error| format!("no system call filter: {error}"))?;
    let socket = place.join(SOCKET);
    match bridge(socket.clone(), 0, None) {
        Ok(address) => environment::with_proxy(&mut order.variables, &address),
        Err(error) => return Err(format!("no proxy: {error}")),
    }
    for port in &order.loopback {
        // The command finds nobody there, and that is told.
        let _ = bridge(socket.clone(), *port, Some(*port));
    }
    let drains = !order.loopback.is_empty();
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
    if drains {
        drain();
    }
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
            watch::refused_connection(&notification, is_served)
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

/// A port inside that leads to the proxy outside, or by way of it to a service there.
fn bridge(socket: PathBuf, port: u16, service: Option<u16>) -> std::io::Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    let address = listener.local_addr()?.to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let socket = socket.clone();
            OPEN.fetch_add(1, Ordering::SeqCst);
            thread::spawn(move || {
                if let Ok(outside) = reached(&socket, service) {
                    join(stream, outside);
                }
                OPEN.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    Ok(address)
}

/// Connections that still carry something.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// Lets what the command sent last arrive: with this process its connections are gone.
fn drain() {
    const ROUNDS: u32 = 100;
    let mut quiet = 0;
    for _ in 0..ROUNDS {
        quiet = if OPEN.load(Ordering::SeqCst) == 0 {
            quiet + 1
        } else {
            0
        };
        if quiet > 2 {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn reached(socket: &Path, service: Option<u16>) -> std::io::Result<UnixStream> {
    let mut outside = UnixStream::connect(socket)?;
    if let Some(port) = service {
        writeln!(outside, "{LOOPBACK}{port}")?;
        outside.read_exact(&mut [0_u8; 3])?;
    }
    Ok(outside)
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
