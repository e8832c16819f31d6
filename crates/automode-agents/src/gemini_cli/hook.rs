//! Gemini CLI: BeforeTool with a top-level `decision`.
//!
//! Claude Code's nested answer is ignored here and the command runs. `ask` hangs a
//! run that nobody watches, so it is said only where presence is known to be
//! interactive. There is no permission request and no permission mode in a payload.

use automode_core::{Outcome, Presence};
use serde_json::{Map, Value, json};

use crate::claude_code::hook as claude_code;
use crate::event::{Event, EventKind, HookPhase, Malformed};
use crate::payload::Payload;
use crate::reply::{Answer, Reply};
use crate::words;

pub(crate) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let payload = Payload::parse(bytes)?;
    let name = payload.name("hook_event_name", HookPhase::BeforeTool)?;
    let kind = match name.as_str() {
        "BeforeTool" => EventKind::BeforeTool {
            call: payload.call("tool_name", &["tool_input"], HookPhase::BeforeTool)?,
            id: None,
        },
        "AfterTool" => EventKind::AfterTool {
            call: payload.past_call("tool_name", &["tool_input"]),
            id: None,
            outcome: outcome(&payload),
            report: None,
            brought: payload.brought(&["tool_response"]),
        },
        "BeforeAgent" => EventKind::Prompt {
            words: payload.text("prompt").and_then(words::own),
        },
        "SessionStart" => EventKind::SessionStart,
        "SessionEnd" => EventKind::SessionEnd,
        _ => EventKind::Other { name },
    };
    payload.event("session_id", kind)
}

/// Gemini and its fork mark a failed call with `tool_response.error`.
pub(crate) fn outcome(payload: &Payload) -> Outcome {
    match payload
        .object("tool_response")
        .and_then(|response| response.get("error"))
    {
        None | Some(Value::Null) => Outcome::Succeeded,
        Some(_) => Outcome::Failed,
    }
}

pub(crate) fn render(phase: HookPhase, answer: &Answer, presence: Presence) -> Reply {
    let ruling = match (phase, answer) {
        (_, Answer::Ruling(ruling)) => ruling,
        (HookPhase::AfterTool, Answer::Remark(text)) => {
            return Reply::json(&json!({
                "hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": text},
            }));
        }
        (_, Answer::Remark(_) | Answer::Neutral) => return Reply::neutral(),
    };
    match phase {
        HookPhase::AfterTool | HookPhase::Other => return Reply::neutral(),
        HookPhase::BeforeTool | HookPhase::PermissionRequest => {}
    }
    let ruling = ruling.for_presence(presence);
    let mut reply = Map::new();
    let mut say = |field: &str, text: &str| {
        reply.insert(field.to_owned(), Value::String(text.to_owned()));
    };
    say("decision", ruling.verdict.name());
    say("reason", ruling.spoken());
    if let Some(notice) = ruling.beside() {
        say("systemMessage", notice);
    }
    if ruling.stop {
        say("stopReason", &ruling.reason);
        reply.insert("continue".to_owned(), Value::Bool(false));
    }
    if let Some(input) = claude_code::rewritten(&ruling) {
        reply.insert(
            "hookSpecificOutput".to_owned(),
            json!({ "tool_input": input }),
        );
    }
    Reply::json(&Value::Object(reply))
}
