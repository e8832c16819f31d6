//! Cline: our plugin in Claude Code's shape, or Cline's own hook files.
//!
//! A hook file has no word for a denial: `cancel` ends the whole run, and nothing else
//! stops a call, not even exit 2. So a denial replaces the input by one that does
//! nothing: a command that prints the reason and fails, which every other tool refuses
//! as an input that is not its own. Each such input differs, because five equal ones in a
//! row are taken for a loop. A plugin reads the other half of the same answer.

use automode_core::{Presence, Verdict};
use serde_json::{Map, Value, json};

use crate::claude_code::hook as claude_code;
use crate::event::{Event, HookPhase, Malformed, Subagent};
use crate::install::quoted;
use crate::payload::Payload;
use crate::reply::{Answer, Reply};

pub(super) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let mut payload = Payload::parse(bytes)?;
    if !payload.has("hook_event_name") {
        from_hook_file(&mut payload);
    }
    let tool = payload.text("tool_name").unwrap_or_default().to_owned();
    let meant = payload
        .value("tool_input")
        .and_then(|input| meaning(&tool, input));
    if let Some((tool, input)) = meant {
        payload.set("tool_name", Value::from(tool));
        payload.set("tool_input", Value::Object(input));
    } else if payload
        .value("tool_input")
        .is_some_and(|input| !input.is_object())
    {
        // A bare list of something: nobody knows what, so it is opaque.
        let input = payload.value("tool_input").cloned().unwrap_or_default();
        payload.set("tool_input", json!({"input": input}));
    }
    let kind = claude_code::kind(&payload)?;
    let mut event = payload.event("session_id", kind)?;
    let parent = payload.text("parent_agent_id").filter(|id| !id.is_empty());
    if parent.is_none() && payload.has("tool_call") {
        event.subagent = None;
    } else if let (Some(_), Some(id)) = (parent, payload.text("agent_id")) {
        event.subagent = Some(Subagent {
            id: id.to_owned(),
            kind: String::new(),
        });
    }
    Ok(event)
}

/// Cline's own payload in the other one's words.
fn from_hook_file(payload: &mut Payload) {
    let at = |payload: &Payload, pointer: &str| payload.pointer(pointer).cloned();
    let event = match payload.text("hookName") {
        Some("tool_call") => "PreToolUse",
        Some("tool_result") => "PostToolUse",
        Some("agent_start" | "task_start") => "SessionStart",
        Some("agent_end" | "task_complete" | "session_shutdown") => "SessionEnd",
        Some(name) if !name.is_empty() && !payload.has("tool_call") => "Other",
        // Nobody says what it is: it may be a call.
        Some(_) | None => "PreToolUse",
    };
    let moved = [
        (
            "session_id",
            at(payload, "/sessionContext/rootSessionId").or_else(|| at(payload, "/taskId")),
        ),
        ("cwd", at(payload, "/workspaceRoots/0")),
        (
            "tool_name",
            at(payload, "/tool_call/name").or_else(|| at(payload, "/tool_result/name")),
        ),
        (
            "tool_input",
            at(payload, "/tool_call/input").or_else(|| at(payload, "/tool_result/input")),
        ),
        (
            "tool_use_id",
            at(payload, "/tool_call/id").or_else(|| at(payload, "/tool_result/id")),
        ),
        ("tool_response", at(payload, "/tool_result/output")),
    ];
    payload.set("hook_event_name", Value::from(event));
    for (name, value) in moved {
        if let Some(value) = value {
            payload.set(name, value);
        }
    }
}

