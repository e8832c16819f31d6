//! What a client hears.

use std::fs::{self, OpenOptions};

use serde_json::{Value, json};

use crate::bench::{Bench, DEADLY, SAFE, files, finish, start};

#[test]
fn a_safe_call_runs_and_a_deadly_one_does_not() {
    let bench = Bench::new();
    let safe = bench.claude(SAFE);
    assert_eq!(
        (safe.verdict(), safe.code),
        ("allow", Some(0)),
        "{}",
        safe.json
    );
    let deadly = bench.claude(DEADLY);
    assert_eq!(
        (deadly.verdict(), deadly.code),
        ("deny", Some(0)),
        "{}",
        deadly.json
    );
}

#[test]
fn every_agent_is_answered_in_its_own_form() {
    let bench = Bench::new();
    let (cwd, input) = (bench.path("shop"), json!({"command": DEADLY}));
    let nested = "/hookSpecificOutput/permissionDecision";
    let claude = |event: &str, tool: &str| json!({"session_id": "s", "cwd": cwd, "hook_event_name": event, "tool_name": tool, "tool_input": input});
    let check = |agent: &str, payload: Value, pointer: &str| {
        let answer = bench.hook(&[agent], &payload.to_string());
        assert_eq!(
            answer.json.pointer(pointer),
            Some(&json!("deny")),
            "{agent}: {}",
            answer.json
        );
        assert_eq!(answer.code, Some(0));
        // Whoever reads it knows who stopped what, by which rule, and what to type next.
        let told = answer.json.to_string();
        for part in [
            "automode stopped this",
            "deletes",
            "local-data",
            "automode allow-once ",
        ] {
            assert!(told.contains(part), "{agent}: `{part}`: {told}");
        }
    };
    check("codex", claude("PreToolUse", "Bash"), nested);
    check(
        "codex",
        claude("PermissionRequest", "Bash"),
        "/hookSpecificOutput/decision/behavior",
    );
    check(
        "gemini-cli",
        claude("BeforeTool", "run_shell_command"),
        "/decision",
    );
    check(
        "qwen-code",
        claude("PreToolUse", "run_shell_command"),
        nested,
    );
    check("opencode", claude("PreToolUse", "bash"), nested);
    check(
        "copilot",
        json!({"sessionId": "s", "cwd": cwd, "toolName": "bash", "toolArgs": input}),
        "/permissionDecision",
    );
    check(
        "copilot",
        json!({"hookName": "permissionRequest", "sessionId": "s", "cwd": cwd, "toolName": "bash", "toolInput": input}),
        "/behavior",
    );
    check(
        "generic",
        json!({"event": "before-tool", "session": "s", "cwd": cwd, "tool": "Bash", "input": input}),
        "/verdict",
    );
}

#[test]
fn what_cannot_be_understood_is_denied() {
    let bench = Bench::new();
    for payload in [
        "",
        "x",
        "[]",
        "{}",
        r#"{"hook_event_name":"PreToolUse"}"#,
        "\u{0}",
    ] {
        let answer = bench.hook(&["claude-code"], payload);
        assert_eq!(
            (answer.verdict(), answer.code),
            ("deny", Some(0)),
            "{payload:?}"
        );
        assert!(answer.json["systemMessage"].is_string());
    }
    let huge = format!(r#"{{"x":"{}"}}"#, "a".repeat(20 * 1024 * 1024));
    assert_eq!(bench.hook(&["claude-code"], &huge).verdict(), "deny");
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert_eq!(bench.hook(&["claude-code"], &deep).verdict(), "deny");
}

#[test]
fn a_command_line_that_is_wrong_blocks() {
    let bench = Bench::new();
    for arguments in [&[][..], &["nobody"], &["codex", "--mode", "off"]] {
        let answer = bench.hook(arguments, "{}");
        assert_eq!((answer.code, &answer.json), (Some(2), &Value::Null));
        assert!(answer.stderr.contains("denied"), "{}", answer.stderr);
    }
}

#[test]
fn an_answer_that_nobody_reads_blocks() {
    let bench = Bench::new();
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = bench.command(&["hook", "claude-code"]);
    command.stdout(full);
    let output = start(&mut command, bench.call(SAFE).to_string().as_bytes())
        .wait_with_output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn shadow_mode_says_nothing_and_records_everything() {
    let bench = Bench::new();
    let answer = bench.hook(
        &["claude-code", "--mode", "shadow"],
        &bench.call(DEADLY).to_string(),
    );
    assert_eq!((&answer.json, answer.code), (&json!({}), Some(0)));
    let answer = bench.hook(&["claude-code", "--mode", "shadow"], "rubbish");
    assert_eq!(answer.json, json!({}));
    let entries = bench.entries();
    assert_eq!(entries.len(), 1);
    assert!(entries[0].shadow && entries[0].verdict == automode::Verdict::Deny);
}

#[test]
fn the_environment_is_never_written_down() {
    let bench = Bench::new();
    let mut command = bench.command(&["hook", "claude-code"]);
    command
        .env("ANTHROPIC_API_KEY", "very-secret-value")
        .env("CLAUDE_CODE_MESSAGING_TOKEN", "very-secret-value");
    finish(&mut command, bench.call(SAFE).to_string().as_bytes());
    for file in files(&bench.state_path()) {
        let text = fs::read(&file).unwrap();
        assert!(
            !text.windows(11).any(|bytes| bytes == b"very-secret"),
            "{}",
            file.display()
        );
    }
}

/// What a veto-only automode leaves to the client's own check: in the mode that has one, all
/// that no veto stops.
#[test]
fn beside_a_clients_own_check_only_vetoes_speak() {
    let bench = Bench::new();
    let config = bench.root.path().join("home/.config/automode");
    fs::create_dir_all(&config).unwrap();
    let check = |beside: &str, mode: &str, command: &str, expected: &str| {
        fs::write(
            config.join("config.toml"),
            format!("beside = \"{beside}\"\n"),
        )
        .unwrap();
        let mut payload = bench.call(command);
        payload["permission_mode"] = json!(mode);
        let answer = bench.hook(&["claude-code"], &payload.to_string());
        assert_eq!(
            answer.verdict(),
            expected,
            "{beside} {mode} {command}: {}",
            answer.json
        );
    };
    let unknown = crate::bench::UNKNOWN;
    check("decide", "auto", unknown, "ask");
    check("veto-only", "auto", unknown, "none");
    check(
        "veto-only",
        "auto",
        "git push --force origin feature",
        "none",
    );
    check("veto-only", "auto", SAFE, "none");
    check("veto-only", "auto", DEADLY, "deny");
    check("veto-only", "auto", "echo x >> ~/.bashrc", "ask");
    // Where the client has no check of its own, nothing is left to it.
    for mode in ["default", "bypassPermissions", "acceptEdits"] {
        check("veto-only", mode, unknown, "ask");
        check("veto-only", mode, SAFE, "allow");
    }
}
