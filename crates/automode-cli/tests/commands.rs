//! The commands around the hook: install, inspect, replay.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};

struct Home {
    root: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn run(&self, line: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_automode"))
            .args(line.split(' '))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.root.path())
            .env("AUTOMODE_STATE_DIR", self.path("state"))
            .current_dir(self.root.path())
            .output()
            .unwrap()
    }

    #[track_caller]
    fn says(&self, line: &str) -> String {
        let output = self.run(line);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{line}: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        text
    }

    /// A hook's answer to a shell command.
    fn hook(&self, command: &str) {
        let payload = json!({"session_id": "s", "cwd": self.root.path(), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}});
        let file = self.path("payload");
        fs::write(&file, payload.to_string()).unwrap();
        let done = Command::new(env!("CARGO_BIN_EXE_automode"))
            .args(["hook", "claude-code"])
            .env_clear()
            .env("HOME", self.root.path())
            .env("AUTOMODE_STATE_DIR", self.path("state"))
            .stdin(fs::File::open(file).unwrap())
            .output()
            .unwrap();
        assert!(done.status.success());
    }
}

#[test]
fn an_installation_is_announced_made_and_taken_back() {
    let home = Home::new();
    let settings = home.path(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let before = "{\n  // mine\n  \"model\": \"x\"\n}\n";
    fs::write(&settings, before).unwrap();
    assert!(
        home.says("install claude-code --dry-run")
            .contains("PreToolUse")
    );
    assert_eq!(fs::read_to_string(&settings).unwrap(), before);
    home.says("install claude-code --yes");
    let after = fs::read_to_string(&settings).unwrap();
    assert!(after.contains("// mine") && after.contains("hook claude-code"));
    home.says("install claude-code --yes");
    assert_eq!(fs::read_to_string(&settings).unwrap(), after);
    assert!(home.says("status").contains("enforce"));
    assert!(
        home.says("doctor claude-code")
            .contains("stops a call that must not pass")
    );
    home.says("uninstall claude-code --yes");
    let removed = fs::read_to_string(&settings).unwrap();
    assert!(
        removed.contains("// mine") && !removed.contains("automode"),
        "{removed}"
    );
    let kept = fs::read_dir(settings.parent().unwrap()).unwrap().flatten();
    assert!(
        kept.into_iter()
            .any(|entry| fs::read_to_string(entry.path()).unwrap() == before)
    );
}

#[test]
fn shadow_and_own_files() {
    let home = Home::new();
    home.says("install opencode copilot --mode shadow --yes");
    let status: Value = serde_json::from_str(&home.says("status --json")).unwrap();
    assert!(
        status
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["mode"] == "shadow"),
        "{status}"
    );
    home.says("uninstall opencode copilot --yes");
    assert!(!home.path(".config/opencode/plugin/automode.js").exists());
    assert_eq!(home.says("status --json").trim(), "[]");
}

#[test]
fn a_file_that_is_broken_is_left_alone() {
    let home = Home::new();
    let settings = home.path(".gemini/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, "{ \"hooks\": ").unwrap();
    assert!(!home.run("install gemini-cli --yes").status.success());
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{ \"hooks\": ");
}

#[test]
fn decisions_can_be_seen_explained_summed_and_verified() {
    let home = Home::new();
    home.hook("ls");
    home.hook("rm -rf ~");
    let log = home.says("log --json --verdict deny");
    let entry: Value = serde_json::from_str(log.trim()).unwrap();
    assert_eq!(
        (entry["brief"].as_str(), entry["verdict"].as_str()),
        (Some("rm -rf ~"), Some("deny"))
    );
    let why = home.says(&format!("why {}", entry["id"].as_str().unwrap()));
    assert!(
        why.contains("rules-veto") && why.contains("allow-once"),
        "{why}"
    );
    let stats: Value = serde_json::from_str(&home.says("stats --json")).unwrap();
    assert_eq!(
        (&stats["decisions"], &stats["verdicts"]["deny"]),
        (&json!(2), &json!(1))
    );
    assert!(home.says("stats").contains('█'));
    assert!(home.says("log verify").contains("2 decisions hold"));
    let path = home.path("state/audit.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("rm -rf ~", "ls -la")).unwrap();
    assert!(!home.run("log verify").status.success());
}

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
    assert!(home.says("replay").contains("would have been stopped"));
    assert!(!Home::new().run("replay").status.success());
}
