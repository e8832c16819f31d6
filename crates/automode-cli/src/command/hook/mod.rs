//! `automode hook AGENT`: the process that stands in a client's way.
//!
//! Whatever happens, the client gets one valid answer and exit 0, or exit 2 with the
//! reason. The work is done on a thread of its own; the main thread waits for it with
//! a deadline below the client's timeout, because a client that runs out of patience
//! lets the call pass. A panic, a hang or a broken pipe is a denial in the client's
//! own form, and a death that can be caught blocks by its code. This path parses its arguments by hand: it runs before every tool call.

mod death;
mod decide;
mod options;
mod recall;
mod record;
mod serve;

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use automode_agents::{Answer, HookPhase, Reply};

pub use options::{Args, Options, run};

/// The exit code that every client with command hooks reads as a block.
const BLOCK: u8 = 2;
/// Room for the deepest input that is admitted.
const STACK: usize = 64 * 1024 * 1024;

/// Where the work stands, for the answer of a watchdog.
#[derive(Debug)]
pub struct Progress {
    at: AtomicU8,
    /// A decision is due: an end without an answer has to block.
    due: Arc<AtomicBool>,
}

impl Progress {
    /// Nothing is known yet: it may be a call, so it counts as one.
    fn new() -> Self {
        Self {
            at: AtomicU8::new(0),
            due: Arc::new(AtomicBool::new(true)),
        }
    }

    fn set(&self, phase: HookPhase) {
        let at = match phase {
            HookPhase::BeforeTool => 0,
            HookPhase::PermissionRequest => 1,
            HookPhase::AfterTool => 2,
            HookPhase::Other => 3,
        };
        self.at.store(at, Ordering::Relaxed);
        self.due.store(at < 2, Ordering::Relaxed);
    }

    fn phase(&self) -> HookPhase {
        match self.at.load(Ordering::Relaxed) {
            1 => HookPhase::PermissionRequest,
            2 => HookPhase::AfterTool,
            3 => HookPhase::Other,
            _ => HookPhase::BeforeTool,
        }
    }
}

/// Answers one hook. The exit code is 0 or 2, never anything else.
pub fn main(arguments: impl Iterator<Item = OsString>) -> u8 {
    let started = Instant::now();
    // A panic is answered below; its text belongs neither to the client nor to the terminal.
    panic::set_hook(Box::new(|_| {}));
    let options = match Options::parse(arguments) {
        Ok(options) => options,
        Err(wrong) => return block(&wrong),
    };
    let progress = Arc::new(Progress::new());
    death::answer(options.enforcement, &progress);
    let reply = work(&options, &progress, started);
    let reply = reply.unwrap_or_else(|why| {
        let answer = Answer::failure(why, options.enforcement);
        let presence = options.agent.assumed_presence();
        options.agent.render(progress.phase(), &answer, presence)
    });
    say(&reply)
}

/// The answer of the worker, or why there is none.
fn work(
    options: &Options,
    progress: &Arc<Progress>,
    started: Instant,
) -> Result<Reply, &'static str> {
    let (answers, answer) = channel();
    let (own, at) = (options.clone(), Arc::clone(progress));
    let worker = move || {
        let reply = panic::catch_unwind(AssertUnwindSafe(|| serve::serve(&own, &at, started)));
        // Nobody listens any more when the watchdog has answered.
        answers
            .send(reply.map_err(|_| "it panicked"))
            .unwrap_or_default();
    };
    thread::Builder::new()
        .name("hook".to_owned())
        .stack_size(STACK)
        .spawn(worker)
        .map_err(|_| "no thread could be started")?;
    match answer.recv_timeout(options.deadline) {
        Ok(reply) => reply,
        Err(RecvTimeoutError::Timeout) => Err("no decision in time"),
        Err(RecvTimeoutError::Disconnected) => Err("the worker vanished"),
    }
}

fn say(reply: &Reply) -> u8 {
    let mut out = io::stdout().lock();
    let written = out
        .write_all(reply.stdout.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    match written {
        Ok(()) => reply.exit,
        Err(_) => block("the answer could not be written"),
    }
}

fn block(why: &str) -> u8 {
    // The exit code says it all where stderr is closed too.
    writeln!(io::stderr(), "automode: {why}; the tool call is denied").unwrap_or_default();
    BLOCK
}
