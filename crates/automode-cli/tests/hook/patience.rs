//! Slow, huge and endless things: an answer comes in time.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::{Bench, SAFE, UNKNOWN, finish};

#[test]
fn a_client_that_never_finishes_speaking_is_denied_in_time() {
    let bench = Bench::new();
    let begun = Instant::now();
    let mut command = bench.command(&["hook", "gemini-cli", "--deadline", "1"]);
    let mut child = command.spawn().unwrap();
    let open = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(open);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (answer["decision"].as_str(), output.status.code()),
        (Some("deny"), Some(0))
    );
    assert!(begun.elapsed() < Duration::from_secs(8));
}

/// A judge that fails again and again is left alone, in every session and client, and the answer
/// says so and what to do about it.
#[test]
fn a_judge_that_is_left_alone_is_told_of_in_every_client() {
    let bench = Bench::new();
    let ask = |agent: &str| {
        let mut command = bench.command(&["hook", agent]);
        command
            .env("AUTOMODE_JUDGE", "command")
            .env("AUTOMODE_COMMAND", "false");
        finish(&mut command, bench.call(UNKNOWN).to_string().as_bytes())
            .json
            .to_string()
    };
    let failed = [ask("claude-code"), ask("claude-code")];
    assert!(
        failed.iter().all(|said| !said.contains("left alone")),
        "{failed:?}"
    );
    for agent in ["claude-code", "codex", "qwen-code"] {
        let said = ask(agent);
        assert!(
            said.contains("left alone for a while") && said.contains("automode judge test"),
            "{agent}: {said}"
        );
    }
}

/// A transcript of two gigabytes: a long hole, then lines.
fn huge(bench: &Bench) -> PathBuf {
    let path = bench.root.path().join("transcript.jsonl");
    let mut file = File::create(&path).unwrap();
    let line = |text: &str| {
        let message = json!({"type": "user", "isSidechain": false, "message": {"role": "user", "content": text}});
        format!("{message}\n")
    };
    file.write_all(line("words long gone").as_bytes()).unwrap();
    file.seek(SeekFrom::Start(2 * 1024 * 1024 * 1024)).unwrap();
    // The hole is one line that no reader may swallow whole.
    file.write_all(format!("\n{}", line("never touch the payroll")).as_bytes())
        .unwrap();
    path
}

#[test]
fn a_judge_that_never_answers_is_a_denial_in_time() {
    let bench = Bench::new();
    let begun = Instant::now();
    let mut command = bench.command(&["hook", "codex", "--deadline", "3"]);
    command
        .env("AUTOMODE_JUDGE", "command")
        .env("AUTOMODE_COMMAND", "sleep 1000");
    let mut payload = bench.call(UNKNOWN);
    payload["transcript_path"] = json!(huge(&bench));
    let answer = finish(&mut command, payload.to_string().as_bytes());
    assert_eq!(
        (answer.verdict(), answer.code),
        ("deny", Some(0)),
        "{}",
        answer.json
    );
    assert!(begun.elapsed() < Duration::from_secs(15));
}

#[test]
fn words_that_were_taken_back_do_not_reach_the_judge() {
    let bench = Bench::new();
    let seen = bench.root.path().join("seen");
    let line = |uuid: &str, parent: Option<&str>, text: &str| {
        let message = json!({"type": "user", "uuid": uuid, "parentUuid": parent, "isSidechain": false, "message": {"role": "user", "content": text}});
        format!("{message}\n")
    };
    let path = bench.root.path().join("transcript.jsonl");
    let said = [
        "keep the tests green",
        "frobnicate at will",
        "leave the data alone",
    ];
    let text = [
        line("1", None, said[0]),
        line("2", Some("1"), said[1]),
        line("3", Some("1"), said[2]),
    ];
    fs::write(&path, text.concat()).unwrap();
    let ask = || {
        let mut command = bench.command(&["hook", "claude-code"]);
        command
            .env("AUTOMODE_JUDGE", "command")
            .env("AUTOMODE_COMMAND", format!("tee {}", seen.display()));
        let mut payload = bench.call(UNKNOWN);
        payload["transcript_path"] = json!(path);
        let answer = finish(&mut command, payload.to_string().as_bytes());
        assert_ne!(answer.verdict(), "allow", "{}", answer.json);
        let asked = fs::read_to_string(&seen).unwrap();
        said.map(|words| asked.contains(words))
    };
    // From the transcript alone, then as the hook itself recorded them.
    assert_eq!(ask(), [true, false, true]);
    for words in said {
        let prompt = bench.event("UserPromptSubmit", &json!({"prompt": words}));
        bench.hook(&["claude-code"], &prompt.to_string());
    }
    assert_eq!(ask(), [true, false, true]);
}

#[test]
fn a_transcript_of_any_size_costs_a_safe_call_nothing() {
    let bench = Bench::new();
    let mut payload = bench.call(SAFE);
    payload["transcript_path"] = json!(huge(&bench));
    let begun = Instant::now();
    let answer = bench.hook(&["claude-code"], &payload.to_string());
    assert_eq!(answer.verdict(), "allow");
    assert!(begun.elapsed() < Duration::from_secs(5));
}
