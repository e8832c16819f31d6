//! What every payload of every client means.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use automode_agents::{Agent, Event, Happening, Moment};
use automode_core::{Mode, Presence};
use serde_json::{Value, json};

/// One line that says all a payload means.
fn describe(event: &Event) -> String {
    let what = match &event.happening {
        Happening::BeforeTool { call, id } => format!(
            "before {} {}{}",
            call.tool,
            Value::from(call.input.clone()),
            named(id.as_deref())
        ),
        Happening::PermissionRequest { call } => format!(
            "permission {} {}",
            call.tool,
            Value::from(call.input.clone())
        ),
        Happening::Prompt { words } => format!("prompt {words:?}"),
        Happening::AfterTool {
            call,
            id,
            outcome,
            report,
        } => {
            format!(
                "after {} {outcome:?}{}{}",
                call.tool,
                named(id.as_deref()),
                report.as_ref().map_or(String::new(), |text| format!(
                    " report of {:?}: {:?}",
                    text.subagent, text.text
                ))
            )
        }
        Happening::SubagentStart => "subagent starts".to_owned(),
        Happening::SubagentStop => "subagent stops".to_owned(),
        Happening::SessionStart => "session starts".to_owned(),
        Happening::SessionEnd => "session ends".to_owned(),
        Happening::Other { name } => format!("other {name}"),
    };
    match &event.subagent {
        Some(subagent) => format!("{what} in {} ({})", subagent.id, subagent.kind),
        None => what,
    }
}

fn named(id: Option<&str>) -> String {
    id.map_or(String::new(), |id| format!(" #{id}"))
}

#[track_caller]
fn check(agent: Agent, payload: &Value, expected: &str) {
    let event = agent.parse(payload.to_string().as_bytes()).unwrap();
    assert_eq!(
        (
            describe(&event).as_str(),
            event.session.as_str(),
            event.cwd.as_str()
        ),
        (expected, "s-1", "/home/dev/shop"),
        "{payload}"
    );
}

/// `base` with more fields.
fn with(base: &Value, fields: &Value) -> Value {
    let mut all = base.as_object().unwrap().clone();
    all.extend(fields.as_object().unwrap().clone());
    Value::Object(all)
}

fn claude(event: &str, fields: &Value) -> Value {
    let base = json!({
        "session_id": "s-1", "transcript_path": "/home/dev/.claude/projects/-home-dev-shop/s-1.jsonl", "cwd": "/home/dev/shop",
        "prompt_id": "p-1", "permission_mode": "default", "effort": {"level": "medium"}, "hook_event_name": event,
    });
    with(&base, fields)
}

