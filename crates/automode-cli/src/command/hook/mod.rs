//! `automode hook AGENT`: the process that stands in a client's way.
//!
//! Whatever happens, the client gets one valid answer and exit 0, or exit 2 with the
//! reason. The work is done on a thread of its own; the main thread waits for it with
//! a deadline below the client's timeout, because a client that runs out of patience
//! lets the call pass. A panic, a hang or a broken pipe is a denial in the client's
//! own form, and a death that can be caught blocks by its code. This path parses its arguments by hand: it runs before every tool call.

mod death;
mod decide;
mod obituary;
mod options;
mod pipe;
mod promise;
mod recall;
mod record;
mod serve;

use std::ffi::OsString;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use automode_agents::{Answer, Enforcement, Event, HookPhase, Reply};

pub use options::{Args, Options, run};

/// The exit code that every client with command hooks reads as a block.
const BLOCK: u8 = 2;
/// How long the client may take to read the answer: it lets the call pass when it runs out of patience.
const WRITING: Duration = Duration::from_secs(5);
/// What a hook takes that has nothing to wait for.
const AT_ONCE: Duration = Duration::from_millis(25);
/// How long a message for people may take.
const GRUMBLING: Duration = Duration::from_millis(200);
/// Room for the deepest input that is admitted.
const STACK: usize = 64 * 1024 * 1024;

/// Where the work stands, for the answer of a watchdog.
#[derive(Debug)]
pub struct Progress {
    at: AtomicU8,
    /// A decision is due: an end without an answer has to block.
    due: Arc<AtomicBool>,
    /// What is being answered, once it was understood.
    event: Mutex<Option<Event>>,
}

impl Progress {
    /// Nothing is known yet: it may be a call, so it counts as one.
    fn new() -> Self {
        Self {
            at: AtomicU8::new(0),
            due: Arc::new(AtomicBool::new(true)),
            event: Mutex::new(None),
        }
    }

    fn is_due(&self) -> bool {
        self.due.load(Ordering::Relaxed)
    }

    /// The event, for whoever has to tell of its end.
    fn understood(&self, event: &Event) {
        if let Ok(mut known) = self.event.lock() {
            *known = Some(event.clone());
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
    let (reply, failure) = match work(&options, &progress, started) {
        Ok(reply) => (reply, None),
        Err(failure) => {
            let answer = Answer::failure(failure.why(), options.enforcement);
            let presence = options.agent.assumed_presence();
            let reply = options.agent.render(progress.phase(), &answer, presence);
            (reply, Some(failure))
        }
    };
    let code = say(&reply, &progress, options.enforcement);
    if let (Some(failure), true) = (failure, progress.is_due()) {
        // The client has its answer: what became of the call is written down behind it.
        obituary::write(&options, &progress, failure, started);
    }
    code
}

/// Why there is no answer of the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerFailure {
    Panicked,
    NoThread,
    Late,
    Vanished,
}

impl WorkerFailure {
    const fn why(self) -> &'static str {
        match self {
            Self::Panicked => "it panicked",
            Self::NoThread => "no thread could be started",
            Self::Late => "no decision in time",
            Self::Vanished => "the worker vanished",
        }
    }
}

/// The answer of the worker, or why there is none.
fn work(
    options: &Options,
    progress: &Arc<Progress>,
    started: Instant,
) -> Result<Reply, WorkerFailure> {
    let (answers, answer) = channel();
    let (own, at) = (options.clone(), Arc::clone(progress));
    let worker = move || {
        let reply = panic::catch_unwind(AssertUnwindSafe(|| serve::serve(&own, &at, started)));
        // Nobody listens any more when the watchdog has answered.
        answers
            .send(reply.map_err(|_| WorkerFailure::Panicked))
            .unwrap_or_default();
    };
    thread::Builder::new()
        .name("hook".to_owned())
        .stack_size(STACK)
        .spawn(worker)
        .map_err(|_| WorkerFailure::NoThread)?;
    let mut told = answer.recv_timeout(AT_ONCE.min(options.deadline));
    if let Err(RecvTimeoutError::Timeout) = told {
        death::answer_rare(options.enforcement, progress);
        told = answer.recv_timeout(options.deadline.saturating_sub(AT_ONCE));
    }
    match told {
        Ok(reply) => reply,
        Err(RecvTimeoutError::Timeout) => Err(WorkerFailure::Late),
        Err(RecvTimeoutError::Disconnected) => Err(WorkerFailure::Vanished),
    }
}

/// Writes the answer. One that cannot be read by anybody is a block, as far as one is due.
fn say(reply: &Reply, progress: &Progress, enforcement: Enforcement) -> u8 {
    if reply.exit == BLOCK {
        // A client that reads no answer but this code shows its model what stands on stderr.
        let line = format!("{}\n", reply.stdout);
        pipe::write(io::stderr(), line.as_bytes(), GRUMBLING).unwrap_or_default();
        return BLOCK;
    }
    let line = format!("{}\n", reply.stdout);
    match pipe::write(io::stdout(), line.as_bytes(), WRITING) {
        Ok(()) => reply.exit,
        Err(_) if enforcement == Enforcement::Shadow || !progress.is_due() => 0,
        Err(_) => block("the answer could not be written"),
    }
}

fn block(why: &str) -> u8 {
    let line = format!("automode: {why}; the tool call is denied\n");
    // The exit code says it all where stderr is closed or full too.
    pipe::write(io::stderr(), line.as_bytes(), GRUMBLING).unwrap_or_default();
    BLOCK
}
