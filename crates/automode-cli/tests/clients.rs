//! Real coding agents against a scripted model: what automode denies does not run.
//!
//! Runs where `AUTOMODE_CLIENTS` names a directory for the clients; they are
//! installed there by name and pinned version when they are missing. Elsewhere, and
//! for a client that cannot be installed, it says so and passes.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use automode_testkit::model::{Model, Turn};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(120);
const NODE: &str = "22.23.3";

/// A client, and how it is run.
struct Client {
    name: &'static str,
    package: &'static str,
    version: &'static str,
    program: &'static str,
    tool: &'static str,
    /// The name of the command in the tool's input.
    field: &'static str,
    arguments: &'static [&'static str],
    configure: fn(&Bench),
    environment: fn(&str) -> Vec<(&'static str, String)>,
}

/// A scratch home with a project and a model.
struct Bench {
    root: tempfile::TempDir,
    model: Model,
    prefix: PathBuf,
}

impl Bench {
    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("shop")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.home().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn command(&self, program: &Path) -> Command {
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

const CLIENTS: &[Client] = &[
    Client {
        name: "claude-code",
        package: "@anthropic-ai/claude-code",
        version: "2.1.325",
        program: "claude",
        tool: "Bash",
        field: "command",
        arguments: &[
            "-p",
            "please do the task",
            "--output-format",
            "stream-json",
            "--verbose",
            "--permission-mode",
            "bypassPermissions",
        ],
        configure: |bench| bench.write(".claude/settings.json", "{\"cleanupPeriodDays\": 30}\n"),
        environment: |url| {
            vec![
                ("ANTHROPIC_BASE_URL", url.to_owned()),
                ("ANTHROPIC_API_KEY", "sk-ant-fake-000".to_owned()),
                ("DISABLE_AUTOUPDATER", "1".to_owned()),
                ("IS_SANDBOX", "1".to_owned()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
                ("DISABLE_TELEMETRY", "1".to_owned()),
            ]
        },
    },
    Client {
        name: "codex",
        package: "@openai/codex",
        version: "0.166.0",
        program: "codex",
        tool: "exec_command",
        field: "cmd",
        arguments: &[
            "exec",
            "--json",
            "--skip-git-repo-check",
            "--sandbox",
            "danger-full-access",
            "please do the task",
        ],
        configure: |bench| {
            let (url, project) = (bench.model.url(), bench.project().display().to_string());
            bench.write(".codex/config.toml", &format!(
                "model = \"scripted-model\"\nmodel_provider = \"local\"\ncheck_for_update_on_startup = false\n\
                 [model_providers.local]\nname = \"local\"\nbase_url = \"{url}/v1\"\nenv_key = \"LOCAL_API_KEY\"\nwire_api = \"responses\"\n\
                 request_max_retries = 0\nstream_max_retries = 0\n[analytics]\nenabled = false\n[projects.\"{project}\"]\ntrust_level = \"trusted\"\n"
            ));
        },
        environment: |_| vec![("LOCAL_API_KEY", "fake".to_owned())],
    },
    Client {
        name: "gemini-cli",
        package: "@google/gemini-cli",
        version: "0.61.0",
        program: "gemini",
        tool: "run_shell_command",
        field: "command",
        arguments: &[
            "-m",
            "gemini-2.5-flash",
            "-o",
            "stream-json",
            "--approval-mode",
            "yolo",
            "-p",
            "please do the task",
        ],
        configure: |bench| {
            bench.write(".gemini/settings.json", r#"{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
                "telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false}}"#);
        },
        environment: |url| {
            vec![
                ("GEMINI_API_KEY", "fake".to_owned()),
                ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
            ]
        },
    },
    Client {
        name: "qwen-code",
        package: "@qwen-code/qwen-code",
        version: "0.24.4",
        program: "qwen",
        tool: "run_shell_command",
        field: "command",
        arguments: &[
            "-o",
            "stream-json",
            "--approval-mode",
            "yolo",
            "-p",
            "please do the task",
        ],
        configure: |bench| {
            bench.write(".qwen/settings.json", r#"{"security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
                "telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false},
                "model": {"name": "scripted-model"}}"#);
        },
        environment: |url| {
            vec![
                ("OPENAI_API_KEY", "fake".to_owned()),
                ("OPENAI_BASE_URL", format!("{url}/v1")),
                ("OPENAI_MODEL", "scripted-model".to_owned()),
            ]
        },
    },
    Client {
        name: "copilot",
        package: "@github/copilot",
        version: "1.0.102",
        program: "copilot",
        tool: "bash",
        field: "command",
        arguments: &["--allow-all-tools", "-p", "please do the task"],
        configure: |_| {},
        environment: |url| {
            vec![
                ("COPILOT_OFFLINE", "true".to_owned()),
                ("COPILOT_AUTO_UPDATE", "false".to_owned()),
                ("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1")),
                ("COPILOT_PROVIDER_API_KEY", "fake".to_owned()),
                ("COPILOT_MODEL", "scripted-model".to_owned()),
            ]
        },
    },
    Client {
        name: "opencode",
        package: "opencode-ai",
        version: "1.18.33",
        program: "opencode",
        tool: "bash",
        field: "command",
        arguments: &["run", "--format", "json", "please do the task"],
        configure: |bench| {
            let url = bench.model.url();
            let local = json!({"npm": "@ai-sdk/openai-compatible", "name": "local", "options": {"baseURL": format!("{url}/v1"), "apiKey": "fake"},
                "models": {"scripted-model": {"name": "scripted", "tool_call": true, "limit": {"context": 100_000, "output": 8_000}}}});
            let settings = json!({"autoupdate": false, "share": "disabled", "model": "local/scripted-model", "small_model": "local/scripted-model",
                "provider": {"local": local}, "permission": {"bash": "allow", "edit": "allow"}});
            bench.write(".config/opencode/opencode.json", &settings.to_string());
            // It fetches its plugin package at its start, and waits for it in vain without a network.
            let package = install(
                &bench.prefix.with_file_name("opencode-config"),
                "@opencode-ai/plugin",
                "1.18.33",
            )
            .unwrap();
            let from = package.join("node_modules");
            let copied = Command::new("cp")
                .arg("-r")
                .arg(from)
                .arg(bench.home().join(".config/opencode/"))
                .status()
                .unwrap();
            assert!(copied.success());
        },
        environment: |_| {
            [
                "OPENCODE_DISABLE_AUTOUPDATE",
                "OPENCODE_DISABLE_MODELS_FETCH",
                "OPENCODE_DISABLE_LSP_DOWNLOAD",
                "OPENCODE_DISABLE_DEFAULT_PLUGINS",
            ]
            .map(|name| (name, "1".to_owned()))
            .to_vec()
        },
    },
];

#[test]
fn real_clients_are_stopped_and_let_through() {
    let Some(directory) = env::var_os("AUTOMODE_CLIENTS").map(PathBuf::from) else {
        println!("skipped: set AUTOMODE_CLIENTS to a directory for the clients to try them");
        return;
    };
    if let Err(why) = young_node() {
        println!("skipped: {why}");
        return;
    }
    let only = env::var("AUTOMODE_CLIENT").ok();
    let mut failures = Vec::new();
    for client in CLIENTS
        .iter()
        .filter(|client| only.as_deref().is_none_or(|only| only == client.name))
    {
        match install(&directory.join(client.name), client.package, client.version) {
            Err(why) => println!("skipped {}: {why}", client.name),
            Ok(prefix) => {
                failures.extend(check(
                    client,
                    &prefix,
                    "rm -r ./precious",
                    Expected::Stopped,
                ));
                failures.extend(check(
                    client,
                    &prefix,
                    "touch marker && echo made",
                    Expected::Runs,
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Stopped,
    Runs,
}

/// Runs one client with one call; says what was wrong.
fn check(client: &Client, prefix: &Path, command: &str, expected: Expected) -> Option<String> {
    let mut input = serde_json::Map::new();
    input.insert(client.field.to_owned(), Value::from(command));
    if client.field == "command" {
        input.insert("description".to_owned(), Value::from("Do it"));
    }
    let call = Turn::Call {
        tool: client.tool.to_owned(),
        input: Value::Object(input),
    };
    let bench = Bench {
        root: tempfile::tempdir().unwrap(),
        model: Model::start(vec![call, Turn::Say("finished".to_owned())]).unwrap(),
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
    let automode = Path::new(env!("CARGO_BIN_EXE_automode"));
    let installed = run(bench
        .command(automode)
        .args(["install", client.name, "--yes"]));
    let program = prefix.join("node_modules/.bin").join(client.program);
    let ran = run(bench
        .command(&program)
        .args(client.arguments)
        .envs((client.environment)(&bench.model.url())));
    let heard = bench.model.heard();
    let kept = bench.project().join("precious/keep.txt").exists();
    let made = bench.project().join("marker").exists();
    let right = match expected {
        Expected::Stopped => kept && heard.contains("local-data"),
        Expected::Runs => kept && made,
    };
    println!(
        "{} {:?}: {}",
        client.name,
        expected,
        if right { "as expected" } else { "WRONG" }
    );
    (!right).then(|| {
        format!(
            "{} {expected:?}: kept {kept}, made {made}\ninstaller: {installed}\nclient: {ran}",
            client.name
        )
    })
}

/// Runs a program to its end, or ends it when it takes too long; all it said.
fn run(command: &mut Command) -> String {
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

/// The pinned package in a directory of its own, installed where it is missing.
fn install(prefix: &Path, package: &str, version: &str) -> Result<PathBuf, String> {
    let about = prefix
        .join("node_modules")
        .join(package)
        .join("package.json");
    let is_there = || {
        fs::read_to_string(&about)
            .is_ok_and(|text| text.contains(&format!("\"version\": \"{version}\"")))
    };
    if !is_there() {
        npm(prefix, &format!("{package}@{version}"))?;
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
    if package.starts_with("@qwen-code") && !node(prefix).join("node").exists() {
        let name = format!(
            "node-{}-{}",
            env::consts::OS.replace("macos", "darwin"),
            env::consts::ARCH
                .replace("x86_64", "x64")
                .replace("aarch64", "arm64")
        );
        npm(prefix, &format!("{name}@{NODE}"))?;
    }
    if is_there() {
        Ok(prefix.to_owned())
    } else {
        Err(format!("{package}@{version} could not be installed"))
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

/// A node of its own beside a client that needs a younger one.
fn node(prefix: &Path) -> PathBuf {
    let name = format!(
        "node-{}-{}",
        env::consts::OS.replace("macos", "darwin"),
        env::consts::ARCH
            .replace("x86_64", "x64")
            .replace("aarch64", "arm64")
    );
    prefix.join("node_modules").join(name).join("bin")
}

fn npm(prefix: &Path, what: &str) -> Result<(), String> {
    fs::create_dir_all(prefix).map_err(|error| error.to_string())?;
    let manifest = prefix.join("package.json");
    if !manifest.exists() {
        fs::write(&manifest, "{\"private\": true}\n").map_err(|error| error.to_string())?;
    }
    let status = Command::new("npm")
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
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("npm does not run: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("npm could not install {what}"))
    }
}
