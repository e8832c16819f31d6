//! A half-typed argument that a server is asked to complete.
//!
//! The server is handed the same values as by the request that follows, so a completion is
//! decided as that request: the prompt filled, or the resource read. Every value has its place
//! in what is decided; one that has none is not passed on.

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
pub(super) struct CompletionParams {
    r#ref: CompletedRef,
    argument: TypedArgument,
    #[serde(default)]
    context: Option<TypedBefore>,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum CompletedRef {
    #[serde(rename = "ref/prompt")]
    Prompt { name: String },
    #[serde(rename = "ref/resource")]
    Resource { uri: String },
}

#[derive(Deserialize)]
struct TypedArgument {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct TypedBefore {
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// The request that a completion helps to write.
pub(super) enum Completed {
    Prompt {
        name: String,
        arguments: Map<String, Value>,
    },
    Resource {
        uri: String,
    },
}

impl CompletionParams {
    /// What is decided in its place; else why it cannot be.
    pub(super) fn completed(self) -> Result<Completed, &'static str> {
        let mut arguments = self
            .context
            .map_or_else(Map::new, |before| before.arguments);
        let typed = (self.argument.name, self.argument.value.into());
        if arguments.contains_key(&typed.0) {
            return Err("one argument of the completion has two values");
        }
        arguments.extend([typed]);
        match self.r#ref {
            CompletedRef::Prompt { name } => Ok(Completed::Prompt { name, arguments }),
            CompletedRef::Resource { uri } => fill(&uri, arguments)
                .map(|uri| Completed::Resource { uri })
                .ok_or("it is not known what resource the completion is for"),
        }
    }
}

/// The template with its variables, up to the first that is not typed yet; nothing where a
/// value has no place before that.
fn fill(template: &str, mut values: Map<String, Value>) -> Option<String> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        filled.push_str(before);
        let (variable, after) = behind.split_once('}')?;
        let name = variable
            .trim_start_matches(['+', '/'])
            .trim_end_matches('*');
        let Some(value) = values.remove(name) else {
            rest = "";
            break;
        };
        if variable.starts_with('/') {
            filled.push('/');
        }
        filled.push_str(value.as_str()?);
        rest = after;
    }
    filled.push_str(rest);
    values.is_empty().then_some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_template_is_filled_as_far_as_it_was_typed() {
        for (template, values, expected) in [
            (
                "file:///{path}",
                json!({"path": "w/a"}),
                Some("file:///w/a"),
            ),
            (
                "file://{+path}",
                json!({"path": "/w/a"}),
                Some("file:///w/a"),
            ),
            ("x://n{/path*}", json!({"path": "a"}), Some("x://n/a")),
            ("x://{a}/{b}", json!({"a": "1"}), Some("x://1/")),
            ("x://{a}/{b}", json!({"a": "1", "b": "2"}), Some("x://1/2")),
            ("x://{a}/{b}", json!({"b": "2"}), None),
            ("x://{a}", json!({"a": "1", "elsewhere": "2"}), None),
            ("x://{a}", json!({"a": 1}), None),
            ("x://{a", json!({"a": "1"}), None),
            ("x://list{?a}", json!({"a": "1"}), None),
            ("x://{a,b}", json!({"a": "1"}), None),
        ] {
            let Value::Object(values) = values else {
                unreachable!()
            };
            let filled = fill(template, values);
            assert_eq!(filled.as_deref(), expected, "{template}");
        }
    }
}
