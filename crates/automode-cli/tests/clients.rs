//! Real coding agents against a scripted model: what automode denies does not run.
//!
//! Runs where `AUTOMODE_CLIENTS` names a directory for the clients; they are
//! installed there by name and pinned version when they are missing. Elsewhere, and
//! for a client that cannot be installed, it says so and passes.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "clients/bench.rs"]
mod bench;
#[path = "clients/channels.rs"]
mod channels;
#[path = "clients/managed.rs"]
mod managed;
#[path = "clients/rewriting.rs"]
mod rewriting;
#[path = "clients/screen.rs"]
mod screen;

use std::path::Path;
use std::process::Command;

use serde_json::json;

use bench::{Bench, bench, directory, install, installed, run};

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
        configure: |bench| {
            let trusted = json!({"trusted_folders": [bench.project().display().to_string()]});
            bench.write(".copilot/config.json", &trusted.to_string());
        },
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
    let Some(directory) = directory() else {
        return;
    };
    let mut failures = Vec::new();
    for client in CLIENTS {
        let Some((client, prefix)) = installed(&directory, client.name) else {
            continue;
        };
        let calls = [
            ("rm -r ./precious", Expected::Stopped),
            ("touch marker && echo made", Expected::Runs),
        ];
        for (command, expected) in calls {
            failures.extend(check(client, &prefix, command, expected));
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
    let bench = bench(client, prefix, command);
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
            "{} {expected:?}: kept {kept}, made {made}\nclient: {ran}",
            client.name
        )
    })
}
