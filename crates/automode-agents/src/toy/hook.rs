//! The toy's hooks: one event, one answer.

use automode_core::Presence;
use serde_json::json;

use crate::event::{Event, EventKind, HookPhase, Malformed};
use crate::payload::Payload;
use crate::reply::{Answer, Reply};

pub(super) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let payload = Payload::parse(bytes)?;
    let kind = EventKind::BeforeTool {
        call: payload.call("tool", &["with"], HookPhase::BeforeTool)?,
        id: None,
    };
    payload.event("id", kind)
}

pub(super) fn render(_: HookPhase, answer: &Answer, presence: Presence) -> Reply {
    match answer {
        Answer::Ruling(ruling) => Reply::json(&json!({
            "answer": ruling.for_presence(presence).verdict.name(),
        })),
        Answer::Neutral | Answer::Remark(_) => Reply::neutral(),
    }
}
