//! One tool of a server: what is pinned of it, and what it says of itself.

use serde_json::{Map, Value};

/// What a model is told of a tool. A change in any of it is another tool.
const PINNED: [&str; 6] = [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
];

/// The name of a tool in a list; one without a name is nobody's.
pub(super) fn name(tool: &Value) -> Option<&str> {
    tool.get("name")?.as_str().filter(|name| !name.is_empty())
}

/// SHA-256 over everything that is pinned, in one order, hex.
pub(super) fn digest(tool: &Value) -> String {
    let mut text = String::new();
    for field in PINNED {
        text.push_str(field);
        text.push('=');
        if let Some(value) = tool.get(field) {
            canonical(value, &mut text);
        }
        text.push('\n');
    }
    // A reader that does not mind capitals takes these for the fields above.
    let fields = tool.as_object().into_iter().flatten();
    for (name, value) in fields.filter(|(name, _)| is_like(&PINNED, name)) {
        text.push_str(name);
        text.push('=');
        canonical(value, &mut text);
        text.push('\n');
    }
    automode_core::digest(text)
}

/// Whether a name is one of these but for its capitals.
fn is_like(names: &[&str], name: &str) -> bool {
    let mut like = names.iter().filter(|one| one.eq_ignore_ascii_case(name));
    like.any(|one| *one != name)
}

/// Puts the tools that may be seen into a page of a list, in place of all that it says of tools.
pub(super) fn put(page: &mut Map<String, Value>, tools: Vec<Value>) {
    page.retain(|name, _| !is_like(&["tools"], name));
    page.insert("tools".to_owned(), Value::Array(tools));
}

/// JSON with the keys of every object in order, however the map keeps them.
fn canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut keys: Vec<&String> = fields.keys().collect();
            keys.sort();
            text.push('{');
            for key in keys {
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                fields
                    .get(key)
                    .into_iter()
                    .for_each(|value| canonical(value, text));
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                canonical(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&value.to_string());
        }
    }
}

/// What a tool says of itself, as far as it makes an answer stricter.
pub(super) fn annotations(tool: &Value) -> Map<String, Value> {
    tool.get("annotations")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_word_that_a_model_reads_is_in_the_digest() {
        let tool = || json!({"name": "n", "description": "d", "inputSchema": {"a": 1, "b": [1, {"c": 2}]}});
        let same = |other: &Value| digest(&tool()) == digest(other);
        assert!(same(
            &json!({"description": "d", "inputSchema": {"b": [1, {"c": 2}], "a": 1}, "name": "n", "_meta": {"x": 1}})
        ));
        for (field, value) in [
            ("name", json!("m")),
            ("title", json!("t")),
            ("description", json!("d ")),
            ("inputSchema", json!({"a": 1})),
            ("outputSchema", json!({})),
            ("annotations", json!({"readOnlyHint": true})),
            ("Description", json!("evil")),
        ] {
            let mut other = tool();
            other[field] = value;
            assert!(!same(&other), "{field}");
        }
    }
}
