//! What every payload of every client means: one line of `payloads/*.jsonl` is one case.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use automode_agents::{Agent, Answer, Event, EventKind, HookPhase};
use automode_core::{Mode, Presence};
use serde_json::{Value, json};

fn agent(name: &str) -> Agent {
    Agent::named(name).unwrap()
}

/// The payloads of a client, each with all that it means.
fn cases(agent: Agent) -> &'static str {
    match agent.name() {
        "claude-code" => include_str!("payloads/claude-code.jsonl"),
        "codex" => include_str!("payloads/codex.jsonl"),
        "gemini-cli" => include_str!("payloads/gemini-cli.jsonl"),
        "qwen-code" => include_str!("payloads/qwen-code.jsonl"),
        "copilot" => include_str!("payloads/copilot.jsonl"),
        "opencode" => include_str!("payloads/opencode.jsonl"),
        "generic" => include_str!("payloads/generic.jsonl"),
        "droid" => include_str!("payloads/droid.jsonl"),
        "pi" => include_str!("payloads/pi.jsonl"),
        "cline" => include_str!("payloads/cline.jsonl"),
        "cursor" => include_str!("payloads/cursor.jsonl"),
        "goose" => include_str!("payloads/goose.jsonl"),
        "crush" => include_str!("payloads/crush.jsonl"),
        "vscode" => include_str!("payloads/vscode.jsonl"),
        "kiro" => include_str!("payloads/kiro.jsonl"),
        "devin" => include_str!("payloads/devin.jsonl"),
        "antigravity" => include_str!("payloads/antigravity.jsonl"),
        "hermes" => include_str!("payloads/hermes.jsonl"),
        "amp" => include_str!("payloads/amp.jsonl"),
        "openhands" => include_str!("payloads/openhands.jsonl"),
        // A client without payloads is one that nobody has looked at.
        _ => "no payloads",
    }
}

/// One line that says all a payload means.
fn describe(event: &Event) -> String {
    let named = |id: &Option<String>| id.as_ref().map_or(String::new(), |id| format!(" #{id}"));
    let what = match &event.kind {
        EventKind::BeforeTool { call, id } => {
            let input = Value::from(call.input.clone());
            format!("before {} {input}{}", call.tool, named(id))
        }
        EventKind::PermissionRequest { call } => {
            format!(
                "permission {} {}",
                call.tool,
                Value::from(call.input.clone())
            )
        }
        EventKind::Prompt { words } => format!("prompt {words:?}"),
        EventKind::AfterTool {
            call,
            id,
            outcome,
            report,
            brought: _,
        } => {
            let report = report.as_ref().map_or(String::new(), |report| {
                format!(" report of {:?}: {:?}", report.subagent, report.text)
            });
            format!("after {} {outcome:?}{}{report}", call.tool, named(id))
        }
        EventKind::SubagentStart => "subagent starts".to_owned(),
        EventKind::SubagentStop => "subagent stops".to_owned(),
        EventKind::SessionStart => "session starts".to_owned(),
        EventKind::SessionEnd => "session ends".to_owned(),
        EventKind::Other { name } => format!("other {name}"),
    };
    match &event.subagent {
        Some(subagent) => format!("{what} in {} ({})", subagent.id, subagent.kind),
        None => what,
    }
}

#[test]
fn every_payload_means_what_it_says() {
    for agent in Agent::all() {
        for line in cases(agent).lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let event = agent.parse(case["payload"].to_string().as_bytes()).unwrap();
            assert_eq!(
                (
                    describe(&event).as_str(),
                    event.session.as_str(),
                    event.cwd.as_str()
                ),
                (case["means"].as_str().unwrap(), "s-1", "/home/dev/shop"),
                "{agent:?} {line}"
            );
        }
    }
}

/// The words of a result reach us from every client that tells them.
#[test]
fn what_a_tool_brought_in_is_told() {
    let base = |event: &str| json!({"session_id": "s", "cwd": "/w", "hook_event_name": event, "tool_name": "Read", "tool_input": {}});
    let with = |event: &str, field: &str, result: Value| {
        let mut payload = base(event);
        payload[field] = result;
        payload
    };
    let object = json!({"content": [{"type": "text", "text": "WORDS"}], "size": 3});
    let copilot = json!({"sessionId": "s", "timestamp": 1, "cwd": "/w", "toolName": "view", "toolArgs": {}, "toolResult": {"resultType": "success", "textResultForLlm": "WORDS"}});
    let cline = json!({"taskId": "t", "sessionContext": {"rootSessionId": "s"}, "workspaceRoots": ["/w"], "hookName": "tool_result", "tool_result": {"id": "c", "name": "read_files", "input": {}, "output": [{"result": "WORDS"}]}});
    let generic = json!({"event": "after-tool", "session": "s", "cwd": "/w", "tool": "Read", "input": {}, "result": "WORDS"});
    let hermes = json!({"hook_event_name": "post_tool_call", "session_id": "s", "cwd": "/w", "tool_name": "read_file", "tool_input": {}, "tool_response": "WORDS"});
    for (agent, payload) in [
        (
            "claude-code",
            with("PostToolUse", "tool_response", object.clone()),
        ),
        (
            "claude-code",
            with("PostToolUseFailure", "error", json!("WORDS")),
        ),
        (
            "codex",
            with("PostToolUse", "tool_response", json!("WORDS")),
        ),
        (
            "gemini-cli",
            with("AfterTool", "tool_response", json!({"llmContent": "WORDS"})),
        ),
        (
            "qwen-code",
            with("PostToolUse", "tool_response", object.clone()),
        ),
        (
            "droid",
            with("PostToolUse", "tool_response", json!("WORDS")),
        ),
        (
            "opencode",
            with("PostToolUse", "tool_response", json!("WORDS")),
        ),
        (
            "pi",
            with(
                "PostToolUse",
                "tool_response",
                json!([{"type": "text", "text": "WORDS"}]),
            ),
        ),
        ("copilot", copilot),
        ("cline", cline),
        ("generic", generic),
        ("hermes", hermes),
    ] {
        let known = Agent::all().find(|known| known.name() == agent).unwrap();
        let event = known.parse(payload.to_string().as_bytes()).unwrap();
        let EventKind::AfterTool { brought, .. } = event.kind else {
            panic!("{agent}: {payload}")
        };
        assert!(brought.contains("WORDS"), "{agent}: {brought:?}");
        let remark = known.render(
            HookPhase::AfterTool,
            &Answer::Remark("REMARK".to_owned()),
            Presence::Headless,
        );
        assert!(
            remark.exit == 0 && remark.stdout.contains("REMARK"),
            "{agent}: {remark:?}"
        );
    }
}