/// One of Cline's tools as a tool that is known; nothing where its input has a shape that is not.
fn meaning(tool: &str, input: &Value) -> Option<(&'static str, Map<String, Value>)> {
    let object = |fields: Value| match fields {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    };
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    match tool {
        "run_commands" => Some(("Bash", object(json!({"command": commands(input)?})))),
        "read_files" => {
            let files = input.get("files")?.as_array()?;
            let path = |file: &Value| Some(file.get("path").unwrap_or(file).as_str()?.to_owned());
            let paths: Vec<String> = files.iter().map(path).collect::<Option<_>>()?;
            match paths.as_slice() {
                [] => None,
                [one] => Some(("Read", object(json!({"file_path": one})))),
                several => {
                    let words: Vec<String> = several.iter().map(|path| quoted(path)).collect();
                    Some((
                        "Bash",
                        object(json!({"command": format!("cat -- {}", words.join(" "))})),
                    ))
                }
            }
        }
        "editor" => {
            let (path, new) = (text("path")?, text("new_text")?);
            match text("old_text") {
                Some(old) => Some((
                    "Edit",
                    object(json!({"file_path": path, "old_string": old, "new_string": new})),
                )),
                None => Some(("Write", object(json!({"file_path": path, "content": new})))),
            }
        }
        "fetch_web_content" => match input.get("requests")?.as_array()?.as_slice() {
            [one] => {
                let url = one.get("url")?.as_str()?;
                Some(("WebFetch", object(json!({"url": url}))))
            }
            _ => None,
        },
        "spawn_agent" => Some(("Agent", object(json!({"prompt": text("task")?})))),
        _ => None,
    }
}

/// The script of a `run_commands`, in every shape that Cline runs.
fn commands(input: &Value) -> Option<String> {
    let list = match input {
        Value::Array(list) => list.clone(),
        Value::Object(fields) => {
            let mut given = ["commands", "command", "cmd"]
                .iter()
                .filter_map(|name| fields.get(*name));
            let only = given.next().filter(|_| given.next().is_none())?;
            match only {
                Value::Array(list) => list.clone(),
                Value::String(_) => vec![only.clone()],
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
            }
        }
        Value::String(_) => vec![input.clone()],
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    };
    let scripts: Vec<String> = list.iter().map(command).collect::<Option<_>>()?;
    match scripts.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        // Each runs in a shell of its own: where one goes, the next does not.
        several => Some(several.iter().map(|one| format!("(\n{one}\n)\n")).collect()),
    }
}

