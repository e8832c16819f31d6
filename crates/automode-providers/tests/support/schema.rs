//! What each vendor documents about a request: required headers, fields and
//! their types, the order of blocks, and nothing else.

use serde_json::{Map, Value};

use super::Received;

type Check = Result<(), String>;

fn object<'v>(value: &'v Value, what: &str) -> Result<&'v Map<String, Value>, String> {
    value
        .as_object()
        .ok_or_else(|| format!("{what} is no object"))
}

fn array<'v>(value: &'v Value, what: &str) -> Result<&'v Vec<Value>, String> {
    value
        .as_array()
        .ok_or_else(|| format!("{what} is no array"))
}

/// Every field is known, and the required ones are there.
fn fields(map: &Map<String, Value>, required: &[&str], optional: &[&str], what: &str) -> Check {
    for name in required {
        if !map.contains_key(*name) {
            return Err(format!("{what} lacks `{name}`"));
        }
    }
    match map
        .keys()
        .find(|key| !required.contains(&key.as_str()) && !optional.contains(&key.as_str()))
    {
        Some(key) => Err(format!("{what} has the unknown field `{key}`")),
        None => Ok(()),
    }
}

fn is(value: &Value, expected: &str, what: &str) -> Check {
    (value == expected)
        .then_some(())
        .ok_or_else(|| format!("{what} is {value}, not {expected}"))
}

fn positive(value: Option<&Value>, least: u64, what: &str) -> Check {
    match value.and_then(Value::as_u64) {
        Some(number) if number >= least => Ok(()),
        _ => Err(format!("{what} is no number of at least {least}")),
    }
}

fn zero(value: Option<&Value>) -> Check {
    match value {
        None => Ok(()),
        Some(value) if value.as_f64() == Some(0.0) => Ok(()),
        Some(value) => Err(format!("temperature {value}")),
    }
}

fn stop(value: Option<&Value>) -> Check {
    match value {
        None => Ok(()),
        Some(value) => {
            let list = array(value, "stop")?;
            let fits = !list.is_empty()
                && list.len() <= 4
                && list
                    .iter()
                    .all(|item| item.as_str().is_some_and(|text| !text.trim().is_empty()));
            fits.then_some(())
                .ok_or_else(|| "stop sequences".to_owned())
        }
    }
}

fn text(value: &Value, what: &str) -> Check {
    match value.as_str() {
        Some(text) if !text.trim().is_empty() => Ok(()),
        _ => Err(format!("{what} is empty or no text")),
    }
}

fn header(received: &Received, name: &str, expected: &str) -> Check {
    match received.header(name) {
        Some(value) if value == expected => Ok(()),
        other => Err(format!("header {name} is {other:?}")),
    }
}

/// A schema of an object, strict as structured outputs want it.
fn strict(schema: &Value) -> Check {
    let map = object(schema, "schema")?;
    is(&map["type"], "object", "schema type")?;
    let properties = object(&map["properties"], "properties")?;
    let required = array(&map["required"], "required")?;
    if required.len() != properties.len()
        || map.get("additionalProperties") != Some(&Value::Bool(false))
    {
        return Err("schema is not strict".to_owned());
    }
    Ok(())
}

pub fn anthropic(received: &Received) -> Check {
    is(&Value::from(received.path.as_str()), "/v1/messages", "path")?;
    header(received, "content-type", "application/json")?;
    header(received, "anthropic-version", "2023-06-01")?;
    header(received, "x-api-key", "test-key")?;
    let body = object(&received.body, "body")?;
    fields(
        body,
        &["model", "max_tokens", "messages"],
        &[
            "system",
            "temperature",
            "stop_sequences",
            "tools",
            "tool_choice",
            "thinking",
            "output_config",
        ],
        "body",
    )?;
    text(&body["model"], "model")?;
    positive(body.get("max_tokens"), 1, "max_tokens")?;
    zero(body.get("temperature"))?;
    stop(body.get("stop_sequences"))?;
    let mut marks = blocks(&body["system"], "system")?;
    for turn in array(&body["messages"], "messages")? {
        let turn = object(turn, "turn")?;
        fields(turn, &["role", "content"], &[], "turn")?;
        is(&turn["role"], "user", "role")?;
        marks += blocks(&turn["content"], "content")?;
    }
    if marks > 4 {
        return Err(format!("{marks} cache marks"));
    }
    if let Some(tools) = body.get("tools") {
        for tool in array(tools, "tools")? {
            let tool = object(tool, "tool")?;
            fields(tool, &["name", "description", "input_schema"], &[], "tool")?;
            strict(&tool["input_schema"])?;
        }
        let choice = object(&body["tool_choice"], "tool_choice")?;
        fields(choice, &["type", "name"], &[], "tool_choice")?;
        is(&choice["type"], "tool", "tool_choice type")?;
    }
    if let Some(thinking) = body.get("thinking") {
        let thinking = object(thinking, "thinking")?;
        fields(thinking, &["type"], &[], "thinking")?;
        let known = ["disabled", "adaptive", "between_tools"];
        if !known.iter().any(|kind| thinking["type"] == **kind) {
            return Err("thinking".to_owned());
        }
    }
    if let Some(config) = body.get("output_config") {
        let config = object(config, "output_config")?;
        fields(config, &[], &["format", "effort"], "output_config")?;
        if let Some(format) = config.get("format") {
            let format = object(format, "format")?;
            fields(format, &["type", "schema"], &[], "format")?;
            is(&format["type"], "json_schema", "format type")?;
            strict(&format["schema"])?;
        }
    }
    Ok(())
}

