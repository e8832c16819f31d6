//! `~/.claude/projects/<project>/<session>.jsonl`: one line a content block.
//!
//! The user is a line of type `user` with a string for content that the client did
//! not mark as its own, or a prompt that was queued while the agent was at work. The first line of a subagent's file was written by the
//! parent's model. Content is taken apart only where something in it counts: tool
//! results are most of a record, and none of their text does.

use std::borrow::Cow;

use automode_core::{Outcome, ToolCall};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::transcript::{BranchLink, BranchStyle, Item, RecordFormat, RecordPlace, input};
use crate::words;

pub(super) static FORMAT: RecordFormat = RecordFormat {
    folder: Some(".claude/projects"),
    path: None,
    is_line,
    is_document: None,
    output_marks: &[r#""type":"tool_result""#, r#""type": "tool_result""#],
    call_mark: r#""tool_use""#,
    read,
    read_document: None,
    branches: Some(BranchStyle::Linked(link)),
};

/// Others that name session and type say more of themselves.
fn is_line(line: &Value) -> bool {
    let has = |field: &str| line.get(field).is_some();
    let of_others = ["payload", "$set", "projectHash", "provenance"];
    has("sessionId")
        && has("type")
        && !of_others.into_iter().any(has)
        && !(has("data") && has("parentId"))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LinkFields {
    uuid: Option<String>,
    parent_uuid: Option<String>,
    /// What a summary stands behind.
    logical_parent_uuid: Option<String>,
    #[serde(default)]
    is_sidechain: bool,
}

fn link(line: &[u8]) -> Option<BranchLink> {
    let fields: LinkFields = serde_json::from_slice(line).ok()?;
    if fields.is_sidechain {
        return None;
    }
    Some(BranchLink {
        own: fields.uuid?,
        before: fields.parent_uuid.or(fields.logical_parent_uuid),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClaudeLine<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_compact_summary: bool,
    #[serde(default)]
    is_visible_in_transcript_only: bool,
    #[serde(borrow)]
    prompt_source: Option<Cow<'a, str>>,
    #[serde(borrow)]
    origin: Option<LineOrigin<'a>>,
    #[serde(borrow)]
    attachment: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_denial_kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<ClaudeMessage<'a>>,
}

/// Who a prompt came from, where the client says so.
#[derive(Deserialize)]
struct LineOrigin<'a> {
    #[serde(default, borrow)]
    kind: Cow<'a, str>,
}

/// What somebody typed while the agent was at work.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Queued<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    prompt: Option<Cow<'a, str>>,
    #[serde(borrow)]
    command_mode: Option<Cow<'a, str>>,
    #[serde(borrow)]
    origin: Option<LineOrigin<'a>>,
}

#[derive(Deserialize)]
struct ClaudeMessage<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct RecordBlock<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    input: Option<Value>,
    #[serde(borrow)]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(default)]
    is_error: Option<bool>,
}

fn read(line: &[u8], place: &mut RecordPlace, items: &mut Vec<Item>) {
    let Ok(line) = serde_json::from_slice::<ClaudeLine<'_>>(line) else {
        return;
    };
    if let Some(at) = &line.cwd {
        at.as_ref().clone_into(&mut place.cwd);
    }
    if let ("attachment", Some(attachment)) = (line.kind.as_ref(), line.attachment) {
        items.extend(queued(&line, attachment.get()).map(Item::User));
    }
    let Some(message) = &line.message else {
        return;
    };
    let content = message.content.map(RawValue::get).unwrap_or_default();
    match (line.kind.as_ref(), content.as_bytes().first()) {
        ("user", Some(b'"')) if is_user(&line) => {
            let text = serde_json::from_str::<String>(content).unwrap_or_default();
            items.extend(words::own(&text).map(Item::User));
        }
        ("user", Some(b'[')) => {
            // Words with a picture beside them come in blocks.
            let spoken = Some(content)
                .filter(|_| line.prompt_source.is_some() && is_user(&line))
                .and_then(spoken);
            match spoken {
                Some(text) => items.extend(words::own(&text).map(Item::User)),
                None => items.extend(blocks(content).filter_map(|block| result(&line, &block))),
            }
        }
        ("assistant", Some(b'[')) => {
            if let (Some(model), false) = (&message.model, line.is_sidechain) {
                place.model = Some(model.as_ref().to_owned());
            }
            items.extend(blocks(content).filter_map(|block| call(&line, block, &place.cwd)));
        }
        _ => {}
    }
}

/// The blocks that can be read; one that cannot says nothing.
fn blocks(content: &str) -> impl Iterator<Item = RecordBlock<'_>> {
    let blocks = serde_json::from_str::<Vec<&RawValue>>(content).unwrap_or_default();
    blocks
        .into_iter()
        .filter_map(|block| serde_json::from_str(block.get()).ok())
}

fn is_user(line: &ClaudeLine<'_>) -> bool {
    !line.is_meta
        && !line.is_sidechain
        && !line.is_compact_summary
        && !line.is_visible_in_transcript_only
        && line.prompt_source.as_deref() != Some("system")
        && is_human(line.origin.as_ref())
}

/// The text of blocks that hold nothing but text and pictures.
fn spoken(content: &str) -> Option<String> {
    let mut texts = Vec::new();
    for block in serde_json::from_str::<Vec<&RawValue>>(content).ok()? {
        let block: RecordBlock<'_> = serde_json::from_str(block.get()).ok()?;
        match (block.kind.as_ref(), block.text) {
            ("text", Some(text)) => texts.push(text.into_owned()),
            ("image" | "document", _) => {}
            _ => return None,
        }
    }
    Some(texts.join("\n"))
}

fn is_human(origin: Option<&LineOrigin<'_>>) -> bool {
    origin.is_none_or(|origin| origin.kind == "human")
}

/// The words of a queued command; notifications are queued too.
fn queued(line: &ClaudeLine<'_>, attachment: &str) -> Option<String> {
    let queued: Queued<'_> = serde_json::from_str(attachment).ok()?;
    let typed = queued.kind == "queued_command"
        && queued.command_mode.as_deref() == Some("prompt")
        && is_human(queued.origin.as_ref())
        && is_user(line);
    words::own(&queued.prompt.filter(|_| typed)?)
}

fn call(line: &ClaudeLine<'_>, block: RecordBlock<'_>, cwd: &str) -> Option<Item> {
    if block.kind != "tool_use" {
        return None;
    }
    Some(Item::Call {
        id: block.id?.into_owned(),
        call: ToolCall {
            tool: block.name?.into_owned(),
            input: input(block.input.as_ref()),
            cwd: cwd.to_owned(),
        },
        delegated: line.is_sidechain,
    })
}

fn result(line: &ClaudeLine<'_>, block: &RecordBlock<'_>) -> Option<Item> {
    if block.kind != "tool_result" {
        return None;
    }
    Some(Item::Outcome {
        id: block.tool_use_id.as_deref()?.to_owned(),
        outcome: match (block.is_error == Some(true), &line.tool_denial_kind) {
            (_, Some(_)) => Outcome::Denied,
            (true, None) => Outcome::Failed,
            (false, None) => Outcome::Succeeded,
        },
    })
}
