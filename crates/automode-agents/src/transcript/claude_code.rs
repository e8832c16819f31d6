//! `~/.claude/projects/<project>/<session>.jsonl`: one line a content block.
//!
//! The user is a line of type `user` with a string for content that the client did
//! not mark as its own. The first line of a subagent's file was written by the
//! parent's model.

use automode_core::{Outcome, ToolCall};
use serde::Deserialize;
use serde_json::Value;

use super::{Item, input};
use crate::words;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_compact_summary: bool,
    #[serde(default)]
    is_visible_in_transcript_only: bool,
    prompt_source: Option<String>,
    origin: Option<Value>,
    tool_denial_kind: Option<String>,
    cwd: Option<String>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Value,
}

pub(super) fn read(line: &[u8], cwd: &mut String, items: &mut Vec<Item>) {
    let Ok(line) = serde_json::from_slice::<Line>(line) else {
        return;
    };
    if let Some(at) = &line.cwd {
        cwd.clone_from(at);
    }
    let Some(message) = &line.message else {
        return;
    };
    match (line.kind.as_str(), &message.content) {
        ("user", Value::String(text)) if is_user(&line) => {
            items.extend(words::own(text).map(Item::User));
        }
        ("user", Value::Array(blocks)) => {
            items.extend(blocks.iter().filter_map(|block| result(&line, block)));
        }
        ("assistant", Value::Array(blocks)) => {
            items.extend(blocks.iter().filter_map(|block| call(&line, block, cwd)));
        }
        _ => {}
    }
}

fn is_user(line: &Line) -> bool {
    !line.is_meta
        && !line.is_sidechain
        && !line.is_compact_summary
        && !line.is_visible_in_transcript_only
        && line.prompt_source.as_deref() != Some("system")
        && line.origin.is_none()
}

fn call(line: &Line, block: &Value, cwd: &str) -> Option<Item> {
    if block.get("type")?.as_str()? != "tool_use" {
        return None;
    }
    Some(Item::Call {
        id: block.get("id")?.as_str()?.to_owned(),
        call: ToolCall {
            tool: block.get("name")?.as_str()?.to_owned(),
            input: input(block.get("input")),
            cwd: cwd.to_owned(),
        },
        delegated: line.is_sidechain,
    })
}

fn result(line: &Line, block: &Value) -> Option<Item> {
    if block.get("type")?.as_str()? != "tool_result" {
        return None;
    }
    let failed = block.get("is_error").and_then(Value::as_bool) == Some(true);
    Some(Item::Outcome {
        id: block.get("tool_use_id")?.as_str()?.to_owned(),
        outcome: match (failed, &line.tool_denial_kind) {
            (_, Some(_)) => Outcome::Denied,
            (true, None) => Outcome::Failed,
            (false, None) => Outcome::Succeeded,
        },
    })
}
