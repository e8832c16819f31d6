//! A machine of its own for a hook: a home, a project, a state.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use automode::ToolCall;
use automode::audit;
use automode::session::{Log, Memory};
use automode::state::State;
use serde_json::{Value, json};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_automode");
/// A call that runs without a question.
pub const SAFE: &str = "ls -la";
/// A call that never runs.
pub const DEADLY: &str = "rm -rf ~";
/// A call that nothing is known about.
pub const UNKNOWN: &str = "some-unknown-program --now";

pub struct Bench {
    pub root: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        let bench = Self {
            root: tempfile::tempdir().unwrap(),
        };
        for name in ["home", "shop"] {
            fs::create_dir(bench.root.path().join(name)).unwrap();
        }
        bench
    }

    pub fn path(&self, name: &str) -> String {
        self.root.path().join(name).to_str().unwrap().to_owned()
    }

    pub fn state_path(&self) -> PathBuf {
        self.root.path().join("state")
    }

    pub fn state(&self) -> State {
        State::at(self.state_path()).unwrap()
    }

    /// The program with arguments, in the project.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments);
        self.surround(&mut command);
        command
    }

    /// A shell script that finds the program in `$0`.
    pub fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("/bin/bash");
        command.args(["-c", script, PROGRAM]);
        self.surround(&mut command);
        command
    }

    fn surround(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", self.path("home"))
            .env("AUTOMODE_STATE_DIR", self.state_path())
            .current_dir(self.root.path().join("shop"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    /// The payload before a shell command.
    pub fn call(&self, command: &str) -> Value {
        self.event(
            "PreToolUse",
            &json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t"}),
        )
    }

    /// A payload in the form that most clients share.
    pub fn event(&self, name: &str, more: &Value) -> Value {
        let mut payload =
            json!({"session_id": "s", "cwd": self.path("shop"), "hook_event_name": name});
        let fields = payload.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        payload
    }

    /// The same call as the engine sees it.
    pub fn tool_call(&self, command: &str) -> ToolCall {
        ToolCall::bash(command, self.path("shop"))
    }

    /// Runs a hook to its end.
    pub fn hook(&self, arguments: &[&str], payload: &str) -> Answer {
        let mut all = vec!["hook"];
        all.extend(arguments);
        finish(&mut self.command(&all), payload.as_bytes())
    }

    pub fn claude(&self, command: &str) -> Answer {
        self.hook(&["claude-code"], &self.call(command).to_string())
    }

    pub fn entries(&self) -> Vec<audit::Entry> {
        let mut entries = Vec::new();
        audit::Log::new(&self.state()).for_each(|entry| entries.push(entry));
        entries
    }

    pub fn memory(&self) -> Memory {
        let log = Log::open(&self.state(), "claude-code", "s").unwrap();
        log.read().unwrap()
    }
}

pub struct Answer {
    pub json: Value,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    pub fn verdict(&self) -> &str {
        self.json["hookSpecificOutput"]["permissionDecision"]
            .as_str()
            .unwrap_or("none")
    }

    /// A client with command hooks does not run the call.
    pub fn blocks(&self) -> bool {
        self.code == Some(2) || self.code == Some(0) && matches!(self.verdict(), "deny" | "ask")
    }
}

pub fn start(command: &mut Command, payload: &[u8]) -> Child {
    let mut child = command.spawn().unwrap();
    // A hook that was killed does not read.
    let _ = child.stdin.take().unwrap().write_all(payload);
    child
}

pub fn finish(command: &mut Command, payload: &[u8]) -> Answer {
    let output = start(command, payload).wait_with_output().unwrap();
    Answer {
        json: serde_json::from_slice(&output.stdout).unwrap_or(Value::Null),
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// All files below a directory.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}
