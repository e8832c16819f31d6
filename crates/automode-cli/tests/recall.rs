//! What a hook shows the judge of a session, from a transcript of any size.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "support/feed.rs"]
mod feed;
#[path = "../../automode-providers/tests/support/mod.rs"]
#[expect(dead_code, reason = "the schemas are tested where the wires are")]
mod loopback;
#[path = "support/session.rs"]
mod session;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use feed::feed;
use loopback::{Play, Server};
use serde_json::{Value, json};

/// A command that the analysis leaves open.
const OPEN: &str = "frobnicate --all ./data";

struct Bench {
    root: tempfile::TempDir,
}

impl Bench {
    fn new(config: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["home/.config/automode", "shop"] {
            fs::create_dir_all(root.path().join(name)).unwrap();
        }
        fs::write(
            root.path().join("home/.config/automode/config.toml"),
            config,
        )
        .unwrap();
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The answer to one call, with what the judge left behind.
    fn hook(&self, payload: &Value) -> Value {
        let mut hook = Command::new(env!("CARGO_BIN_EXE_automode"));
        hook.args(["hook", "claude-code"])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("AUTOMODE_STATE_DIR", self.path("state"))
            .env("AUTOMODE_API_KEY", "k")
            .current_dir(self.path("shop"));
        let output = feed(&mut hook, &payload.to_string());
        let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
        reply["hookSpecificOutput"].clone()
    }

    fn call(&self, transcript: &Path) -> Value {
        json!({"session_id": "s", "cwd": self.path("shop"), "hook_event_name": "PreToolUse",
            "transcript_path": transcript, "tool_name": "Bash", "tool_input": {"command": OPEN},
            "tool_use_id": "t"})
    }
}

/// A judge that keeps what it is asked and how much memory the hook has used so far.
fn judge(bench: &Path) -> String {
    let bench = bench.display();
    format!(
        "cat > {bench}/asked.json; grep VmHWM /proc/$PPID/status > {bench}/peak; echo '<block>no</block>'"
    )
}

fn watched() -> Bench {
    let bench = Bench::new("");
    let command = judge(bench.root.path());
    let config = format!(
        "[[judge.chain]]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", '''{command}''']\n"
    );
    fs::write(bench.path("home/.config/automode/config.toml"), config).unwrap();
    bench
}

/// Megabytes.
fn peak(bench: &Bench) -> u64 {
    let text = fs::read_to_string(bench.path("peak")).unwrap();
    let kilobytes = text.split_whitespace().nth(1).unwrap();
    kilobytes.parse::<u64>().unwrap() / 1024
}

#[test]
fn a_hundred_megabytes_stream_by() {
    let bench = watched();
    let transcript = bench.path("transcript.jsonl");
    session::write(&transcript, 100 * 1024 * 1024).unwrap();
    let begun = Instant::now();
    let answer = bench.hook(&bench.call(&transcript));
    let time = begun.elapsed();
    assert_eq!(answer["permissionDecision"], "allow", "{answer}");
    let asked = fs::read_to_string(bench.path("asked.json")).unwrap();
    assert!(asked.contains(session::FIRST) && asked.contains(session::LAST));
    assert!(!asked.contains(session::UNSEEN));
    let peak = peak(&bench);
    println!("{} ms, {peak} MB at the most", time.as_millis());
    assert!(peak < 64, "{peak} MB");
    // An unoptimised build; the bound of an optimised one is kept by the bench `recall`.
    assert!(time < Duration::from_secs(10), "{time:?}");
}

#[test]
fn what_cannot_be_read_whole_is_too_long() {
    let bench = watched();
    let transcript = bench.path("transcript.jsonl");
    let check = |expected: &str| {
        let answer = bench.hook(&bench.call(&transcript));
        let reason = answer["permissionDecisionReason"].to_string();
        assert_ne!(answer["permissionDecision"], "allow");
        assert!(reason.contains(expected), "{reason}");
        assert!(!bench.path("asked.json").exists());
    };
    // One line that never ends.
    let file = File::create(&transcript).unwrap();
    file.set_len(2 * 1024 * 1024 * 1024).unwrap();
    check("too long for the judge");
    // Words that do not fit.
    let words = "x".repeat(30_000);
    let line = json!({"type": "user", "message": {"content": words}});
    fs::write(&transcript, format!("{line}\n").repeat(9)).unwrap();
    check("too long for the judge");
}

