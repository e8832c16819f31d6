//! Gemini's generateContent.

use serde_json::{Value, json};

use super::{ScriptedTurn, Sent, count, due};

pub(super) fn answer(body: &Value, script: &[ScriptedTurn], stream: bool) -> Sent {
    let is_result = |map: &serde_json::Map<String, Value>| map.contains_key("functionResponse");
    let results = body
        .get("contents")
        .map_or(0, |contents| count(contents, &is_result));
    let offers = body
        .get("tools")
        .is_some_and(|tools| count(tools, &|map| map.contains_key("functionDeclarations")) > 0);
    let wants_json = body.pointer("/generationConfig/responseMimeType")
        == Some(&json!("application/json"))
        || body
            .pointer("/generationConfig/responseJsonSchema")
            .is_some();
    let part = match due(script, results, offers) {
        // Side questions of the client: which model, who speaks next, is it going round in circles.
        ScriptedTurn::Say(_) if !offers && wants_json => {
            let answers = json!({"reasoning": "scripted", "next_speaker": "user", "model_choice": "flash", "complexity_reasoning": "scripted",
                "complexity_score": 10, "confidence": 0.0, "unproductive_state_analysis": "no", "unproductive_state_confidence": 0.0});
            json!({"text": answers.to_string()})
        }
        ScriptedTurn::Say(text) => json!({"text": text}),
        ScriptedTurn::Call { tool, input } => {
            json!({"functionCall": {"name": tool, "args": input}})
        }
    };
    let answer = json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}, "modelVersion": "scripted"});
    if stream {
        Sent::Events(vec![(None, answer)])
    } else {
        Sent::Json(answer)
    }
}
