//! A machine of its own for a real client: a scratch home, a project and a scripted model.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use automode_testkit::model::{ScriptedModel, ScriptedTurn};
use serde_json::Value;

use super::{CLIENTS, Client};

pub(super) const PATIENCE: Duration = Duration::from_secs(120);

const NODE: &str = "22.23.3";

/// A scratch home with a project and a model.
pub(super) struct Bench {
    pub(super) root: tempfile::TempDir,
    pub(super) model: ScriptedModel,
    pub(super) prefix: PathBuf,
}

impl Bench {
    pub(super) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.path().join("shop")
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.home().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn command(&self, program: &Path) -> Command {
        let bin = self.prefix.join("node_modules/.bin");
        let path = format!(
            "{}:{}:{}",
            bin.display(),
            node(&self.prefix).display(),
            env::var("PATH").unwrap_or_default()
        );
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs([
                ("PATH", path),
                ("TERM", "dumb".to_owned()),
                ("LANG", "C.UTF-8".to_owned()),
            ])
            .env("HOME", self.home())
            .env("CODEX_HOME", self.home().join(".codex"))
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// A machine of its own for one client, whose model makes one call, with automode installed.
pub(super) fn bench(client: &Client, prefix: &Path, command: &str) -> Bench {
    let bench = machine(client, prefix, command, Asks::Nobody);
    let automode = Path::new(env!("CARGO_BIN_EXE_automode"));
    run(bench
        .command(automode)
        .args(["install", client.name, "--yes"]));
    bench
}

/// The same without automode, for a door that stands where a person is asked.
pub(super) fn bare(client: &Client, prefix: &Path, command: &str) -> Bench {
    machine(client, prefix, command, Asks::Person)
}

/// Whom the client's own check turns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    Person,
    Nobody,
}

pub(super) fn machine(client: &Client, prefix: &Path, command: &str, asks: Asks) -> Bench {
    let mut input = serde_json::Map::new();
    input.insert(client.field.to_owned(), Value::from(command));
    if client.field == "cmd" && asks == Asks::Person {
        // Its sandbox has to be left, or nobody is asked.
        input.insert(
            "sandbox_permissions".to_owned(),
            Value::from("require_escalated"),
        );
        input.insert("justification".to_owned(), Value::from("the task needs it"));
    }
    if client.field == "command" {
        input.insert("description".to_owned(), Value::from("Do it"));
    }
    let call = ScriptedTurn::Call {
        tool: client.tool.to_owned(),
        input: Value::Object(input),
    };
    let bench = Bench {
        root: tempfile::tempdir().unwrap(),
        model: ScriptedModel::start(vec![call, ScriptedTurn::Say("finished".to_owned())]).unwrap(),
        prefix: prefix.to_owned(),
    };
    fs::create_dir_all(bench.home()).unwrap();
    fs::create_dir_all(bench.project().join("precious")).unwrap();
    fs::write(bench.project().join("precious/keep.txt"), "data\n").unwrap();
    Command::new("git")
        .args(["init", "-q"])
        .current_dir(bench.project())
        .status()
        .unwrap();
    (client.configure)(&bench);
    bench
}

/// Runs a program to its end, or ends it when it takes too long; all it said.
pub(super) fn run(command: &mut Command) -> String {
    let mut child = command.spawn().unwrap();
    let end = Instant::now() + PATIENCE;
    while child.try_wait().unwrap().is_none() && Instant::now() < end {
        thread::sleep(Duration::from_millis(50));
    }
    // It is ours to end; it may have ended already.
    let _ = child.kill();
    let output = child.wait_with_output().unwrap();
    format!(
        "{} {}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Where the clients are installed; nothing, with a line that says why, where they are not tried.
pub(super) fn directory() -> Option<PathBuf> {
    let Some(directory) = env::var_os("AUTOMODE_CLIENTS").map(PathBuf::from) else {
        println!("skipped: set AUTOMODE_CLIENTS to a directory for the clients to try them");
        return None;
    };
    match young_node() {
        Ok(()) => Some(directory),
        Err(why) => {
            println!("skipped: {why}");
            None
        }
    }
}

/// The tests run side by side and share what is installed: one installs at a time.
static INSTALLING: Mutex<()> = Mutex::new(());

/// The pinned package in a directory of its own, installed where it is missing.
pub(super) fn install(prefix: &Path, package: &str, version: &str) -> Result<PathBuf, String> {
    let about = prefix
        .join("node_modules")
        .join(package)
        .join("package.json");
    let _alone = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let is_there = || {
        fs::read_to_string(&about)
            .is_ok_and(|text| text.contains(&format!("\"version\": \"{version}\"")))
    };
    if !is_there() {
        let wanted = format!("{package}@{version}");
        // A registry may fail to answer once.
        npm(prefix, &wanted).or_else(|_| npm(prefix, &wanted))?;
        for script in ["install.cjs", "postinstall.mjs"] {
            let home = about.with_file_name("");
            if home.join(script).exists() {
                let placed = Command::new("node")
                    .arg(script)
                    .current_dir(&home)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status();
                placed.map_err(|error| format!("node does not run: {error}"))?;
            }
        }
    }
    let young = ["@qwen-code", "@agentclientprotocol"];
    if young.iter().any(|name| package.starts_with(name)) && !node(prefix).join("node").exists() {
        let name = node_package();
        npm(prefix, &format!("{name}@{NODE}"))?;
    }
    if is_there() {
        Ok(prefix.to_owned())
    } else {
        Err(format!("{package}@{version} could not be installed"))
    }
}

/// A client by its name, installed; nothing, with a line that says why, where it cannot be or
/// `AUTOMODE_CLIENT` names another.
pub(super) fn installed(directory: &Path, name: &str) -> Option<(&'static Client, PathBuf)> {
    if env::var("AUTOMODE_CLIENT").is_ok_and(|only| only != name) {
        return None;
    }
    let client = CLIENTS.iter().find(|known| known.name == name)?;
    match install(&directory.join(name), client.package, client.version) {
        Ok(prefix) => Some((client, prefix)),
        Err(why) => {
            println!("skipped {name}: {why}");
            None
        }
    }
}

/// The clients are programs for node 20 and younger.
fn young_node() -> Result<(), String> {
    let said = Command::new("node")
        .arg("--version")
        .output()
        .map_err(|error| format!("node does not run: {error}"))?;
    let version = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    let major = version
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(20..) => Ok(()),
        Some(_) | None => Err(format!("the clients need node 20, and this is {version}")),
    }
}

/// The package that brings a node for this machine.
fn node_package() -> String {
    let arch = env::consts::ARCH;
    format!(
        "node-{}-{}",
        env::consts::OS.replace("macos", "darwin"),
        arch.replace("x86_64", "x64").replace("aarch64", "arm64")
    )
}

/// A node of its own beside a client that needs a younger one.
fn node(prefix: &Path) -> PathBuf {
    let name = node_package();
    prefix.join("node_modules").join(name).join("bin")
}

fn npm(prefix: &Path, what: &str) -> Result<(), String> {
    fs::create_dir_all(prefix).map_err(|error| error.to_string())?;
    let manifest = prefix.join("package.json");
    if !manifest.exists() {
        fs::write(&manifest, "{\"private\": true}\n").map_err(|error| error.to_string())?;
    }
    let said = Command::new("npm")
        .args([
            "install",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--save-exact",
            "--loglevel=error",
            what,
        ])
        .current_dir(prefix)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("npm does not run: {error}"))?;
    if said.status.success() {
        Ok(())
    } else {
        let why = String::from_utf8_lossy(&said.stderr);
        Err(format!("npm could not install {what}: {}", why.trim()))
    }
}
