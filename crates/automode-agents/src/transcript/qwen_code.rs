//! `~/.qwen/projects/<project>/chats/….jsonl`: every line says where it comes from.

use automode_core::{Outcome, ToolCall};
use serde::Deserialize;
use serde_json::Value;

use super::{Item, input};
use crate::words;

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    provenance: String,
    cwd: Option<String>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    parts: Vec<Value>,
}

pub(super) fn read(line: &[u8], cwd: &mut String, items: &mut Vec<Item>) {
    let Ok(line) = serde_json::from_slice::<Line>(line) else {
        return;
    };
    if let Some(at) = &line.cwd {
        cwd.clone_from(at);
    }
    for part in line.message.iter().flat_map(|message| &message.parts) {
        items.extend(match line.provenance.as_str() {
            "real_user" => part
                .get("text")
                .and_then(Value::as_str)
                .and_then(words::own)
                .map(Item::User),
            "assistant_output" => call(part, cwd),
            "tool_result" => result(part),
            _ => None,
        });
    }
}

fn call(part: &Value, cwd: &str) -> Option<Item> {
    let call = part.get("functionCall")?;
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

fn result(part: &Value) -> Option<Item> {
    let response = part.get("functionResponse")?;
    Some(Item::Outcome {
        id: response.get("id")?.as_str()?.to_owned(),
        outcome: match response.get("response").and_then(|body| body.get("error")) {
            Some(_) => Outcome::Failed,
            None => Outcome::Succeeded,
        },
    })
}
