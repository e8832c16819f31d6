//! Sudden ends: whatever kills the hook, the call does not run.
//!
//! The bare process blocks in every death that can be caught. The command line that
//! is installed also blocks where there is no process at all.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use automode_agents::Agent;
use automode_agents::install::{self, Place, Request, Scope};
use automode_agents::{Enforcement, Proof};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::bench::{Bench, DEADLY, PROGRAM, SAFE, finish};

/// Payloads that carry a deadly call and are hard to swallow.
fn hostile(bench: &Bench) -> Vec<(&'static str, Vec<u8>)> {
    let call = |command: String| bench.call(&command).to_string().into_bytes();
    let beside = |more: &str| {
        let text = bench.call(DEADLY).to_string();
        format!("{},{more}}}", text.strip_suffix('}').unwrap()).into_bytes()
    };
    let nested = |open: &str, shut: &str, depth: usize| open.repeat(depth) + &shut.repeat(depth);
    let write = |content: String| {
        let write = json!({"tool_name": "Write", "tool_input": {"file_path": "/etc/passwd", "content": content}});
        bench.event("PreToolUse", &write).to_string().into_bytes()
    };
    let keys: String = (0..600_000).map(|at| format!("\"k{at}\":0,")).collect();
    vec![
        ("plain", call(DEADLY.to_owned())),
        (
            "30 MB",
            call(format!("{DEADLY} {}", "x".repeat(30_000_000))),
        ),
        ("8 MB", call(format!("{DEADLY} {}", "x".repeat(8_000_000)))),
        (
            "many words",
            call(format!("{DEADLY} {}", "x ".repeat(3_500_000))),
        ),
        (
            "many commands",
            call(format!("{}{DEADLY}", "ls;".repeat(300_000))),
        ),
        ("deep lists", nested("[", "]", 100_000).into_bytes()),
        ("deep objects", nested("{\"a\":", "}", 100_000).into_bytes()),
        (
            "a deep field",
            beside(&format!("\"x\":{}", nested("[", "]", 100_000))),
        ),
        (
            "many values",
            beside(&format!("\"x\":[{}0]", "0,".repeat(5_000_000))),
        ),
        ("many names", beside(&format!("\"x\":{{{keys}\"z\":0}}"))),
        (
            "200,000 values",
            beside(&format!("\"x\":[{}0]", "0,".repeat(200_000))),
        ),
        (
            "a name twice",
            beside("\"tool_input\":{\"command\":\"ls\"}"),
        ),
        (
            "a long number",
            beside(&format!("\"x\":{}", "9".repeat(1_000_000))),
        ),
        ("not UTF-8", [call(DEADLY.to_owned()), vec![0xff]].concat()),
        ("half a surrogate", beside("\"x\":\"\\ud800\"")),
        ("NUL", call(format!("ls\u{0}{DEADLY}"))),
        (
            "parentheses",
            call(format!(
                "{}{DEADLY}{}",
                "(".repeat(4_000),
                ")".repeat(4_000)
            )),
        ),
        (
            "substitutions",
            call(format!(
                "{}{DEADLY}{}",
                "$(".repeat(3_000),
                ")".repeat(3_000)
            )),
        ),
        (
            "shells",
            call(format!("{}{DEADLY}", "bash -c ".repeat(1_000))),
        ),
        (
            "ifs",
            call(format!(
                "{}{DEADLY}{}",
                "if true; then ".repeat(500),
                "; fi".repeat(500)
            )),
        ),
        (
            "arithmetic",
            call(format!(
                "{DEADLY} $(({}1{}))",
                "(".repeat(4_000),
                ")".repeat(4_000)
            )),
        ),
        ("braces", call(format!("{DEADLY} {}", "{a,b}".repeat(30)))),
        ("a range", call(format!("{DEADLY} {{1..1000000000}}"))),
        ("nothing", Vec::new()),
        ("a long file", write("x=1\n".repeat(2_000_000))),
    ]
}

#[test]
fn scarce_memory_and_small_stacks_block() {
    let bench = Bench::new();
    let limits = [
        ":",
        "ulimit -s 16",
        "ulimit -f 0; ulimit -n 5",
        "ulimit -v 60000",
        "ulimit -v 120000",
        "ulimit -v 250000",
    ];
    for (name, payload) in hostile(&bench) {
        for limit in limits {
            let script = format!("{limit}; exec \"$0\" hook claude-code --deadline 20");
            let answer = finish(&mut bench.shell(&script), &payload);
            assert!(
                answer.blocks(),
                "{name}, {limit}: {:?} {} {}",
                answer.code,
                answer.stdout,
                answer.stderr
            );
        }
    }
}

