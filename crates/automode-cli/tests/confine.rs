//! What is allowed confined runs confined, through the hook of each client.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_automode");

struct World {
    _temp: tempfile::TempDir,
    home: PathBuf,
    project: PathBuf,
    state: PathBuf,
}

/// A home with a project, settings and a script that nobody has read.
fn world(settings: &str) -> World {
    // Not below /tmp, which is private inside.
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let temp = tempfile::tempdir_in(place).unwrap();
    let top = temp.path().canonicalize().unwrap();
    let (home, state) = (top.join("home"), top.join("state"));
    let project = home.join("app");
    fs::create_dir_all(home.join(".config/automode")).unwrap();
    fs::create_dir_all(&project).unwrap();
    fs::write(home.join(".config/automode/config.toml"), settings).unwrap();
    fs::write(home.join("secret"), "canary").unwrap();
    fs::write(project.join("gen.bin"), [0_u8, 1, 2]).unwrap();
    let world = World {
        _temp: temp,
        home,
        project,
        state,
    };
    let git = world.command("git").args(["init", "-q"]).output().unwrap();
    assert!(git.status.success());
    world
}

impl World {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", &self.home)
            .env("AUTOMODE_STATE_DIR", &self.state)
            .stdin(Stdio::null());
        command
    }

    fn automode(&self, arguments: &[&str]) -> Output {
        self.command(PROGRAM).args(arguments).output().unwrap()
    }

    /// Whether commands can be confined here; the hook knows it from the doctor.
    fn confines(&self) -> bool {
        let output = self.automode(&["doctor"]);
        String::from_utf8_lossy(&output.stdout).contains("can be confined by")
    }

    fn hook(&self, client: &str, payload: &Value) -> Value {
        let mut child = self
            .command(PROGRAM)
            .args(["hook", client])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(payload.to_string().as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }

    fn before(&self, client: &str, command: &str) -> Value {
        self.hook(client, &payload(client, &self.project, "before", command))
    }

    fn after(&self, client: &str, command: &str) {
        self.hook(client, &payload(client, &self.project, "after", command));
    }

    fn bash(&self, command: &str) -> Output {
        self.command("bash").args(["-c", command]).output().unwrap()
    }
}

/// An event as each client sends it.
fn payload(client: &str, project: &Path, when: &str, command: &str) -> Value {
    let event = match (client, when) {
        ("gemini-cli", "before") => "BeforeTool",
        ("gemini-cli", _) => "AfterTool",
        (_, "before") => "PreToolUse",
        (_, _) => "PostToolUse",
    };
    let input = json!({ "command": command });
    match client {
        "copilot" if when == "before" => json!({
            "sessionId": "s1", "cwd": project, "toolName": "bash",
            "toolArgs": {"command": command, "description": "run", "mode": "sync"},
        }),
        "copilot" => json!({
            "sessionId": "s1", "cwd": project, "toolName": "bash", "toolArgs": input,
            "toolResult": {"resultType": "success"},
        }),
        "gemini-cli" | "qwen-code" => json!({
            "session_id": "s1", "cwd": project, "hook_event_name": event,
            "tool_name": "run_shell_command", "tool_input": input, "tool_use_id": "t1",
        }),
        "opencode" => json!({
            "session_id": "s1", "cwd": project, "hook_event_name": event,
            "tool_name": "bash", "tool_input": input, "tool_use_id": "t1",
        }),
        "generic" => json!({
            "event": if when == "before" { "before-tool" } else { "after-tool" }, "session": "s1",
            "cwd": project, "tool": "Bash", "input": input, "id": "t1",
        }),
        _ => json!({
            "session_id": "s1", "cwd": project, "hook_event_name": event,
            "tool_name": "Bash", "tool_input": input, "tool_use_id": "t1",
        }),
    }
}

/// The command that a client is told to run.
fn rewritten(client: &str, answer: &Value) -> Option<String> {
    let input = match client {
        "gemini-cli" => &answer["hookSpecificOutput"]["tool_input"],
        "copilot" => &answer["modifiedArgs"],
        "generic" => &answer["input"],
        _ => &answer["hookSpecificOutput"]["updatedInput"],
    };
    input["command"].as_str().map(str::to_owned)
}

const UNREAD: &str = "[confine]\nmode = \"unread\"\n";
/// It reads a file of the home and leaves one in the project; nobody knows the program.
const COMMAND: &str = "./tool.bin";

