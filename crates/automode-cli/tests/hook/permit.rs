//! A person overrides: once, or with a rule; and nobody else does.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use automode::permit;
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

use crate::bench::{Bench, DEADLY, PROGRAM, UNKNOWN, finish};

/// Runs a command at a terminal, types an answer, and gives what the terminal showed.
fn at_terminal(command: &mut Command, typed: &str) -> (String, Option<i32>) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let end = || {
        OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(OFlags::NOCTTY.bits().cast_signed())
            .open(name.to_str().unwrap())
            .unwrap()
    };
    let mut terminal = File::from(master);
    // The terminal keeps what is typed until somebody reads it.
    terminal.write_all(typed.as_bytes()).unwrap();
    command.stdin(end()).stdout(end()).stderr(end());
    let mut child = command.spawn().unwrap();
    command.stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::null());
    command.stderr(std::process::Stdio::null());
    let mut shown = Vec::new();
    // Reading ends with an error when the last one at the terminal is gone.
    let _ = terminal.read_to_end(&mut shown);
    let code = child.wait().unwrap().code();
    (String::from_utf8_lossy(&shown).into_owned(), code)
}

/// Whether these tests run below an agent, where the program rightly refuses.
fn is_refused_here(shown: &str) -> bool {
    let refused = shown.contains("runs this");
    if refused {
        eprintln!("skipped: an agent runs these tests, and `automode allow` is not for agents");
    }
    refused
}

#[test]
fn a_person_at_a_terminal_permits_a_call_once() {
    let bench = Bench::new();
    assert_eq!(bench.claude(DEADLY).verdict(), "deny");
    let (shown, code) = at_terminal(&mut bench.command(&["allow-once", "last"]), "no\n");
    if is_refused_here(&shown) {
        return;
    }
    assert!(shown.contains(DEADLY) && shown.contains("[y/N]"), "{shown}");
    assert_eq!(code, Some(3), "{shown}");
    assert_eq!(bench.claude(DEADLY).verdict(), "deny");
    let (shown, code) = at_terminal(&mut bench.command(&["allow-once", "last"]), "yes\n");
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(bench.claude("rm -rf ~/").verdict(), "deny");
    assert_eq!(bench.claude(DEADLY).verdict(), "allow");
    assert_eq!(bench.claude(DEADLY).verdict(), "deny");
}

#[test]
fn a_person_at_a_terminal_writes_a_rule() {
    let bench = Bench::new();
    let config = bench.root.path().join("home/.config/automode/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    let before = "# my rules\n\n[permissions]\n# never\ndeny = [\"Bash(git push:*)\"]   # for good\nallow = [\n  \"Bash(make lint)\", # quick\n]\n\n[judge]\n# later\n";
    fs::write(&config, before).unwrap();
    assert_ne!(bench.claude(UNKNOWN).verdict(), "allow");
    let (shown, code) = at_terminal(&mut bench.command(&["allow", "last"]), "y\n");
    if is_refused_here(&shown) {
        return;
    }
    let rule = format!("Bash({UNKNOWN})");
    assert!(
        shown.contains(&rule) && shown.contains("config.toml"),
        "{shown}"
    );
    assert_eq!(code, Some(0), "{shown}");
    let after = fs::read_to_string(&config).unwrap();
    let rest = after
        .replace(&format!("\"{rule}\""), "")
        .replace([',', '\n', ' '], "");
    assert_eq!(rest, before.replace([',', '\n', ' '], ""), "{after}");
    for _ in 0..2 {
        assert_eq!(bench.claude(UNKNOWN).verdict(), "allow");
    }
    assert_ne!(
        bench.claude(&format!("{UNKNOWN} --twice")).verdict(),
        "allow"
    );
    // What a rule cannot permit is not proposed.
    assert_eq!(bench.claude(DEADLY).verdict(), "deny");
    let (shown, code) = at_terminal(&mut bench.command(&["allow", "last"]), "y\n");
    assert!(shown.contains("allow-once"), "{shown}");
    assert_eq!(
        (code, fs::read_to_string(&config).unwrap()),
        (Some(3), after)
    );
}

#[test]
fn an_agent_is_refused_even_at_a_terminal() {
    let bench = Bench::new();
    bench.claude(UNKNOWN);
    // A program named like an agent, and one in an agent's package.
    let agents = [
        bench.root.path().join("claude"),
        bench
            .root
            .path()
            .join("node_modules/@scope/gemini-cli/bundle.js"),
    ];
    for path in &agents {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "\"$@\"\n:\n").unwrap();
    }
    for name in ["allow", "allow-once"] {
        for mark in ["CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI", "COPILOT_CLI"] {
            let mut command = bench.command(&[name, "last"]);
            let (shown, code) = at_terminal(command.env(mark, "1"), "y\n");
            assert!(shown.contains(mark), "{shown}");
            assert_eq!(code, Some(3));
        }
        for path in &agents {
            let shown = by_agent(&bench, path, name);
            assert!(shown.contains("runs this"), "{shown}");
        }
        let answer = finish(&mut bench.command(&[name, "last"]), b"y\n");
        assert!(answer.stderr.contains("for a person at a terminal"));
        assert_eq!(answer.code, Some(3));
    }
    assert_ne!(bench.claude(UNKNOWN).verdict(), "allow");
    assert!(!bench.root.path().join("home/.config").exists());
}