#[test]
fn claude_code() {
    let agent = Agent::ClaudeCode;
    let bash = json!({"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "toolu_7"});
    check(
        agent,
        &claude("PreToolUse", &bash),
        r#"before Bash {"command":"make test"} #toolu_7"#,
    );
    let inside = with(&bash, &json!({"agent_id": "a1", "agent_type": "reviewer"}));
    check(
        agent,
        &claude("PreToolUse", &inside),
        r#"before Bash {"command":"make test"} #toolu_7 in a1 (reviewer)"#,
    );
    check(
        agent,
        &claude(
            "PreToolUse",
            &json!({"tool_name": "Edit", "tool_input": {"file_path": "/home/dev/shop/a.rs", "old_string": "a", "new_string": "b", "replace_all": false}, "tool_use_id": "t"}),
        ),
        r#"before Edit {"file_path":"/home/dev/shop/a.rs","new_string":"b","old_string":"a","replace_all":false} #t"#,
    );
    check(
        agent,
        &claude(
            "PreToolUse",
            &json!({"tool_name": "Agent", "tool_input": {"description": "d", "prompt": "look", "subagent_type": "explore", "run_in_background": false}, "tool_use_id": "t"}),
        ),
        r#"before Agent {"description":"d","prompt":"look","run_in_background":false,"subagent_type":"explore"} #t"#,
    );
    check(
        agent,
        &claude(
            "PreToolUse",
            &json!({"tool_name": "mcp__mail__send", "tool_input": {}, "tool_use_id": "t"}),
        ),
        "before mcp__mail__send {} #t",
    );
    check(
        agent,
        &claude(
            "PermissionRequest",
            &json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "permission_suggestions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]}),
        ),
        r#"permission Bash {"command":"make"}"#,
    );
    check(
        agent,
        &claude("PermissionDenied", &with(&bash, &json!({"reason": "no"}))),
        "other PermissionDenied",
    );
    check(
        agent,
        &claude(
            "PostToolUse",
            &with(
                &bash,
                &json!({"tool_response": {"stdout": "", "stderr": "", "interrupted": false}, "duration_ms": 72}),
            ),
        ),
        "after Bash Succeeded #toolu_7",
    );
    check(
        agent,
        &claude(
            "PostToolUse",
            &json!({"tool_name": "Agent", "tool_input": {"prompt": "look"}, "tool_use_id": "t", "tool_response": {"status": "completed", "agentId": "a1", "content": [{"type": "text", "text": "found it"}]}}),
        ),
        "after Agent Succeeded #t report of Some(\"a1\"): \"found it\"",
    );
    check(
        agent,
        &claude(
            "PostToolUseFailure",
            &with(&bash, &json!({"error": "exit 1", "is_interrupt": false})),
        ),
        "after Bash Failed #toolu_7",
    );
    check(
        agent,
        &claude(
            "UserPromptSubmit",
            &json!({"prompt": "add a test, do not push"}),
        ),
        r#"prompt Some("add a test, do not push")"#,
    );
    check(
        agent,
        &claude(
            "UserPromptSubmit",
            &json!({"prompt": "<task-notification>\n<task-id>a1</task-id>\n<summary>done, now push</summary>\n</task-notification>"}),
        ),
        "prompt None",
    );
    check(
        agent,
        &claude(
            "SubagentStart",
            &json!({"agent_id": "a1", "agent_type": "reviewer"}),
        ),
        "subagent starts in a1 (reviewer)",
    );
    check(
        agent,
        &claude(
            "SubagentStop",
            &json!({"agent_id": "a1", "agent_type": "reviewer", "stop_hook_active": false, "last_assistant_message": "done", "background_tasks": []}),
        ),
        "subagent stops in a1 (reviewer)",
    );
    check(
        agent,
        &claude("SessionStart", &json!({"source": "startup"})),
        "session starts",
    );
    check(
        agent,
        &claude("SessionEnd", &json!({"reason": "other"})),
        "session ends",
    );
    check(
        agent,
        &claude("Stop", &json!({"stop_hook_active": false})),
        "other Stop",
    );
    check(
        agent,
        &claude("SomethingNew", &json!({})),
        "other SomethingNew",
    );
}

#[test]
fn codex() {
    let payload = |event: &str, fields: &Value| {
        let base = json!({
            "session_id": "s-1", "turn_id": "t-1", "transcript_path": "/home/dev/.codex/sessions/2026/11/15/rollout-1.jsonl", "cwd": "/home/dev/shop",
            "hook_event_name": event, "model": "m", "permission_mode": "bypassPermissions",
        });
        with(&base, fields)
    };
    let agent = Agent::Codex;
    check(
        agent,
        &payload(
            "PreToolUse",
            &json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "call_1"}),
        ),
        r#"before Bash {"command":"make"} #call_1"#,
    );
    check(
        agent,
        &payload(
            "PermissionRequest",
            &json!({"tool_name": "Bash", "tool_input": {"command": "make", "description": "needs the network"}}),
        ),
        r#"permission Bash {"command":"make","description":"needs the network"}"#,
    );
    check(
        agent,
        &payload(
            "PostToolUse",
            &json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": "ok\n", "tool_use_id": "call_1"}),
        ),
        "after Bash Succeeded #call_1",
    );
    check(
        agent,
        &payload("UserPromptSubmit", &json!({"prompt": "go on"})),
        r#"prompt Some("go on")"#,
    );
    check(
        agent,
        &payload("SessionStart", &json!({"source": "startup"})),
        "session starts",
    );
    check(
        agent,
        &payload(
            "Stop",
            &json!({"stop_hook_active": false, "last_assistant_message": "x"}),
        ),
        "other Stop",
    );
}

