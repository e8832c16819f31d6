//! What is written down of a call that the hook did not live to answer.
//!
//! A denial of the watchdog is a decision like any other: it stands in the log. It is
//! put into words while the hook is alive, left beside the log by the handler that ends
//! it, and taken in by whoever writes next.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;

use automode::audit::{self, Circumstance, Entry};
use automode::state::State;
use automode::{Decision, Failure, Ground, ToolCall, Verdict};
use automode_agents::{Enforcement, Event, EventKind};
use automode_core::{Trace, brief, tool};
use automode_watchdog::Record;

use super::{Options, decide};

/// Why a hook that was ended by its deadline denied.
pub const LATE: &str = "no decision in time";

/// The record of a call's end, for the handler that ends it.
pub fn record(
    options: &Options,
    event: &Event,
    (state, print): (&State, &str),
    started: Instant,
) -> Option<Record> {
    let entry = entry(options, event, print, started)?;
    let left = audit::Log::new(state).beside(&entry.id);
    let name = |path: &Path| CString::new(path.as_os_str().as_bytes()).ok();
    Some(Record {
        directory: name(left.finished.parent()?)?,
        unfinished: name(&left.unfinished)?,
        finished: name(&left.finished)?,
        body: serde_json::to_vec(&entry).ok()?,
    })
}

/// The call that an answer is due for.
pub fn due(event: &Event) -> Option<&ToolCall> {
    match &event.kind {
        EventKind::BeforeTool { call, .. } | EventKind::PermissionRequest { call } => Some(call),
        EventKind::Prompt { .. }
        | EventKind::AfterTool { .. }
        | EventKind::SubagentStart
        | EventKind::SubagentStop
        | EventKind::SessionStart
        | EventKind::SessionEnd
        | EventKind::Other { .. } => None,
    }
}

fn entry(options: &Options, event: &Event, print: &str, started: Instant) -> Option<Entry> {
    let call = due(event)?;
    let decision = Decision {
        verdict: Verdict::Deny,
        ground: Ground::Failure(Failure::Timeout),
        reason: format!("automode could not decide and denied: {}", LATE),
        findings: Vec::new(),
        stop: false,
        trace: Trace::default(),
        protection: automode_core::confine::Protection::default(),
    };
    let (name, action) = tool::normalize(call);
    let latency = started.elapsed().saturating_add(options.deadline);
    Some(Entry::new(
        &decision,
        &Circumstance {
            time: decide::now(),
            id: &decide::name(print),
            agent: options.agent.name(),
            session: &event.session,
            subagent: event.subagent.as_ref().map(|by| by.id.as_str()),
            tool: &name,
            brief: &brief::brief(&action),
            cwd: &call.cwd,
            presence: options.agent.assumed_presence(),
            shadow: options.enforcement == Enforcement::Shadow,
            latency: latency.as_secs_f64() * 1000.0,
            judged: None,
            price: None,
            config: "",
            print,
            permission: None,
        },
    ))
}
