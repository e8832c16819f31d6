//! The JSON Schema of our settings file, from the table of settings.

use automode_core::policy::{FIELDS, FieldKind, FieldNeed, List};
use serde_json::{Map, Value, json};

use super::own::PERMISSIONS;

/// The schema, with keys in a stable order.
#[must_use]
pub fn schema() -> Value {
    let mut root = table("Settings of automode.");
    for name in PERMISSIONS {
        let (doc, schema) = match *name {
            "allow" => (
                "Calls that need no question: `Tool` or `Tool(specifier)`.",
                texts(),
            ),
            "ask" => ("Calls that a person is asked about.", texts()),
            "deny" => (
                "Calls that are refused; deny beats ask beats allow.",
                texts(),
            ),
            "directories" => (
                "Directories beside the project that agents may work in.",
                texts(),
            ),
            _ => (
                "In managed settings: allow rules count only where an administrator wrote them.",
                json!({"type": "boolean", "default": false}),
            ),
        };
        insert(
            &mut root,
            &format!("permissions.{name}"),
            described(schema, doc),
        );
    }
    for list in List::ALL {
        let doc = match list {
            List::Allow => {
                "Sentences for the judge: exceptions to what it blocks. \"$defaults\" keeps the built-in entries."
            }
            List::SoftDeny => {
                "Sentences for the judge: blocked unless the user clearly asked. \"$defaults\" keeps the built-in entries."
            }
            List::HardDeny => {
                "Sentences for the judge: blocked whatever the user said. \"$defaults\" keeps the built-in entries."
            }
            List::Environment => {
                "Sentences for the judge: what it should know about the surroundings. \"$defaults\" keeps the built-in entries."
            }
        };
        insert(
            &mut root,
            &format!("auto_mode.{}", list.name()),
            described(texts(), doc),
        );
    }
    let defaults = automode_core::policy::Settings::default();
    for field in FIELDS {
        let mut schema = kind(&field.kind);
        let default = field.value(&defaults);
        if let (Value::Object(schema), false) =
            (&mut schema, default == automode_core::policy::Value::Unset)
        {
            schema.insert("default".to_owned(), json!(default));
        }
        insert(&mut root, field.key, described(schema, field.doc));
    }
    let mut schema = Map::from_iter([
        (
            "$schema".to_owned(),
            json!("https://json-schema.org/draft/2020-12/schema"),
        ),
        ("title".to_owned(), json!("automode")),
    ]);
    if let Value::Object(root) = root {
        schema.extend(root);
    }
    Value::Object(schema)
}

fn table(doc: &str) -> Value {
    json!({"type": "object", "description": doc, "additionalProperties": false, "properties": {}})
}

fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

fn described(mut schema: Value, doc: &str) -> Value {
    if let Value::Object(schema) = &mut schema {
        schema.insert("description".to_owned(), json!(doc));
    }
    schema
}

fn kind(kind: &FieldKind) -> Value {
    match kind {
        FieldKind::Choice(names) => json!({"enum": names}),
        FieldKind::Count { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        FieldKind::Money => json!({"anyOf": [
            {"type": "integer", "minimum": 0},
            {"type": "string", "pattern": r"^\$\d+(\.\d{1,6})?$"},
        ]}),
        FieldKind::Flag => json!({"type": "boolean"}),
        FieldKind::Text => json!({"type": "string"}),
        FieldKind::Texts => texts(),
        FieldKind::Map => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        FieldKind::Tables(columns) => {
            let properties: Map<String, Value> = columns
                .iter()
                .map(|column| {
                    (
                        column.key.to_owned(),
                        described(self::kind(&column.kind), column.doc),
                    )
                })
                .collect();
            let required: Vec<&str> = columns
                .iter()
                .filter(|column| column.need == FieldNeed::Required)
                .map(|column| column.key)
                .collect();
            json!({"type": "array", "items": {
                "type": "object",
                "additionalProperties": false,
                "properties": properties,
                "required": required,
            }})
        }
    }
}

/// Puts a schema at a dotted key, making tables on the way.
fn insert(root: &mut Value, key: &str, schema: Value) {
    let (first, rest) = match key.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (key, None),
    };
    let Some(Value::Object(properties)) = root.get_mut("properties") else {
        return;
    };
    match rest {
        None => {
            properties.insert(first.to_owned(), schema);
        }
        Some(rest) => {
            let doc = match first {
                "permissions" => "Permission rules.",
                "auto_mode" => "Prose for the judge.",
                "budget" => "Money for the judge.",
                "limits" => "When the judge's denials and outages add up.",
                "judge" => "Who judges, and how it is asked.",
                "transcript" => "What the judge sees of a session.",
                _ => "",
            };
            let inner = properties
                .entry(first.to_owned())
                .or_insert_with(|| table(doc));
            insert(inner, rest, schema);
        }
    }
}