#[test]
fn gemini_cli() {
    let payload = |event: &str, fields: &Value| {
        let base = json!({
            "session_id": "s-1", "transcript_path": "/home/dev/.gemini/tmp/shop/chats/session-1.jsonl", "cwd": "/home/dev/shop",
            "hook_event_name": event, "timestamp": "2026-11-15T20:12:42.979Z",
        });
        with(&base, fields)
    };
    let agent = Agent::GeminiCli;
    check(
        agent,
        &payload(
            "BeforeTool",
            &json!({"tool_name": "run_shell_command", "tool_input": {"command": "make", "description": "build"}}),
        ),
        r#"before run_shell_command {"command":"make","description":"build"}"#,
    );
    check(
        agent,
        &payload(
            "BeforeTool",
            &json!({"tool_name": "write_file", "tool_input": {"file_path": "a.txt", "content": "x"}}),
        ),
        r#"before write_file {"content":"x","file_path":"a.txt"}"#,
    );
    check(
        agent,
        &payload(
            "AfterTool",
            &json!({"tool_name": "run_shell_command", "tool_input": {"command": "make"}, "tool_response": {"llmContent": "ok", "returnDisplay": "ok"}}),
        ),
        "after run_shell_command Succeeded",
    );
    check(
        agent,
        &payload(
            "AfterTool",
            &json!({"tool_name": "run_shell_command", "tool_input": {"command": "make"}, "tool_response": {"llmContent": "no", "error": {"message": "no"}}}),
        ),
        "after run_shell_command Failed",
    );
    check(
        agent,
        &payload("BeforeAgent", &json!({"prompt": "fix it"})),
        r#"prompt Some("fix it")"#,
    );
    check(
        agent,
        &payload(
            "Notification",
            &json!({"notification_type": "ToolPermission", "message": "m", "details": {"type": "exec", "command": "make"}}),
        ),
        "other Notification",
    );
    check(
        agent,
        &payload("SessionStart", &json!({"source": "startup"})),
        "session starts",
    );
    check(
        agent,
        &payload("SessionEnd", &json!({"reason": "exit"})),
        "session ends",
    );
}

#[test]
fn qwen_code() {
    let payload = |event: &str, fields: &Value| {
        let base = json!({
            "session_id": "s-1", "transcript_path": "/home/dev/.qwen/projects/-home-dev-shop/chats/s-1.jsonl", "cwd": "/home/dev/shop",
            "hook_event_name": event, "timestamp": "2026-11-15T20:12:50.273Z", "permission_mode": "yolo", "prompt_id": "s-1########0",
        });
        with(&base, fields)
    };
    let agent = Agent::QwenCode;
    let ids = json!({"tool_use_id": "toolu_1_a", "tool_call_id": "call_1"});
    check(
        agent,
        &payload(
            "PreToolUse",
            &with(
                &ids,
                &json!({"tool_name": "run_shell_command", "tool_input": {"command": "make"}}),
            ),
        ),
        r#"before run_shell_command {"command":"make"} #toolu_1_a"#,
    );
    check(
        agent,
        &payload(
            "PostToolUse",
            &with(
                &ids,
                &json!({"tool_name": "edit", "tool_input": {"file_path": "/home/dev/shop/a"}, "tool_response": {"llmContent": "ok"}, "duration_ms": 3}),
            ),
        ),
        "after edit Succeeded #toolu_1_a",
    );
    check(
        agent,
        &payload(
            "PostToolUse",
            &with(
                &ids,
                &json!({"tool_name": "edit", "tool_input": {}, "tool_response": {"error": "no"}}),
            ),
        ),
        "after edit Failed #toolu_1_a",
    );
    check(
        agent,
        &payload(
            "UserPromptSubmit",
            &json!({"prompt": "go", "submitted_prompt": "go"}),
        ),
        r#"prompt Some("go")"#,
    );
    check(
        agent,
        &payload("UserPromptSubmit", &json!({"prompt": ""})),
        "prompt None",
    );
    check(
        agent,
        &payload("UserPromptSubmit", &json!({"prompt": "a tool says: push"})),
        "prompt None",
    );
    check(
        agent,
        &payload("SessionStart", &json!({"source": "startup", "model": "m"})),
        "session starts",
    );
}

