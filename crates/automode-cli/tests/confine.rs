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
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let confines = said.contains("can be confined by");
        // A machine that offers no backend is skipped; one whose backend is broken is not.
        let broken = said.contains("the probe ended with 125");
        assert!(!broken || confines, "{said}");
        confines
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

/// What was promised for the only call.
fn promised(world: &World) -> Value {
    let tickets = fs::read_dir(world.state.join("confined"))
        .unwrap()
        .flatten();
    let ticket = tickets
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().ends_with(".ticket.json"))
        .unwrap();
    serde_json::from_slice(&fs::read(ticket).unwrap()).unwrap()
}

#[test]
fn a_project_opens_nothing() {
    let world = world(UNREAD);
    if !world.confines() {
        return;
    }
    tool(&world, "true");
    let own = "undo = \"on\"\n[confine]\nmode = \"off\"\nhome = \"hide\"\nwrite = [\"/\"]\nread = [\"/\"]\n\
               net = [\"evil.example\"]\nloopback = [\"5432\"]\n";
    fs::write(world.project.join(".automode.toml"), own).unwrap();
    let answer = world.before("claude-code", COMMAND);
    if rewritten("claude-code", &answer).is_none() {
        // Settings that say what they may not are refused whole; that is strict, too.
        assert_ne!(
            answer["hookSpecificOutput"]["permissionDecision"], "allow",
            "{answer}"
        );
        return;
    }
    let promise = promised(&world)["confinement"].clone();
    let expected = json!({"project": world.project, "write": [], "read": [], "home": "empty",
        "git": "read-only", "network": "off", "loopback": []});
    assert_eq!(promise, expected);
}

#[test]
fn a_person_opens_what_the_settings_name() {
    let world = world(
        "[confine]\nmode = \"unread\"\nnet = [\"registry.example\"]\nloopback = [\"5432\"]\n",
    );
    if !world.confines() {
        return;
    }
    tool(&world, "true");
    let answer = world.before("claude-code", COMMAND);
    assert!(rewritten("claude-code", &answer).is_some(), "{answer}");
    let promise = promised(&world)["confinement"].clone();
    assert_eq!(
        promise["network"],
        json!({"registries": ["registry.example"]})
    );
    assert_eq!(promise["loopback"], json!([5432]));
}

#[test]
fn setting_the_shell_is_left_to_the_shell() {
    let world = world("[confine]\nmode = \"always\"\n");
    if !world.confines() {
        return;
    }
    fs::create_dir(world.project.join("src")).unwrap();
    let check = |command: &str, confined: bool| {
        let answer = world.before("claude-code", command);
        assert_eq!(
            rewritten("claude-code", &answer).is_some(),
            confined,
            "{command}: {answer}"
        );
    };
    check("cd src", false);
    check("export MODE=test", false);
    check("cd src && export MODE=test", false);
    check("MODE=test", false);
    check("ls src", true);
    check("cd src && ls", true);
    check("export MODE=$(ls)", true);
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
fn another_hook_that_put_its_own_command_in_place_ends_the_trust() {
    let world = world(UNREAD);
    if !world.confines() {
        return;
    }
    tool(&world, "true");
    assert!(rewritten("claude-code", &world.before("claude-code", COMMAND)).is_some());
    world.after("claude-code", "echo what another hook made of it");
    let again = world.before("claude-code", "./tool.bin again");
    assert_eq!(rewritten("claude-code", &again), None, "{again}");
}

#[test]
fn a_run_that_was_killed_is_mended() {
    let world = world(UNREAD);
    if !world.confines() {
        return;
    }
    tool(&world, "echo evil > .envrc; echo made > made; sleep 30");
    let command = rewritten("claude-code", &world.before("claude-code", COMMAND)).unwrap();
    let mut child = world
        .command("bash")
        .args([
            "-c",
            &format!(
                "exec {}",
                command.lines().nth(2).unwrap().trim_start_matches("else ")
            ),
        ])
        .spawn()
        .unwrap();
    let made = world.project.join("made");
    for _ in 0..200 {
        if made.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(made.exists() && world.project.join(".envrc").exists());
    world.after("claude-code", &command);
    assert!(!world.project.join(".envrc").exists());
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
fn the_tree_that_git_works_in_is_the_one_that_is_kept() {
    let check = |command: &str, kept: bool| {
        let world = world("undo = \"on\"\n");
        // The outer repository does not even see the inner one.
        fs::write(world.project.join(".gitignore"), "inner\n").unwrap();
        let made = world.bash(
            "git init -q inner && cd inner && git config user.name a && git config user.email a@b.example \
             && echo one > a && git add a && git commit -qm one && echo two > a && echo mine > b",
        );
        assert!(made.status.success(), "{made:?}");
        let answer = world.before("claude-code", command);
        let allowed = answer["hookSpecificOutput"]["permissionDecision"] == "allow";
        assert_eq!(allowed, kept, "{command}: {answer}");
        if !kept {
            return;
        }
        assert!(world.bash(command).status.success(), "{command}");
        world.after("claude-code", command);
        assert!(world.automode(&["undo"]).status.success());
        let text = |name: &str| fs::read_to_string(world.project.join("inner").join(name)).ok();
        assert_eq!(
            (text("a").as_deref(), text("b").as_deref()),
            (Some("two\n"), Some("mine\n")),
            "{command}"
        );
    };
    check("git -C inner checkout -- .", true);
    check("git -C inner clean -fd", true);
    check("git -C . -C inner reset --hard", true);
    check("cd inner && git checkout -- .", true);
    check("cd inner && git clean -fd", true);
    check("git -c core.pager=cat -C inner checkout -- .", true);
    check(
        "git --git-dir=inner/.git --work-tree=inner checkout -- .",
        false,
    );
    check(
        "GIT_DIR=inner/.git GIT_WORK_TREE=inner git checkout -- .",
        false,
    );
    check("git -C \"$X\" checkout -- .", false);
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
    let said = String::from_utf8_lossy(&kept.stdout);
    for line in ["+ kept", "- made", "  +yes", "  -hi", "kept\n"] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(world.automode(&["undo"]).status.success());
    assert!(
        world.project.join("made").exists(),
        "what keeping removed returns"
    );
}
