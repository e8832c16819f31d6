//! How long a decision takes, in process.
//!
//! Each figure is the least of many batches: on a machine with other work the
//! minimum is what repeats. `cargo bench -p automode --bench decide`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use automode::ports::FileSystem as _;
use automode::{Gate, Policy, Session, ToolCall};
use automode_testkit::{Rules, Tree, policy};
use serde_json::{Value, json};

const BATCHES: u32 = 200;
const BATCH: u32 = 20;

fn main() {
    println!("{:<34}{:>12}", "decision", "least, µs");
    let read = call("Read", json!({"file_path": "src/main.rs"}));
    let edit = call(
        "Edit",
        json!({"file_path": "src/main.rs", "old_string": "a", "new_string": "b"}),
    );
    for rules in [0, 100, 10_000] {
        report(&format!("safe tool, {rules} rules"), &gate(rules), &read);
    }
    for rules in [0, 100, 10_000] {
        report(
            &format!("edit in the project, {rules} rules"),
            &gate(rules),
            &edit,
        );
    }
    for command in ["git status", "rm -rf /", "npm test"] {
        let gate = gate(100);
        report(
            &format!("{command}, 100 rules"),
            &gate,
            &ToolCall::bash(command, CWD),
        );
    }
    let compound = ToolCall::bash(compound(), CWD);
    report("2 KB compound, 100 rules", &gate(100), &compound);
    let least = least(|| Tree::project().observe(&[]));
    println!("{:<34}{:>12.2}", "(an empty observation)", micros(least));
}

const CWD: &str = "/home/dev/app";

/// The compound of `bench/ratios.py`.
fn compound() -> String {
    let statement = |at: usize| {
        format!(
            "grep -rn 'word{at}' src | sort | uniq -c | head -{}",
            at + 1
        )
    };
    let mut all = statement(0);
    for next in (1..).map(statement) {
        if all.len() + " && ".len() + next.len() > 2048 {
            break;
        }
        all = format!("{all} && {next}");
    }
    all
}

fn report(name: &str, gate: &Gate, call: &ToolCall) {
    let session = Session {
        roots: vec![CWD.to_owned()],
        home: Some("/home/dev".to_owned()),
        ..Session::default()
    };
    let least = least(|| gate.decide(call, &session, &automode::ports::NoRecall));
    println!("{name:<34}{:>12.2}", micros(least));
}

fn least<T>(mut run: impl FnMut() -> T) -> Duration {
    let batch = |run: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        for _ in 0..BATCH {
            black_box(run());
        }
        start.elapsed() / BATCH
    };
    (0..BATCHES)
        .map(|_| batch(&mut run))
        .min()
        .unwrap_or_default()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Rules of which none matches the calls that are measured.
fn gate(rules: usize) -> Gate {
    let rule = |at: usize| match at % 4 {
        0 => format!("Bash(tool-{at} run *)"),
        1 => format!("WebFetch(domain:host-{at}.example.com)"),
        2 => format!("mcp__server-{at}"),
        _ => format!("Write(/generated/{at}/**)"),
    };
    let all: Vec<String> = (0..rules).map(rule).collect();
    let third = rules / 3;
    let policy: Policy = policy(&Rules {
        deny: all.iter().take(third).cloned().collect(),
        ask: all.iter().skip(third).take(third).cloned().collect(),
        allow: all.iter().skip(2 * third).cloned().collect(),
        ..Rules::default()
    });
    Gate::new(policy).with_files(Tree::project())
}

fn call(tool: &str, input: Value) -> ToolCall {
    ToolCall {
        tool: tool.to_owned(),
        input: input.as_object().cloned().unwrap_or_default(),
        cwd: CWD.to_owned(),
    }
}
