//! What the agent wants, uninterpreted.

use serde_json::{Map, Value};

/// One request to use a tool, as the agent put it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool's name, in the agent's own spelling.
    pub tool: String,
    pub input: Map<String, Value>,
    /// Absolute working directory of the agent.
    pub cwd: String,
}

impl ToolCall {
    /// The largest input that is looked at, in bytes of JSON.
    pub const MAX_INPUT: usize = 16 * 1024 * 1024;
    /// The deepest nesting of an input.
    pub const MAX_DEPTH: usize = 64;

    /// A shell command, in the spelling of the Bash tool.
    #[must_use]
    pub fn bash(command: impl Into<String>, cwd: impl Into<String>) -> Self {
        let mut input = Map::new();
        input.insert("command".to_owned(), Value::String(command.into()));
        Self {
            tool: "Bash".to_owned(),
            input,
            cwd: cwd.into(),
        }
    }

    /// A text field of the input.
    #[must_use]
    pub fn text(&self, field: &str) -> Option<&str> {
        self.input.get(field).and_then(Value::as_str)
    }
}
