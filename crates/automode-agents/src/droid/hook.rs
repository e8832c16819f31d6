//! Factory Droid: Claude Code's events and answers, with tools of its own names.
//!
//! `ask` changes nothing there: the command runs, so a question is a denial. What the
//! model says of the risk is dropped, because Droid believes it and we must not.
//! UserPromptSubmit fires for subagents only, with the parent model's words: it is nobody's.

use serde_json::Value;

use crate::claude_code::hook as claude_code;
pub(super) use crate::claude_code::hook::render_without_ask as render;
use crate::event::{Event, EventKind, Malformed};
use crate::payload::Payload;

/// Its names for what others call otherwise.
const TOOLS: &[(&str, &str)] = &[
    ("Execute", "Bash"),
    ("Create", "Write"),
    ("LS", "List"),
    ("FetchUrl", "WebFetch"),
];

pub(super) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let mut payload = Payload::parse(bytes)?;
    payload.rename_tool("tool_name", TOOLS);
    if let Some(Value::Object(input)) = payload.value_mut("tool_input") {
        for word in ["riskLevel", "riskLevelReason", "summary"] {
            input.remove(word);
        }
    }
    let kind = match claude_code::kind(&payload)? {
        EventKind::Prompt { .. } => EventKind::Prompt { words: None },
        other => other,
    };
    payload.event("session_id", kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::HookPhase;
    use crate::reply::{Answer, Ruling};
    use automode_core::Verdict;
    use serde_json::json;

    fn call(tool: &str, input: &Value) -> (String, Value) {
        let payload = json!({
            "session_id": "s", "cwd": "/w", "permission_mode": "auto-high",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
        });
        match parse(payload.to_string().as_bytes()).unwrap().kind {
            EventKind::BeforeTool { call, .. } => (call.tool, Value::Object(call.input)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn its_tools_are_understood_and_its_risk_is_not_believed() {
        let input =
            json!({"command": "ls", "summary": "s", "riskLevel": "low", "riskLevelReason": "r"});
        assert_eq!(
            call("Execute", &input),
            ("Bash".to_owned(), json!({"command": "ls"}))
        );
        let input = json!({"file_path": "a", "content": "x"});
        assert_eq!(call("Create", &input), ("Write".to_owned(), input));
    }

    #[test]
    fn a_question_is_a_denial() {
        let ask = Ruling {
            verdict: Verdict::Ask,
            ..Ruling::failure("x")
        };
        let reply = render(HookPhase::BeforeTool, &Answer::Ruling(ask));
        assert!(reply.stdout.contains("\"deny\""), "{reply:?}");
    }
}