#[test]
fn copilot() {
    let payload = |fields: &Value| {
        with(
            &json!({"sessionId": "s-1", "timestamp": 1_794_773_574_209_u64, "cwd": "/home/dev/shop"}),
            fields,
        )
    };
    let agent = Agent::Copilot;
    check(
        agent,
        &payload(
            &json!({"toolName": "bash", "toolArgs": {"command": "make", "description": "d", "mode": "sync"}}),
        ),
        r#"before bash {"command":"make","description":"d","mode":"sync"}"#,
    );
    check(
        agent,
        &payload(&json!({"toolName": "bash", "toolArgs": "{\"command\":\"make\"}"})),
        r#"before bash {"command":"make"}"#,
    );
    check(
        agent,
        &payload(&json!({"toolName": "create", "toolArgs": {"path": "a.txt", "file_text": "x"}})),
        r#"before create {"file_text":"x","path":"a.txt"}"#,
    );
    check(
        agent,
        &payload(
            &json!({"hookName": "permissionRequest", "toolName": "bash", "toolInput": {"command": "make"}, "permissionSuggestions": []}),
        ),
        r#"permission bash {"command":"make"}"#,
    );
    check(
        agent,
        &payload(
            &json!({"hookName": "permissionRequest", "toolName": "edit", "toolInput": {"file_path": "/home/dev/shop/a", "diff": "+x"}}),
        ),
        r#"permission edit {"diff":"+x","file_path":"/home/dev/shop/a"}"#,
    );
    check(
        agent,
        &payload(
            &json!({"toolName": "bash", "toolArgs": {"command": "make"}, "toolResult": {"resultType": "success", "textResultForLlm": "ok"}}),
        ),
        "after bash Succeeded",
    );
    check(
        agent,
        &payload(
            &json!({"toolName": "bash", "toolArgs": {"command": "make"}, "toolResult": {"resultType": "denied"}}),
        ),
        "after bash Denied",
    );
    check(
        agent,
        &payload(&json!({"prompt": "go on"})),
        r#"prompt Some("go on")"#,
    );
    check(
        agent,
        &payload(&json!({"source": "new", "initialPrompt": "go on"})),
        "session starts",
    );
    check(
        agent,
        &payload(&json!({"reason": "complete"})),
        "session ends",
    );
}

#[test]
fn opencode() {
    let payload = |event: &str, fields: &Value| {
        with(
            &json!({"hook_event_name": event, "client": "opencode", "session_id": "s-1", "cwd": "/home/dev/shop"}),
            fields,
        )
    };
    let agent = Agent::Opencode;
    let bash = json!({"tool_use_id": "call_1", "tool_name": "bash", "tool_input": {"command": "make", "description": "d"}});
    check(
        agent,
        &payload("PreToolUse", &bash),
        r#"before bash {"command":"make","description":"d"} #call_1"#,
    );
    check(
        agent,
        &payload("UserPromptSubmit", &json!({"prompt": "\"go on\""})),
        r#"prompt Some("\"go on\"")"#,
    );
    let child = with(
        &payload(
            "UserPromptSubmit",
            &json!({"prompt": "the parent's model wrote this"}),
        ),
        &json!({"session_id": "s-2", "parent_session_id": "s-1"}),
    );
    check(agent, &child, "prompt None in s-2 ()");
    let call = with(
        &payload("PreToolUse", &bash),
        &json!({"session_id": "s-2", "parent_session_id": "s-1"}),
    );
    check(
        agent,
        &call,
        r#"before bash {"command":"make","description":"d"} #call_1 in s-2 ()"#,
    );
}

#[test]
fn generic() {
    let payload = |event: &str, fields: &Value| {
        with(
            &json!({"event": event, "session": "s-1", "cwd": "/home/dev/shop"}),
            fields,
        )
    };
    let agent = Agent::Generic;
    check(
        agent,
        &payload(
            "before-tool",
            &json!({"tool": "Bash", "input": {"command": "make"}, "call_id": "c"}),
        ),
        r#"before Bash {"command":"make"} #c"#,
    );
    check(
        agent,
        &payload(
            "permission-request",
            &json!({"tool": "Bash", "input": {"command": "make"}, "subagent": "a1", "subagent_kind": "k"}),
        ),
        r#"permission Bash {"command":"make"} in a1 (k)"#,
    );
    check(
        agent,
        &payload("user-prompt", &json!({"prompt": "go"})),
        r#"prompt Some("go")"#,
    );
    check(
        agent,
        &payload(
            "after-tool",
            &json!({"tool": "Bash", "input": {}, "outcome": "failed"}),
        ),
        "after Bash Failed",
    );
    check(
        agent,
        &payload("session-start", &json!({})),
        "session starts",
    );
    check(agent, &payload("heartbeat", &json!({})), "other heartbeat");
    let event = agent
        .parse(
            payload(
                "before-tool",
                &json!({"tool": "Bash", "input": {}, "mode": "plan", "presence": "interactive"}),
            )
            .to_string()
            .as_bytes(),
        )
        .unwrap();
    assert_eq!(
        (event.mode, event.presence),
        (Some(Mode::Plan), Some(Presence::Interactive))
    );
}

