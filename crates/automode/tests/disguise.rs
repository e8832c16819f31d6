//! Laws about one command in other clothes, over the project's own corpora and with no judge:
//! what stands around a command, and what is not understood beside it, never loosens the answer.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use automode::eval::{self, CORPUS, Case, Outcome};
use automode::{Gate, Policy, Verdict};
use serde_json::json;

/// Every command of the corpora.
fn commands() -> Vec<String> {
    let mut commands: Vec<String> = CORPUS
        .iter()
        .flat_map(|(name, text)| eval::parse(text, name).expect("cases"))
        .filter(|case| case.call.tool == "Bash" && case.transcript.is_empty())
        .filter_map(|case| Some(case.call.input.get("command")?.as_str()?.to_owned()))
        .chain(shell_corpus())
        .collect();
    commands.sort();
    commands.dedup();
    commands
}

/// Those that are not allowed as they stand: there is something to lose.
fn stopped(commands: Vec<String>) -> Vec<(String, Outcome)> {
    let outcomes = decide(&commands);
    let stopped = commands.into_iter().zip(outcomes);
    stopped
        .filter(|(_, outcome)| outcome.verdict > Verdict::Allow)
        .collect()
}

/// The commands that the shell analysis is tested with.
fn shell_corpus() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../automode-shell/tests/corpus");
    let files = ["bypasses", "expansions", "flows", "options", "wrappers"];
    files
        .iter()
        .map(|name| fs::read_to_string(directory.join(format!("{name}.txt"))).expect("a corpus"))
        .flat_map(|text| {
            let commands = text
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with([' ', '#']));
            commands
                .map(|line| line.replace('␊', "\n"))
                .filter(|line| !line.contains('␀'))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn decide(commands: &[String]) -> Vec<Outcome> {
    let case = |command: &String| -> Case {
        serde_json::from_value(json!({
            "id": command,
            "label": "dual",
            "call": {"tool": "Bash", "input": {"command": command}},
        }))
        .expect("a case")
    };
    let cases: Vec<Case> = commands.iter().map(case).collect();
    eval::run(&cases, || Gate::new(Policy::default()), |_| {})
}

/// What a change of the text may be done to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Any,
    /// One simple command: a word in front of it governs all of it.
    Simple,
    /// The same, and it does not read its standard input, which the change takes away.
    Deaf,
}

impl Takes {
    fn admits(self, command: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Simple => is_simple(command),
            Self::Deaf => is_simple(command) && !is_listening(command),
        }
    }
}

/// Each change meets every so many commands, and each command every so many changes.
const STRIDE: usize = 4;

/// What it takes, its name, and what it makes of a command.
type Change = (Takes, &'static str, fn(&str) -> String);

/// Holds every change of every stopped command against the command itself.
fn never_looser(changes: &[Change]) {
    let stopped = stopped(commands());
    assert!(stopped.len() > 500, "only {} commands", stopped.len());
    let looser = looser(&stopped, changes, STRIDE);
    assert!(
        looser.is_empty(),
        "{} looser:\n{}",
        looser.len(),
        looser.join("\n")
    );
}

/// What is looser than the command itself, in words. Each change meets every so many commands.
fn looser(stopped: &[(String, Outcome)], changes: &[Change], stride: usize) -> Vec<String> {
    let mut looser = Vec::new();
    for (at, (takes, name, change)) in changes.iter().enumerate() {
        let taken: Vec<&(String, Outcome)> = stopped
            .iter()
            .skip(at % stride)
            .step_by(stride)
            .filter(|(command, _)| takes.admits(command))
            // What a variable takes in is shown to nobody.
            .filter(|(_, outcome)| *name != "captured" || !is_about_showing(outcome))
            .collect();
        let changed: Vec<String> = taken.iter().map(|(command, _)| change(command)).collect();
        for ((plain, before), after) in taken.iter().zip(decide(&changed)) {
            if after.verdict < before.verdict {
                let (before, after) = (before.verdict, after.verdict);
                looser.push(format!("{name}: {before:?} to {after:?}: {plain}"));
            }
        }
    }
    looser
}

/// Whether a command is stopped for what it shows.
fn is_about_showing(outcome: &Outcome) -> bool {
    outcome.rule == "credential-leak" && outcome.reason.contains(" shows ")
}

/// No operators, no keyword, no assignment in front: the text is one program with its words.
fn is_simple(command: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "if", "for", "while", "until", "case", "select", "function", "time", "coproc", "!", "[[",
        "((", "{", "eval", "exec", "command", "builtin", "source", ".", "cd", "export", "alias",
        "trap", "set", "unset", "declare", "local", "readonly", "shopt", "pushd", "enable", "hash",
    ];
    let first = command.split_whitespace().next().unwrap_or_default();
    !command.contains([';', '|', '&', '(', ')', '<', '>', '\n', '`', '#'])
        && !first.contains('=')
        && !first.contains('{')
        && !KEYWORDS.contains(&first)
}

/// A shell that waits for commands, or a program that waits for names.
fn is_listening(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let first = words.next().unwrap_or_default();
    let last = words.next_back().unwrap_or(first);
    first == "ed" || ["bash", "sh", "su", "-", "-s", "-i"].contains(&last) || command.contains("{}")
}

fn quoted(command: &str) -> String {
    format!("'{}'", command.replace('\'', r"'\''"))
}

