//! OpenAI Responses.
//!
//! The service finds shared prefixes by itself, so segments are joined. It has
//! no stop sequences: the fast pass ends by its token limit or by itself.

use automode_core::judge::{Finish, Reply, Request, Trouble, Usage, tool};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::shape::{ReplyForm, WireShape, encoded, joined, verdict};

#[derive(Serialize)]
struct ResponsesBody<'a> {
    model: &'a str,
    instructions: String,
    input: Vec<ResponsesTurn>,
    max_output_tokens: u32,
    /// Nothing is left at the service for later.
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Value>,
}

#[derive(Serialize)]
struct ResponsesTurn {
    r#type: &'static str,
    role: &'static str,
    content: [InputText; 1],
}

#[derive(Serialize)]
struct InputText {
    r#type: &'static str,
    text: String,
}

/// The request as the service wants it.
pub(crate) fn body(request: &Request, model: &str, shape: &WireShape) -> Result<Vec<u8>, Trouble> {
    let forced = shape.form == ReplyForm::ForcedTool;
    let body = ResponsesBody {
        model,
        instructions: joined(&request.system),
        input: request
            .messages
            .iter()
            .map(|turn| ResponsesTurn {
                r#type: "message",
                role: "user",
                content: [InputText {
                    r#type: "input_text",
                    text: joined(turn),
                }],
            })
            .collect(),
        max_output_tokens: shape.max_tokens,
        store: false,
        temperature: shape.temperature,
        reasoning: shape
            .switch
            .or(shape.effort)
            .map(|effort| json!({"effort": effort})),
        tools: forced.then(|| {
            json!([{
                "type": "function",
                "name": tool::NAME,
                "description": tool::DESCRIPTION,
                "parameters": tool::schema(),
                "strict": true
            }])
        }),
        tool_choice: forced.then(|| json!({"type": "function", "name": tool::NAME})),
        text: (shape.form == ReplyForm::Schema).then(|| {
            json!({"format": {
                "type": "json_schema",
                "name": tool::NAME,
                "schema": tool::schema(),
                "strict": true
            }})
        }),
    };
    encoded(&body)
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    model: String,
    status: String,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    output: Vec<OutputItem>,
    #[serde(default)]
    usage: Option<ResponsesTokens>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum OutputItem {
    Message {
        content: Vec<OutputContent>,
    },
    FunctionCall {
        name: String,
        arguments: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum OutputContent {
    OutputText {
        text: String,
    },
    Refusal {},
    #[serde(other)]
    Other,
}

#[derive(Default, Deserialize)]
struct ResponsesTokens {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    input_tokens_details: Option<InputDetails>,
}

#[derive(Default, Deserialize)]
struct InputDetails {
    #[serde(default)]
    cached_tokens: u64,
    #[serde(default)]
    cache_write_tokens: u64,
}

/// The answer, neutral again.
pub(crate) fn read(bytes: &[u8]) -> Result<Reply, String> {
    let response: Response = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let mut calls = Vec::new();
    let mut refused = false;
    for item in &response.output {
        match item {
            OutputItem::Message { content } => {
                for piece in content {
                    match piece {
                        OutputContent::OutputText { text: piece } => text.push_str(piece),
                        OutputContent::Refusal {} => refused = true,
                        OutputContent::Other => {}
                    }
                }
            }
            OutputItem::FunctionCall { name, arguments } if name == tool::NAME => {
                calls.push(arguments.as_str());
            }
            OutputItem::FunctionCall { .. } | OutputItem::Other => {}
        }
    }
    let reason = response.incomplete_details.map(|details| details.reason);
    let finish = match (response.status.as_str(), reason.as_deref()) {
        _ if refused => Finish::Refused,
        ("completed", _) if calls.is_empty() => Finish::Ended,
        ("completed", _) => Finish::Called,
        ("incomplete", Some("content_filter")) => Finish::Refused,
        ("incomplete", _) => Finish::Truncated,
        (status, _) => return Err(format!("the response is {status}")),
    };
    let tokens = response.usage.unwrap_or_default();
    let details = tokens.input_tokens_details.unwrap_or_default();
    Ok(Reply {
        text: verdict(&calls, &text),
        finish,
        usage: Usage {
            input: tokens
                .input_tokens
                .saturating_sub(details.cached_tokens)
                .saturating_sub(details.cache_write_tokens),
            cached: details.cached_tokens,
            written: details.cache_write_tokens,
            output: tokens.output_tokens,
        },
        model: response.model,
    })
}
