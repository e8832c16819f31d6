//! OpenAI's chat completions, which many speak.

use serde_json::{Value, json};

use super::{ScriptedTurn, Sent, count, due, has_tools, streams};

pub(super) fn answer(body: &Value, script: &[ScriptedTurn]) -> Sent {
    let is_result = |map: &serde_json::Map<String, Value>| map.get("role") == Some(&json!("tool"));
    let results = body
        .get("messages")
        .map_or(0, |messages| count(messages, &is_result));
    let (text, call, finish) = match due(script, results, has_tools(body)) {
        ScriptedTurn::Say(text) => (text, None, "stop"),
        ScriptedTurn::Call { tool, input } => {
            let call = json!({"index": 0, "id": format!("call_{results}"), "type": "function",
                "function": {"name": tool, "arguments": input.to_string()}});
            (String::new(), Some(call), "tool_calls")
        }
    };
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    let envelope = |kind: &str, choices: Value, usage: Value| json!({"id": format!("chatcmpl-{results}"), "object": kind, "created": 0, "model": body.get("model"), "choices": choices, "usage": usage});
    let mut message = json!({"role": "assistant", "content": text});
    if let (Some(call), Some(fields)) = (call, message.as_object_mut()) {
        fields.insert("tool_calls".to_owned(), json!([call]));
    }
    if !streams(body) {
        let choices = json!([{"index": 0, "message": message, "finish_reason": finish}]);
        return Sent::Json(envelope("chat.completion", choices, usage));
    }
    let chunk =
        |choices: Value, usage: Value| (None, envelope("chat.completion.chunk", choices, usage));
    Sent::Events(vec![
        chunk(
            json!([{"index": 0, "delta": message, "finish_reason": null}]),
            Value::Null,
        ),
        chunk(
            json!([{"index": 0, "delta": {}, "finish_reason": finish}]),
            Value::Null,
        ),
        chunk(json!([]), usage),
        (None, Value::String("[DONE]".to_owned())),
    ])
}