/// Waits until the process catches signals, which it does before it reads its payload.
fn until_ready(pid: u32) {
    for _ in 0..500 {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let caught = status
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        // The last signal that it registers.
        if caught.is_some_and(|mask| mask >> (Signal::XFSZ.as_raw() - 1) & 1 == 1) {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_signal_blocks_what_was_to_be_decided() {
    let check = |mode: &str, signal: Signal, expected: Option<i32>| {
        let bench = Bench::new();
        let mut command = bench.command(&["hook", "claude-code", "--mode", mode]);
        let mut child = command.spawn().unwrap();
        let open = child.stdin.take();
        until_ready(child.id());
        kill_process(Pid::from_child(&child), signal).unwrap();
        let code = child.wait().unwrap().code();
        drop(open);
        assert_eq!(code, expected, "{mode} {signal:?}");
    };
    for signal in [
        Signal::ABORT,
        Signal::TERM,
        Signal::INT,
        Signal::HUP,
        Signal::QUIT,
        Signal::XCPU,
        Signal::ALARM,
        Signal::USR1,
        Signal::USR2,
        Signal::BUS,
    ] {
        check("enforce", signal, Some(2));
    }
    check("shadow", Signal::TERM, Some(0));
    // This one nobody survives: the installed command line has to block.
    check("enforce", Signal::KILL, None);
}

// --- the command line that is installed -----------------------------------------------------------

/// What the installer registers on an event, for a program at this path.
fn line(bench: &Bench, agent: Agent, program: &Path, event: &str) -> String {
    let place = Place {
        home: bench.path("home"),
        project: bench.path("shop"),
        ..Place::default()
    };
    let plan = install::plan(&Request {
        agent,
        scope: Scope::User,
        program: program.to_str().unwrap(),
        enforcement: Enforcement::Enforce,
        place: &place,
    });
    let text = plan.unwrap().change.apply(None).unwrap();
    let hooks = install::registered(agent, &text).unwrap();
    let hook = hooks.iter().find(|hook| hook.ours && hook.event == event);
    hook.unwrap().command.clone()
}

fn events(agent: Agent) -> impl Iterator<Item = (&'static str, bool)> {
    let events = install::events(agent).iter();
    events.map(|event| (event.name(), event.gates()))
}

/// Agents that run a command line of ours.
fn clients() -> impl Iterator<Item = Agent> {
    Agent::all().filter(|agent| install::hook_file(*agent).is_some())
}

/// A payload that all clients' parsers take for a call.
fn payload(bench: &Bench, agent: Agent, event: &str, command: &str) -> Value {
    let input = json!({"command": command});
    match (agent.name(), event) {
        ("copilot", "permissionRequest") => {
            json!({"hookName": event, "sessionId": "s", "cwd": bench.path("shop"), "toolName": "bash", "toolInput": input})
        }
        ("copilot", _) => {
            json!({"sessionId": "s", "cwd": bench.path("shop"), "toolName": "bash", "toolArgs": input})
        }
        (_, event) => bench.event(
            event,
            &json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": "t"}),
        ),
    }
}

#[test]
fn the_installed_line_blocks_when_the_program_is_gone_or_broken() {
    let bench = Bench::new();
    let program = bench.root.path().join("bin with space/automode");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    let whole = fs::read(PROGRAM).unwrap();
    let ways: [(&str, Option<&[u8]>, u32); 7] = [
        ("missing", None, 0),
        ("empty", Some(b""), 0o755),
        ("without the right to run", Some(b"x"), 0o644),
        ("rubbish", Some(&[0xff; 4096]), 0o755),
        ("a part of it", whole.get(..1_000_000), 0o755),
        ("only its beginning", whole.get(..4096), 0o755),
        ("another program", Some(b"#!/bin/sh\nexit 0\n"), 0o755),
    ];
    for (way, bytes, mode) in ways {
        let _ = fs::remove_file(&program);
        if let Some(bytes) = bytes {
            fs::write(&program, bytes).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
        }
        for agent in clients() {
            for (event, decides) in events(agent) {
                let line = line(&bench, agent, &program, event);
                let payload = payload(&bench, agent, event, DEADLY).to_string();
                let answer = finish(&mut bench.shell(&line), payload.as_bytes());
                let expected = if decides { Some(2) } else { Some(0) };
                assert_eq!(
                    answer.code, expected,
                    "{way}: {agent:?} {event} {}",
                    answer.stderr
                );
                assert_eq!(answer.stdout, "", "{way}: {agent:?} {event}");
                assert!(
                    !decides || answer.stderr.contains("denied"),
                    "{}",
                    answer.stderr
                );
            }
        }
    }
}

#[test]
fn the_installed_line_blocks_when_there_is_no_room_to_run() {
    let bench = Bench::new();
    for agent in clients() {
        for (event, _) in events(agent).filter(|(_, decides)| *decides) {
            let line = line(&bench, agent, Path::new(PROGRAM), event);
            let run = |limit: &str, command: &str| {
                let payload = payload(&bench, agent, event, command).to_string();
                let script = format!("{limit}\n{line}");
                finish(&mut bench.shell(&script), payload.as_bytes())
            };
            let decision = |answer: &Value| {
                let pointers = [
                    "/hookSpecificOutput/permissionDecision",
                    "/hookSpecificOutput/decision/behavior",
                    "/decision",
                    "/permissionDecision",
                    "/behavior",
                    "/permission",
                ];
                let mut found = pointers.iter().filter_map(|at| answer.pointer(at));
                found.next().and_then(Value::as_str).map(str::to_owned)
            };
            for limit in ["ulimit -v 20000", "ulimit -v 60000", "ulimit -n 3"] {
                let answer = run(limit, DEADLY);
                let denied = matches!(decision(&answer.json).as_deref(), Some("deny" | "block"));
                assert!(
                    answer.code == Some(2) || answer.code == Some(0) && denied,
                    "{agent:?} {event} {limit}: {:?} {}",
                    answer.code,
                    answer.stdout
                );
            }
            // Clients that are only documented speak other shapes; they have tests of their own.
            if agent.client().proof == Proof::Documented {
                continue;
            }
            // The line changes nothing about an answer that there is.
            let (safe, deadly) = (run(":", SAFE), run(":", DEADLY));
            assert_eq!(
                (safe.code, deadly.code),
                (Some(0), Some(0)),
                "{agent:?} {event}"
            );
            assert_eq!(decision(&deadly.json).as_deref(), Some("deny"));
            assert_ne!(
                decision(&safe.json).as_deref(),
                Some("deny"),
                "{}",
                safe.stdout
            );
        }
    }
}
