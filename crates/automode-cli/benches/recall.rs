//! A transcript of a hundred megabytes on its way to the judge.
//!
//! `cargo bench -p automode-cli --bench recall`. The judge is a program that notes
//! the most memory that the hook has had so far; the time is that of the whole hook
//! less that of one with an empty transcript, the least of several runs.
//! Exits with an error where a bound is broken, so that it can stand in a check.

#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

#[path = "../tests/support/session.rs"]
mod session;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 5;
const MEGABYTES: usize = 100;
const TIME: Duration = Duration::from_millis(500);
const PEAK: u64 = 64 * 1024;

fn main() -> ExitCode {
    let tree = tempfile::tempdir().expect("a directory");
    let root = tree.path();
    settings(root);
    let (small, large) = (root.join("small.jsonl"), root.join("large.jsonl"));
    session::write(&small, 0).expect("written");
    session::write(&large, MEGABYTES * 1024 * 1024).expect("written");
    let base = least(root, &small);
    let time = least(root, &large).saturating_sub(base);
    let peak = fs::read_to_string(root.join("peak")).expect("asked");
    let peak: u64 = peak
        .split_whitespace()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .expect("kB");
    println!(
        "{MEGABYTES} MB of transcript: {} ms over an empty one (bound {}), {} MB at the most (bound {})",
        time.as_millis(),
        TIME.as_millis(),
        peak / 1024,
        PEAK / 1024,
    );
    if time < TIME && peak < PEAK {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn settings(root: &Path) {
    let directory = root.join(".config/automode");
    fs::create_dir_all(&directory).expect("a directory");
    let script = format!(
        "cat > /dev/null; grep VmHWM /proc/$PPID/status > {}/peak; echo '<block>no</block>'",
        root.display()
    );
    let config = format!(
        "[[judge.chain]]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", '''{script}''']\n"
    );
    fs::write(directory.join("config.toml"), config).expect("written");
}

fn least(root: &Path, transcript: &Path) -> Duration {
    let payload = serde_json::json!({"session_id": "s", "cwd": root, "hook_event_name": "PreToolUse",
        "transcript_path": transcript, "tool_name": "Bash", "tool_input": {"command": "frobnicate --all ./data"},
        "tool_use_id": "t"});
    (0..RUNS)
        .map(|_| run(root, &payload.to_string()))
        .min()
        .unwrap_or_default()
}

fn run(root: &Path, payload: &str) -> Duration {
    let begun = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_automode"))
        .args(["hook", "claude-code"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", root)
        .env("AUTOMODE_STATE_DIR", root.join("state"))
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(payload.as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let time = begun.elapsed();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"allow\""));
    time
}
