//! Reading an input by its declared shape.
//!
//! `None` means that the input does not have the shape: a required field is
//! missing, has another type, or two spellings of it disagree.

use serde_json::{Map, Value};

use super::{Shape, patch};
use crate::Replacement;
use crate::redact::redact;
use crate::{Action, ToolCall};

const OLD: &[&str] = &["old_string", "old_text", "old_str", "oldString"];
const NEW: &[&str] = &["new_string", "new_text", "new_str", "newString"];
/// Fields that say that a text is replaced wherever it stands.
const ALL: &[&str] = &[
    "replace_all",
    "replaceAll",
    "change_all",
    "allow_multiple",
    "expected_replacements",
];
/// Fields under which a patch stands.
pub(super) const PATCH: &[&str] = &["command", "patch", "input"];
pub(super) const PATH: &[&str] = &["file_path", "path", "filePath", "notebook_path"];

pub(super) fn read(shape: Shape, call: &ToolCall) -> Option<Action> {
    match shape {
        // A shell that goes on from an earlier call stands in a directory that nobody told.
        Shape::Shell if call.input.contains_key("shellId") => None,
        Shape::Shell => Some(Action::Shell {
            command: required(call, &["command"])?,
        }),
        Shape::PowerShell => Some(Action::PowerShell {
            command: required(call, &["command"])?,
        }),
        Shape::Read => Some(Action::Read {
            path: required(call, PATH)?,
        }),
        Shape::Search => Some(Action::Search {
            pattern: optional(call, &["pattern", "query"])?.unwrap_or_default(),
            path: searched(call)?,
        }),
        Shape::Names => {
            let pattern = optional(call, &["pattern", "query"])?.unwrap_or_default();
            let path = named(&pattern, searched(call)?);
            Some(Action::Search { pattern, path })
        }
        Shape::Edit => edit(call),
        Shape::Patch => patch::read(&required(call, PATCH)?),
        Shape::Write => Some(Action::Write {
            path: required(call, PATH)?,
            content: optional(call, &["content", "contents", "file_text"])?.unwrap_or_default(),
        }),
        Shape::Notebook => Some(Action::Notebook {
            path: required(call, PATH)?,
            mode: optional(call, &["edit_mode", "mode"])?.unwrap_or_else(|| "replace".to_owned()),
            source: optional(call, &["new_source", "source"])?.unwrap_or_default(),
        }),
        Shape::Fetch => Some(Action::Fetch {
            url: required(call, &["url"])?,
            prompt: optional(call, &["prompt"])?,
        }),
        Shape::WebSearch => Some(Action::WebSearch {
            query: required(call, &["query"])?,
        }),
        Shape::Spawn => Some(Action::Spawn {
            kind: optional(call, &["subagent_type", "agent_type", "agent_name"])?,
            mode: optional(call, &["mode"])?,
            prompt: required(call, &["prompt"])?,
        }),
        Shape::Schedule => Some(Action::Schedule {
            cron: required(call, &["cron"])?,
            prompt: required(call, &["prompt"])?,
        }),
        // What else goes with a message, or where else, is not understood.
        Shape::Message if !is_inside(call) => None,
        Shape::Message => Some(Action::Message {
            to: required(call, &["to", "recipient"])?,
            text: optional(call, &["message", "content", "text"])?.unwrap_or_default(),
        }),
        Shape::Configure => Some(Action::Configure {
            setting: required(call, &["setting"])?,
            value: call.input.get("value").map(plain).unwrap_or_default(),
        }),
        Shape::Interact => Some(Action::Interact),
        Shape::Resource => resource(call),
        Shape::Inert => Some(Action::Inert),
    }
}

fn resource(call: &ToolCall) -> Option<Action> {
    let uri = optional(call, &["uri", "url"])??;
    Some(match file_of(&uri) {
        Some(path) => Action::Read { path },
        // What a server calls its own is asked of the server.
        None => Action::Mcp {
            server: optional(call, &["server"])?.unwrap_or_default(),
            tool: super::READ_RESOURCE.to_owned(),
            input: call.input.clone(),
        },
    })
}

/// One replacement, or a list of them. One that replaces nothing writes the
/// whole file, and then so does the list.
fn edit(call: &ToolCall) -> Option<Action> {
    let path = required(call, PATH)?;
    let everywhere = |input: &Map<String, Value>| {
        let told = ALL.iter().filter_map(|name| input.get(*name));
        // What is neither yes nor no may be either.
        told.fold(false, |all, value| {
            let once =
                matches!(value, Value::Null | Value::Bool(false)) || value.as_u64() == Some(1);
            all || !once
        })
    };
    let steps = match call.input.get("edits") {
        None => match (optional(call, OLD)?, optional(call, NEW)?) {
            // A call that says what changes in some other way is not understood.
            (None, None) => return None,
            (old, new) => vec![Replacement {
                old: old.unwrap_or_default(),
                new: new.unwrap_or_default(),
                all: everywhere(&call.input),
            }],
        },
        Some(Value::Array(edits)) => edits
            .iter()
            .map(|edit| {
                let edit = edit.as_object()?;
                let field = |name: &str| Some(edit.get(name)?.as_str()?.to_owned());
                Some(Replacement {
                    old: field("old_string")?,
                    new: field("new_string")?,
                    all: everywhere(edit),
                })
            })
            .collect::<Option<_>>()?,
        Some(_) => return None,
    };
    Some(Action::edit(path, steps))
}

