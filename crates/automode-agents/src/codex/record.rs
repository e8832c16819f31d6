//! `~/.codex/sessions/Y/M/D/rollout-….jsonl`: `{type, payload}`.
//!
//! The user is a message of role user whose every part has the provenance `user`;
//! the harness and developers speak in that role too. On the wire the shell tool is
//! `exec_command{cmd}`; the hook sees `Bash{command}`, and so does the reader's caller.

use automode_core::{Outcome, ToolCall};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::install::quoted;
use crate::transcript::{BranchStyle, Item, Reader, RecordFormat, RecordPlace, Turns, input, says};
use crate::words;

pub(super) static FORMAT: RecordFormat = RecordFormat {
    folder: Some(".codex/sessions"),
    path: None,
    is_line,
    is_document: None,
    output_marks: &[
        r#""type":"function_call_output""#,
        r#""type":"custom_tool_call_output""#,
        r#""type":"reasoning""#,
    ],
    call_mark: r#""arguments""#,
    read,
    read_document: None,
    branches: Some(BranchStyle::Stepped(step)),
};

fn is_line(line: &Value) -> bool {
    let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
    line.get("payload").is_some() || line.get("call_id").is_some() && kind.contains("_call")
}

/// `thread_rolled_back` takes the last turns back. A turn's words may stand there twice, as
/// an event and as a message.
fn step(line: &[u8], at: u64, reader: &mut Reader, turns: &mut Turns) {
    if let Some(count) = rolled_back(line) {
        turns.back_by(count);
    } else if let Some(words) = says(reader, line) {
        turns.say(&words, at);
    }
}

fn rolled_back(line: &[u8]) -> Option<usize> {
    const KIND: &[u8] = b"thread_rolled_back";
    line.windows(KIND.len()).find(|part| *part == KIND)?;
    let line: Value = serde_json::from_slice(line).ok()?;
    let payload = line.get("payload")?;
    (payload.get("type")?.as_str()? == "thread_rolled_back").then_some(())?;
    let count = payload.get("num_turns")?.as_u64()?;
    Some(usize::try_from(count).unwrap_or(usize::MAX))
}

#[derive(Deserialize)]
struct CodexLine {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    payload: Value,
}

fn read(line: &[u8], place: &mut RecordPlace, items: &mut Vec<Item>) {
    let cwd = &mut place.cwd;
    let Ok(CodexLine { kind, payload }) = serde_json::from_slice(line) else {
        return;
    };
    if payload.is_null() {
        return bare(&kind, line, cwd, items);
    }
    let text = |field: &str| payload.get(field).and_then(Value::as_str);
    match kind.as_str() {
        "session_meta" | "turn_context" => {
            if let Some(at) = text("cwd") {
                at.clone_into(cwd);
            }
        }
        // Before provenance was recorded, the user's own message was an event of its own.
        "event_msg" if text("type") == Some("user_message") => {
            items.extend(text("message").and_then(words::own).map(Item::User));
        }
        "response_item" => items.extend(item(&payload, cwd)),
        _ => {}
    }
}

/// The first recordings held the model's items as they were. Nothing in them tells the user
/// from the harness, so they say what was called and nothing else.
fn bare(kind: &str, line: &[u8], cwd: &str, items: &mut Vec<Item>) {
    let is_call = kind.ends_with("_call") || kind.ends_with("_call_output");
    if let (true, Ok(line)) = (is_call, serde_json::from_slice::<Value>(line)) {
        items.extend(item(&line, cwd));
    }
}

