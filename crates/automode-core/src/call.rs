//! What the agent wants, uninterpreted.

use serde::{Deserialize, Serialize};
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

    /// Whether the call is within the bounds and says where it works.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn check(&self) -> Result<(), String> {
        if !self.cwd.starts_with('/') {
            return Err(format!(
                "the working directory `{}` is not absolute",
                self.cwd
            ));
        }
        let mut left = Self::MAX_INPUT;
        for (key, value) in &self.input {
            spend(&mut left, key.len())?;
            measure(value, &mut left, 1)?;
        }
        Ok(())
    }
}

fn measure(value: &Value, left: &mut usize, depth: usize) -> Result<(), String> {
    if depth > ToolCall::MAX_DEPTH {
        return Err(format!(
            "the input nests deeper than {} levels",
            ToolCall::MAX_DEPTH
        ));
    }
    spend(left, 1)?;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        Value::String(text) => spend(left, text.len()),
        Value::Array(items) => items
            .iter()
            .try_for_each(|item| measure(item, left, depth.saturating_add(1))),
        Value::Object(fields) => fields.iter().try_for_each(|(key, value)| {
            spend(left, key.len())?;
            measure(value, left, depth.saturating_add(1))
        }),
    }
}

fn spend(left: &mut usize, bytes: usize) -> Result<(), String> {
    *left = left
        .checked_sub(bytes)
        .ok_or_else(|| format!("the input is larger than {} bytes", ToolCall::MAX_INPUT))?;
    Ok(())
}

/// An earlier call, in brief.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRecord {
    pub tool: String,
    pub brief: String,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Pending,
    Succeeded,
    Failed,
    Denied,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with(input: Value, cwd: &str) -> ToolCall {
        let mut call = ToolCall::bash("ls", cwd);
        call.input.insert("more".to_owned(), input);
        call
    }

    #[test]
    fn calls_are_bounded() {
        assert_eq!(ToolCall::bash("ls", "/home/dev").check(), Ok(()));
        assert!(ToolCall::bash("ls", "").check().is_err());
        assert!(ToolCall::bash("ls", "relative").check().is_err());
        let long = "x".repeat(ToolCall::MAX_INPUT);
        assert!(with(json!(long), "/").check().is_err());
        assert!(with(json!({ long: 1 }), "/").check().is_err());
        let nest = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
        assert!(with(nest(ToolCall::MAX_DEPTH - 1), "/").check().is_ok());
        assert!(with(nest(ToolCall::MAX_DEPTH), "/").check().is_err());
    }
}
