//! `~/.qwen/projects/<project>/chats/….jsonl`: every line says where it comes from.

use automode_core::{Outcome, ToolCall};
use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{Item, RecordFormat, RecordPlace, input};
use crate::words;

pub(super) static FORMAT: RecordFormat = RecordFormat {
    folder: None,
    path: None,
    is_line: |line| line.get("provenance").is_some(),
    is_document: None,
    output_marks: &[r#""provenance":"tool_result""#],
    call_mark: r#""functionCall""#,
    read,
    read_document: None,
    branches: None,
};

#[derive(Deserialize)]
struct RecordLine {
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

fn read(line: &[u8], place: &mut RecordPlace, items: &mut Vec<Item>) {
    let cwd = &mut place.cwd;
    let Ok(line) = serde_json::from_slice::<RecordLine>(line) else {
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