fn item(payload: &Value, cwd: &str) -> Option<Item> {
    let text = |field: &str| payload.get(field).and_then(Value::as_str);
    match text("type")? {
        "message" if text("role") == Some("user") => user(payload).map(Item::User),
        "function_call" => Some(Item::Call {
            id: text("call_id")?.to_owned(),
            call: function(text("name")?, input(payload.get("arguments")), cwd),
            delegated: false,
        }),
        "custom_tool_call" => Some(Item::Call {
            id: text("call_id")?.to_owned(),
            call: ToolCall {
                tool: text("name")?.to_owned(),
                input: one("command", text("input").unwrap_or_default()),
                cwd: cwd.to_owned(),
            },
            delegated: false,
        }),
        "local_shell_call" => {
            let action = payload.get("action")?;
            Some(Item::Call {
                id: text("call_id")?.to_owned(),
                call: shell(&command(action.get("command"))?, action, cwd),
                delegated: false,
            })
        }
        "function_call_output" | "custom_tool_call_output" => Some(Item::Outcome {
            id: text("call_id")?.to_owned(),
            outcome: outcome(text("output").unwrap_or_default()),
        }),
        _ => None,
    }
}

fn user(payload: &Value) -> Option<String> {
    let origins = payload
        .get("internal_chat_message_metadata_passthrough")?
        .get("content_item_metadata")?
        .as_array()?;
    let provenance = |origin: &Value| {
        origin
            .get("provenance")?
            .get("type")?
            .as_str()
            .map(|kind| kind == "user")
    };
    if origins.is_empty()
        || !origins
            .iter()
            .all(|origin| provenance(origin) == Some(true))
    {
        return None;
    }
    let parts = payload.get("content")?.as_array()?;
    if parts.len() != origins.len() {
        return None;
    }
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| part.get("text").and_then(Value::as_str))
        .collect();
    words::own(&texts.join("\n"))
}

fn function(name: &str, input: Map<String, Value>, cwd: &str) -> ToolCall {
    let text = match name {
        "exec_command" => input.get("cmd").and_then(Value::as_str).map(str::to_owned),
        "shell" | "shell_command" => command(input.get("command")),
        _ => None,
    };
    match text {
        Some(text) => shell(&text, &Value::Object(input), cwd),
        None => ToolCall {
            tool: name.to_owned(),
            input,
            cwd: cwd.to_owned(),
        },
    }
}

fn shell(text: &str, input: &Value, cwd: &str) -> ToolCall {
    let at = ["workdir", "working_directory", "cwd"]
        .iter()
        .find_map(|field| input.get(*field).and_then(Value::as_str));
    ToolCall {
        tool: "Bash".to_owned(),
        input: one("command", text),
        cwd: match at {
            Some(at) if at.starts_with('/') => at.to_owned(),
            Some(at) => format!("{cwd}/{at}"),
            None => cwd.to_owned(),
        },
    }
}

/// A command as text, or as words: `["bash", "-lc", "…"]` is its script.
fn command(value: Option<&Value>) -> Option<String> {
    let value = value?;
    if let Some(text) = value.as_str() {
        return Some(text.to_owned());
    }
    let words: Vec<&str> = value.as_array()?.iter().filter_map(Value::as_str).collect();
    match words.as_slice() {
        [
            "bash" | "sh" | "zsh" | "/bin/bash" | "/bin/sh" | "/bin/zsh",
            "-lc" | "-c",
            script,
        ] => Some((*script).to_owned()),
        words => Some(
            words
                .iter()
                .map(|word| quoted(word))
                .collect::<Vec<_>>()
                .join(" "),
        ),
    }
}

pub(super) fn outcome(text: &str) -> Outcome {
    let says = |words: &str| text.contains(words);
    if says("blocked by PreToolUse hook") || says("Rejected(") || says("rejected by user") {
        Outcome::Denied
    } else if says("exited with code") && !says("exited with code 0")
        || says("exec_command failed")
        || says("Exit code: ") && !says("Exit code: 0")
        || says("verification failed")
    {
        Outcome::Failed
    } else {
        Outcome::Succeeded
    }
}

fn one(field: &str, text: &str) -> Map<String, Value> {
    Map::from_iter([(field.to_owned(), Value::String(text.to_owned()))])
}
