//! `~/.qwen/projects/<project>/chats/….jsonl`: every line says where it comes from.

use automode_core::Outcome;
use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{Item, RecordFormat, RecordPlace};
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
struct QwenLine {
    #[serde(default)]
    provenance: String,
    cwd: Option<String>,
    message: Option<QwenMessage>,
}

#[derive(Deserialize)]
struct QwenMessage {
    #[serde(default)]
    parts: Vec<Value>,
}

fn read(line: &[u8], place: &mut RecordPlace, items: &mut Vec<Item>) {
    let cwd = &mut place.cwd;
    let Ok(line) = serde_json::from_slice::<QwenLine>(line) else {
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
            "assistant_output" => part
                .get("functionCall")
                .and_then(|call| Item::function_call(call, cwd)),
            "tool_result" => result(part),
            _ => None,
        });
    }
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
