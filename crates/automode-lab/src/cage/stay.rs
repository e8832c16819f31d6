//! One case in its room: the first process there runs the steps, waits, and reports.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use nix::errno::Errno;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::time::TimeValLike as _;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::entry::Privilege;
use super::{CageLimits, CageStep, RecordedRuling, StepResult, WorkerOrder, room};
use crate::world::{COMPANION, ENVIRONMENT, HOME, PROJECT, environment};

/// Where system calls are recorded, inside the room.
pub const TRACE: &str = "/tmp/.lab-trace";

/// What the room's first process is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stay {
    pub steps: Vec<CageStep>,
    pub order: WorkerOrder,
    pub limits: CageLimits,
    /// The token that the environment carries.
    pub token: String,
    pub traced: bool,
}

/// What it says in the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Departure {
    pub steps: Vec<StepResult>,
    pub companion_lives: bool,
    pub cpu_micros: u64,
}

/// Runs one case.
pub fn run(privilege: Privilege, place: &str) -> Result<()> {
    let mut told = String::new();
    io::stdin().read_to_string(&mut told)?;
    let stay: Stay = serde_json::from_str(&told)?;
    let output = OpenOptions::new()
        .create(true)
        .append(true)
        .open(format!("{place}/output"))?;
    room::furnish(privilege, place)?;
    room::lower_rights(privilege)?;
    stay.limits.impose()?;
    env::set_current_dir(PROJECT)?;
    let companion = companion()?;
    if stay.order == WorkerOrder::Confined {
        learn_to_confine()?;
    }
    let mut steps = Vec::new();
    for step in &stay.steps {
        steps.push(take(&stay, step, &companion, &output)?);
    }
    let departure = Departure {
        steps,
        companion_lives: lives(&companion),
        cpu_micros: cpu_micros(),
    };
    io::stdout().write_all(serde_json::to_string(&departure)?.as_bytes())?;
    // The end of the first process is the end of all in the room.
    Ok(())
}

/// A process of the person's that has nothing to do with the case.
pub fn companion() -> Result<Child> {
    Command::new(COMPANION)
        .arg("100000")
        .env_clear()
        .envs(ENVIRONMENT.iter().copied())
        .current_dir(HOME)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .context("the companion could not be started")
}

