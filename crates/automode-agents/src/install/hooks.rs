//! Hook registrations inside a client's JSON file.
//!
//! The file is edited as a syntax tree: what is not ours keeps its bytes. Adding
//! twice changes nothing the second time; removing takes out only handlers whose
//! command is ours. A file the client itself could not read is refused.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Value, json};

use super::{Hook, HookFile, hook_file};
use crate::agent::Agent;

/// Why a file was left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallRefusal(pub String);

/// A hook that is registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    pub event: String,
    pub command: String,
    /// In the client's own unit; `None` where it is not an integer or not there.
    pub timeout: Option<u64>,
    /// It is automode's.
    pub ours: bool,
}

pub(super) fn add(agent: Agent, hooks: &[Hook], before: &str) -> Result<String, InstallRefusal> {
    let file = file(agent)?;
    let root = parse_as(file, before)?;
    let object = object(&root)?;
    if let (Some(version), None) = (file.version, object.get("version")) {
        object.append("version", input(&json!(version)));
    }
    let table = table(&object)?;
    for property in table.properties() {
        let event = property.decoded_name().unwrap_or_default();
        let wanted = hooks.iter().find(|hook| hook.event == event);
        if let Some(list) = property.array_value()
            && !wanted.is_some_and(|hook| is_registered(agent, &list, &(file.entry)(hook)))
        {
            prune(agent, &list);
        }
    }
    for hook in hooks {
        let list = match table.get(hook.event) {
            None => table.array_value_or_set(hook.event),
            Some(property) => property
                .array_value()
                .ok_or_else(|| InstallRefusal(format!("`hooks.{}` is not a list", hook.event)))?,
        };
        let entry = (file.entry)(hook);
        if !is_registered(agent, &list, &entry) {
            list.append(input(&entry));
        }
    }
    finished(&root)
}

pub(super) fn remove(agent: Agent, before: &str) -> Result<Option<String>, InstallRefusal> {
    let root = parse(before)?;
    let Some(object) = root.object_value() else {
        return Ok(Some(before.to_owned()));
    };
    let Some(table) = object.object_value("hooks") else {
        return Ok(Some(before.to_owned()));
    };
    for property in table.properties() {
        let Some(list) = property.array_value() else {
            continue;
        };
        if prune(agent, &list) && list.elements().is_empty() {
            property.remove();
        }
    }
    if table.properties().is_empty()
        && let Some(property) = object.get("hooks")
    {
        property.remove();
    }
    let only_version = object
        .properties()
        .iter()
        .all(|property| property.decoded_name().as_deref() == Some("version"));
    if only_version && file(agent)?.version.is_some() {
        return Ok(None);
    }
    finished(&root).map(Some)
}

pub(super) fn registered(agent: Agent, text: &str) -> Result<Vec<Registered>, InstallRefusal> {
    let root = parse_as(file(agent)?, text)?;
    let mut found = Vec::new();
    let Some(table) = root
        .object_value()
        .and_then(|object| object.object_value("hooks"))
    else {
        return Ok(found);
    };
    for property in table.properties() {
        let event = property.decoded_name().unwrap_or_default();
        let groups = property
            .array_value()
            .map(|list| list.elements())
            .unwrap_or_default();
        for handler in groups
            .iter()
            .filter_map(CstNode::to_serde_value)
            .flat_map(handlers)
        {
            let Some(command) = command(&handler) else {
                continue;
            };
            found.push(Registered {
                event: event.clone(),
                ours: is_ours(agent, command),
                command: command.to_owned(),
                timeout: ["timeout", "timeoutSec"]
                    .iter()
                    .find_map(|field| handler.get(*field).and_then(Value::as_u64)),
            });
        }
    }
    Ok(found)
}

fn file(agent: Agent) -> Result<&'static HookFile, InstallRefusal> {
    hook_file(agent).ok_or_else(|| InstallRefusal(format!("{} has no file of hooks", agent.name())))
}

/// The handlers of a group; in a flat layout the group is the handler.
fn handlers(group: Value) -> Vec<Value> {
    match group.get("hooks") {
        Some(Value::Array(handlers)) => handlers.clone(),
        Some(_) | None => vec![group],
    }
}

fn command(handler: &Value) -> Option<&str> {
    ["command", "bash"]
        .iter()
        .find_map(|field| handler.get(*field).and_then(Value::as_str))
}

fn is_ours(agent: Agent, command: &str) -> bool {
    command.contains("automode") && command.contains(&format!(" hook {}", agent.name()))
}

fn is_registered(agent: Agent, list: &CstArray, entry: &Value) -> bool {
    let ours: Vec<Value> = list
        .elements()
        .iter()
        .filter_map(CstNode::to_serde_value)
        .filter(|group| {
            handlers(group.clone())
                .iter()
                .any(|handler| command(handler).is_some_and(|line| is_ours(agent, line)))
        })
        .collect();
    matches!(ours.as_slice(), [only] if only == entry)
}

/// Takes our handlers out of a list, and groups that held nothing else. Whether there were any.
fn prune(agent: Agent, list: &CstArray) -> bool {
    let is_our_handler = |node: &CstNode| {
        node.to_serde_value()
            .is_some_and(|handler| command(&handler).is_some_and(|line| is_ours(agent, line)))
    };
    let mut found = false;
    for group in list.elements() {
        if is_our_handler(&group) {
            group.remove();
            found = true;
            continue;
        }
        let Some(inner) = group
            .as_object()
            .and_then(|object| object.array_value("hooks"))
        else {
            continue;
        };
        let ours: Vec<CstNode> = inner
            .elements()
            .into_iter()
            .filter(is_our_handler)
            .collect();
        if ours.is_empty() {
            continue;
        }
        found = true;
        if ours.len() == inner.elements().len() {
            group.remove();
        } else {
            ours.into_iter().for_each(CstNode::remove);
        }
    }
    found
}

/// As the client reads it: what it does not read registers nothing.
fn parse_as(file: &HookFile, text: &str) -> Result<CstRootNode, InstallRefusal> {
    let unread = |error: String| InstallRefusal(format!("the client does not read it: {error}"));
    // The tree below keeps comments, whatever it is told.
    if !file.comments && !text.trim().is_empty() {
        serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}'))
            .map_err(|error| unread(error.to_string()))?;
    }
    let options = ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| unread(error.to_string()))
}

/// As leniently as can be, to take something out again.
fn parse(text: &str) -> Result<CstRootNode, InstallRefusal> {
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| InstallRefusal(format!("it is not JSON: {error}")))
}

fn object(root: &CstRootNode) -> Result<CstObject, InstallRefusal> {
    root.object_value_or_create()
        .ok_or_else(|| InstallRefusal("it does not hold a JSON object".to_owned()))
}

fn table(object: &CstObject) -> Result<CstObject, InstallRefusal> {
    object
        .object_value_or_create("hooks")
        .ok_or_else(|| InstallRefusal("`hooks` is not an object".to_owned()))
}

/// The text, which must read back as the same kind of file.
fn finished(root: &CstRootNode) -> Result<String, InstallRefusal> {
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    parse(&text)?;
    Ok(text)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(map) => CstInputValue::Object(
            map.iter()
                .map(|(name, item)| (name.clone(), input(item)))
                .collect(),
        ),
    }
}