fn tool(world: &World, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    // Bytes that no reader of scripts takes for text.
    let path = world.project.join("tool.bin");
    fs::write(
        &path,
        format!("#!/bin/bash\n{script}\nexit 0\n\0\u{1}\u{2}"),
    )
    .unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn every_client_that_rewrites_runs_it_confined() {
    let world = world(UNREAD);
    if !world.confines() {
        eprintln!("skipped: nothing can confine a command here");
        return;
    }
    tool(
        &world,
        "echo made > made; cat ~/secret > stolen; echo evil > ~/planted",
    );
    for client in [
        "claude-code",
        "codex",
        "gemini-cli",
        "copilot",
        "opencode",
        "generic",
    ] {
        let answer = world.before(client, COMMAND);
        let command = rewritten(client, &answer).unwrap_or_else(|| panic!("{client}: {answer}"));
        assert!(
            command.starts_with("if false; then\n./tool.bin\nelse "),
            "{client}: {command}"
        );
        let output = world.bash(&command);
        assert_eq!(output.status.code(), Some(0), "{client}: {output:?}");
        assert_eq!(
            fs::read_to_string(world.project.join("made")).unwrap(),
            "made\n"
        );
        assert_eq!(
            fs::read_to_string(world.project.join("stolen")).unwrap(),
            ""
        );
        assert!(!world.home.join("planted").exists());
        world.after(client, &command);
        fs::remove_file(world.project.join("made")).unwrap();
    }
    let log = world.automode(&["stats", "--json"]);
    let sums: Value = serde_json::from_slice(&log.stdout).unwrap();
    assert_eq!(sums["promises"]["confined"], 6, "{sums}");
}

#[test]
fn a_client_that_ignores_rewriting_asks() {
    let world = world(UNREAD);
    if !world.confines() {
        return;
    }
    tool(&world, "true");
    let answer = world.before("qwen-code", COMMAND);
    assert_ne!(
        answer["hookSpecificOutput"]["permissionDecision"], "allow",
        "{answer}"
    );
    assert_eq!(rewritten("qwen-code", &answer), None);
}

#[test]
fn without_the_setting_or_a_self_test_nothing_changes() {
    let off = world("");
    tool(&off, "true");
    off.confines();
    let answer = off.before("claude-code", COMMAND);
    assert_eq!(rewritten("claude-code", &answer), None);
    assert_ne!(
        answer["hookSpecificOutput"]["permissionDecision"], "allow",
        "{answer}"
    );
    let untested = world(UNREAD);
    tool(&untested, "true");
    let answer = untested.before("claude-code", COMMAND);
    assert_eq!(rewritten("claude-code", &answer), None);
    assert_ne!(
        answer["hookSpecificOutput"]["permissionDecision"], "allow",
        "{answer}"
    );
}

#[test]
fn a_client_that_ran_the_original_is_not_trusted_again() {
    let world = world(UNREAD);
    if !world.confines() {
        return;
    }
    tool(&world, "true");
    assert!(rewritten("claude-code", &world.before("claude-code", COMMAND)).is_some());
    world.after("claude-code", COMMAND);
    let again = world.before("claude-code", "./tool.bin again");
    assert_eq!(rewritten("claude-code", &again), None, "{again}");
}

#[test]
fn a_refused_call_that_comes_again_asks_with_the_refusals() {
    let world = world(UNREAD);
    if !world.confines() {
        return;
    }
    tool(&world, "exec 3<>/dev/tcp/203.0.113.7/80");
    let command = rewritten("claude-code", &world.before("claude-code", COMMAND)).unwrap();
    let output = world.bash(&command);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("network to 203.0.113.7:80 refused"), "{said}");
    assert!(said.contains("automode allow-once"), "{said}");
    world.after("claude-code", &command);
    let again = world.before("claude-code", COMMAND);
    assert_eq!(rewritten("claude-code", &again), None);
    let reason = again["hookSpecificOutput"]["permissionDecisionReason"]
        .as_str()
        .unwrap();
    assert!(reason.contains("203.0.113.7:80 was refused"), "{reason}");
}

#[test]
fn a_loss_is_allowed_with_undo_and_comes_back() {
    let world = world("undo = \"on\"\n");
    fs::write(world.project.join("notes.txt"), "mine").unwrap();
    let answer = world.before("claude-code", "rm notes.txt");
    assert_eq!(
        answer["hookSpecificOutput"]["permissionDecision"], "allow",
        "{answer}"
    );
    assert!(world.bash("rm notes.txt").status.success());
    world.after("claude-code", "rm notes.txt");
    let output = world.automode(&["undo"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(
        fs::read_to_string(world.project.join("notes.txt")).unwrap(),
        "mine"
    );
    let listed = world.automode(&["undo", "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["files"], 1);
    assert!(world.automode(&["undo", "--forget"]).status.success());
    assert_eq!(world.automode(&["undo"]).status.code(), Some(3));
}

#[test]
fn a_loss_beyond_the_limits_asks() {
    let world = world("undo = \"on\"\n");
    fs::write(world.project.join("large"), vec![1_u8; 51_000_000]).unwrap();
    let answer = world.before("claude-code", "rm large");
    assert_eq!(
        answer["hookSpecificOutput"]["permissionDecision"], "ask",
        "{answer}"
    );
}

#[test]
fn run_and_try_by_hand() {
    let world = world("");
    if !world.confines() {
        return;
    }
    let output = world.automode(&["run", "--", "cat ~/secret; echo hi > made; exit 7"]);
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert!(world.project.join("made").exists());
    assert_eq!(
        world
            .automode(&["run", "nosuch", "--", "true"])
            .status
            .code(),
        Some(125)
    );
    let dropped = world.automode(&["try", "--drop", "--json", "echo no > dropped; rm made"]);
    let told: Value = serde_json::from_slice(&dropped.stdout).unwrap();
    assert_eq!(
        told["differences"],
        json!({"dropped": "made", "made": "removed"})
    );
    assert!(world.project.join("made").exists() && !world.project.join("dropped").exists());
    let kept = world.automode(&["try", "--keep", "echo yes > kept; rm made"]);
    assert!(kept.status.success(), "{kept:?}");
    assert!(world.project.join("kept").exists() && !world.project.join("made").exists());
}
