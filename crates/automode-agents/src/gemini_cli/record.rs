//! `~/.gemini/tmp/<project>/chats/….jsonl`: a header, patches, messages. Older versions
//! kept one object with a list of messages in a `.json`.
//!
//! A later line with the same id replaces the earlier one and adds `toolCalls`; the
//! calls have ids of their own, so each is read once. The record does not say where
//! the session works.

use automode_core::Outcome;
use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{BranchStyle, Item, Reader, RecordFormat, RecordPlace, Turns, plain_parts};
use crate::words;

pub(super) static FORMAT: RecordFormat = RecordFormat {
    folder: Some(".gemini/tmp"),
    path: None,
    is_line: |line| line.get("$set").is_some() || line.get("projectHash").is_some(),
    is_document: Some(is_document),
    output_marks: &[],
    call_mark: "",
    read,
    read_document: Some(read_document),
    branches: Some(BranchStyle::Stepped(step)),
};

/// Before it wrote lines, a session was one object that names its project first.
fn is_document(name: &str, head: &str) -> bool {
    let fields = ["\"sessionId\"", "\"projectHash\""];
    name.starts_with("session-") && fields.iter().all(|field| head.contains(field))
}

/// `$rewindTo` takes a message and all behind it back; a later line with the same id replaces it.
fn step(line: &[u8], at: u64, _: &mut Reader, turns: &mut Turns) {
    let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(line) else {
        return;
    };
    let text = |field: &str| fields.get(field).and_then(Value::as_str);
    if let Some(back) = text("$rewindTo") {
        turns.back_to(back);
    } else if let Some(id) = text("id") {
        turns.add(id, at);
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiLine {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    tool_calls: Vec<Value>,
}

#[derive(Deserialize)]
struct SessionDocument {
    messages: Vec<GeminiLine>,
}

fn read(line: &[u8], place: &mut RecordPlace, items: &mut Vec<Item>) {
    if let Ok(line) = serde_json::from_slice::<GeminiLine>(line) {
        message(&line, &place.cwd, items);
    }
}

fn read_document(document: &[u8], place: &RecordPlace, items: &mut Vec<Item>) {
    if let Ok(document) = serde_json::from_slice::<SessionDocument>(document) {
        for line in &document.messages {
            message(line, &place.cwd, items);
        }
    }
}

fn message(line: &GeminiLine, cwd: &str, items: &mut Vec<Item>) {
    if line.kind == "user" {
        let text = match &line.content {
            Value::String(text) => Some(text.clone()),
            Value::Array(parts) => plain_parts(parts),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        };
        items.extend(text.as_deref().and_then(words::own).map(Item::User));
    }
    for call in &line.tool_calls {
        items.extend(Item::function_call(call, cwd));
        items.extend(ended(call));
    }
}

fn ended(call: &Value) -> Option<Item> {
    Some(Item::Outcome {
        id: call.get("id")?.as_str()?.to_owned(),
        outcome: match call.get("status")?.as_str()? {
            "success" => Outcome::Succeeded,
            "error" => Outcome::Failed,
            "cancelled" => Outcome::Denied,
            _ => return None,
        },
    })
}
