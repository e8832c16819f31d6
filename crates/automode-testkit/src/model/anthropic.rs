//! Anthropic's Messages.

use serde_json::{Value, json};

use super::{ScriptedTurn, Sent, count, due, has_tools, streams};

pub(super) fn answer(body: &Value, script: &[ScriptedTurn]) -> Sent {
    let is_result =
        |map: &serde_json::Map<String, Value>| map.get("type") == Some(&json!("tool_result"));
    let results = body
        .get("messages")
        .map_or(0, |messages| count(messages, &is_result));
    let turn = due(script, results, has_tools(body));
    let (block, stop) = match &turn {
        ScriptedTurn::Say(text) => (json!({"type": "text", "text": text}), "end_turn"),
        ScriptedTurn::Call { tool, input } => (
            json!({"type": "tool_use", "id": format!("toolu_{results}"), "name": tool, "input": input}),
            "tool_use",
        ),
    };
    let usage = json!({"input_tokens": 100, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0});
    let message = |content: Value, stop: Value| {
        json!({"id": format!("msg_{results}"), "type": "message", "role": "assistant", "model": body.get("model"),
            "content": content, "stop_reason": stop, "stop_sequence": null, "usage": usage})
    };
    if !streams(body) {
        return Sent::Json(message(json!([block]), json!(stop)));
    }
    let (begin, delta) = match &turn {
        ScriptedTurn::Say(text) => (
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": text}),
        ),
        ScriptedTurn::Call { tool, input } => (
            json!({"type": "tool_use", "id": format!("toolu_{results}"), "name": tool, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": input.to_string()}),
        ),
    };
    let events = [
        json!({"type": "message_start", "message": message(json!([]), Value::Null)}),
        json!({"type": "content_block_start", "index": 0, "content_block": begin}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": usage}),
        json!({"type": "message_stop"}),
    ];
    Sent::typed_events(events)
}
