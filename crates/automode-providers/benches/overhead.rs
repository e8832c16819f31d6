//! What asking costs beside the model's own time.
//!
//! `cargo bench -p automode-providers --bench overhead`. A session of 400 entries
//! becomes a request, goes over loopback to a server that answers at once, and the
//! answer becomes a verdict. The figure is the least time of many round trips, the
//! kernel's and the server's part included, so it is above the CPU of automode.
//! Exits with an error where the bound is broken, so that it can stand in a check.

#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use automode_core::judge::{
    Cancel, Case, Instruction, Judgement, Judging, KeySource, Kind, Model, Next, Patience,
    Provider, Settings,
};
use automode_core::policy::AutoMode;
use automode_core::transcript::Entry;
use automode_providers::{Surroundings, open};

const ENTRIES: usize = 400;
const ROUNDS: usize = 300;
const BOUND: Duration = Duration::from_millis(2);

/// An answer that every wire reads its verdict from.
const ANSWER: &str = r#"{"model":"m","content":[{"type":"text","text":"<block>no</block>"}],"stop_reason":"end_turn","stop_sequence":null,"choices":[{"message":{"content":"<block>no</block>"},"finish_reason":"stop"}],"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"<block>no</block>"}]}]}"#;

fn main() -> ExitCode {
    let address = serve();
    let entries = session();
    let mut broken = false;
    for (kind, model) in [
        (Kind::Anthropic, "claude-haiku-4-5"),
        (Kind::OpenAi, "gpt-6-luna"),
        (Kind::OpenAiCompatible, "local"),
    ] {
        let provider = Provider {
            model: Some(model.to_owned()),
            base_url: Some(address.clone()),
            key: KeySource::None,
            ..Provider::new(kind)
        };
        let surroundings = Surroundings {
            variable: &|_| None,
            agent_model: None,
        };
        let model = open(&provider, &surroundings).expect("opened");
        let least = (0..ROUNDS)
            .map(|_| round(&*model, &entries))
            .min_by_key(|(asked, answered)| *asked + *answered);
        let (made, answered) = least.expect("rounds");
        println!(
            "{:<18} {ENTRIES} entries: request {:>5} µs, round trip and verdict {:>5} µs, bound {} µs",
            kind.name(),
            made.as_micros(),
            answered.as_micros(),
            BOUND.as_micros(),
        );
        broken |= made + answered > BOUND;
    }
    if broken {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// One decision: the time to the request, and from there to the verdict.
fn round(model: &dyn Model, entries: &[Entry]) -> (Duration, Duration) {
    let instructions = [Instruction {
        path: "AGENTS.md".to_owned(),
        text: "Use cargo. Keep the tests green.\n".repeat(60),
    }];
    let begun = Instant::now();
    let (mut judging, request) = Judging::begin(
        &Case {
            tool: "Bash",
            brief: "git push origin feature/importer",
            entries,
            instructions: &instructions,
            facts: &["git: on feature/importer, default branch main".to_owned()],
            findings: &[],
            auto_mode: &AutoMode::default(),
        },
        &Settings::default(),
    )
    .expect("it fits");
    let made = begun.elapsed();
    let patience = Patience {
        timeout: Duration::from_secs(5),
        cancel: &Cancel::default(),
    };
    let reply = model
        .ask(&request, patience)
        .map_err(|trouble| trouble.failure);
    assert_eq!(judging.resume(reply), Next::Done(Ok(Judgement::Clear)));
    (made, begun.elapsed().saturating_sub(made))
}

/// Commands, edits and words as a session has them.
fn session() -> Vec<Entry> {
    (0..ENTRIES)
        .map(|index| match index % 8 {
            0 => Entry::User(format!(
                "now make the importer handle part {index}, and keep the tests green"
            )),
            1 | 2 => Entry::Call {
                tool: "Edit".to_owned(),
                brief: format!(
                    "src/part{index}.rs: fn part() {{ <T as Import>::run(\"{index}\") }}"
                ),
            },
            _ => Entry::Call {
                tool: "Bash".to_owned(),
                brief: format!("cargo test -p part{index} -- --nocapture 2>&1 | tail -n 40"),
            },
        })
        .collect()
}

/// A server that answers everything at once, on connections that stay open.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/v1", listener.local_addr().expect("bound"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(stream: TcpStream) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    let mut body = Vec::new();
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
            if line == "\r\n" {
                break;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        body.resize(length, 0);
        reader.read_exact(&mut body).ok()?;
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            ANSWER.len()
        );
        reader
            .get_mut()
            .write_all((head + ANSWER).as_bytes())
            .ok()?;
    }
}
