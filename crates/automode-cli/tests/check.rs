//! `automode check` as a process: verdicts on a real tree, and bad input.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const ALLOW: i32 = 0;
const ASK: i32 = 1;
const DENY: i32 = 2;
const ERROR: i32 = 3;

/// A home with a project under git, and a neighbour whose name begins like it.
struct World {
    tree: TempDir,
}

impl World {
    fn new() -> Self {
        let tree = tempfile::tempdir().expect("a directory");
        let world = Self { tree };
        for directory in [
            "app/src",
            "app/.github/workflows",
            "app-evil",
            "elsewhere",
            ".config",
        ] {
            fs::create_dir_all(world.home().join(directory)).expect("a directory");
        }
        fs::write(world.project().join("src/main.rs"), "fn main() {}\n").expect("written");
        world.git(&["init", "-q"]);
        world.git(&["add", "."]);
        world.git(&["commit", "-qm", "one"]);
        fs::write(world.project().join("notes.txt"), "mine\n").expect("written");
        symlink(world.home().join("elsewhere"), world.project().join("out")).expect("a link");
        symlink("../elsewhere/new", world.project().join("dangling")).expect("a link");
        world
    }

    fn home(&self) -> &Path {
        self.tree.path()
    }

    fn project(&self) -> PathBuf {
        self.home().join("app")
    }

    fn git(&self, arguments: &[&str]) {
        let done = Command::new("git")
            .current_dir(self.project())
            .env("HOME", self.home())
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(arguments)
            .output()
            .expect("git runs");
        assert!(done.status.success(), "{arguments:?}: {done:?}");
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_automode"));
        command
            .current_dir(self.project())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .stdin(Stdio::null());
        command
    }

    fn check<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Output {
        self.command()
            .arg("check")
            .args(arguments)
            .output()
            .expect("automode runs")
    }

    /// Runs `check` with these bytes on stdin.
    fn piped(&self, arguments: &[&str], bytes: &[u8]) -> Output {
        self.fed(&[&["check"], arguments].concat(), bytes)
    }

