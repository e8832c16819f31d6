//! The OpenAPI document, from one table: a path, who may use it, what it takes and gives.

use axum::Json;
use serde_json::{Map, Value, json};

/// One row: method, path, who, summary, body, answer.
type ApiRow = (
    &'static str,
    &'static str,
    Caller,
    &'static str,
    &'static str,
    &'static str,
);

#[derive(Clone, Copy)]
enum Caller {
    Anybody,
    Device,
    Token,
}

/// Every path of the API. `tests/api.rs` holds it against the router.
const ROWS: &[ApiRow] = &[
    (
        "post",
        "/v1/enrol",
        Caller::Anybody,
        "Enrol a machine with a one-time code",
        "EnrolRequest",
        "EnrolReply",
    ),
    (
        "post",
        "/v1/audit",
        Caller::Device,
        "Send lines of the log behind the last accepted one",
        "AuditRequest",
        "Receipt",
    ),
    (
        "get",
        "/v1/cursor",
        Caller::Device,
        "The last accepted line",
        "",
        "Receipt",
    ),
    (
        "get",
        "/v1/bundle",
        Caller::Device,
        "The newest policy bundle above `have`; waits up to `wait` seconds",
        "",
        "SignedBundle",
    ),
    (
        "post",
        "/v1/status",
        Caller::Device,
        "Tell version, revision and health",
        "StatusRequest",
        "StatusReply",
    ),
    (
        "post",
        "/v1/asks",
        Caller::Device,
        "Put a question to people elsewhere",
        "AskRequest",
        "Object",
    ),
    (
        "get",
        "/v1/asks/{id}",
        Caller::Device,
        "The signed answer to a question; waits up to `wait` seconds",
        "",
        "Object",
    ),
    (
        "post",
        "/v1/admin/codes",
        Caller::Token,
        "Make one-time codes",
        "CodeRequest",
        "Object",
    ),
    (
        "post",
        "/v1/admin/push",
        Caller::Token,
        "Review, sign and release a policy",
        "PushRequest",
        "Object",
    ),
    (
        "post",
        "/v1/admin/promote",
        Caller::Token,
        "Give a canary's revision to everyone",
        "RevisionRequest",
        "Object",
    ),
    (
        "post",
        "/v1/admin/rollback",
        Caller::Token,
        "Release the policy of an older revision again",
        "RevisionRequest",
        "Object",
    ),
    (
        "get",
        "/v1/admin/asks",
        Caller::Token,
        "Questions that wait",
        "",
        "Object",
    ),
    (
        "post",
        "/v1/admin/asks/{id}",
        Caller::Token,
        "Answer a question",
        "AnswerRequest",
        "Object",
    ),
    (
        "get",
        "/v1/admin/decisions",
        Caller::Token,
        "Decisions, latest first",
        "",
        "Object",
    ),
    (
        "get",
        "/v1/admin/devices",
        Caller::Token,
        "Machines",
        "",
        "Object",
    ),
    (
        "get",
        "/metrics",
        Caller::Token,
        "Figures for Prometheus",
        "",
        "Text",
    ),
    (
        "get",
        "/health",
        Caller::Anybody,
        "Whether the server runs",
        "",
        "Text",
    ),
];

pub async fn serve() -> Json<Value> {
    Json(document())
}

/// The document.
#[must_use]
pub fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for row in ROWS {
        let (method, path) = (row.0, row.1);
        let entry = paths.entry(path).or_insert_with(|| json!({}));
        if let Value::Object(methods) = entry {
            methods.insert(method.to_owned(), operation(row));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "automode-server", "version": env!("CARGO_PKG_VERSION")},
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "device": {"type": "apiKey", "in": "header", "name": "x-automode-signature",
                    "description": "Ed25519 over `automode-request\\nMETHOD\\nPATH\\nTIME\\nSHA256(BODY)`, with x-automode-device and x-automode-time beside it"},
            },
        },
    })
}

