//! A home of its own for the commands.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::json;

pub struct Home {
    pub root: tempfile::TempDir,
}

impl Home {
    pub fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn run(&self, line: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_automode"))
            .args(line.split(' '))
            .env_clear()
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", self.path("bin").display()),
            )
            .env("HOME", self.root.path())
            .env("AUTOMODE_STATE_DIR", self.path("state"))
            .current_dir(self.root.path())
            .output()
            .unwrap()
    }

    #[track_caller]
    pub fn says(&self, line: &str) -> String {
        let output = self.run(line);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{line}: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        text
    }

    /// What a command that must fail complains about.
    #[track_caller]
    pub fn complains(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(!output.status.success(), "{line}");
        let out = String::from_utf8_lossy(&output.stdout);
        format!("{out}{}", String::from_utf8_lossy(&output.stderr))
    }

    /// Puts a file there.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A file's text, if it is there.
    pub fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    /// A hook's answer to a shell command.
    pub fn hook(&self, command: &str) {
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