#[test]
fn output_of_any_length_is_passed_over() {
    let bench = watched();
    let transcript = bench.path("transcript.jsonl");
    let mut file = File::create(&transcript).unwrap();
    let words = json!({"type": "user", "message": {"content": "begin"}});
    writeln!(file, "{words}").unwrap();
    write!(
        file,
        r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","content":""#
    )
    .unwrap();
    for _ in 0..20 {
        file.write_all(&vec![b'x'; 1024 * 1024]).unwrap();
    }
    writeln!(file, "\"}}]}}}}").unwrap();
    let words = json!({"type": "user", "message": {"content": "and end"}});
    writeln!(file, "{words}").unwrap();
    let answer = bench.hook(&bench.call(&transcript));
    assert_eq!(answer["permissionDecision"], "allow", "{answer}");
    let asked = fs::read_to_string(bench.path("asked.json")).unwrap();
    assert!(
        asked.contains(r#"{\"user\":\"begin\"}"#) && asked.contains(r#"{\"user\":\"and end\"}"#)
    );
    assert!(!asked.contains("xxxxxxxx"));
}

#[test]
fn a_transcript_that_is_no_file_keeps_nobody_waiting() {
    let bench = watched();
    let pipe = bench.path("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let begun = Instant::now();
    assert_eq!(
        bench.hook(&bench.call(&pipe))["permissionDecision"],
        "allow"
    );
    assert!(begun.elapsed() < Duration::from_secs(8));
}

/// The model that is asked, with this line in the chain and this one in the payload.
fn asked(line: &str, told: Option<&str>) -> String {
    let reply = json!({"model": "m", "content": [{"type": "text", "text": "<block>no</block>"}], "stop_reason": "end_turn"});
    let server = Server::start(vec![Play::Json(200, reply)]);
    let url = &server.url;
    let bench = Bench::new(&format!(
        "[[judge.chain]]\nkind = \"anthropic\"\nbase_url = \"{url}\"\n{line}\n"
    ));
    let transcript = bench.path("transcript.jsonl");
    session::write(&transcript, 1_000).unwrap();
    let mut payload = bench.call(&transcript);
    if let Some(model) = told {
        payload["model"] = json!(model);
    }
    assert_eq!(bench.hook(&payload)["permissionDecision"], "allow");
    let received = server.received();
    received[0].body["model"].as_str().unwrap().to_owned()
}

#[test]
fn the_agents_own_model_judges_where_nobody_chose_another() {
    assert_eq!(asked("", None), session::MODEL);
    assert_eq!(asked("", Some("claude-sonnet-5")), "claude-sonnet-5");
    assert_eq!(
        asked("model = \"claude-haiku-4-5\"", None),
        "claude-haiku-4-5"
    );
    // A model that this service does not have is not asked for there.
    assert_eq!(asked("", Some("gpt-6-sol")), "claude-haiku-5-5");
}

#[test]
fn what_a_person_says_about_a_model_is_what_is_sent() {
    let reply = json!({"model": "m", "choices": [{"message": {"content": "<block>no</block>"}, "finish_reason": "stop"}]});
    let server = Server::start(vec![Play::Json(200, reply)]);
    let sent = |more: &str| {
        let url = &server.url;
        let bench = Bench::new(&format!(
            "[[judge.chain]]\nkind = \"openai-compatible\"\nbase_url = \"{url}\"\nmodel = \"m\"\n{more}\n"
        ));
        bench.hook(&bench.call(Path::new("/nowhere")));
        let body = server.received().pop().unwrap().body;
        (
            body.get("temperature").is_some(),
            body.get("stop").is_some(),
            body["max_tokens"].as_u64().unwrap(),
        )
    };
    assert_eq!(sent(""), (true, true, 64));
    assert_eq!(sent("temperature = false"), (false, true, 64));
    assert_eq!(sent("stop = false"), (true, false, 64));
    assert_eq!(sent("thinking = \"always\""), (true, true, 64 + 2048));
}
