//! Any other harness: a documented JSON in, a documented JSON out.
//!
//! In: `event`, `session`, `cwd`, and for a call `tool` and `input`. Out: `verdict`
//! with `reason`, always one of `allow`, `ask`, `deny`, or `none` where nothing was
//! decided. A harness must treat everything else, and every failure, as `deny`.

use automode_core::{Outcome, Presence, Verdict};
use serde_json::{Map, Value, json};

use crate::claude_code::hook as claude_code;
use crate::event::{Event, EventKind, HookPhase, Malformed, Report, Subagent};
use crate::payload::{Payload, mode};
use crate::reply::{Answer, Reply};
use crate::words;

pub(crate) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let payload = Payload::parse(bytes)?;
    let name = payload.name("event", HookPhase::BeforeTool)?;
    let id = || payload.text("call_id").map(str::to_owned);
    let kind = match name.as_str() {
        "before-tool" => EventKind::BeforeTool {
            call: payload.call("tool", &["input"], HookPhase::BeforeTool)?,
            id: id(),
        },
        "permission-request" => EventKind::PermissionRequest {
            call: payload.call("tool", &["input"], HookPhase::PermissionRequest)?,
        },
        "user-prompt" => EventKind::Prompt {
            words: payload.text("prompt").and_then(words::own),
        },
        "after-tool" => EventKind::AfterTool {
            call: payload.past_call("tool", &["input"]),
            id: id(),
            outcome: match payload.text("outcome") {
                Some("succeeded") | None => Outcome::Succeeded,
                Some("denied") => Outcome::Denied,
                // A word that is not known is no success.
                Some(_) => Outcome::Failed,
            },
            brought: payload.brought(&["result"]),
            report: payload.text("report").map(|text| Report {
                subagent: payload.text("reporter").map(str::to_owned),
                text: text.to_owned(),
            }),
        },
        "subagent-start" => EventKind::SubagentStart,
        "subagent-stop" => EventKind::SubagentStop,
        "session-start" => EventKind::SessionStart,
        "session-end" => EventKind::SessionEnd,
        _ => EventKind::Other { name },
    };
    let mut event = payload.event("session", kind)?;
    event.mode = payload.text("mode").and_then(mode);
    event.presence = match payload.text("presence") {
        Some("interactive") => Some(Presence::Interactive),
        Some("headless") => Some(Presence::Headless),
        Some(_) | None => None,
    };
    event.subagent = payload
        .text("subagent")
        .filter(|id| !id.is_empty())
        .map(|id| Subagent {
            id: id.to_owned(),
            kind: payload.text("subagent_kind").unwrap_or_default().to_owned(),
        });
    Ok(event)
}

pub(crate) fn render(phase: HookPhase, answer: &Answer, presence: Presence) -> Reply {
    match (phase, answer) {
        (HookPhase::BeforeTool | HookPhase::PermissionRequest, Answer::Ruling(ruling)) => {
            let ruling = ruling.for_presence(presence);
            let mut reply = Map::new();
            let mut say = |field: &str, value: Value| {
                reply.insert(field.to_owned(), value);
            };
            say("verdict", json!(ruling.verdict));
            say("reason", json!(ruling.spoken()));
            if let (Some(id), Verdict::Ask | Verdict::Deny) = (&ruling.id, ruling.verdict) {
                say("id", json!(id));
            }
            if let Some(notice) = ruling.beside() {
                say("notice", json!(notice));
            }
            if let Some(input) = claude_code::rewritten(&ruling) {
                say("input", Value::Object(input));
            }
            if ruling.stop {
                say("stop", json!(true));
            }
            Reply::json(&Value::Object(reply))
        }
        (HookPhase::AfterTool, Answer::Remark(text)) => {
            Reply::json(&json!({"verdict": "none", "remark": text}))
        }
        (_, Answer::Neutral | Answer::Remark(_) | Answer::Ruling(_)) => {
            Reply::json(&json!({"verdict": "none"}))
        }
    }
}