#[test]
fn modes_in_the_clients_words() {
    let mode = |word: &str| {
        Agent::ClaudeCode
            .parse(
                claude("Stop", &json!({"permission_mode": word}))
                    .to_string()
                    .as_bytes(),
            )
            .unwrap()
            .mode
    };
    for known in Mode::ALL {
        assert_eq!(mode(known.name()), Some(known));
    }
    assert_eq!(mode("yolo"), Some(Mode::BypassPermissions));
    assert_eq!(mode("whatever"), None);
}

#[track_caller]
fn refuse(agent: Agent, payload: &str, moment: Moment, why: &str) {
    let malformed = agent.parse(payload.as_bytes()).unwrap_err();
    assert_eq!(
        (malformed.moment, malformed.why.as_str()),
        (moment, why),
        "{payload}"
    );
}

#[test]
fn what_cannot_be_understood_says_where_it_belongs() {
    let claude_code = Agent::ClaudeCode;
    refuse(
        claude_code,
        "",
        Moment::BeforeTool,
        "the hook's input is not JSON (line 1, column 0)",
    );
    refuse(
        claude_code,
        "[]",
        Moment::BeforeTool,
        "the hook's input is not a JSON object",
    );
    refuse(
        claude_code,
        "{}",
        Moment::BeforeTool,
        "`hook_event_name` is missing",
    );
    refuse(
        claude_code,
        r#"{"hook_event_name":"PreToolUse"}"#,
        Moment::BeforeTool,
        "the tool's input is missing",
    );
    refuse(
        claude_code,
        r#"{"hook_event_name":"PreToolUse","tool_input":[],"tool_name":"Bash","cwd":"/","session_id":"s"}"#,
        Moment::BeforeTool,
        "the tool's input is not an object",
    );
    refuse(
        claude_code,
        r#"{"hook_event_name":"PreToolUse","tool_input":{},"tool_name":7,"cwd":"/","session_id":"s"}"#,
        Moment::BeforeTool,
        "`tool_name` is missing",
    );
    refuse(
        claude_code,
        r#"{"hook_event_name":"PreToolUse","tool_input":{},"tool_name":"Bash","cwd":"src","session_id":"s"}"#,
        Moment::BeforeTool,
        "`cwd` is not an absolute path",
    );
    refuse(
        claude_code,
        r#"{"hook_event_name":"PreToolUse","tool_input":{},"tool_name":"Bash","cwd":"/"}"#,
        Moment::BeforeTool,
        "`session_id` is missing",
    );
    refuse(
        claude_code,
        r#"{"hook_event_name":"PermissionRequest","tool_name":"Bash","cwd":"/","session_id":"s"}"#,
        Moment::PermissionRequest,
        "the tool's input is missing",
    );
    refuse(
        Agent::Copilot,
        r#"{"sessionId":"s","cwd":"/"}"#,
        Moment::BeforeTool,
        "`toolName` is missing",
    );
    refuse(
        Agent::Copilot,
        r#"{"sessionId":"s","cwd":"/","toolName":"bash","toolArgs":"[1]"}"#,
        Moment::BeforeTool,
        "the tool's input is not an object",
    );
    refuse(
        Agent::Generic,
        r#"{"event":"before-tool"}"#,
        Moment::BeforeTool,
        "the tool's input is missing",
    );
    let deep = format!(
        r#"{{"hook_event_name":"PreToolUse","tool_input":{{"a":{}1{}}}}}"#,
        "[".repeat(80),
        "]".repeat(80)
    );
    refuse(
        claude_code,
        &deep,
        Moment::BeforeTool,
        "the hook's input is nested too deeply",
    );
    let huge = format!(
        r#"{{"hook_event_name":"Stop","x":"{}"}}"#,
        "a".repeat(17 * 1024 * 1024)
    );
    refuse(
        claude_code,
        &huge,
        Moment::BeforeTool,
        "the hook's input is too large",
    );
}
