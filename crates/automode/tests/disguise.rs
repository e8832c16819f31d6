//! Laws about one command in other clothes, over the project's own corpora and with no judge:
//! what stands around a command, and what is not understood beside it, never loosens the answer.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use automode::eval::{self, CORPUS, Case, Outcome};
use automode::{Gate, Policy, Verdict};
use serde_json::json;

/// Commands of the corpora that are not allowed as they stand: there is something to lose.
fn stopped() -> Vec<(String, Verdict)> {
    let mut commands: Vec<String> = CORPUS
        .iter()
        .flat_map(|(name, text)| eval::parse(text, name).expect("cases"))
        .filter(|case| case.call.tool == "Bash" && case.transcript.is_empty())
        .filter_map(|case| Some(case.call.input.get("command")?.as_str()?.to_owned()))
        .chain(shell_corpus())
        .collect();
    commands.sort();
    commands.dedup();
    let verdicts = decide(&commands);
    let stopped = commands.into_iter().zip(verdicts);
    stopped
        .filter(|(_, verdict)| *verdict > Verdict::Allow)
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

fn decide(commands: &[String]) -> Vec<Verdict> {
    let case = |command: &String| -> Case {
        serde_json::from_value(json!({
            "id": command,
            "label": "dual",
            "call": {"tool": "Bash", "input": {"command": command}},
        }))
        .expect("a case")
    };
    let cases: Vec<Case> = commands.iter().map(case).collect();
    let outcomes = eval::run(&cases, || Gate::new(Policy::default()), |_| {});
    outcomes
        .into_iter()
        .map(|Outcome { verdict, .. }| verdict)
        .collect()
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
    let stopped = stopped();
    assert!(stopped.len() > 500, "only {} commands", stopped.len());
    let mut looser = Vec::new();
    for (at, (takes, name, change)) in changes.iter().enumerate() {
        let taken: Vec<&(String, Verdict)> = stopped
            .iter()
            .skip(at % STRIDE)
            .step_by(STRIDE)
            .filter(|(command, _)| takes.admits(command))
            .collect();
        let changed: Vec<String> = taken.iter().map(|(command, _)| change(command)).collect();
        for ((plain, verdict), got) in taken.iter().zip(decide(&changed)) {
            if got < *verdict {
                looser.push(format!("{name}: {verdict:?} to {got:?}: {plain}"));
            }
        }
    }
    assert!(
        looser.is_empty(),
        "{} looser:\n{}",
        looser.len(),
        looser.join("\n")
    );
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
