//! Copilot CLI: two events, two answers, both at top level.
//!
//! Payloads carry no event name but `permissionRequest`, so the others are told by
//! their fields. preToolUse understands `ask`: shown to a person, denied where there
//! is none. A permission request left unanswered runs under `--allow-all-tools`, so
//! ask is a denial there.

use automode_core::{Outcome, Presence, Verdict};
use serde_json::{Map, Value, json};

use crate::claude_code::hook as claude_code;
use crate::event::{Event, EventKind, HookPhase, Malformed};
use crate::payload::Payload;
use crate::reply::{Answer, Reply, Ruling};
use crate::words;

pub(crate) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let payload = Payload::parse(bytes)?;
    let kind = kind(&payload)?;
    payload.event("sessionId", kind)
}

fn kind(payload: &Payload) -> Result<EventKind, Malformed> {
    if payload.text("hookName") == Some("permissionRequest") {
        return Ok(EventKind::PermissionRequest {
            call: payload.call(
                "toolName",
                &["toolInput", "toolArgs"],
                HookPhase::PermissionRequest,
            )?,
        });
    }
    if payload.has("toolResult") {
        return Ok(EventKind::AfterTool {
            call: payload.past_call("toolName", &["toolArgs"]),
            id: None,
            outcome: outcome(payload),
            report: None,
            brought: payload.brought(&["toolResult"]),
        });
    }
    if payload.has("toolName") || payload.has("toolArgs") {
        return Ok(EventKind::BeforeTool {
            call: payload.call("toolName", &["toolArgs"], HookPhase::BeforeTool)?,
            id: None,
        });
    }
    Ok(
        match (
            payload.text("prompt"),
            payload.has("source"),
            payload.has("reason"),
        ) {
            (Some(prompt), _, _) => EventKind::Prompt {
                words: words::own(prompt),
            },
            (None, true, _) => EventKind::SessionStart,
            (None, false, true) => EventKind::SessionEnd,
            (None, false, false) => match payload.text("hookName") {
                Some(name) => EventKind::Other {
                    name: name.chars().take(64).collect(),
                },
                // Nothing says what this is, so it may be a call.
                None => {
                    return Err(Malformed::new(
                        HookPhase::BeforeTool,
                        "`toolName` is missing",
                    ));
                }
            },
        },
    )
}

fn outcome(payload: &Payload) -> Outcome {
    let result = payload
        .object("toolResult")
        .and_then(|result| result.get("resultType"));
    match result.and_then(Value::as_str) {
        Some("success") => Outcome::Succeeded,
        Some("denied" | "rejected") => Outcome::Denied,
        Some(_) | None => Outcome::Failed,
    }
}

/// Copilot shows a person the first line of a denial alone, so the way on stands in front.
fn shown(ruling: &Ruling) -> String {
    let said = ruling.spoken();
    match (ruling.verdict, &ruling.id) {
        (Verdict::Deny, Some(id)) => said.replacen(
            "automode stopped this: ",
            &format!("automode stopped this (automode why {id}): "),
            1,
        ),
        (Verdict::Allow | Verdict::Ask | Verdict::Deny, _) => said.to_owned(),
    }
}

pub(crate) fn render(phase: HookPhase, answer: &Answer, presence: Presence) -> Reply {
    let ruling = match (phase, answer) {
        (_, Answer::Ruling(ruling)) => ruling,
        (HookPhase::AfterTool, Answer::Remark(text)) => {
            return Reply::json(&json!({"additionalContext": text}));
        }
        (_, Answer::Remark(_) | Answer::Neutral) => return Reply::neutral(),
    };
    match phase {
        HookPhase::BeforeTool => {
            let ruling = ruling.for_presence(presence);
            let mut reply = Map::from_iter([
                (
                    "permissionDecision".to_owned(),
                    json!(ruling.verdict.name()),
                ),
                ("permissionDecisionReason".to_owned(), json!(shown(&ruling))),
            ]);
            if let Some(input) = claude_code::rewritten(&ruling) {
                reply.insert("modifiedArgs".to_owned(), Value::Object(input));
            }
            Reply::json(&Value::Object(reply))
        }
        HookPhase::PermissionRequest => {
            let ruling = ruling.without_ask();
            match ruling.verdict {
                Verdict::Allow => Reply::json(&json!({"behavior": "allow"})),
                Verdict::Ask | Verdict::Deny => {
                    Reply::json(&json!({"behavior": "deny", "message": ruling.reason}))
                }
            }
        }
        HookPhase::AfterTool | HookPhase::Other => Reply::neutral(),
    }
}