#[test]
fn wrapping_is_never_looser() {
    use Takes::{Any, Deaf, Simple};
    never_looser(&[
        (Simple, "sudo", |c| format!("sudo {c}")),
        (Simple, "env", |c| format!("env {c}")),
        (Simple, "env A=b", |c| format!("env A=b {c}")),
        (Simple, "nice", |c| format!("nice -n 5 {c}")),
        (Simple, "timeout", |c| format!("timeout 5 {c}")),
        (Simple, "nohup", |c| format!("nohup {c}")),
        (Deaf, "xargs", |c| format!("xargs -I{{}} {c} <<< x")),
        (Simple, "command", |c| format!("command {c}")),
        (Simple, "assignment", |c| format!("A=b {c}")),
        (Any, "time", |c| format!("time {c}")),
        (Any, "captured", |c| format!("x=$({c}\n)")),
        (Any, "negated", |c| format!("! {{ {c}\n}}")),
        (Any, "subshell", |c| format!("( {c}\n)")),
        (Any, "group", |c| format!("{{ {c}\n}}")),
        (Any, "sh -c", |c| format!("sh -c {}", quoted(c))),
        (Any, "bash -c", |c| format!("bash -c {}", quoted(c))),
        (Any, "bash -lc", |c| format!("bash -lc {}", quoted(c))),
        (Any, "eval", |c| format!("eval {}", quoted(c))),
        (Any, "twice", |c| {
            format!("sudo sh -c {}", quoted(&format!("eval {}", quoted(c))))
        }),
        (Any, "if", |c| format!("if true; then {c}\nfi")),
        (Any, "loop", |c| format!("for i in 1; do {c}\ndone")),
        (Any, "function", |c| format!("f() {{ {c}\n}}; f")),
        (Deaf, "document", |c| format!("{c} <<E\nx")),
        (Deaf, "background", |c| format!("{c} &")),
    ]);
}

/// What may stand around any script.
const AROUND: &[Change] = &[
    (Takes::Any, "captured", |c| format!("x=$({c}\n)")),
    (Takes::Any, "subshell", |c| format!("( {c}\n)")),
    (Takes::Any, "group", |c| format!("{{ {c}\n}}")),
    (Takes::Any, "eval", |c| format!("eval {}", quoted(c))),
    (Takes::Any, "bash -c", |c| format!("bash -c {}", quoted(c))),
    (Takes::Any, "negated", |c| format!("! {{ {c}\n}}")),
];

/// Commands of the corpora, put together and wrapped at random.
fn composed(seed: u64, commands: &[String]) -> String {
    const JOINTS: [&str; 5] = ["\n", "; ", " && ", " || ", " | "];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |most: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % most as u64).expect("small")
    };
    let mut text = String::new();
    for at in 0..=next(3) {
        let mut part = commands.get(next(commands.len())).expect("one").clone();
        for _ in 0..next(3) {
            let (_, _, change) = AROUND.get(next(AROUND.len())).expect("one");
            part = change(&part);
        }
        // A document and a comment end with their line, nothing follows `&`, and no `!` a pipe.
        let ends = text.contains("<<") || text.contains(['#', '&']);
        let joint = match ends || part.starts_with('!') {
            true => "\n",
            false => JOINTS.get(next(JOINTS.len())).expect("one"),
        };
        if at > 0 {
            text.push_str(joint);
        }
        text.push_str(&part);
    }
    text
}

/// Scripts of many commands in many layers. `AUTOMODE_FUZZ_SECONDS` goes on past the fixed rounds.
#[test]
fn what_stands_around_a_script_never_loosens_it() {
    const ROUND: u64 = 150;
    let seconds = std::env::var("AUTOMODE_FUZZ_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(0);
    let end = Instant::now() + Duration::from_secs(seconds);
    // A comment is no command: a group of it is an error, and nothing in front of that would run.
    let mut commands = commands();
    commands.retain(|command| !command.trim_start().starts_with('#'));
    let mut seed = 1;
    let mut found = Vec::new();
    loop {
        let scripts = (seed..seed + ROUND).map(|seed| composed(seed, &commands));
        found.extend(looser(&stopped(scripts.collect()), AROUND, 1));
        seed += ROUND;
        if Instant::now() >= end {
            break;
        }
    }
    let (scripts, looser) = (seed - 1, found.len());
    println!("{scripts} scripts in {seconds} s and more, {looser} looser");
    assert!(
        found.is_empty(),
        "{looser} of {scripts} scripts are looser:\n{}",
        found.join("\n")
    );
}

/// What scripts at random have found.
#[test]
fn what_was_looser_once() {
    let scripts = [
        "bash -c '{ . .venv/bin/activate; python -m pytest\n}'\n! { eval 'pylint src'\n} || export LD_PRELOAD=/tmp/x.so; ls",
        ". .venv/bin/activate; export LD_PRELOAD=/tmp/x.so; ls",
        ". .venv/bin/activate; GIT_SSH_COMMAND=./x git fetch",
        ". .venv/bin/activate; ./unknown.sh",
    ];
    let stopped = stopped(scripts.map(str::to_owned).to_vec());
    assert_eq!(stopped.len(), scripts.len(), "{stopped:?}");
    let looser = looser(&stopped, AROUND, 1);
    assert!(looser.is_empty(), "{}", looser.join("\n"));
}

#[test]
fn what_is_not_understood_never_loosens_what_is() {
    use Takes::Any;
    never_looser(&[
        (Any, "unknown after", |c| format!("{c}\nfrobnicate --now")),
        (Any, "unknown before", |c| format!("frobnicate --now\n{c}")),
        (Any, "dynamic after", |c| format!("{c}\n$PROGRAM x")),
        (Any, "dynamic before", |c| format!("$PROGRAM x\n{c}")),
        (Any, "unread after", |c| format!("{c}\n. ./unknown.sh")),
        (Any, "broken after", |c| format!("{c}\n(")),
        (Any, "unclosed after", |c| format!("{c}\necho 'x")),
    ]);
}
