//! `~/.copilot/session-state/<session>/events.jsonl`: typed events.
//!
//! `data.content` of a user's message is what they typed; `transformedContent` is
//! what the client made of it.

use automode_core::{Outcome, ToolCall};
use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{Item, RecordFormat, RecordPlace, input};
use crate::words;

pub(super) static FORMAT: RecordFormat = RecordFormat {
    folder: None,
    path: Some(path),
    is_line: |line| line.get("data").is_some() && line.get("parentId").is_some(),
    is_document: None,
    output_marks: &[r#""type":"tool.execution_complete""#],
    call_mark: r#""toolRequests""#,
    read,
    read_document: None,
    branches: None,
};

/// The hooks do not say where the record is; a session's name that is no plain word names none.
fn path(session: &str) -> Option<String> {
    let is_plain = session
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_plain.then(|| format!(".copilot/session-state/{session}/events.jsonl"))
}

#[derive(Deserialize)]
struct CopilotLine {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    data: Value,
}

fn read(line: &[u8], place: &mut RecordPlace, items: &mut Vec<Item>) {
    let cwd = &mut place.cwd;
    let Ok(CopilotLine { kind, data }) = serde_json::from_slice(line) else {
        return;
    };
    match kind.as_str() {
        "session.start" => {
            let at = data.get("context").and_then(|context| context.get("cwd"));
            if let Some(at) = at.and_then(Value::as_str) {
                at.clone_into(cwd);
            }
        }
        "user.message" => {
            let words = data
                .get("content")
                .and_then(Value::as_str)
                .and_then(words::own);
            items.extend(words.map(Item::User));
        }
        "assistant.message" => {
            let requests = data.get("toolRequests").and_then(Value::as_array);
            items.extend(
                requests
                    .into_iter()
                    .flatten()
                    .filter_map(|call| made(call, cwd)),
            );
        }
        "tool.execution_complete" => items.extend(ended(&data)),
        _ => {}
    }
}

fn made(call: &Value, cwd: &str) -> Option<Item> {
    Some(Item::Call {
        id: call.get("toolCallId")?.as_str()?.to_owned(),
        call: ToolCall {
            tool: call.get("name")?.as_str()?.to_owned(),
            input: input(call.get("arguments")),
            cwd: cwd.to_owned(),
        },
        delegated: false,
    })
}

fn ended(data: &Value) -> Option<Item> {
    let denied = data
        .get("error")
        .and_then(|error| error.get("code"))
        .and_then(Value::as_str)
        == Some("denied");
    Some(Item::Outcome {
        id: data.get("toolCallId")?.as_str()?.to_owned(),
        outcome: match (data.get("success").and_then(Value::as_bool), denied) {
            (_, true) => Outcome::Denied,
            (Some(true), false) => Outcome::Succeeded,
            (Some(false) | None, false) => Outcome::Failed,
        },
    })
}
