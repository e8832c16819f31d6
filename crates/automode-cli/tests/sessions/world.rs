//! A machine of its own for one session: a home that is no scratch place, a project in it
//! that is committed, and a state.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use automode::permit;
use automode::state::State;
use serde_json::Value;
use tempfile::TempDir;

use crate::feed::feed;

const PROGRAM: &str = env!("CARGO_BIN_EXE_automode");

pub struct World {
    tree: TempDir,
    rules: Vec<(String, String)>,
}

/// What a hook said.
pub struct HookReply {
    pub json: Value,
    pub code: Option<i32>,
}

impl World {
    /// A world with these files of the project committed.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let tree = tempfile::Builder::new()
            .prefix("world")
            .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .unwrap();
        let world = Self {
            tree,
            rules: Vec::new(),
        };
        for (path, text) in [
            (
                ".ssh/id_ed25519",
                "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----\n",
            ),
            (
                ".aws/credentials",
                "[default]\naws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzzzzzzz\n",
            ),
            (".bashrc", "export EDITOR=vi\n"),
            (".netrc", "machine example.com login me password hunter22\n"),
            ("work/thesis.txt", "three years of work\n"),
        ] {
            world.put(&world.home().join(path), text);
        }
        for (path, text) in files {
            world.put(&world.root().join(path), text);
        }
        world.shell("git init -q -b feature . && git add -A && git -c user.name=t -c user.email=t@example.com commit -qm one && git remote add origin https://example.com/me/app.git");
        world
    }

    pub fn home(&self) -> PathBuf {
        self.tree.path().join("home/dev")
    }

    pub fn root(&self) -> PathBuf {
        self.home().join("app")
    }

    pub fn state(&self) -> PathBuf {
        self.tree.path().join("state")
    }

    /// A text with the places of this world.
    pub fn filled(&self, text: &str) -> String {
        text.replace("{home}", self.home().to_str().unwrap())
            .replace("{root}", self.root().to_str().unwrap())
            .replace("{state}", self.state().to_str().unwrap())
    }

    /// The absolute form of a path of a script.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(self.filled(path))
    }

    pub fn put(&self, path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn rule(&mut self, kind: &str, rule: &str) {
        self.rules.push((kind.to_owned(), self.filled(rule)));
        let list = |kind: &str| {
            let own: Vec<String> = self
                .rules
                .iter()
                .filter(|(of, _)| of == kind)
                .map(|(_, rule)| Value::from(rule.as_str()).to_string())
                .collect();
            format!("{kind} = [{}]\n", own.join(", "))
        };
        let text = format!(
            "[permissions]\n{}{}{}",
            list("deny"),
            list("ask"),
            list("allow")
        );
        self.put(&self.home().join(".config/automode/config.toml"), &text);
    }

    fn surround(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", self.home())
            .env("AUTOMODE_STATE_DIR", self.state())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "t")
            .env("GIT_AUTHOR_EMAIL", "t@example.com")
            .env("GIT_COMMITTER_NAME", "t")
            .env("GIT_COMMITTER_EMAIL", "t@example.com")
            .current_dir(self.root());
    }

    /// Carries a command out; whether it succeeded.
    pub fn shell(&self, script: &str) -> bool {
        let mut command = Command::new("/bin/bash");
        command.args(["-c", &self.filled(script)]);
        self.surround(&mut command);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    }

    pub fn hook(&self, agent: &str, payload: &Value) -> HookReply {
        let mut command = Command::new(PROGRAM);
        command.args(["hook", agent, "--presence", "interactive"]);
        self.surround(&mut command);
        command.stderr(Stdio::null());
        let output = feed(&mut command, &payload.to_string());
        HookReply {
            json: serde_json::from_slice(&output.stdout).unwrap_or(Value::Null),
            code: output.status.code(),
        }
    }

    /// The last decision in the log.
    pub fn last_entry(&self) -> Value {
        let text = fs::read_to_string(self.state().join("audit.jsonl")).unwrap_or_default();
        text.lines()
            .rev()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find(|entry| entry.get("print").is_some())
            .unwrap_or_default()
    }

    /// The person permits the last call once.
    pub fn permit(&self) {
        let entry = self.last_entry();
        let print = entry.get("print").and_then(Value::as_str).unwrap();
        permit::grant(&State::at(self.state()).unwrap(), print, "last").unwrap();
    }

    /// Whether a file of the state holds a text.
    pub fn keeps(&self, text: &str) -> bool {
        let mut folders = vec![self.state()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if String::from_utf8_lossy(&fs::read(&path).unwrap_or_default())
                    .contains(text)
                {
                    return true;
                }
            }
        }
        false
    }
}