/// Keys under which clients name the files that a search is held to.
const FILTERS: &[&str] = &[
    "glob",
    "include",
    "include_pattern",
    "includePattern",
    "include_glob",
    "glob_pattern",
    "globPattern",
    "file_pattern",
    "filePattern",
    "file_glob",
];

/// Where a search looks: one place, or a list of one.
fn searched(call: &ToolCall) -> Option<Option<String>> {
    let path = optional(call, &["path", "directory", "dir_path"])?;
    // A filter names what is read below the place.
    let mut filters = FILTERS.iter().filter_map(|key| call.input.get(*key));
    let given = filters.find(|value| !value.is_null());
    // Two filters narrow each other in a way that is not known.
    filters.all(serde_json::Value::is_null).then_some(())?;
    let filter = match given {
        Some(Value::String(name)) => Some(name),
        Some(Value::Array(names)) => match names.as_slice() {
            [] => None,
            [Value::String(name)] => Some(name),
            _ => return None,
        },
        Some(Value::Null) | None => None,
        Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => return None,
    };
    if let Some(name) = filter
        && !name.starts_with('!')
    {
        let folder = path.as_deref().unwrap_or(&call.cwd).trim_end_matches('/');
        return Some(Some(format!("{folder}/{name}")));
    }
    match (path, call.input.get("paths")) {
        (path, None | Some(Value::Null)) => Some(path),
        (None, Some(Value::String(path))) => Some(Some(path.clone())),
        (None, Some(Value::Array(paths))) => match paths.as_slice() {
            [] => Some(None),
            [Value::String(path)] => Some(Some(path.clone())),
            _ => None,
        },
        (_, Some(_)) => None,
    }
}

/// The folder whose names a pattern tells: up to its first part that is not certain.
fn named(pattern: &str, path: Option<String>) -> Option<String> {
    let certain: Vec<&str> = pattern
        .split('/')
        .take_while(|part| !part.contains(['*', '?', '[', '{']))
        .collect();
    let whole = certain.len() == pattern.split('/').count();
    let folders = certain.len().saturating_sub(usize::from(whole));
    let folder = certain.get(..folders).unwrap_or_default().join("/");
    match (folder.is_empty() && !pattern.starts_with('/'), path) {
        (true, path) => path,
        (false, _) if pattern.starts_with(['/', '~']) => Some(format!("{folder}/")),
        (false, Some(path)) => Some(format!("{}/{folder}", path.trim_end_matches('/'))),
        (false, None) => Some(folder),
    }
}

/// Whether a message stays among the agents of a session: a plain name, and nothing but text.
fn is_inside(call: &ToolCall) -> bool {
    const FIELDS: &[&str] = &[
        "to",
        "recipient",
        "message",
        "content",
        "text",
        "summary",
        "type",
    ];
    let name = |value: &Value| {
        value.as_str().is_some_and(|name| {
            !name.starts_with(['#', '+', '@']) && !name.contains(['@', '/', ':', ' '])
        })
    };
    let tells_secret = |value: &Value| value.as_str().is_none_or(|text| redact(text) != text);
    !call.input.values().any(tells_secret)
        && call.input.keys().all(|key| FIELDS.contains(&key.as_str()))
        && ["to", "recipient"]
            .iter()
            .filter_map(|field| call.input.get(*field))
            .all(name)
}

/// The file that an address of this machine names, with hidden letters spelled out.
fn file_of(uri: &str) -> Option<String> {
    let scheme = uri.get(..5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let rest = uri.get(5..)?.replace('\\', "/");
    let local = rest.strip_prefix("//").unwrap_or(&rest);
    let path = local
        .find('/')
        .and_then(|at| local.get(at..))
        .unwrap_or("/");
    // `file:///x#L1` is a place in `/x`.
    let path = path.split(['#', '?']).next().unwrap_or(path);
    Some(crate::escape::percent_decoded(path))
}

pub(super) fn required(call: &ToolCall, names: &[&str]) -> Option<String> {
    optional(call, names)?
}

/// The text under any of the names. The outer `None`: not text, or they disagree.
fn optional(call: &ToolCall, names: &[&str]) -> Option<Option<String>> {
    let mut found: Option<&str> = None;
    for value in names.iter().filter_map(|name| call.input.get(*name)) {
        match (value, found) {
            (Value::Null, _) => {}
            (Value::String(text), None) => found = Some(text),
            (Value::String(text), Some(other)) if text == other => {}
            (
                Value::String(_)
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_),
                _,
            ) => return None,
        }
    }
    Some(found.map(str::to_owned))
}

/// A value as a person would write it: text without quotes, the rest as JSON.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}
