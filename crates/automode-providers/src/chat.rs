//! Chat Completions, as many servers speak it.
//!
//! One system message and one user message: the templates of local models often
//! take no two turns of a role in a row. Servers differ in the name of the token
//! limit and in what they tell about a stop; both are dealt with here.

use automode_core::judge::{Finish, Reply, Request, Trouble, Usage, tool};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::shape::{ReplyForm, WireShape, encoded, end_or_stop, joined, verdict, without_thoughts};

/// The name of the token limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenLimit {
    /// What every compatible server takes.
    MaxTokens,
    /// What the vendor's own models insist on.
    MaxCompletionTokens,
}

#[derive(Serialize)]
struct ChatBody<'a> {
    model: &'a str,
    messages: [ChatTurn; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<[&'static str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
}

#[derive(Serialize)]
struct ChatTurn {
    role: &'static str,
    content: String,
}

/// The request as the service wants it.
pub(crate) fn body(
    request: &Request,
    model: &str,
    shape: &WireShape,
    limit: TokenLimit,
) -> Result<Vec<u8>, Trouble> {
    let forced = shape.form == ReplyForm::ForcedTool;
    let tokens = |wanted| (limit == wanted).then_some(shape.max_tokens);
    let body = ChatBody {
        model,
        messages: [
            ChatTurn {
                role: "system",
                content: joined(&request.system),
            },
            ChatTurn {
                role: "user",
                content: joined(request.messages.iter().flatten()),
            },
        ],
        max_tokens: tokens(TokenLimit::MaxTokens),
        max_completion_tokens: tokens(TokenLimit::MaxCompletionTokens),
        stream: false,
        temperature: shape.temperature,
        stop: shape.stop.map(|stop| [stop]),
        // Switches of other vendors mean nothing here.
        reasoning_effort: match limit {
            TokenLimit::MaxTokens => None,
            TokenLimit::MaxCompletionTokens => shape.switch.or(shape.effort),
        },
        tools: forced.then(|| {
            json!([{"type": "function", "function": {
                "name": tool::NAME,
                "description": tool::DESCRIPTION,
                "parameters": tool::schema(),
                "strict": true
            }}])
        }),
        tool_choice: forced.then(|| json!({"type": "function", "function": {"name": tool::NAME}})),
        response_format: (shape.form == ReplyForm::Schema).then(|| {
            json!({"type": "json_schema", "json_schema": {
                "name": tool::NAME,
                "schema": tool::schema(),
                "strict": true
            }})
        }),
    };
    encoded(&body)
}

#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    model: String,
    choices: Vec<ChatChoice>,
    #[serde(default)]
    usage: Option<ChatTokens>,
}

#[derive(Deserialize)]
struct ChatChoice {
    message: ChatMessage,
    finish_reason: Option<String>,
    /// Some servers name the stop sequence here, and `null` for the end.
    #[serde(default, deserialize_with = "told")]
    stop_reason: Option<Value>,
}

/// Tells a `null` from a field that is not there.
fn told<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct ChatMessage {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<ChatCall>>,
}

#[derive(Deserialize)]
struct ChatCall {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    arguments: String,
}

#[derive(Default, Deserialize)]
struct ChatTokens {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    prompt_tokens_details: Option<Details>,
}

#[derive(Default, Deserialize)]
struct Details {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

/// The answer, neutral again.
pub(crate) fn read(bytes: &[u8], shape: &WireShape) -> Result<Reply, String> {
    let completion: Completion =
        serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let [choice] = &completion.choices[..] else {
        return Err(format!("{} choices", completion.choices.len()));
    };
    let message = &choice.message;
    let calls: Vec<_> = message
        .tool_calls
        .iter()
        .flatten()
        .filter(|call| call.function.name == tool::NAME)
        .map(|call| call.function.arguments.as_str())
        .collect();
    let content = message.content.as_deref().unwrap_or_default();
    let refused = message
        .refusal
        .as_ref()
        .is_some_and(|text| !text.is_empty());
    let finish = match choice.finish_reason.as_deref() {
        _ if refused => Finish::Refused,
        Some("tool_calls" | "function_call") => Finish::Called,
        Some("stop") if !calls.is_empty() => Finish::Called,
        Some("stop") => match &choice.stop_reason {
            Some(Value::Null) => Finish::Ended,
            Some(_) | None => end_or_stop(shape, content),
        },
        Some("content_filter") => Finish::Refused,
        // `length`, and what is yet to come.
        Some(_) | None => Finish::Truncated,
    };
    let tokens = completion.usage.unwrap_or_default();
    let cached = tokens
        .prompt_tokens_details
        .and_then(|details| details.cached_tokens)
        .unwrap_or(0);
    Ok(Reply {
        text: verdict(&calls, without_thoughts(content)),
        finish,
        usage: Usage {
            input: tokens.prompt_tokens.saturating_sub(cached),
            cached,
            written: 0,
            output: tokens.completion_tokens,
        },
        model: completion.model,
    })
}
