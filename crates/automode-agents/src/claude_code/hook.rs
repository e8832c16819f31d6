//! Claude Code: nested `hookSpecificOutput`, for PreToolUse and PermissionRequest.
//!
//! A PreToolUse denial holds in every mode, an allow skips the prompt, `ask` shows
//! it. PermissionRequest fires when a prompt is about to be shown: saying nothing
//! there shows it. Codex and Qwen Code speak this dialect with differences of their own.

use automode_core::{Outcome, Presence, Verdict};
use serde_json::{Map, Value, json};

use crate::event::{Event, EventKind, HookPhase, Malformed, Report};
use crate::payload::Payload;
use crate::reply::{Answer, Reply, Ruling};
use crate::words;

pub(crate) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let payload = Payload::parse(bytes)?;
    let kind = kind(&payload)?;
    payload.event("session_id", kind)
}

/// The events that Claude Code and those who follow it share.
pub(crate) fn kind(payload: &Payload) -> Result<EventKind, Malformed> {
    let name = payload.name("hook_event_name", HookPhase::BeforeTool)?;
    let id = || payload.text("tool_use_id").map(str::to_owned);
    Ok(match name.as_str() {
        "PreToolUse" => EventKind::BeforeTool {
            call: payload.call("tool_name", &["tool_input"], HookPhase::BeforeTool)?,
            id: id(),
        },
        "PermissionRequest" => EventKind::PermissionRequest {
            call: payload.call("tool_name", &["tool_input"], HookPhase::PermissionRequest)?,
        },
        "PostToolUse" => EventKind::AfterTool {
            call: payload.past_call("tool_name", &["tool_input"]),
            id: id(),
            outcome: Outcome::Succeeded,
            report: report(payload.value("tool_response")),
            brought: payload.brought(&["tool_response"]),
        },
        "PostToolUseFailure" => EventKind::AfterTool {
            call: payload.past_call("tool_name", &["tool_input"]),
            id: id(),
            outcome: Outcome::Failed,
            report: None,
            brought: payload.brought(&["error", "tool_response"]),
        },
        "UserPromptSubmit" => EventKind::Prompt {
            words: payload.text("prompt").and_then(words::own),
        },
        "SubagentStart" => EventKind::SubagentStart,
        "SubagentStop" => EventKind::SubagentStop,
        "SessionStart" => EventKind::SessionStart,
        "SessionEnd" => EventKind::SessionEnd,
        _ => EventKind::Other { name },
    })
}

/// What a subagent came back with.
fn report(response: Option<&Value>) -> Option<Report> {
    let response = response?.as_object()?;
    let subagent = response.get("agentId")?.as_str()?.to_owned();
    let parts = response.get("content")?.as_array()?;
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| part.get("text").and_then(Value::as_str))
        .collect();
    Some(Report {
        subagent: Some(subagent),
        text: texts.join("\n"),
    })
}

pub(crate) fn render(phase: HookPhase, answer: &Answer, presence: Presence) -> Reply {
    match (phase, answer) {
        (_, Answer::Neutral) | (HookPhase::Other, _) => Reply::neutral(),
        (HookPhase::AfterTool, Answer::Remark(text)) => after_tool(text),
        (HookPhase::BeforeTool, Answer::Ruling(ruling)) => {
            before_tool(&ruling.for_presence(presence), StopSupport::Honoured)
        }
        (HookPhase::PermissionRequest, Answer::Ruling(ruling)) => {
            permission_request(&ruling.for_presence(presence), Interrupt::Honoured)
        }
        (HookPhase::AfterTool, Answer::Ruling(_))
        | (HookPhase::BeforeTool | HookPhase::PermissionRequest, Answer::Remark(_)) => {
            Reply::neutral()
        }
    }
}

/// A remark beside a tool's result, for the model.
pub(crate) fn after_tool(text: &str) -> Reply {
    Reply::json(&json!({
        "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": text},
    }))
}

/// Whether `continue: false` beside a denial ends the run.
#[derive(Clone, Copy)]
pub(crate) enum StopSupport {
    Honoured,
    Ignored,
}

/// Whether a denied permission request can end the turn.
#[derive(Clone, Copy)]
pub(crate) enum Interrupt {
    Honoured,
    Ignored,
}

/// The answer of a client that takes this layout but cannot ask.
pub(crate) fn render_without_ask(phase: HookPhase, answer: &Answer) -> Reply {
    match (phase, answer) {
        (HookPhase::BeforeTool | HookPhase::PermissionRequest, Answer::Ruling(ruling)) => {
            before_tool(&ruling.without_ask(), StopSupport::Ignored)
        }
        (HookPhase::AfterTool, Answer::Remark(text)) => after_tool(text),
        (HookPhase::AfterTool | HookPhase::Other, _) | (_, Answer::Neutral | Answer::Remark(_)) => {
            Reply::neutral()
        }
    }
}

/// The decision before a tool, as the start of a reply.
pub(crate) fn permission_decision(verdict: Verdict, reason: &str) -> Map<String, Value> {
    let mut reply = Map::new();
    reply.insert(
        "hookSpecificOutput".to_owned(),
        json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": verdict.name(),
            "permissionDecisionReason": reason,
        }),
    );
    reply
}

pub(crate) fn before_tool(ruling: &Ruling, stop: StopSupport) -> Reply {
    let mut reply = permission_decision(ruling.verdict, ruling.spoken());
    if let Some(input) = rewritten(ruling)
        && let Some(Value::Object(specific)) = reply.get_mut("hookSpecificOutput")
    {
        specific.insert("updatedInput".to_owned(), Value::Object(input));
    }
    notice(&mut reply, ruling);
    if let (true, StopSupport::Honoured) = (ruling.stop, stop) {
        reply.insert("continue".to_owned(), Value::Bool(false));
        reply.insert(
            "stopReason".to_owned(),
            Value::String(ruling.reason.clone()),
        );
    }
    Reply::json(&Value::Object(reply))
}

/// What the person should know, and no decision.
pub(crate) fn told(ruling: &Ruling) -> Reply {
    let mut reply = Map::new();
    notice(&mut reply, ruling);
    Reply::json(&Value::Object(reply))
}

/// What must run in place of the call's own input.
pub(crate) fn rewritten(ruling: &Ruling) -> Option<Map<String, Value>> {
    match ruling.verdict {
        Verdict::Allow => ruling.rewritten.clone(),
        Verdict::Ask | Verdict::Deny => None,
    }
}

pub(crate) fn permission_request(ruling: &Ruling, interrupt: Interrupt) -> Reply {
    let decision = match ruling.verdict {
        Verdict::Allow => json!({"behavior": "allow"}),
        // Saying nothing shows the prompt, which is what asking means.
        Verdict::Ask => return Reply::neutral(),
        Verdict::Deny => match (ruling.stop, interrupt) {
            (true, Interrupt::Honoured) => {
                json!({"behavior": "deny", "message": ruling.reason, "interrupt": true})
            }
            (false, _) | (true, Interrupt::Ignored) => {
                json!({"behavior": "deny", "message": ruling.reason})
            }
        },
    };
    let mut reply = Map::new();
    reply.insert(
        "hookSpecificOutput".to_owned(),
        json!({"hookEventName": "PermissionRequest", "decision": decision}),
    );
    notice(&mut reply, ruling);
    Reply::json(&Value::Object(reply))
}

fn notice(reply: &mut Map<String, Value>, ruling: &Ruling) {
    if let Some(text) = ruling.beside() {
        reply.insert("systemMessage".to_owned(), Value::from(text));
    }
}
