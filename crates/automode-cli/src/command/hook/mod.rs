//! `automode hook AGENT`: the process that stands in a client's way.
//!
//! Whatever happens, the client gets one valid answer and exit 0, or exit 2 with the
//! reason. A timer below the client's timeout ends the work, because a client that runs
//! out of patience lets the call pass. A panic, a hang or a broken pipe is a denial in
//! the client's own form, and a death that can be caught blocks by its code. This path
//! parses its arguments by hand: it runs before every tool call.

mod broker;
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
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use automode_agents::{Answer, Enforcement, Event, HookPhase, Reply};
use automode_watchdog::{LastWords, Record};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

pub use options::{Args, Options, run};

/// The exit code that every client with command hooks reads as a block.
pub const BLOCK: u8 = 2;
/// How long the client may take to read the answer: it lets the call pass when it runs out of patience.
const WRITING: Duration = Duration::from_secs(5);
/// How long a message for people may take.
const GRUMBLING: Duration = Duration::from_millis(200);
/// Room for the deepest input that is admitted.
const STACK: usize = 64 * 1024 * 1024;

/// Where the work stands, for the answer of a watchdog.
#[derive(Debug)]
pub struct HookProgress {
    at: AtomicU8,
    /// What is said of a call when the time is over, and the exit code behind it.
    last: (Vec<u8>, u8),
}

impl HookProgress {
    fn new(options: &Options) -> Self {
        Self {
            at: AtomicU8::default(),
            last: last_answer(options, HookPhase::BeforeTool),
        }
    }

    /// A decision is due: an end without an answer has to block. What is not known yet may be a call.
    fn is_due(&self) -> bool {
        self.at.load(Ordering::Relaxed) < 2
    }

    /// The event, for whoever has to tell of its end.
    fn understood(&self, options: &Options, event: &Event, record: Option<Record>) {
        let at = match event.kind.phase() {
            HookPhase::BeforeTool => 0,
            HookPhase::PermissionRequest => 1,
            HookPhase::AfterTool => 2,
            HookPhase::Other => 3,
        };
        self.at.store(at, Ordering::Relaxed);
        automode_watchdog::set_due(self.is_due() || options.enforcement == Enforcement::Shadow);
        let (answer, exit) = match self.phase() {
            HookPhase::BeforeTool => self.last.clone(),
            later @ (HookPhase::PermissionRequest | HookPhase::AfterTool | HookPhase::Other) => {
                last_answer(options, later)
            }
        };
        automode_watchdog::prepare(LastWords {
            answer,
            exit,
            record,
        });
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
    automode_watchdog::hurry();
    // A panic is answered below; its text belongs neither to the client nor to the terminal.
    panic::set_hook(Box::new(|_| {}));
    let options = match Options::parse(arguments) {
        Ok(options) => options,
        Err(wrong) => return block(&wrong),
    };
    automode_watchdog::catch(match options.enforcement {
        Enforcement::Enforce => BLOCK,
        Enforcement::Shadow => 0,
    });
    let progress = Arc::new(HookProgress::new(&options));
    let (answer, exit) = progress.last.clone();
    automode_watchdog::prepare(LastWords {
        answer,
        exit,
        record: None,
    });
    automode_watchdog::set_deadline(options.deadline);
    let reply = work(&options, &progress, started)
        .unwrap_or_else(|why| failed(&options, progress.phase(), why));
    automode_watchdog::clear_deadline();
    say(&reply, &progress, options.enforcement)
}

/// The answer of the worker, or why there is none.
fn work(
    options: &Options,
    progress: &Arc<HookProgress>,
    started: Instant,
) -> Result<Reply, &'static str> {
    let (own, at) = (options.clone(), Arc::clone(progress));
    let worker = move || {
        panic::catch_unwind(AssertUnwindSafe(|| serve::serve(&own, &at, started)))
            .map_err(|_| "it panicked")
    };
    if grow_stack() {
        return worker();
    }
    let thread = thread::Builder::new().stack_size(STACK).spawn(worker);
    let thread = thread.map_err(|_| "no thread could be started")?;
    thread.join().unwrap_or(Err("the worker vanished"))
}

/// Gives the stack room for the deepest input. Only Linux lets the one of a running process grow.
fn grow_stack() -> bool {
    let limit = getrlimit(Resource::Stack);
    let most = Some(STACK as u64);
    let is_enough = limit.current.is_none() || limit.current >= most;
    cfg!(target_os = "linux")
        && (is_enough
            || setrlimit(
                Resource::Stack,
                Rlimit {
                    current: most,
                    maximum: limit.maximum,
                },
            )
            .is_ok())
}

/// The answer of a hook that could not decide.
fn failed(options: &Options, phase: HookPhase, why: &str) -> Reply {
    let answer = Answer::failure(why, options.enforcement);
    let presence = options.agent.assumed_presence();
    options.agent.render(phase, &answer, presence)
}

/// What is said when the time is over, and the exit code behind it.
fn last_answer(options: &Options, phase: HookPhase) -> (Vec<u8>, u8) {
    let reply = failed(options, phase, obituary::LATE);
    let answer = match reply.exit {
        BLOCK => Vec::new(),
        _ => format!("{}\n", reply.stdout).into_bytes(),
    };
    (answer, reply.exit)
}

/// Writes the answer. One that cannot be read by anybody is a block, as far as one is due.
fn say(reply: &Reply, progress: &HookProgress, enforcement: Enforcement) -> u8 {
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
