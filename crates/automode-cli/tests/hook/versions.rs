//! Two versions side by side on one state: each keeps what the other writes.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use automode::audit;
use automode::state::{Lock, append, open_private};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::bench::{Bench, DEADLY, SAFE};

const PATIENCE: Duration = Duration::from_secs(20);

/// A version that knows more: it writes the documented formats by itself, with fields and
/// kinds of lines that this one has never heard of.
fn other_decides(state: &Path, at: usize) {
    let _lock = Lock::take(&state.join("audit.lock"), PATIENCE).unwrap();
    let path = state.join("audit.jsonl");
    let before = fs::read_to_string(&path).unwrap_or_default();
    let last: Value = before
        .lines()
        .next_back()
        .map_or(Value::Null, |line| serde_json::from_str(line).unwrap());
    let seq = last["seq"].as_u64().unwrap_or_default() + 1;
    let prev = last["hash"].as_str().map_or("0".repeat(64), str::to_owned);
    let body = json!({
        "time": 1_800_000_000_000_u64 + at as u64, "id": format!("other{at}"), "agent": "tomorrow",
        "session": "s", "tool": "Bash", "brief": "ls", "cwd": "/", "verdict": "allow",
        "ground": "telepathy", "reason": "it knew", "presence": "headless", "latency": 0.1,
        "config": "c", "print": "p", "mood": {"calm": true}, "version": 9,
    });
    let body = body.to_string();
    let said = format!(
        "{},\"seq\":{seq},\"prev\":\"{prev}\"",
        body.strip_suffix('}').unwrap()
    );
    let hash: String = Sha256::digest(&said)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let mut file = open_private(&path).unwrap();
    append(&mut file, &format!("{said},\"hash\":\"{hash}\"}}\n")).unwrap();
}

fn other_notes(state: &Path, at: usize) {
    let sessions = state.join("sessions");
    let record = fs::read_dir(&sessions)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|kind| kind == "jsonl"))
        .unwrap();
    let _lock = Lock::take(&record.with_extension("lock"), PATIENCE).unwrap();
    let mut file = open_private(&record).unwrap();
    let lines = [
        json!({"note": "dream", "of": at}),
        json!({"note": "user", "text": format!("words {at}"), "mood": "calm"}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    append(&mut file, &text).unwrap();
}

#[test]
fn each_keeps_what_the_other_writes() {
    const EACH: usize = 40;
    let bench = Bench::new();
    // There is something to build on, from both.
    assert_eq!(bench.claude(SAFE).verdict(), "allow");
    other_decides(&bench.state_path(), 0);
    other_notes(&bench.state_path(), 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            for at in 1..EACH {
                other_decides(&bench.state_path(), at);
                other_notes(&bench.state_path(), at);
                thread::sleep(Duration::from_millis(5));
            }
        });
        for _ in 1..EACH {
            assert_eq!(bench.claude(SAFE).verdict(), "allow");
        }
    });
    assert_eq!(bench.claude(DEADLY).verdict(), "deny");
    let report = audit::Log::new(&bench.state()).verify().unwrap();
    assert_eq!(
        (report.lines, report.breaks),
        (2 * EACH as u64 + 1, Vec::new())
    );
    let entries = bench.entries();
    assert_eq!(
        entries
            .iter()
            .filter(|entry| entry.agent == "tomorrow")
            .count(),
        EACH
    );
    let text = fs::read_to_string(bench.state_path().join("audit.jsonl")).unwrap();
    assert_eq!(text.matches("\"mood\"").count(), EACH);
    let memory = bench.memory();
    assert_eq!((memory.calls.len(), memory.unreadable), (EACH + 1, 0));
    let words = memory.entries.iter().filter(|entry| {
        matches!(entry, automode_core::transcript::Entry::User(words) if words.starts_with("words "))
    });
    assert_eq!(words.count(), EACH);
}

#[test]
fn an_older_record_is_read() {
    let bench = Bench::new();
    bench.claude(SAFE);
    // Notes as they were before permits, subagents and planned writes were kept.
    let sessions = crate::bench::files(&bench.state_path().join("sessions"));
    let record = sessions
        .iter()
        .find(|path| path.extension().unwrap() == "jsonl")
        .unwrap();
    let old = json!({"note": "call", "id": null, "print": "p", "tool": "Bash", "brief": "make", "verdict": "allow", "decision": "d"});
    fs::write(record, format!("{old}\n")).unwrap();
    fs::write(record.with_extension("lock"), "").unwrap();
    assert_eq!(bench.claude(SAFE).verdict(), "allow");
    let memory = bench.memory();
    assert_eq!((memory.calls.len(), memory.unreadable), (2, 0));
}
