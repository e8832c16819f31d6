//! `~/.gemini/tmp/<project>/chats/….jsonl`: a header, patches, messages. Older versions
//! kept one object with a list of messages in a `.json`.
//!
//! A later line with the same id replaces the earlier one and adds `toolCalls`; the
//! calls have ids of their own, so each is read once. The record does not say where
//! the session works.

use automode_core::{Outcome, ToolCall};
use serde::Deserialize;
use serde_json::Value;

use super::{Item, input, plain_parts};
use crate::words;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    tool_calls: Vec<Value>,
}

#[derive(Deserialize)]
struct Document {
    messages: Vec<Line>,
}

pub(super) fn read(line: &[u8], cwd: &str, items: &mut Vec<Item>) {
    if let Ok(line) = serde_json::from_slice::<Line>(line) {
        message(&line, cwd, items);
    }
}

pub(super) fn read_document(document: &[u8], cwd: &str, items: &mut Vec<Item>) {
    if let Ok(document) = serde_json::from_slice::<Document>(document) {
        for line in &document.messages {
            message(line, cwd, items);
        }
    }
}

fn message(line: &Line, cwd: &str, items: &mut Vec<Item>) {
    if line.kind == "user" {
        let text = match &line.content {
            Value::String(text) => Some(text.clone()),
            Value::Array(parts) => plain_parts(parts),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        };
        items.extend(text.as_deref().and_then(words::own).map(Item::User));
    }
    for call in &line.tool_calls {
        items.extend(made(call, cwd));
        items.extend(ended(call));
    }
}

fn made(call: &Value, cwd: &str) -> Option<Item> {
    Some(Item::Call {
        id: call.get("id")?.as_str()?.to_owned(),
        call: ToolCall {
            tool: call.get("name")?.as_str()?.to_owned(),
            input: input(call.get("args")),
            cwd: cwd.to_owned(),
        },
        delegated: false,
    })
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
