//! What a known tool may be about to do with an input that does not have its shape.
//!
//! Such a call is opaque and never allowed by proof. But a guard or a veto must not be
//! escaped by a field too many: every path and every command in the input is suspected.

use serde_json::{Map, Value};

use super::input::PATH;
use super::{Shape, find};
use crate::Action;

/// The readings that vetoes are held against; none for a tool nobody knows.
#[must_use]
pub fn suspects(tool: &str, input: &Map<String, Value>) -> Vec<Action> {
    let Some(tool) = find(tool) else {
        return Vec::new();
    };
    let paths = || {
        let named = PATH.iter().chain(&["paths", "directory", "dir_path"]);
        named.filter_map(|field| input.get(*field)).flat_map(texts)
    };
    match tool.shape {
        Shape::Shell => input
            .get("command")
            .map(|value| texts(value).join(" "))
            .map(|command| Action::Shell { command })
            .into_iter()
            .collect(),
        // Every file that a line of it names.
        Shape::Patch => input
            .values()
            .flat_map(texts)
            .flat_map(|text| {
                text.lines()
                    .filter_map(|line| line.strip_prefix("*** ")?.split_once(": "))
                    .map(|(_, path)| path.trim().to_owned())
                    .collect::<Vec<_>>()
            })
            .map(|path| Action::Write {
                path,
                content: String::new(),
            })
            .collect(),
        Shape::Read | Shape::Search | Shape::Names => {
            paths().map(|path| Action::Read { path }).collect()
        }
        Shape::Edit | Shape::Write | Shape::Notebook => paths()
            .map(|path| Action::Write {
                path,
                content: String::new(),
            })
            .collect(),
        Shape::PowerShell
        | Shape::Fetch
        | Shape::WebSearch
        | Shape::Spawn
        | Shape::Schedule
        | Shape::Message
        | Shape::Configure
        | Shape::Interact
        | Shape::Resource
        | Shape::Inert => Vec::new(),
    }
}

/// A text, or the texts of a list.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}