/// A line, or a program with its arguments.
fn command(value: &Value) -> Option<String> {
    match value {
        Value::String(line) => Some(line.clone()),
        Value::Object(fields) => {
            let program = fields.get("command")?.as_str()?;
            let arguments = match fields.get("args") {
                None | Some(Value::Null) => return Some(program.to_owned()),
                Some(Value::Array(arguments)) => arguments,
                Some(_) => return None,
            };
            let words: Vec<String> = arguments
                .iter()
                .map(|word| word.as_str().map(quoted))
                .collect::<Option<_>>()?;
            // The program may be a line of its own; its arguments are words either way.
            Some(format!("{program} {}", words.join(" ")))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

pub(super) fn render(phase: HookPhase, answer: &Answer, presence: Presence) -> Reply {
    let ruling = match (phase, answer) {
        (_, Answer::Ruling(ruling)) => ruling,
        // A hook file reads the one, a plugin the other.
        (HookPhase::AfterTool, Answer::Remark(text)) => {
            return Reply::json(&json!({
                "contextModification": text,
                "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": text},
            }));
        }
        (_, Answer::Remark(_) | Answer::Neutral) => return Reply::neutral(),
    };
    match phase {
        HookPhase::BeforeTool | HookPhase::PermissionRequest => {}
        HookPhase::AfterTool | HookPhase::Other => return Reply::neutral(),
    }
    let ruling = ruling.for_presence(presence);
    let mut reply = claude_code::permission_decision(ruling.verdict, &ruling.reason);
    if ruling.verdict != Verdict::Allow {
        let mark = ruling.id.as_deref().unwrap_or("failed");
        let line = format!(
            "printf '%s\\n' {} >&2; exit 1 # {mark}",
            quoted(&ruling.reason)
        );
        reply.insert("overrideInput".to_owned(), json!({"commands": [line]}));
        reply.insert("contextModification".to_owned(), Value::from(ruling.reason));
    }
    Reply::json(&Value::Object(reply))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventKind;
    use crate::reply::Ruling;

    fn call(tool: &str, input: &Value) -> (String, Value) {
        let payload = json!({
            "taskId": "t", "sessionContext": {"rootSessionId": "s"}, "workspaceRoots": ["/w"],
            "agent_id": "a", "parent_agent_id": null, "hookName": "tool_call",
            "tool_call": {"id": "c", "name": tool, "input": input},
            "preToolUse": {"toolName": tool, "parameters": {}},
        });
        let event = parse(payload.to_string().as_bytes()).unwrap();
        assert_eq!((event.session.as_str(), event.cwd.as_str()), ("s", "/w"));
        assert_eq!(event.subagent, None);
        match event.kind {
            EventKind::BeforeTool { call, id } => {
                assert_eq!(id.as_deref(), Some("c"));
                (call.tool, Value::Object(call.input))
            }
            other => panic!("{other:?}"),
        }
    }

    fn check(tool: &str, input: Value, name: &str, meant: Value) {
        assert_eq!(call(tool, &input), (name.to_owned(), meant), "{input}");
    }

    #[test]
    fn every_shape_that_runs_is_read() {
        let rm = || json!({"command": "rm -r x"});
        check(
            "run_commands",
            json!({"commands": ["rm -r x"]}),
            "Bash",
            rm(),
        );
        check("run_commands", json!({"commands": "rm -r x"}), "Bash", rm());
        check("run_commands", json!({"command": "rm -r x"}), "Bash", rm());
        check("run_commands", json!({"cmd": "rm -r x"}), "Bash", rm());
        check("run_commands", json!(["rm -r x"]), "Bash", rm());
        check(
            "run_commands",
            json!({"commands": [{"command": "rm", "args": ["-r", "x"]}]}),
            "Bash",
            rm(),
        );
        check(
            "run_commands",
            json!({"commands": ["cd /", "ls"]}),
            "Bash",
            json!({"command": "(\ncd /\n)\n(\nls\n)\n"}),
        );
    }

    #[test]
    fn a_shape_that_is_not_known_is_opaque() {
        for input in [
            json!({"commands": [7]}),
            json!({"commands": ["ls"], "command": "rm -r x"}),
            json!({"script": "rm -r x"}),
            json!([7]),
            json!({"commands": []}),
        ] {
            assert_eq!(call("run_commands", &input).0, "run_commands", "{input}");
        }
    }

    #[test]
    fn other_tools_are_read() {
        check(
            "read_files",
            json!({"files": [{"path": "a"}]}),
            "Read",
            json!({"file_path": "a"}),
        );
        check(
            "read_files",
            json!({"files": [{"path": "a"}, {"path": "b c"}]}),
            "Bash",
            json!({"command": "cat -- a 'b c'"}),
        );
        check(
            "editor",
            json!({"path": "a", "new_text": "x"}),
            "Write",
            json!({"file_path": "a", "content": "x"}),
        );
        check(
            "editor",
            json!({"path": "a", "new_text": "x", "old_text": "y"}),
            "Edit",
            json!({"file_path": "a", "old_string": "y", "new_string": "x"}),
        );
        check(
            "fetch_web_content",
            json!({"requests": [{"url": "https://a.b", "prompt": "p"}]}),
            "WebFetch",
            json!({"url": "https://a.b"}),
        );
        check(
            "spawn_agent",
            json!({"systemPrompt": "s", "task": "t"}),
            "Agent",
            json!({"prompt": "t"}),
        );
    }

    #[test]
    fn a_denial_replaces_the_input_by_one_that_does_nothing() {
        let ruling = Ruling {
            reason: "no; $(rm -r x) `y` 'z'".to_owned(),
            id: Some("k3f9".to_owned()),
            ..Ruling::failure("x")
        };
        let reply = render(
            HookPhase::BeforeTool,
            &Answer::Ruling(ruling),
            Presence::Headless,
        );
        let reply: Value = serde_json::from_str(&reply.stdout).unwrap();
        assert_eq!(
            reply["overrideInput"]["commands"][0],
            r"printf '%s\n' 'no; $(rm -r x) `y` '\''z'\''' >&2; exit 1 # k3f9"
        );
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny");
    }
}
