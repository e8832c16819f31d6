//! The tool that carries a verdict in the `tool` protocol.

use serde::Deserialize;
use serde_json::{Value, json};

pub const NAME: &str = "classify_result";
pub const DESCRIPTION: &str = "Report whether the pending action must be blocked.";

/// What the model fills in. Exactly these fields, each once.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    #[serde(rename = "thinking")]
    pub _thinking: String,
    pub should_block: bool,
    pub rule: String,
    pub reason: String,
}

/// The JSON schema of the arguments, strict in the sense of structured outputs.
#[must_use]
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "thinking": {"type": "string", "description": "Brief reasoning, before the verdict"},
            "should_block": {"type": "boolean", "description": "true: the action must not run"},
            "rule": {"type": "string", "description": "Id of the rule that applies, or an empty string"},
            "reason": {"type": "string", "description": "One short sentence"}
        },
        "required": ["thinking", "should_block", "rule", "reason"],
        "additionalProperties": false
    })
}
