//! The wire between two programs: a client on our stdin and stdout, a server that we start.
//!
//! Whatever ends here ends closed: if this process dies, client and server lose each
//! other. A line that is too long to be looked into goes nowhere.

use std::io::{self, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use super::known_tools::KnownTools;
use super::pins::{PinStore, ServerPins};
use super::wire::{McpPending, McpStep, McpWire, too_long};
use crate::deadline::{in_time, lock};
use crate::decider::{Decider, DoorDecision, DoorSession};
use crate::pipe::{PipePiece, lines};

/// Decisions at once; more are refused.
const MAX_DECISIONS: usize = 32;
/// Bytes that are read at once.
const BUFFER: usize = 64 * 1024;

/// Why there is no proxy.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    #[error("no server is named (hint: `automode mcp -- SERVER ARGS`)")]
    NoServer,
    #[error("the server `{program}` could not be started: {error}")]
    Start { program: String, error: io::Error },
    #[error("the server could not be waited for: {0}")]
    Wait(io::Error),
    #[error("the pins of this server cannot be read: {0} (hint: `automode mcp pins forget`)")]
    Pins(io::Error),
}

/// A server, and under which name and where it is decided about.
pub struct Served<'a> {
    pub command: &'a [String],
    pub name: &'a str,
    pub session: DoorSession,
    pub cwd: &'a str,
    pub store: PinStore,
}

/// Starts the server and stands between it and the client until one of them ends. Says the server's exit code.
///
/// # Errors
/// Where the server could not be started, or its pins not be read.
pub fn run(served: Served<'_>, decider: Arc<dyn Decider>) -> Result<u8, McpError> {
    let pins = served
        .store
        .read(served.name, served.command)
        .map_err(McpError::Pins)?;
    let mut child = start(served.command)?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(McpError::Wait(io::ErrorKind::BrokenPipe.into()));
    };
    let session = served.session.clone();
    let tools = KnownTools::new(pins).started_by(served.command);
    let wire = McpWire::new(served.name, served.session, served.cwd, tools);
    let talk = Arc::new(McpTalk {
        wire: Mutex::new(wire),
        server: Mutex::new(Some(Box::new(stdin))),
        client: Mutex::new(Box::new(io::stdout())),
        store: served.store,
        command: served.command.to_vec(),
        decider,
        session,
    });
    let client = Arc::clone(&talk);
    thread::spawn(move || {
        client.listen(io::stdin(), McpSide::Client);
        // The client is gone: the server is told by the end of its input.
        lock(&client.server).take();
    });
    talk.listen(stdout, McpSide::Server);
    let status = child.wait().map_err(McpError::Wait)?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.unwrap_or(1))
}

fn start(command: &[String]) -> Result<Child, McpError> {
    let (program, arguments) = command.split_first().ok_or(McpError::NoServer)?;
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| McpError::Start {
            program: program.clone(),
            error,
        })
}

#[derive(Clone, Copy)]
enum McpSide {
    Client,
    Server,
}

/// Both ends and what is known of the talk.
struct McpTalk {
    wire: Mutex<McpWire>,
    server: Mutex<Option<Box<dyn Write + Send>>>,
    client: Mutex<Box<dyn Write + Send>>,
    store: PinStore,
    command: Vec<String>,
    decider: Arc<dyn Decider>,
    session: DoorSession,
}

impl McpTalk {
    /// Passes on what one side says, until it ends or nobody listens.
    fn listen(self: &Arc<Self>, from: impl Read, side: McpSide) {
        let mut from = BufReader::with_capacity(BUFFER, from);
        // An end is an end, whatever the reason.
        lines(&mut from, |piece| match piece {
            PipePiece::Part(bytes) => match side {
                McpSide::Client if bytes.ends_with(b"\n") => self.to_client(&too_long()),
                McpSide::Client | McpSide::Server => Ok(()),
            },
            PipePiece::Line(bytes) => {
                if matches!(side, McpSide::Client) {
                    self.meet_if_waiting()?;
                }
                let steps = match side {
                    McpSide::Client => lock(&self.wire).client_says(bytes),
                    McpSide::Server => lock(&self.wire).server_says(bytes),
                };
                steps
                    .into_iter()
                    .try_for_each(|step| self.take(step, bytes, side))
            }
        })
        .unwrap_or_default();
    }

    fn take(self: &Arc<Self>, step: McpStep, line: &[u8], from: McpSide) -> io::Result<()> {
        match (step, from) {
            (McpStep::Pass, McpSide::Client) => self.to_server(line),
            (McpStep::Pass, McpSide::Server) => self.to_client(line),
            (McpStep::ToClient(bytes), _) => self.to_client(&bytes),
            (McpStep::ToServer(bytes), _) => self.to_server(&bytes),
            (McpStep::Decide(pending), _) => {
                self.decide(*pending);
                Ok(())
            }
            (McpStep::Keep, _) => self.keep(),
            (McpStep::Suspect(result), _) => {
                self.decider.suspect(&self.session, result);
                Ok(())
            }
        }
    }

    fn to_server(&self, bytes: &[u8]) -> io::Result<()> {
        match lock(&self.server).as_mut() {
            Some(server) => server.write_all(bytes).and_then(|()| server.flush()),
            None => Ok(()),
        }
    }

    fn to_client(&self, bytes: &[u8]) -> io::Result<()> {
        let mut client = lock(&self.client);
        client.write_all(bytes)?;
        client.flush()
    }

    /// Pins that cannot be kept would let a change pass at the next start: then nothing goes on.
    fn keep(&self) -> io::Result<()> {
        self.meet()?;
        let pins: ServerPins = lock(&self.wire).tools.pins.clone();
        self.store.write(&self.command, &pins)
    }

    /// Where a tool waits for a person, they may have looked at it since.
    fn meet_if_waiting(&self) -> io::Result<()> {
        let waits = !lock(&self.wire).tools.pins.quarantined.is_empty();
        if waits { self.meet() } else { Ok(()) }
    }

    fn meet(&self) -> io::Result<()> {
        let kept = self.store.read("", &self.command)?;
        lock(&self.wire).tools.pins.meet(&kept);
        Ok(())
    }

    /// Decides apart, so that the talk goes on meanwhile.
    fn decide(self: &Arc<Self>, pending: McpPending) {
        let number = pending.number;
        if lock(&self.wire).open_decisions() > MAX_DECISIONS {
            let much = DoorDecision::failed("too much is being decided at once");
            return self.answer(number, much);
        }
        let talk = Arc::clone(self);
        let spawned = thread::Builder::new().spawn(move || {
            let decision = in_time(&talk.decider, pending.request);
            talk.answer(number, decision);
        });
        if spawned.is_err() {
            self.answer(number, DoorDecision::failed("no thread could be started"));
        }
    }

    fn answer(self: &Arc<Self>, number: u64, decision: DoorDecision) {
        let steps = lock(&self.wire).decided(number, decision);
        for step in steps {
            // Who has gone needs no answer.
            self.take(step, &[], McpSide::Client).unwrap_or_default();
        }
    }
}