fn by_agent(bench: &Bench, agent: &Path, command: &str) -> String {
    let mut shell = bench.shell("exec /bin/bash --norc \"$1\" \"$0\" \"$2\" last");
    shell.arg(agent).arg(command);
    let (shown, code) = at_terminal(&mut shell, "y\n");
    assert_eq!(
        code,
        Some(0),
        "the last word of the script: {shown} {PROGRAM}"
    );
    shown
}

#[test]
fn a_permit_covers_the_request_that_follows_and_no_other() {
    let bench = Bench::new();
    let print = permit::fingerprint(&bench.tool_call(DEADLY));
    let mut request = bench.call(DEADLY);
    request["hook_event_name"] = json!("PermissionRequest");
    let behaviour = || {
        let answer = bench.hook(&["codex"], &request.to_string());
        answer.json["hookSpecificOutput"]["decision"]["behavior"]
            .as_str()
            .unwrap_or("none")
            .to_owned()
    };
    assert_eq!(behaviour(), "deny");
    permit::grant(&bench.state(), &print, "k").unwrap();
    // The person reads of it, and the client goes on to its own question.
    let answer = bench.hook(&["codex"], &bench.call(DEADLY).to_string()).json;
    assert_eq!(answer["hookSpecificOutput"], Value::Null, "{answer}");
    let said = answer["systemMessage"].as_str().unwrap_or_default();
    assert!(said.contains("permitted once by a person"), "{answer}");
    assert_eq!(behaviour(), "allow");
    let mut done = bench.call(DEADLY);
    done["hook_event_name"] = json!("PostToolUse");
    bench.hook(&["codex"], &done.to_string());
    assert_eq!(behaviour(), "deny");
    permit::grant(&bench.state(), &print, "k").unwrap();
    assert_eq!(behaviour(), "allow");
    assert_eq!(behaviour(), "deny");
}

#[test]
fn a_permit_from_the_future_or_the_past_permits_nothing() {
    let bench = Bench::new();
    let print = permit::fingerprint(&bench.tool_call(DEADLY));
    let hour = Duration::from_secs(3_600);
    for time in [SystemTime::now() + hour, SystemTime::now() - hour] {
        permit::grant(&bench.state(), &print, "k").unwrap();
        let path = bench.state_path().join("permits").join(&print);
        let file = OpenOptions::new().append(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
        assert_eq!(bench.claude(DEADLY).verdict(), "deny");
    }
}
