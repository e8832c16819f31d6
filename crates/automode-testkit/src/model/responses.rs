//! OpenAI's Responses.

use serde_json::{Value, json};

use super::{ScriptedTurn, Sent, count, due, has_tools, streams};

pub(super) fn answer(body: &Value, script: &[ScriptedTurn]) -> Sent {
    let is_result = |map: &serde_json::Map<String, Value>| {
        map.get("type")
            .and_then(Value::as_str)
            .is_some_and(|kind| kind.ends_with("call_output"))
    };
    let results = body
        .get("input")
        .map_or(0, |input| count(input, &is_result));
    let item = match due(script, results, has_tools(body)) {
        ScriptedTurn::Say(text) => {
            json!({"type": "message", "id": format!("msg_{results}"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]})
        }
        ScriptedTurn::Call { tool, input } => {
            json!({"type": "function_call", "id": format!("fc_{results}"), "call_id": format!("call_{results}"),
            "name": tool, "arguments": input.to_string(), "status": "completed"})
        }
    };
    let usage = json!({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 110});
    let response = |status: &str, output: Value| {
        json!({"id": format!("resp_{results}"), "object": "response", "created_at": 0, "status": status,
            "model": body.get("model"), "output": output, "usage": usage})
    };
    if !streams(body) {
        return Sent::Json(response("completed", json!([item])));
    }
    let events = [
        json!({"type": "response.created", "response": response("in_progress", json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": response("completed", json!([item]))}),
    ];
    Sent::typed_events(events)
}
