//! What is written down of a call that the worker did not live to answer.
//!
//! A denial of the watchdog is a decision like any other: it stands in the log, and it
//! counts as an outage, so that calls after it do not wait as long again. All of it is
//! bounded and nothing of it changes the answer, which has been given.

use std::time::{Duration, Instant};

use automode::audit::{self, Circumstance, Entry};
use automode::session::{self, LedgerNote, Note};
use automode::state::State;
use automode::{Decision, Failure, Ground, ToolCall, Verdict, permit};
use automode_agents::{Enforcement, EventKind};
use automode_core::{Trace, brief, tool};

use super::{Options, Progress, WorkerFailure, decide};

/// How long each lock may be waited for.
const PATIENCE: Duration = Duration::from_millis(300);

/// Writes the denial of a call that was understood down.
pub fn write(options: &Options, progress: &Progress, failure: WorkerFailure, started: Instant) {
    let event = progress.event.lock().ok().and_then(|event| event.clone());
    let state = State::locate(|name| std::env::var(name).ok()).ok();
    let (Some(event), Some(state)) = (event, state) else {
        return;
    };
    let call: &ToolCall = match &event.kind {
        EventKind::BeforeTool { call, .. } | EventKind::PermissionRequest { call } => call,
        EventKind::Prompt { .. }
        | EventKind::AfterTool { .. }
        | EventKind::SubagentStart
        | EventKind::SubagentStop
        | EventKind::SessionStart
        | EventKind::SessionEnd
        | EventKind::Other { .. } => return,
    };
    let cause = match failure {
        WorkerFailure::Late => Failure::Timeout,
        WorkerFailure::Panicked | WorkerFailure::NoThread | WorkerFailure::Vanished => {
            Failure::Panic
        }
    };
    let decision = Decision {
        verdict: Verdict::Deny,
        ground: Ground::Failure(cause),
        reason: format!("automode could not decide and denied: {}", failure.why()),
        findings: Vec::new(),
        stop: false,
        trace: Trace::default(),
        protection: automode_core::confine::Protection::default(),
    };
    let print = permit::fingerprint(call);
    let (name, action) = tool::normalize(call);
    let entry = Entry::new(
        &decision,
        &Circumstance {
            time: decide::now(),
            id: &decide::name(&print),
            agent: options.agent.name(),
            session: &event.session,
            subagent: event.subagent.as_ref().map(|by| by.id.as_str()),
            tool: &name,
            brief: &brief::brief(&action),
            cwd: &call.cwd,
            presence: options.agent.assumed_presence(),
            shadow: options.enforcement == Enforcement::Shadow,
            latency: started.elapsed().as_secs_f64() * 1000.0,
            judged: None,
            price: None,
            config: "",
            print: &print,
            permission: None,
        },
    );
    // Nobody is left to be told of a failure here.
    audit::Log::new(&state).append(&entry, PATIENCE).ok();
    if cause == Failure::Timeout {
        count(options, &state, &event.session);
    }
}

/// A call that took all the time there was counts as an outage of the judge.
fn count(options: &Options, state: &State, session: &str) {
    let now = decide::now() / 1000;
    let outage = session::Outages::of(state).count(now);
    let moved = LedgerNote {
        outages: 1,
        paused_until: outage,
        ..LedgerNote::default()
    };
    if let Ok(log) = session::Log::open(state, options.agent.name(), session) {
        log.append(&[Note::Ledger(moved)], PATIENCE).ok();
    }
}