    fn fed(&self, arguments: &[&str], bytes: &[u8]) -> Output {
        let mut child = self
            .command()
            .env("AUTOMODE_STATE_DIR", self.home().join("state"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("automode runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        // The reader stops early where the input is too large.
        stdin.write_all(bytes).unwrap_or_default();
        drop(stdin);
        child.wait_with_output().expect("automode ends")
    }

    fn write(&self, path: &str) -> Output {
        let input = serde_json::json!({"file_path": path, "content": "x"}).to_string();
        self.check(&["--tool", "Write", "--input", &input])
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("it was not killed")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn is_error(output: &Output, words: &str) {
    assert_eq!(code(output), ERROR, "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let told = text(&output.stderr);
    assert!(
        told.starts_with("error: ") && told.contains(words),
        "{told}"
    );
}

#[test]
fn a_home_is_not_removed() {
    let world = World::new();
    let output = world.check(&["rm -rf ~/"]);
    assert_eq!(code(&output), DENY, "{output:?}");
    assert!(text(&output.stdout).contains("ground: rule "), "{output:?}");
}

#[test]
fn writes_are_allowed_where_they_can_be_taken_back() {
    let world = World::new();
    let absolute = |path: &str| world.project().join(path).display().to_string();
    let evil = world.home().join("app-evil/x").display().to_string();
    let check = |path: &str, expected: &[i32]| {
        let output = world.write(path);
        assert!(expected.contains(&code(&output)), "{path}: {output:?}");
    };
    check("src/new.rs", &[ALLOW]);
    check(&absolute("new/deep/file.rs"), &[ALLOW]);
    check("src/main.rs", &[ALLOW]);
    check("../outside", &[ASK, DENY]);
    check(&absolute("../outside"), &[ASK, DENY]);
    check("out/x", &[ASK, DENY]);
    check("dangling", &[ASK, DENY]);
    check(&evil, &[ASK, DENY]);
    check(".git/hooks/pre-commit", &[ASK, DENY]);
    check(".github/workflows/ci.yml", &[ASK, DENY]);
    check("notes.txt", &[ASK, DENY]);
    // A second name of a file outside, tracked and clean as it may be.
    let (outside, inside) = (
        world.home().join("elsewhere/rc"),
        world.project().join("rc"),
    );
    fs::write(&outside, "mine\n").expect("written");
    fs::hard_link(&outside, &inside).expect("a second name");
    world.git(&["add", "rc"]);
    world.git(&["commit", "-qm", "two"]);
    check("rc", &[ASK, DENY]);
    let appended = world.check(&["echo x >> rc"]);
    assert_ne!(code(&appended), ALLOW, "{appended:?}");
    fs::remove_file(&outside).expect("removed");
    check("rc", &[ALLOW]);
    let names: Vec<_> = fs::read_dir(world.project())
        .expect("a directory")
        .collect();
    assert_eq!(names.len(), 7, "nothing was written");
}

#[test]
fn writing_what_is_there_already_loses_nothing() {
    let world = World::new();
    let check = |content: &str, expected: &[i32]| {
        let input = serde_json::json!({"file_path": "notes.txt", "content": content}).to_string();
        let output = world.check(&["--tool", "Write", "--input", &input]);
        assert!(expected.contains(&code(&output)), "{content:?}: {output:?}");
    };
    check("mine\n", &[ALLOW]);
    check("mine", &[ASK, DENY]);
    check("", &[ASK, DENY]);
}

#[test]
fn another_directory_can_be_opened() {
    let world = World::new();
    let input = r#"{"file_path": "../elsewhere/new", "content": ""}"#;
    let closed = world.check(&["--tool", "Write", "--input", input]);
    assert_ne!(code(&closed), ALLOW);
    let opened = world.check(&[
        "--add-dir",
        "../elsewhere",
        "--tool",
        "Write",
        "--input",
        input,
    ]);
    assert_eq!(code(&opened), ALLOW, "{opened:?}");
}

#[test]
fn a_directory_that_a_person_opened_is_open_to_check_and_hook() {
    let world = World::new();
    let file = world.home().join("elsewhere/new").display().to_string();
    let input = serde_json::json!({"file_path": file, "content": ""});
    let event = serde_json::json!({
        "session_id": "s",
        "cwd": world.project(),
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": input,
        "tool_use_id": "t",
    });
    let both = || {
        let checked = world.check(&["--tool", "Write", "--input", &input.to_string()]);
        let hooked = world.fed(&["hook", "claude-code"], event.to_string().as_bytes());
        let hooked: serde_json::Value = serde_json::from_slice(&hooked.stdout).expect("JSON");
        let verdict = hooked["hookSpecificOutput"]["permissionDecision"].clone();
        (code(&checked), verdict)
    };
    assert_eq!(both(), (ASK, "ask".into()));
    let config = world.home().join(".config/automode/config.toml");
    fs::create_dir_all(world.home().join(".config/automode")).expect("a directory");
    let opened = world.home().join("elsewhere");
    fs::write(
        &config,
        format!("[permissions]\ndirectories = [{opened:?}]\n"),
    )
    .expect("written");
    assert_eq!(both(), (ALLOW, "allow".into()));
}

#[test]
fn modes_and_presence_reach_the_engine() {
    let world = World::new();
    let unknown = ["--tool", "Teleport", "--input", "{}"];
    let check = |extra: &[&str], expected: i32| {
        let arguments: Vec<_> = extra.iter().chain(&unknown).collect();
        assert_eq!(code(&world.check(&arguments)), expected, "{extra:?}");
    };
    check(&[], ASK);
    check(&["--headless"], DENY);
    check(&["--mode", "dontAsk"], DENY);
    check(&["--mode", "plan"], ASK);
    check(&["--mode", "bypassPermissions"], ALLOW);
    check(&["--mode", "sometimes"], ERROR);
    let words = world.check(&["git", "status", "--short"]);
    assert_ne!(code(&words), ERROR, "{words:?}");
}

#[test]
fn json_is_one_object() {
    let world = World::new();
    let output = world.check(&[
        "--json",
        "--tool",
        "Read",
        "--input",
        r#"{"file_path": "a"}"#,
    ]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let expected = serde_json::json!({
        "tool": "Read",
        "verdict": "allow",
        "reason": "Read is on the list of safe tools",
        "ground": {"kind": "fast-path", "id": "safe-tool"},
        "findings": [],
        "stop": false,
    });
    assert_eq!(object, expected);
}

#[test]
fn explain_tells_every_stage() {
    let world = World::new();
    let mut command = world.command();
    command.args([
        "explain",
        "--tool",
        "Read",
        "--input",
        r#"{"file_path": "a"}"#,
    ]);
    let output = command.output().expect("automode runs");
    let told = text(&output.stdout);
    for stage in [
        "normalize",
        "observe",
        "policy-deny",
        "guards",
        "rules-veto",
        "policy-ask",
    ] {
        assert!(told.contains(stage), "{stage}: {told}");
    }
    assert!(!told.contains('\u{1b}'), "no colour off a terminal");
}

#[test]
fn explain_tells_effects() {
    let world = World::new();
    fs::write(world.project().join("s.sh"), "rm -rf out/*\n").expect("written");
    let explain = |arguments: &[&str]| {
        let mut command = world.command();
        let output = command
            .arg("explain")
            .arg("--effects")
            .args(arguments)
            .output();
        let output = output.expect("automode runs");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        text(&output.stdout)
    };
    let project = world.project();
    let project = project.display();
    let told = explain(&["echo hi; sudo rm -rf build && frobnicate"]);
    for part in [
        "rm -rf build  (through sudo)\n".to_owned(),
        "  privilege elevate  from `sudo rm -rf build`\n".to_owned(),
        format!("  delete-tree {project}/build  from `build`\n"),
        "coverage: partial\n".to_owned(),
        "  gap program frobnicate  from `frobnicate`\n".to_owned(),
    ] {
        assert!(told.contains(&part), "{part}\n{told}");
    }
    let told = explain(&["bash s.sh"]);
    assert!(told.contains("delete-tree"), "files are read: {told}");
    let told = explain(&["--tool", "Write", "--input", r#"{"file_path": "a"}"#]);
    assert!(told.contains(&format!("  write {project}/a\n")), "{told}");

    let object: serde_json::Value =
        serde_json::from_str(&explain(&["--json", "nice rm x"])).expect("JSON");
    let expected = serde_json::json!({
        "coverage": "complete",
        "commands": [
            {"words": ["nice", "rm", "x"], "through": [], "directory": project.to_string(), "certainty": "always", "from": "nice rm x"},
            {"words": ["rm", "x"], "through": ["nice"], "directory": project.to_string(), "certainty": "always", "from": "nice rm x"},
        ],
        "effects": [
            {"effect": format!("delete {project}/x"), "command": 1, "certainty": "always", "from": "x"},
        ],
        "gaps": [],
        "left_behind": [],
    });
    assert_eq!(object, expected);
}

#[test]
fn bad_input_is_an_error() {
    let world = World::new();
    is_error(&world.check::<&str>(&[]), "nothing to check");
    is_error(
        &world.check(&["--tool", "Read", "--input", "{"]),
        "not valid JSON",
    );
    is_error(
        &world.check(&["--tool", "Read", "--input", "[]"]),
        "not a JSON object",
    );
    is_error(
        &world.check(&["--cwd", "/no/such/place", "ls"]),
        "does not exist",
    );
    is_error(
        &world.check(&["--cwd", "src/main.rs", "ls"]),
        "does not exist",
    );
    let latin = OsStr::from_bytes(b"echo caf\xe9");
    is_error(&world.check(&[latin]), "not valid UTF-8");
    let piped = |bytes: &[u8]| world.piped(&["--tool", "Write", "--input", "-"], bytes);
    is_error(&piped(b"{\"file_path\": \"caf\xe9\"}"), "not valid UTF-8");
    let huge = format!(
        r#"{{"file_path": "a", "content": "{}"}}"#,
        "x".repeat(50_000_000)
    );
    is_error(&piped(huge.as_bytes()), "larger than");
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    is_error(&piped(deep.as_bytes()), "not valid JSON");
    is_error(&world.piped(&["-"], b""), "stdin is empty");
    is_error(&world.piped(&["-"], b"ls \xff"), "not valid UTF-8");
    is_error(
        &world.check(&["--mode", "Auto", "ls"]),
        "invalid value 'Auto'",
    );
    is_error(
        &world.check(&["--add-dir", "/no/such", "ls"]),
        "does not exist",
    );
    let deepish = format!("{{\"a\": {}{}}}", "[".repeat(100), "]".repeat(100));
    is_error(&piped(deepish.as_bytes()), "nests deeper");
}

#[test]
fn broken_settings_allow_nothing() {
    let world = World::new();
    let config = world.home().join(".config/automode/config.toml");
    let input = r#"{"file_path": "src/main.rs"}"#;
    let safe = || world.check(&["--tool", "Read", "--input", input]);
    assert_eq!(code(&safe()), ALLOW);
    // A person who is there is asked, once and in one place; nobody is denied, and vetoes hold.
    let broken = |what: &str| {
        let output = safe();
        assert_eq!(code(&output), ASK, "{what}: {output:?}");
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(told.contains("broken settings"), "{what}: {told}");
        assert_eq!(told.matches("config.toml").count(), 1, "{what}: {told}");
        let headless = world.check(&["--headless", "--tool", "Read", "--input", input]);
        assert_eq!(code(&headless), DENY, "{what}: {headless:?}");
        assert_eq!(code(&world.check(&["rm -rf ~/"])), DENY, "{what}");
    };
    fs::create_dir_all(&config).expect("a directory in its place");
    broken("a directory");
    fs::remove_dir(&config).expect("removed");
    fs::write(&config, "permissions = [").expect("written");
    broken("a syntax error");
    fs::write(&config, b"# \xff\n").expect("written");
    broken("not UTF-8");
    fs::write(&config, "[permissions]\nallwo = []\n").expect("written");
    broken("an unknown key");
    fs::write(&config, "[permissions]\nallow = [\"Bash(\"]\n").expect("written");
    broken("a rule that is none");
    fs::write(&config, "[permissions]\nallow = [\"Read\"]\n").expect("written");
    assert_eq!(code(&safe()), ALLOW);
    fs::set_permissions(&config, fs::Permissions::from_mode(0o000)).expect("closed");
    // Root reads it all the same.
    if fs::read(&config).is_err() {
        broken("unreadable");
    }
}

/// Runs with a stdout whose reader is gone.
fn unread(world: &World, arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    world
        .command()
        .args(arguments)
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .expect("automode runs")
        .wait_with_output()
        .expect("automode ends")
}

#[test]
fn a_reader_that_went_away_changes_nothing() {
    let world = World::new();
    let check = |arguments: &[&str], expected: i32| {
        let output = unread(&world, arguments);
        assert_eq!(code(&output), expected, "{arguments:?}: {output:?}");
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
    };
    check(&["check", "ls"], ALLOW);
    check(&["check", "--json", "ls"], ALLOW);
    check(&["check", "--tool", "Teleport", "--input", "{}"], ASK);
    check(&["check", "rm -rf ~/"], DENY);
    check(&["explain", "rm -rf ~/"], DENY);
    check(&["explain", "--effects", "rm -rf ~/"], 0);
    check(&["config", "show"], 0);
    check(&["config", "schema"], 0);
    check(&["rules", "list"], 0);
    check(&["rules", "show", "force-push"], 0);
    check(&["completions", "bash"], 0);
    check(&["man"], 0);
    check(&["status"], 0);
    check(&["stats"], 0);
    check(&["log"], 0);
    check(&["eval"], 0);
    check(&["--version"], 0);
    check(&["--help"], 0);
}

#[test]
fn help_is_not_an_error_and_usage_is() {
    let world = World::new();
    let run = |arguments: &[&str]| {
        let output = world
            .command()
            .args(arguments)
            .output()
            .expect("automode runs");
        code(&output)
    };
    assert_eq!(run(&["--help"]), 0);
    assert_eq!(run(&["check", "--help"]), 0);
    assert_eq!(run(&["--version"]), 0);
    assert_eq!(run(&[]), ERROR);
    assert_eq!(run(&["frobnicate"]), ERROR);
    assert_eq!(run(&["check", "--no-such-flag", "ls"]), ERROR);
}
