//! Anthropic Messages.
//!
//! The system prompt and the turns keep their segments, because the service
//! keeps prefixes by block: a cache mark becomes `cache_control`.

use automode_core::judge::{Cache, Finish, Reply, Request, Segment, Trouble, Usage, tool};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::shape::{ReplyForm, WireShape, encoded, verdict};

pub(crate) const VERSION: &str = "2023-06-01";

#[derive(Serialize)]
struct AnthropicBody<'a> {
    model: &'a str,
    max_tokens: u32,
    system: Vec<Block<'a>>,
    messages: Vec<AnthropicTurn<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_sequences: Option<[&'static str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
}

#[derive(Serialize)]
struct AnthropicTurn<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
struct Block<'a> {
    r#type: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

#[derive(Serialize)]
struct OutputConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
}

/// The request as the service wants it.
pub(crate) fn body(request: &Request, model: &str, shape: &WireShape) -> Result<Vec<u8>, Trouble> {
    let forced = shape.form == ReplyForm::ForcedTool;
    let format = (shape.form == ReplyForm::Schema)
        .then(|| json!({"type": "json_schema", "schema": tool::schema()}));
    let body = AnthropicBody {
        model,
        max_tokens: shape.max_tokens,
        system: blocks(&request.system),
        messages: request
            .messages
            .iter()
            .map(|turn| AnthropicTurn {
                role: "user",
                content: blocks(turn),
            })
            .collect(),
        temperature: shape.temperature,
        stop_sequences: shape.stop.map(|stop| [stop]),
        tools: forced.then(|| {
            json!([{"name": tool::NAME, "description": tool::DESCRIPTION, "input_schema": tool::schema()}])
        }),
        tool_choice: forced.then(|| json!({"type": "tool", "name": tool::NAME})),
        thinking: shape.switch.map(|switch| json!({"type": switch})),
        output_config: (format.is_some() || shape.effort.is_some()).then_some(OutputConfig {
            format,
            effort: shape.effort,
        }),
    };
    encoded(&body)
}

fn blocks(segments: &[Segment]) -> Vec<Block<'_>> {
    segments
        .iter()
        .map(|segment| Block {
            r#type: "text",
            text: &segment.text,
            cache_control: match segment.cache {
                Cache::None => None,
                Cache::Mark => Some(CacheControl {
                    r#type: "ephemeral",
                }),
            },
        })
        .collect()
}

#[derive(Deserialize)]
struct AnthropicMessage {
    #[serde(default)]
    model: String,
    content: Vec<AnswerBlock>,
    stop_reason: Option<String>,
    stop_sequence: Option<String>,
    #[serde(default)]
    usage: AnthropicTokens,
}

/// One block, flat: a tagged enum would lose the exact bytes of the arguments.
#[derive(Deserialize)]
struct AnswerBlock {
    r#type: String,
    text: Option<String>,
    name: Option<String>,
    input: Option<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
struct AnthropicTokens {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
}

/// The answer, neutral again.
pub(crate) fn read(bytes: &[u8]) -> Result<Reply, String> {
    let message: AnthropicMessage =
        serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let mut calls = Vec::new();
    for content in &message.content {
        match (content.r#type.as_str(), &content.text, &content.input) {
            ("text", Some(piece), _) => text.push_str(piece),
            ("tool_use", _, Some(input)) if content.name.as_deref() == Some(tool::NAME) => {
                calls.push(input.get());
            }
            _ => {}
        }
    }
    Ok(Reply {
        text: verdict(&calls, &text),
        finish: match (message.stop_reason.as_deref(), &message.stop_sequence) {
            (Some("stop_sequence"), _) | (Some("end_turn"), Some(_)) => Finish::Stopped,
            (Some("end_turn"), None) => Finish::Ended,
            (Some("tool_use"), _) => Finish::Called,
            (Some("refusal"), _) => Finish::Refused,
            // `max_tokens`, `pause_turn`, `model_context_window_exceeded`, and what is yet to come.
            (Some(_) | None, _) => Finish::Truncated,
        },
        usage: Usage {
            input: message.usage.input_tokens,
            cached: message.usage.cache_read_input_tokens.unwrap_or(0),
            written: message.usage.cache_creation_input_tokens.unwrap_or(0),
            output: message.usage.output_tokens,
        },
        model: message.model,
    })
}
