//! CPU of a whole process, beside a bare `main`.
//!
//! `cargo bench -p automode-cli --bench cold`. The system adds the CPU of ended
//! children up in ticks of ten milliseconds, so a figure is a batch of many
//! processes divided by their number, and the least of several batches.
//! Exits with an error where a bound is broken, so that it can stand in a check.

#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const BATCHES: usize = 5;
const BATCH: u32 = 200;
/// Ticks a second, as the kernel reports them to programs.
const TICKS: f64 = 100.0;

fn main() -> ExitCode {
    let tree = tempfile::tempdir().expect("a directory");
    let home = tree.path();
    settings(home);
    let bare = bare(home);
    let read = r#"{"file_path": "src/main.rs"}"#;
    let subjects: [(&str, Vec<&str>, f64); 3] = [
        (
            "check --tool Read",
            vec!["check", "--tool", "Read", "--input", read],
            1.0,
        ),
        ("check 'git status'", vec!["check", "git status"], 1.5),
        ("check 'rm -rf /'", vec!["check", "rm -rf /"], 3.0),
    ];
    let base = least(|| run(&bare, &[], home));
    println!(
        "{:<24}{:>10}{:>14}{:>10}",
        "process", "CPU, ms", "over bare", "bound"
    );
    println!("{:<24}{base:>10.2}", "bare main");
    let automode = PathBuf::from(env!("CARGO_BIN_EXE_automode"));
    let mut broken = false;
    for (name, arguments, bound) in subjects {
        let cost = least(|| run(&automode, &arguments, home));
        let over = cost - base;
        println!("{name:<24}{cost:>10.2}{over:>14.2}{bound:>10.1}");
        broken |= over > bound;
    }
    if broken {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// A configuration of 120 rules.
fn settings(home: &Path) {
    let directory = home.join(".config/automode");
    fs::create_dir_all(&directory).expect("a directory");
    let mut text = String::from("[permissions]\n");
    for list in ["deny", "ask", "allow"] {
        writeln!(text, "{list} = [").expect("text");
        for at in 0..20 {
            writeln!(text, "  \"Bash({list}-tool-{at} run *)\",").expect("text");
            writeln!(text, "  \"Write(/{list}/{at}/**)\",").expect("text");
        }
        text.push_str("]\n");
    }
    fs::write(directory.join("config.toml"), text).expect("written");
}

/// A program that does nothing, built as the binary is.
fn bare(directory: &Path) -> PathBuf {
    let source = directory.join("bare.rs");
    let program = directory.join("bare");
    fs::write(&source, "fn main() {}\n").expect("written");
    let built = Command::new("rustc")
        .args(["-O", "--edition", "2024", "-o"])
        .args([&program, &source])
        .status()
        .expect("rustc runs");
    assert!(built.success());
    program
}

fn run(program: &Path, arguments: &[&str], home: &Path) {
    Command::new(program)
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("it runs");
}

/// Milliseconds of CPU for one process, in the best batch.
fn least(run: impl Fn()) -> f64 {
    (0..BATCHES)
        .map(|_| {
            let before = children();
            (0..BATCH).for_each(|_| run());
            (children() - before) / TICKS * 1e3 / f64::from(BATCH)
        })
        .fold(f64::INFINITY, f64::min)
}

/// CPU of all ended children so far, in ticks.
fn children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("a Linux system");
    let (_, fields) = stat.rsplit_once(')').expect("the name ends");
    let fields: Vec<_> = fields.split_whitespace().collect();
    // Fields 16 and 17 of the whole line: user and system time of waited-for children.
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    ticks(13).unwrap_or_default() + ticks(14).unwrap_or_default()
}
