//! Clients that are known by their documentation: recorded shapes, and every answer.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that panics has failed"
)]

use automode_agents::{Agent, Answer, CLIENTS, EventKind, HookPhase, Proof, Ruling};
use automode_core::{Presence, Verdict};
use serde_json::{Value, json};

fn agent(name: &str) -> Agent {
    Agent::named(name).unwrap()
}

/// A payload as it is documented, and the call that it means.
fn check(name: &str, payload: &Value) {
    let event = agent(name).parse(payload.to_string().as_bytes()).unwrap();
    assert_eq!(
        (event.session.as_str(), event.cwd.as_str()),
        ("s", "/w"),
        "{name}"
    );
    match event.kind {
        EventKind::BeforeTool { call, .. } => {
            assert_eq!(
                (call.tool.as_str(), call.text("command")),
                ("Bash", Some("ls")),
                "{name}"
            );
        }
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn documented_payloads_are_understood() {
    let ls = || json!({"command": "ls"});
    check(
        "cursor",
        &json!({"conversation_id": "s", "generation_id": "g", "model": "m", "hook_event_name": "preToolUse", "cursor_version": "1", "workspace_roots": ["/w"], "tool_name": "Shell", "tool_input": ls()}),
    );
    check(
        "goose",
        &json!({"event": "PreToolUse", "session_id": "s", "matcher_context": "developer__shell", "tool_name": "developer__shell", "tool_input": {"command": "ls", "timeout_secs": 9}, "working_dir": "/w", "tool_call_id": "t"}),
    );
    check(
        "crush",
        &json!({"event": "PreToolUse", "session_id": "s", "cwd": "/w", "tool_name": "Bash", "tool_input": ls()}),
    );
    check(
        "vscode",
        &json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "tool_name": "run_in_terminal", "tool_input": ls(), "tool_use_id": "t"}),
    );
    check(
        "kiro",
        &json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "tool_name": "execute_bash", "tool_input": ls()}),
    );
    check(
        "devin",
        &json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "tool_name": "exec", "tool_input": ls()}),
    );
    check(
        "antigravity",
        &json!({"toolCall": {"name": "run_command", "args": ls()}, "stepIdx": 3, "conversationId": "s", "workspacePaths": ["/w"], "transcriptPath": "/t"}),
    );
    check(
        "hermes",
        &json!({"hook_event_name": "pre_tool_call", "session_id": "s", "cwd": "/w", "tool_name": "terminal", "tool_input": ls()}),
    );
    check(
        "amp",
        &json!({"event": "tool.call", "session_id": "s", "cwd": "/w", "tool": "Bash", "input": ls(), "id": "t"}),
    );
    check(
        "openhands",
        &json!({"event_type": "PreToolUse", "session_id": "s", "working_dir": "/w", "tool_name": "terminal", "tool_input": ls(), "metadata": {}}),
    );
}

#[test]
fn a_payload_without_what_a_decision_needs_is_malformed() {
    for client in CLIENTS
        .iter()
        .filter(|client| client.proof == Proof::Documented)
    {
        let trial = automode_agents::HookTrial {
            event: "PreToolUse",
            session: "s",
            command: "ls",
        };
        let Value::Object(whole) = (client.trial)(&trial) else {
            panic!("an object")
        };
        assert!(
            Agent::of(client)
                .parse(Value::Object(whole.clone()).to_string().as_bytes())
                .is_ok(),
            "{}",
            client.name
        );
        for part in ["{}", "[]", "null", "", "{\"tool_name\": \"Bash\"}"] {
            assert!(
                Agent::of(client).parse(part.as_bytes()).is_err(),
                "{} {part}",
                client.name
            );
        }
    }
}

fn ruling(verdict: Verdict) -> Answer {
    Answer::Ruling(Ruling {
        verdict,
        reason: "WHY \"quoted\"".to_owned(),
        prompt: "WHY \"quoted\"".to_owned(),
        ..Ruling::failure("x")
    })
}

fn answered(name: &str, verdict: Verdict) -> (String, u8) {
    let reply = agent(name).render(HookPhase::BeforeTool, &ruling(verdict), Presence::Headless);
    (reply.stdout, reply.exit)
}

/// The word that stops a call, and the one that lets it pass.
#[test]
fn every_denial_is_in_the_clients_own_form() {
    let check = |name: &str, pointer: &str, deny: &str| {
        for verdict in [Verdict::Deny, Verdict::Ask] {
            let (text, exit) = answered(name, verdict);
            let answer: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(
                (answer.pointer(pointer).and_then(Value::as_str), exit),
                (Some(deny), 0),
                "{name}"
            );
            assert!(text.contains("WHY"), "{name}");
        }
    };
    check("cursor", "/permission", "deny");
    check("goose", "/decision", "block");
    check("crush", "/decision", "deny");
    check("vscode", "/hookSpecificOutput/permissionDecision", "deny");
    check("devin", "/decision", "block");
    check("antigravity", "/decision", "deny");
    check("hermes", "/decision", "block");
    check("amp", "/action", "reject-and-continue");
    for name in ["kiro", "openhands"] {
        let (text, exit) = answered(name, Verdict::Deny);
        assert!(exit == 2 && text.contains("WHY"), "{name}");
    }
}

#[test]
fn only_an_allow_looks_like_one() {
    for client in CLIENTS
        .iter()
        .filter(|client| client.proof == Proof::Documented)
    {
        let (allow, exit) = answered(client.name, Verdict::Allow);
        assert_eq!(exit, 0, "{}", client.name);
        assert_ne!(
            answered(client.name, Verdict::Deny),
            (allow, 0),
            "{}",
            client.name
        );
    }
}
