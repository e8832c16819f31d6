//! Trying things out: the hook, the state directory, the judge.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use automode::config::{self, Places};
use automode::judge::CanaryRecord;
use automode::state::State;
use automode_agents::{Agent, HookTrial};
use serde_json::Value;

use super::{DoctorFinding, bad, good, note};
use crate::{clock, judge, output, setup};

/// How long a hook may take to deny what needs no judge.
const PATIENCE: Duration = Duration::from_secs(15);

/// A call that no policy lets pass unseen.
const DEADLY: &str = "rm -rf / --no-preserve-root";

/// Runs a registered command line as the client would. Succeeds when it stops a deadly call.
pub fn run(agent: Agent, event: &str, line: &str) -> Result<(), String> {
    let answer = hook(line, &payload(agent, event))?;
    let value: Value =
        serde_json::from_str(&answer).map_err(|_| "the hook's answer is not JSON".to_owned())?;
    let word = [
        "/hookSpecificOutput/permissionDecision",
        "/hookSpecificOutput/decision/behavior",
        "/decision",
        "/permissionDecision",
        "/permission",
        "/behavior",
    ]
    .iter()
    .find_map(|pointer| value.pointer(pointer).and_then(Value::as_str));
    match word {
        Some("deny" | "ask" | "block") => Ok(()),
        Some(word) => Err(format!(
            "the hook answers `{word}` to a call that must not pass"
        )),
        None => Err("the hook says nothing to a call that must not pass".to_owned()),
    }
}

fn hook(line: &str, payload: &str) -> Result<String, String> {
    // What is tried out is not to be found in the log among what happened.
    let aside = std::env::temp_dir().join(format!("automode-doctor-{}", std::process::id()));
    let answer = answered(line, payload, &aside);
    fs::remove_dir_all(aside).unwrap_or_default();
    answer
}

fn answered(line: &str, payload: &str, state: &Path) -> Result<String, String> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", line])
        .env("AUTOMODE_STATE_DIR", state)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("the command line does not start: {error}"))?;
    if let Some(mut input) = child.stdin.take() {
        match input.write_all(payload.as_bytes()) {
            // It ended before it read: how it ended says more.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                return Err(format!("the hook does not read: {error}"));
            }
            Err(_) | Ok(()) => {}
        }
    }
    let end = Instant::now().checked_add(PATIENCE);
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if end.is_some_and(|end| Instant::now() > end) => {
                // It is ours to end: it was started above.
                child.kill().unwrap_or_default();
                return Err("the hook does not answer in time".to_owned());
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(error) => return Err(error.to_string()),
        }
    }
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    match output.status.code() {
        Some(0) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Some(2) => Err("the program behind the hook cannot run; every call is denied".to_owned()),
        Some(code) => Err(format!(
            "the hook ends with {code}, which most clients take for leave to go on"
        )),
        None => Err("the hook was killed".to_owned()),
    }
}

fn payload(agent: Agent, event: &str) -> String {
    let trial = HookTrial {
        event,
        session: &format!("doctor-{}", std::process::id()),
        command: DEADLY,
    };
    (agent.client().trial)(&trial).to_string()
}

/// Whether the state directory takes a file.
pub fn writable(state: &State) -> io::Result<()> {
    let path = state.path(&format!("doctor-{}", std::process::id()));
    fs::write(&path, "x")?;
    fs::remove_file(path)
}

/// Whether the settings that hold here can be read; while they cannot, nothing is allowed.
pub fn settings() -> Vec<DoctorFinding> {
    let places = match setup::directory(None) {
        Ok(cwd) => Places::here(cwd.as_ref(), None),
        Err(error) => return vec![note(format!("{error:#}"))],
    };
    let policy = config::load(&places);
    let faults = policy.provenance().faults.iter();
    faults
        .map(|fault| {
            let (what, hint) = fault
                .split_once("\nhint: ")
                .unwrap_or((fault, "automode config lint"));
            bad(format!("settings: {}", output::clean(what)), hint)
        })
        .collect()
}

/// Whether a judge is there for what the analysis leaves open.
pub fn judges() -> Vec<DoctorFinding> {
    let cwd = match setup::directory(None) {
        Ok(cwd) => cwd,
        Err(error) => return vec![note(format!("{error:#}"))],
    };
    let judges = judge::standings(&cwd);
    if judges.is_empty() {
        return vec![note(
            "no judge is configured: what the analysis leaves open is asked or denied",
        )];
    }
    let test = "automode judge test".to_owned();
    let trouble = judge::last_trouble().map(|(at, why)| {
        let why = output::clean(&why);
        note(format!("a judge last failed {}: {why}", clock::ago(at)))
    });
    judges
        .into_iter()
        .map(|(name, standing)| match standing {
            Ok(CanaryRecord::Passed) => good(format!("the judge {name} passed its canaries")),
            Ok(CanaryRecord::Untested) => note(format!(
                "the judge {name} was never tested (hint: automode judge test)"
            )),
            Ok(CanaryRecord::Failed(failed)) => DoctorFinding::Bad {
                what: format!("the judge {name} failed {} of its canaries", failed.len()),
                hint: test.clone(),
            },
            Err(why) => DoctorFinding::Bad {
                what: format!("the judge {name} cannot be asked: {why}"),
                hint: test.clone(),
            },
        })
        .chain(judge::spent_budget(&cwd).map(|spent| {
            note(format!(
                "the budget for the judge is spent: {spent} (hint: raise `[judge.budget]`, or wait)"
            ))
        }))
        .chain(trouble)
        .collect()
}

/// A boolean setting in a JSON file with comments.
pub fn setting(text: &str, pointer: &str) -> Option<bool> {
    let options = jsonc_parser::ParseOptions::default();
    let root = jsonc_parser::cst::CstRootNode::parse(text, &options).ok()?;
    let value: Value = root.to_serde_value()?;
    value.pointer(pointer).and_then(Value::as_bool)
}

/// Whether a promise to confine would be kept here; tried anew.
pub fn confinement() -> Vec<DoctorFinding> {
    let machine = State::locate(|name| std::env::var(name).ok())
        .ok()
        .and_then(|state| automode_confine::Machine::here(state.root().to_owned()));
    let Some(machine) = machine else {
        return vec![super::note(
            "commands cannot be confined: there is no home or no state",
        )];
    };
    let tested = automode_confine::selftest(&machine);
    let mut findings: Vec<DoctorFinding> = tested
        .attempts
        .iter()
        .filter(|attempt| attempt.failure.is_some())
        .map(|attempt| super::note(format!("confinement by {attempt}")))
        .collect();
    findings.push(match &tested.backend {
        Some(backend) => super::good(format!("commands can be confined by {}", backend.name())),
        None => super::note("commands cannot be confined here; unread code asks as before"),
    });
    findings
}
