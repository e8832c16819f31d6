//! Rewritten input in the real clients: what is allowed confined runs confined.
//!
//! Each client's model starts a program that nobody has read. It must run inside, a deny rule
//! of the client for the same words must still hold, and the event after the call must lead
//! back to it. A client that ignores rewritten input must not be told allow.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Client;
use super::bench::{Asks, Bench, directory, installed, machine, run};

const AUTOMODE: &str = env!("CARGO_BIN_EXE_automode");
const COMMAND: &str = "./tool.bin";

/// Whether the client runs what it is told to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Runs,
    Ignores,
}

/// A client, and its own rule against the program, where a hook's allow leaves it one.
struct Case {
    client: &'static str,
    told: Told,
    deny: Option<fn(&Bench)>,
}

const CASES: &[Case] = &[
    Case {
        client: "claude-code",
        told: Told::Runs,
        deny: Some(|bench| {
            add(
                bench,
                ".claude/settings.json",
                &["permissions", "deny"],
                json!(["Bash(./tool.bin:*)"]),
            );
        }),
    },
    Case {
        client: "codex",
        told: Told::Runs,
        deny: Some(|bench| {
            bench.write(
                ".codex/rules/own.rules",
                "prefix_rule(pattern = [\"./tool.bin\"], decision = \"forbidden\")\n",
            );
        }),
    },
    Case {
        client: "gemini-cli",
        told: Told::Runs,
        deny: Some(|bench| {
            add(
                bench,
                ".gemini/settings.json",
                &["tools", "exclude"],
                json!(["run_shell_command(./tool.bin)"]),
            );
        }),
    },
    Case {
        client: "copilot",
        told: Told::Runs,
        // A hook's allow runs what `--deny-tool` names, with and without rewriting.
        deny: None,
    },
    Case {
        client: "opencode",
        told: Told::Runs,
        deny: Some(|bench| {
            add(
                bench,
                ".config/opencode/opencode.json",
                &["permission", "bash"],
                json!({"*": "allow", "./tool.bin*": "deny"}),
            );
        }),
    },
    Case {
        client: "qwen-code",
        told: Told::Ignores,
        deny: None,
    },
];

/// Sets a value in a file of settings, below what is there.
fn add(bench: &Bench, name: &str, way: &[&str], value: Value) {
    let text = fs::read_to_string(bench.home().join(name)).unwrap();
    let mut settings: Value = serde_json::from_str(&text).unwrap();
    let place = way.iter().fold(&mut settings, |at, key| &mut at[*key]);
    *place = value;
    bench.write(name, &settings.to_string());
}

/// What a run left behind.
#[derive(Debug)]
struct Left {
    /// What the program found of its confinement; nothing if it did not run.
    marker: Option<String>,
    stolen: bool,
    /// The calls that were promised confinement, and those whose end was told.
    promised: usize,
    ended: usize,
    distrusted: bool,
}

#[test]
fn real_clients_run_rewritten_input() {
    let Some(directory) = directory() else {
        return;
    };
    let mut failures = Vec::new();
    for case in CASES {
        let Some((client, prefix)) = installed(&directory, case.client) else {
            continue;
        };
        failures.extend(check(client, case.told, &prefix));
        if let Some(deny) = case.deny {
            failures.extend(check_denied(client, deny, &prefix));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(client: &Client, told: Told, prefix: &Path) -> Option<String> {
    let (left, ran) = play(client, prefix, |_| {})?;
    let right = match told {
        Told::Runs => {
            left.marker.as_deref() == Some("1\n")
                && !left.stolen
                && (left.promised, left.ended) == (1, 1)
                && !left.distrusted
        }
        Told::Ignores => left.marker.is_none() && left.promised == 0,
    };
    judged(client, &format!("{told:?}"), right, &left, &ran)
}

fn check_denied(client: &Client, deny: fn(&Bench), prefix: &Path) -> Option<String> {
    let (left, ran) = play(client, prefix, deny)?;
    judged(client, "Denied", left.marker.is_none(), &left, &ran)
}

fn judged(client: &Client, what: &str, right: bool, left: &Left, ran: &str) -> Option<String> {
    let word = if right { "as expected" } else { "WRONG" };
    println!("{} rewriting {what}: {word}", client.name);
    (!right).then(|| format!("{} {what}: {left:?}\nclient: {ran}", client.name))
}

/// Runs the client with one call; nothing where no backend confines.
fn play(client: &Client, prefix: &Path, more: impl Fn(&Bench)) -> Option<(Left, String)> {
    let bench = machine(client, prefix, COMMAND, Asks::Nobody);
    bench.write(
        ".config/automode/config.toml",
        "[confine]\nmode = \"unread\"\n",
    );
    bench.write("secret", "canary\n");
    let tool = bench.project().join("tool.bin");
    // Bytes that no reader of scripts takes for text.
    let script = "#!/bin/bash\nprintenv AUTOMODE_CONFINED > marker || echo bare > marker\n\
                  cat ~/secret > stolen\nexit 0\n\0\u{1}\u{2}";
    fs::write(&tool, script).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    more(&bench);
    let automode = Path::new(AUTOMODE);
    run(bench
        .command(automode)
        .args(["install", client.name, "--yes"]));
    let doctor = run(bench.command(automode).arg("doctor"));
    if !doctor.contains("can be confined by") {
        println!(
            "skipped {}: nothing can confine a command here",
            client.name
        );
        return None;
    }
    let program = prefix.join("node_modules/.bin").join(client.program);
    let ran = run(bench
        .command(&program)
        .args(client.arguments)
        .envs((client.environment)(&bench.model.url())));
    Some((
        left(&bench),
        format!("{ran}\nmodel: {}", bench.model.heard()),
    ))
}

fn left(bench: &Bench) -> Left {
    let text = |name: &str| fs::read_to_string(bench.project().join(name)).ok();
    let state = bench.home().join(".local/state/automode");
    let names: Vec<String> = files(&state)
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let count = |ending: &str| names.iter().filter(|name| name.ends_with(ending)).count();
    Left {
        marker: text("marker"),
        stolen: text("stolen").is_some_and(|text| text.contains("canary")),
        promised: count(".ticket.json"),
        ended: ended(&state),
        distrusted: names.iter().any(|name| name.contains("distrusted")),
    }
}

/// How many calls of the sessions are known, by their own print, to have ended.
fn ended(state: &Path) -> usize {
    let texts = files(state)
        .into_iter()
        .filter_map(|path| fs::read_to_string(path).ok());
    let lines: Vec<Value> = texts
        .flat_map(|text| text.lines().map(serde_json::from_str).collect::<Vec<_>>())
        .flatten()
        .collect();
    let prints = |field: &str| -> Vec<Value> {
        let notes = lines
            .iter()
            .filter(|line| line.get("note").is_some_and(|note| note == field));
        notes
            .filter_map(|line| line.get("print").cloned())
            .collect()
    };
    let calls = prints("call");
    prints("done")
        .iter()
        .filter(|print| calls.contains(print))
        .count()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found
}
