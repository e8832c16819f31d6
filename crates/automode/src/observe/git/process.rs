//! git itself, asked where its files cannot be read.
//!
//! The only place that starts a program. It gets an environment of its own, no hooks,
//! no monitor and no submodules, a group of its own that ends with it, and what is left
//! of the time that all questions of a call share. It is not started at all where the
//! repository's own configuration would make it run something.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use automode_core::GitState;
use rustix::process::{Pid, Signal, kill_process_group};

use super::super::repo::{self, ObservedRepository};

/// How long all questions of a call may take together.
pub(super) const BUDGET: Duration = Duration::from_secs(2);
/// The most output that is read; a repository that has more to say is dirty.
const MOST: u64 = 1024 * 1024;
/// The most text of a commit that is read at once.
const MOST_TEXT: u64 = 16 * 1024 * 1024;

/// Variables git needs to find itself and the user's own settings.
const INHERITED: &[&str] = &["PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT"];

/// The state of a canonical path; of a directory, of everything in it.
pub(super) fn state(repository: &ObservedRepository, path: &Path, until: Instant) -> GitState {
    if !repository.helpers().iter().all(|key| is_idle(key)) {
        return GitState::None;
    }
    let status = [
        "status",
        "--porcelain",
        "-z",
        "--untracked-files=all",
        "--ignored=matching",
        "--ignore-submodules=all",
        "--no-renames",
    ];
    let Some(report) = run(&repository.root, &status, path, until) else {
        return GitState::None;
    };
    match worst(&report) {
        Some(state) => state,
        // Silence means clean, or that git knows nothing of it.
        None => match run(&repository.root, &["ls-files", "-z"], path, until) {
            Some(tracked) if !tracked.is_empty() => GitState::Clean,
            Some(_) => GitState::Untracked,
            None => GitState::None,
        },
    }
}

/// Whether the key is of no consequence for `status` and `ls-files`, or overridden by us.
fn is_idle(key: &str) -> bool {
    let key = key.to_lowercase();
    !(key.starts_with("filter.") || key.starts_with("include"))
}

/// The state that would lose most, of all that `status` reports.
fn worst(report: &[u8]) -> Option<GitState> {
    report
        .split(|byte| *byte == 0)
        .filter_map(|entry| entry.get(..2))
        .map(|code| match code {
            b"??" => GitState::Untracked,
            b"!!" => GitState::Ignored,
            _ => GitState::Dirty,
        })
        .max_by_key(|state| super::loss(*state))
}

fn run(root: &Path, arguments: &[&str], path: &Path, until: Instant) -> Option<Vec<u8>> {
    let left = until.checked_duration_since(Instant::now())?;
    let mut command = prepared(root);
    command.args(arguments).arg("--").arg(path);
    wait(command.spawn().ok()?, left)
}

/// What git says about a repository, where asking makes it run nothing else.
pub(in super::super) fn output(root: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut command = asked(root)?;
    command.args(arguments);
    wait(command.spawn().ok()?, BUDGET).filter(|report| (report.len() as u64) < MOST)
}

/// What git says of the history, which may be long; nothing where it is too long. It looks at
/// no file of the tree, so that filters and monitors of the repository have nothing to do.
pub(in super::super) fn history(root: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut command = prepared(root);
    command.args(arguments);
    wait_for(command.spawn().ok()?, BUDGET, MOST_TEXT)
        .filter(|report| (report.len() as u64) < MOST_TEXT)
}

/// The texts that files have in a commit, by their names; what is no text is left out.
pub(in super::super) fn texts(
    root: &Path,
    commit: &str,
    names: &[&str],
) -> BTreeMap<String, String> {
    let plain: Vec<&str> = names
        .iter()
        .filter(|name| !name.contains('\n'))
        .copied()
        .collect();
    let ask: String = plain
        .iter()
        .map(|name| format!("{commit}:{name}\n"))
        .collect();
    let report = || {
        let mut command = asked(root)?;
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped());
        let mut child = command.spawn().ok()?;
        let mut input = child.stdin.take()?;
        // A question that breaks off leaves answers out, which `parsed` sees.
        thread::spawn(move || input.write_all(ask.as_bytes()).ok());
        wait_for(child, BUDGET, MOST_TEXT)
    };
    report().map_or_else(BTreeMap::new, |report| parsed(&report, &plain))
}

/// The answers of `cat-file --batch`, in the order of the questions.
fn parsed(report: &[u8], names: &[&str]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut rest = report;
    for name in names {
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            break;
        };
        let (header, after) = rest.split_at(end);
        let after = after.get(1..).unwrap_or_default();
        let header = String::from_utf8_lossy(header);
        let mut words = header.rsplit(' ');
        let size = words.next().and_then(|size| size.parse::<usize>().ok());
        let Some(size) = size.filter(|_| words.next() == Some("blob")) else {
            rest = after;
            continue;
        };
        let Some(body) = after.get(..size) else {
            break;
        };
        if let Ok(text) = std::str::from_utf8(body) {
            found.insert((*name).to_owned(), text.to_owned());
        }
        rest = after.get(size.saturating_add(1)..).unwrap_or_default();
    }
    found
}

/// Git for a repository whose configuration makes it run nothing.
fn asked(root: &Path) -> Option<Command> {
    let repository = repo::find(root)?;
    repository
        .helpers()
        .iter()
        .all(|key| is_idle(key))
        .then(|| prepared(root))
}

fn prepared(root: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .env_clear()
        .envs(
            INHERITED
                .iter()
                .filter_map(|name| Some((name, std::env::var_os(name)?))),
        )
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .env("LC_ALL", "C")
        .arg("-C")
        .arg(root)
        .args([
            "--no-pager",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// The whole output of a process that ended well and in time. Nothing of its group outlives this.
pub(super) fn wait(child: Child, patience: Duration) -> Option<Vec<u8>> {
    wait_for(child, patience, MOST)
}

fn wait_for(mut child: Child, patience: Duration, most: u64) -> Option<Vec<u8>> {
    let end = Instant::now().checked_add(patience)?;
    let output = child.stdout.take()?;
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut report = Vec::new();
        let read = output.take(most).read_to_end(&mut report);
        // Nobody listens any more once the deadline has passed.
        sender
            .send(read.is_ok().then_some(report))
            .unwrap_or_default();
    });
    let report = receiver.recv_timeout(patience).ok().flatten();
    let full = report
        .as_ref()
        .is_some_and(|report| report.len() as u64 == most);
    let mut ended = None;
    // One that closes its output and goes on is not waited for any longer than one that talks.
    while report.is_some() && !full && ended.is_none() && Instant::now() < end {
        ended = child.try_wait().ok().flatten();
        if ended.is_none() {
            thread::sleep(Duration::from_millis(1));
        }
    }
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It is ours to end: it was started above, in a group of its own.
        kill_process_group(group, Signal::KILL).ok();
    }
    child.wait().ok();
    report.filter(|_| full || ended.is_some_and(|status| status.success()))
}
