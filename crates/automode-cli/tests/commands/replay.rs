//! Recorded sessions through the policy of today.

use std::fs;

use serde_json::{Value, json};

use crate::home::Home;

#[test]
fn recorded_sessions_are_replayed() {
    let home = Home::new();
    let claude = home.path(".claude/projects/p/s.jsonl");
    let codex = home.path(".codex/sessions/2026/11/15/rollout-1.jsonl");
    let cwd = home.root.path().to_str().unwrap().to_owned();
    let call = |id: &str, command: &str| json!({"type": "assistant", "sessionId": "s", "cwd": cwd, "message": {"content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]}});
    let lines = [
        json!({"type": "user", "sessionId": "s", "cwd": cwd, "message": {"content": "go on"}}),
        call("a", "ls"),
        call("b", "rm -rf ~"),
        call("c", "some-unknown-program"),
        call("a", "ls"),
    ];
    for (path, text) in [
        (
            claude,
            lines
                .iter()
                .map(|line| format!("{line}\n"))
                .collect::<String>()
                + "torn {",
        ),
        (
            codex,
            format!(
                "{}\n",
                json!({"type": "response_item", "payload": {"type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"ls\"}", "call_id": "x"}})
            ),
        ),
    ] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let report: Value = serde_json::from_str(&home.says("replay --json")).unwrap();
    assert_eq!(
        (&report["sessions"], &report["calls"]),
        (&json!(2), &json!(4)),
        "{report}"
    );
    assert_eq!(
        (&report["verdicts"]["deny"], &report["judge"]["calls"]),
        (&json!(1), &json!(1)),
        "{report}"
    );
    let told = home.says("replay");
    assert!(told.contains("would have been stopped"), "{told}");
    // Nobody judges here: what a judge would be asked is a prompt.
    assert!(
        told.contains("no judge is configured: 1 of these would be prompts"),
        "{told}"
    );
    assert!(!Home::new().run("replay").status.success());
}

#[test]
fn older_recordings_are_replayed() {
    let home = Home::new();
    let call = |id: &str, command: &str| json!({"id": id, "name": "run_shell_command", "args": {"command": command}, "status": "success"});
    let gemini = json!({"sessionId": "s", "projectHash": "h", "messages": [
        {"id": "1", "type": "user", "content": "go on"},
        {"id": "2", "type": "gemini", "content": "", "toolCalls": [call("a", "ls"), call("b", "rm -rf ~")]},
    ]});
    home.write(".gemini/tmp/h/chats/session-1.json", &gemini.to_string());
    home.write(".gemini/tmp/h/logs.json", "[]");
    let codex = json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "x"});
    home.write(
        ".codex/sessions/2025/05/01/rollout-1.jsonl",
        &format!("{codex}\n"),
    );
    let report: Value = serde_json::from_str(&home.says("replay --json")).unwrap();
    assert_eq!(
        (
            &report["sessions"],
            &report["calls"],
            &report["verdicts"]["deny"]
        ),
        (&json!(2), &json!(3), &json!(1)),
        "{report}"
    );
}