/// A call whose fields are missing or of another kind is decided or refused, never passed over.
#[test]
fn a_call_stays_a_call_whatever_becomes_of_its_fields() {
    let strange = [
        None,
        Some(Value::Null),
        Some(json!(7)),
        Some(json!([])),
        Some(json!({})),
        Some(json!("")),
        Some(json!(true)),
    ];
    for agent in Agent::all() {
        for line in cases(agent).lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let means = case["means"].as_str().unwrap();
            if !means.starts_with("before") && !means.starts_with("permission") {
                continue;
            }
            let whole = case["payload"].as_object().unwrap();
            for (field, value) in whole
                .keys()
                .flat_map(|field| strange.iter().map(move |value| (field, value)))
            {
                let mut changed = whole.clone();
                match value {
                    Some(value) => changed.insert(field.clone(), value.clone()),
                    None => changed.remove(field),
                };
                let phase = match agent.parse(Value::from(changed).to_string().as_bytes()) {
                    Ok(event) => event.kind.phase(),
                    Err(malformed) => malformed.phase,
                };
                let decides = matches!(phase, HookPhase::BeforeTool | HookPhase::PermissionRequest);
                assert!(decides, "{agent:?} {field} {value:?}: {line}");
            }
        }
    }
}

#[test]
fn modes_in_the_clients_words() {
    let mode = |word: &str| {
        let payload = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/", "permission_mode": word});
        let event = agent("claude-code").parse(payload.to_string().as_bytes());
        event.unwrap().mode
    };
    for known in Mode::ALL {
        assert_eq!(mode(known.name()), Some(known));
    }
    assert_eq!(mode("yolo"), Some(Mode::BypassPermissions));
    assert_eq!(mode("whatever"), None);
}

#[track_caller]
fn refuse(agent: Agent, phase: HookPhase, payload: &str, why: &str) {
    let malformed = agent.parse(payload.as_bytes()).unwrap_err();
    assert_eq!(malformed.phase, phase, "{payload}");
    assert!(malformed.why.contains(why), "{payload}: {}", malformed.why);
}

#[test]
fn what_cannot_be_understood_says_where_it_belongs() {
    let [claude_code, copilot, generic] = ["claude-code", "copilot", "generic"].map(agent);
    use HookPhase::{BeforeTool, PermissionRequest};
    let call = |fields: &str| {
        format!(r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/",{fields}}}"#)
    };
    let bash = r#""tool_name":"Bash","tool_input":{}"#;
    refuse(claude_code, BeforeTool, "", "not JSON (line 1, column 0)");
    refuse(claude_code, BeforeTool, "[]", "not a JSON object");
    refuse(
        claude_code,
        BeforeTool,
        "{}",
        "`hook_event_name` is missing",
    );
    refuse(
        claude_code,
        BeforeTool,
        &call(r#""x":1"#),
        "input is missing",
    );
    let list = call(r#""tool_input":[],"tool_name":"Bash""#);
    refuse(claude_code, BeforeTool, &list, "input is not an object");
    let number = call(r#""tool_input":{},"tool_name":7"#);
    refuse(claude_code, BeforeTool, &number, "`tool_name` is missing");
    let relative = call(bash).replace(r#""/""#, r#""src""#);
    refuse(
        claude_code,
        BeforeTool,
        &relative,
        "`cwd` is not an absolute path",
    );
    let nameless = call(bash).replace("session_id", "session");
    refuse(
        claude_code,
        BeforeTool,
        &nameless,
        "`session_id` is missing",
    );
    let request = call(r#""tool_name":"Bash""#).replace("PreToolUse", "PermissionRequest");
    refuse(claude_code, PermissionRequest, &request, "input is missing");
    let twice = call(r#""tool_name":"Bash","tool_input":{"command":"ls"},"tool_input":{}"#);
    refuse(claude_code, BeforeTool, &twice, "twice");
    let deep = call(&format!(
        r#""tool_input":{}{}"#,
        "[".repeat(80),
        "]".repeat(80)
    ));
    refuse(claude_code, BeforeTool, &deep, "nested too deeply");
    let huge = call(&format!(r#""x":"{}""#, "a".repeat(17 * 1024 * 1024)));
    refuse(claude_code, BeforeTool, &huge, "too large");
    let silent = r#"{"sessionId":"s","cwd":"/"}"#;
    refuse(copilot, BeforeTool, silent, "`toolName` is missing");
    let list = r#"{"sessionId":"s","cwd":"/","toolName":"bash","toolArgs":"[1]"}"#;
    refuse(copilot, BeforeTool, list, "input is not an object");
    let short = r#"{"event":"before-tool"}"#;
    refuse(generic, BeforeTool, short, "input is missing");
}
