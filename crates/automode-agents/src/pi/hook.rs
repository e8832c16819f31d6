//! Pi: no command hooks; our extension speaks for it in Claude Code's shape.
//!
//! The extension blocks on anything but an allow. Where Pi has a user interface, a
//! question is asked there. A call that a script of the model makes comes on its own.

use automode_core::Presence;
use serde_json::Value;

use crate::claude_code::hook::{self as claude_code, StopSupport};
use crate::event::{Event, HookPhase, Malformed};
use crate::payload::Payload;
use crate::reply::{Answer, Reply};

pub(super) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let mut payload = Payload::parse(bytes)?;
    let edits = payload
        .value_mut("tool_input")
        .and_then(|input| input.get_mut("edits"));
    if let Some(Value::Array(edits)) = edits {
        edits
            .iter_mut()
            .filter_map(Value::as_object_mut)
            .for_each(|edit| {
                for (theirs, ours) in [("oldText", "old_string"), ("newText", "new_string")] {
                    if let Some(text) = edit.remove(theirs) {
                        edit.insert(ours.to_owned(), text);
                    }
                }
            });
    }
    let kind = claude_code::kind(&payload)?;
    let mut event = payload.event("session_id", kind)?;
    event.presence = payload
        .value("has_ui")
        .and_then(Value::as_bool)
        .map(|there| {
            if there {
                Presence::Interactive
            } else {
                Presence::Headless
            }
        });
    Ok(event)
}

pub(super) fn render(phase: HookPhase, answer: &Answer, presence: Presence) -> Reply {
    match (phase, answer) {
        (HookPhase::BeforeTool | HookPhase::PermissionRequest, Answer::Ruling(ruling)) => {
            claude_code::before_tool(&ruling.for_presence(presence), StopSupport::Ignored)
        }
        (HookPhase::AfterTool, Answer::Remark(text)) => claude_code::after_tool(text),
        (HookPhase::AfterTool | HookPhase::Other, _) | (_, Answer::Neutral | Answer::Remark(_)) => {
            Reply::neutral()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventKind;
    use serde_json::json;

    #[test]
    fn edits_and_presence_are_understood() {
        let payload = json!({
            "session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse", "has_ui": true,
            "tool_name": "edit", "tool_input": {"path": "a", "edits": [{"oldText": "x", "newText": "y"}]},
        });
        let event = parse(payload.to_string().as_bytes()).unwrap();
        assert_eq!(event.presence, Some(Presence::Interactive));
        let EventKind::BeforeTool { call, .. } = event.kind else {
            panic!("a call")
        };
        assert_eq!(
            call.input["edits"],
            json!([{"old_string": "x", "new_string": "y"}])
        );
    }
}