/// Whether the companion lives and runs; stopped is as good as dead.
fn lives(companion: &Child) -> bool {
    for _ in 0..100 {
        let status = fs::read_to_string(format!("/proc/{}/status", companion.id()));
        let status = status.unwrap_or_default();
        let field = |name: &str| {
            let mut lines = status.lines();
            lines.find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
        };
        // A signal that was sent is not yet one that arrived.
        let pending = ["SigPnd:", "ShdPnd:"]
            .iter()
            .any(|name| field(name).is_some_and(|bits| bits.chars().any(|bit| bit != '0')));
        if !pending {
            let state = field("State:").unwrap_or_default();
            return state.starts_with(['S', 'R', 'D']);
        }
        thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Lists every object of the repository that can still be reached, after a case.
pub fn inspect(privilege: Privilege, place: &str) -> Result<()> {
    room::furnish(privilege, place)?;
    room::lower_rights(privilege)?;
    env::set_current_dir("/")?;
    let listing = Command::new("git")
        .args([
            "-C",
            PROJECT,
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .args([
            "rev-list",
            "--objects",
            "--no-object-names",
            "--all",
            "--reflog",
            "--indexed-objects",
        ])
        .env_clear()
        .envs(ENVIRONMENT.iter().copied())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    io::stdout().write_all(&listing.stdout)?;
    Ok(())
}

fn take(stay: &Stay, step: &CageStep, companion: &Child, output: &File) -> Result<StepResult> {
    let number = stay
        .steps
        .iter()
        .position(|one| one == step)
        .unwrap_or_default();
    let mut told = None;
    let ruling = match stay.order {
        WorkerOrder::Undecided | WorkerOrder::Check | WorkerOrder::Weigh => None,
        WorkerOrder::CheckBinary => Some(check(step)?),
        WorkerOrder::Hook | WorkerOrder::Confined => {
            let (ruling, rewritten) = hook(step, number)?;
            told = rewritten;
            Some(ruling)
        }
    };
    let mut result = StepResult {
        ran: ruling.as_ref().is_none_or(RecordedRuling::allows),
        ruling,
        confined: told.is_some(),
        exit: None,
        timed_out: false,
    };
    // A client runs what it is told to run.
    let told = told.map(CageStep::Shell);
    let step = told.as_ref().unwrap_or(step);
    if !result.ran {
        return Ok(result);
    }
    match step {
        CageStep::Shell(command) => execute(stay, command, companion, output, &mut result)?,
        CageStep::Write { path, text } => result.exit = Some(i32::from(write(path, text).is_err())),
        CageStep::Edit { path, from, to } => {
            let done =
                fs::read_to_string(path).and_then(|old| write(path, &old.replacen(from, to, 1)));
            result.exit = Some(i32::from(done.is_err()));
        }
    }
    if matches!(stay.order, WorkerOrder::Hook | WorkerOrder::Confined) {
        after(step, number, &result)?;
    }
    Ok(result)
}

fn write(path: &str, text: &str) -> io::Result<()> {
    if let Some(parent) = Path::new(path).parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}

fn execute(
    stay: &Stay,
    command: &str,
    companion: &Child,
    output: &File,
    result: &mut StepResult,
) -> Result<()> {
    let mut shell = if stay.traced {
        let mut strace = Command::new("strace");
        strace.args([
            "-f",
            "-qq",
            "-s",
            "256",
            "-e",
            "trace=%file,connect",
            "-o",
            TRACE,
        ]);
        strace.args(["/bin/bash", "-c", command]);
        strace
    } else {
        let mut bash = Command::new("/bin/bash");
        bash.args(["-c", command]);
        bash
    };
    let child = shell
        .env_clear()
        .envs(environment(&stay.token))
        .current_dir(PROJECT)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?)
        .process_group(0)
        .spawn();
    let child = match child {
        Ok(child) => child,
        // Too long for a command line: the client could not have started it either.
        Err(_) => {
            result.exit = Some(126);
            return Ok(());
        }
    };
    let started = Instant::now();
    let limit = Duration::from_millis(stay.limits.step_millis);
    let mut done = None;
    loop {
        let deadline = match done {
            None => started + limit,
            Some(ended) => ended + Duration::from_millis(stay.limits.linger_millis),
        };
        if Instant::now() >= deadline {
            result.timed_out = done.is_none();
            break;
        }
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => {
                if done.is_some() && alone(companion) {
                    return Ok(());
                }
                pause(started);
            }
            Ok(status) if is_of(&status, &child) => {
                result.exit = exit_of(&status);
                done = Some(Instant::now());
            }
            Ok(_) => {}
            Err(Errno::ECHILD) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
    stop_all_but(companion);
    Ok(())
}

/// Short waits first: most cases end at once.
fn pause(started: Instant) {
    let passed = started.elapsed();
    let nap = if passed < Duration::from_millis(10) {
        300
    } else {
        3_000
    };
    thread::sleep(Duration::from_micros(nap));
}

fn is_of(status: &WaitStatus, child: &Child) -> bool {
    status.pid().map(Pid::as_raw) == i32::try_from(child.id()).ok()
}

const fn exit_of(status: &WaitStatus) -> Option<i32> {
    match status {
        WaitStatus::Exited(_, code) => Some(*code),
        _ => None,
    }
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn alone(companion: &Child) -> bool {
    let own = i32::try_from(companion.id()).unwrap_or_default();
    !processes().any(|pid| pid != 1 && pid != own)
}

/// Stops what is left, so that it cannot go on while the next step is decided.
fn stop_all_but(companion: &Child) {
    let own = i32::try_from(companion.id()).unwrap_or_default();
    for _ in 0..20 {
        let rest: Vec<i32> = processes().filter(|pid| *pid != 1 && *pid != own).collect();
        if rest.is_empty() {
            return;
        }
        for pid in rest {
            // It may be gone by now.
            kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap_or_default();
        }
        while matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Ok(status) if status != WaitStatus::StillAlive)
        {
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn cpu_micros() -> u64 {
    [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN]
        .into_iter()
        .filter_map(|who| getrusage(who).ok())
        .map(|usage| {
            let micros =
                usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
            u64::try_from(micros).unwrap_or_default()
        })
        .sum()
}

/// Asks the real binary, as a person would on the command line.
fn check(step: &CageStep) -> Result<RecordedRuling> {
    let (tool, input) = step.call();
    let said = ask(
        &["check", "--json", "--tool", tool, "--input", "-"],
        &Value::Object(input),
    )?;
    let text = |name: &str| said.get(name).and_then(Value::as_str).unwrap_or_default();
    Ok(RecordedRuling {
        verdict: text("verdict").to_owned(),
        ground: said.get("ground").map(Value::to_string).unwrap_or_default(),
    })
}

/// What the client is told to run in place of its own.
type RewrittenCommand = Option<String>;

/// Asks the real binary, as a client does before it uses a tool.
fn hook(step: &CageStep, number: usize) -> Result<(RecordedRuling, RewrittenCommand)> {
    let said = ask(&["hook", "claude-code"], &event("PreToolUse", step, number))?;
    let answer = said.get("hookSpecificOutput");
    let text = |name: &str| {
        let value = answer.and_then(|answer| answer.get(name));
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let rewritten = said.pointer("/hookSpecificOutput/updatedInput/command");
    let ruling = RecordedRuling {
        verdict: text("permissionDecision"),
        ground: text("permissionDecisionReason"),
    };
    Ok((ruling, rewritten.and_then(Value::as_str).map(str::to_owned)))
}

/// Lets automode find out what can confine a command here, as its installation does.
fn learn_to_confine() -> Result<()> {
    Command::new("/usr/local/bin/automode")
        .args(["run", "--", "true"])
        .env_clear()
        .envs(ENVIRONMENT.iter().copied())
        .current_dir(PROJECT)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("automode could not be started in the room")?;
    Ok(())
}

/// Tells the binary that a tool was used.
fn after(step: &CageStep, number: usize, result: &StepResult) -> Result<()> {
    let mut told = event("PostToolUse", step, number);
    if let Some(told) = told.as_object_mut() {
        let answer = json!({ "stdout": "", "stderr": "", "interrupted": result.timed_out });
        told.insert("tool_response".to_owned(), answer);
    }
    ask(&["hook", "claude-code"], &told).map(drop)
}

fn event(name: &str, step: &CageStep, number: usize) -> Value {
    let (tool, input) = step.call();
    json!({
        "session_id": "lab",
        "transcript_path": format!("{HOME}/.claude/projects/app/lab.jsonl"),
        "cwd": PROJECT,
        "permission_mode": "auto",
        "hook_event_name": name,
        "tool_name": tool,
        "tool_input": input,
        "tool_use_id": format!("lab-{number}"),
    })
}

fn ask(arguments: &[&str], told: &Value) -> Result<Value> {
    let mut child = Command::new("/usr/local/bin/automode")
        .args(arguments)
        .env_clear()
        .envs(ENVIRONMENT.iter().copied())
        // Where somebody is there, more is allowed: a loss that is kept.
        .env("CLAUDE_CODE_SESSION_ATTENDED", "1")
        .current_dir(PROJECT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("automode could not be started in the room")?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(told.to_string().as_bytes())?;
    }
    let output = child.wait_with_output()?;
    Ok(serde_json::from_slice(&output.stdout).unwrap_or(Value::Null))
}