fn operation((_, path, caller, summary, body, answer): &ApiRow) -> Value {
    let content = |name: &str| match name {
        "Text" => json!({"text/plain": {"schema": {"type": "string"}}}),
        "Object" => json!({"application/json": {"schema": {"type": "object"}}}),
        name => {
            json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{name}")}}})
        }
    };
    let mut operation = json!({
        "summary": summary,
        "responses": {"200": {"description": "done", "content": content(answer)}},
    });
    let security = match caller {
        Caller::Anybody => None,
        Caller::Device => Some(json!([{"device": []}])),
        Caller::Token => Some(json!([{"token": []}])),
    };
    if let Value::Object(fields) = &mut operation {
        if !body.is_empty() {
            fields.insert("requestBody".to_owned(), json!({"content": content(body)}));
        }
        if let Some(security) = security {
            fields.insert("security".to_owned(), security);
        }
        let parameters = parameters(path);
        if !parameters.is_empty() {
            fields.insert("parameters".to_owned(), json!(parameters));
        }
    }
    operation
}

/// What stands in the path and behind it.
fn parameters(path: &str) -> Vec<Value> {
    let query: &[(&str, &str)] = match path {
        "/v1/bundle" => &[("have", "integer"), ("wait", "integer")],
        "/v1/asks/{id}" => &[("wait", "integer")],
        "/v1/admin/decisions" => &[
            ("verdict", "string"),
            ("agent", "string"),
            ("device", "string"),
            ("rule", "string"),
            ("words", "string"),
            ("before", "string"),
        ],
        _ => &[],
    };
    let named = query.iter().map(|(name, kind)| {
        json!({"name": name, "in": "query", "required": false, "schema": {"type": kind}})
    });
    let id = json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string"}});
    let id = path.contains("{id}").then_some(id);
    id.into_iter().chain(named).collect()
}

fn schemas() -> Value {
    let object = |fields: &[(&str, &str)]| {
        let properties: Map<String, Value> = fields
            .iter()
            .map(|(name, kind)| {
                let schema = match kind.trim_end_matches('?') {
                    "texts" => json!({"type": "array", "items": {"type": "string"}}),
                    kind => json!({"type": kind}),
                };
                ((*name).to_owned(), schema)
            })
            .collect();
        // A question mark: it may be left out.
        let required: Vec<&str> = fields
            .iter()
            .filter(|(_, kind)| !kind.ends_with('?'))
            .map(|(name, _)| *name)
            .collect();
        json!({"type": "object", "properties": properties, "required": required})
    };
    json!({
        "EnrolRequest": object(&[("code", "string"), ("name", "string"), ("public_key", "string"), ("proof", "string")]),
        "EnrolReply": object(&[("device", "string"), ("group", "string"), ("organisation_key", "string")]),
        "AuditRequest": object(&[("after", "string"), ("lines", "texts")]),
        "Receipt": object(&[("accepted", "integer"), ("gaps", "integer"), ("seq", "integer"), ("hash", "string")]),
        "SignedBundle": object(&[("manifest", "string"), ("policy", "string"), ("signature", "string")]),
        "StatusRequest": object(&[("version", "string"), ("revision", "integer"), ("detail", "object")]),
        "CodeRequest": object(&[("group", "string?"), ("minutes", "integer?"), ("count", "integer?")]),
        "PushRequest": object(&[("policy", "string"), ("note", "string?"), ("everyone", "boolean?"),
            ("on_stale", "string?"), ("expires", "integer?"), ("quarantined", "texts?"), ("quarantine", "texts?"), ("base", "integer?")]),
        "RevisionRequest": object(&[("revision", "integer")]),
        "AnswerRequest": object(&[("answer", "string"), ("minutes", "integer?")]),
        "StatusReply": object(&[("group", "string")]),
        "AskRequest": object(&[("id", "string"), ("print", "string"), ("agent", "string"), ("session", "string"),
            ("tool", "string"), ("brief", "string"), ("place", "string?"), ("rule", "string"), ("reason", "string"), ("patience", "integer")]),
    })
}