/// Text blocks, none of them empty; says how many are marked.
fn blocks(value: &Value, what: &str) -> Result<usize, String> {
    let mut marks = 0;
    for block in array(value, what)? {
        let block = object(block, what)?;
        fields(block, &["type", "text"], &["cache_control"], what)?;
        is(&block["type"], "text", "block type")?;
        text(&block["text"], "block")?;
        if let Some(mark) = block.get("cache_control") {
            let mark = object(mark, "cache_control")?;
            fields(mark, &["type"], &["ttl"], "cache_control")?;
            is(&mark["type"], "ephemeral", "cache_control type")?;
            marks += 1;
        }
    }
    Ok(marks)
}

pub fn responses(received: &Received) -> Check {
    is(&Value::from(received.path.as_str()), "/responses", "path")?;
    header(received, "content-type", "application/json")?;
    header(received, "authorization", "Bearer test-key")?;
    let body = object(&received.body, "body")?;
    fields(
        body,
        &["model", "input", "max_output_tokens", "store"],
        &[
            "instructions",
            "temperature",
            "reasoning",
            "tools",
            "tool_choice",
            "text",
        ],
        "body",
    )?;
    positive(body.get("max_output_tokens"), 16, "max_output_tokens")?;
    zero(body.get("temperature"))?;
    text(&body["instructions"], "instructions")?;
    if body["store"] != Value::Bool(false) {
        return Err("store".to_owned());
    }
    for item in array(&body["input"], "input")? {
        let item = object(item, "item")?;
        fields(item, &["type", "role", "content"], &[], "item")?;
        is(&item["type"], "message", "item type")?;
        is(&item["role"], "user", "role")?;
        for part in array(&item["content"], "content")? {
            let part = object(part, "part")?;
            fields(part, &["type", "text"], &[], "part")?;
            is(&part["type"], "input_text", "part type")?;
            text(&part["text"], "part")?;
        }
    }
    if let Some(reasoning) = body.get("reasoning") {
        fields(
            object(reasoning, "reasoning")?,
            &["effort"],
            &["summary"],
            "reasoning",
        )?;
    }
    if let Some(tools) = body.get("tools") {
        for tool in array(tools, "tools")? {
            let tool = object(tool, "tool")?;
            fields(
                tool,
                &["type", "name", "parameters", "strict"],
                &["description"],
                "tool",
            )?;
            is(&tool["type"], "function", "tool type")?;
            strict(&tool["parameters"])?;
        }
        fields(
            object(&body["tool_choice"], "tool_choice")?,
            &["type", "name"],
            &[],
            "tool_choice",
        )?;
    }
    if let Some(text) = body.get("text") {
        let format = object(&object(text, "text")?["format"], "format")?;
        fields(
            format,
            &["type", "name", "schema", "strict"],
            &["description"],
            "format",
        )?;
        is(&format["type"], "json_schema", "format type")?;
        strict(&format["schema"])?;
    }
    Ok(())
}

pub fn chat(received: &Received) -> Check {
    is(
        &Value::from(received.path.as_str()),
        "/chat/completions",
        "path",
    )?;
    header(received, "content-type", "application/json")?;
    header(received, "authorization", "Bearer test-key")?;
    let body = object(&received.body, "body")?;
    fields(
        body,
        &["model", "messages", "max_tokens"],
        &[
            "stream",
            "temperature",
            "stop",
            "reasoning_effort",
            "tools",
            "tool_choice",
            "response_format",
        ],
        "body",
    )?;
    positive(body.get("max_tokens"), 1, "max_tokens")?;
    zero(body.get("temperature"))?;
    stop(body.get("stop"))?;
    let roles: Vec<_> = array(&body["messages"], "messages")?
        .iter()
        .map(|turn| {
            let turn = object(turn, "turn")?;
            fields(turn, &["role", "content"], &[], "turn")?;
            text(&turn["content"], "content")?;
            Ok(turn["role"].clone())
        })
        .collect::<Result<_, String>>()?;
    if roles != ["system", "user"] {
        return Err(format!("roles {roles:?}"));
    }
    if let Some(tools) = body.get("tools") {
        for tool in array(tools, "tools")? {
            let tool = object(tool, "tool")?;
            fields(tool, &["type", "function"], &[], "tool")?;
            let function = object(&tool["function"], "function")?;
            fields(
                function,
                &["name", "parameters"],
                &["description", "strict"],
                "function",
            )?;
            strict(&function["parameters"])?;
        }
        let choice = object(&body["tool_choice"], "tool_choice")?;
        fields(choice, &["type", "function"], &[], "tool_choice")?;
    }
    if let Some(format) = body.get("response_format") {
        let format = object(format, "response_format")?;
        fields(format, &["type", "json_schema"], &[], "response_format")?;
        let schema = object(&format["json_schema"], "json_schema")?;
        fields(
            schema,
            &["name", "schema"],
            &["strict", "description"],
            "json_schema",
        )?;
        strict(&schema["schema"])?;
    }
    Ok(())
}
