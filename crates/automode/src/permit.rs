//! One-time permits: a person said "that was fine" about one call.
//!
//! A permit is a file named after the call's digest. Whoever removes it uses it, so
//! it serves once, however many hooks run. It lives for a quarter of an hour. The
//! directory is the user's own and guarded: an agent that writes there is vetoed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use automode_core::redact::redact;
use automode_core::{Action, ToolCall, path, tool};

use crate::state::{State, open_private};

/// How long a permit lives.
pub const LIFE: Duration = Duration::from_secs(15 * 60);

/// The longest rule that is proposed.
const MAX_RULE: usize = 500;

/// The digest of what a call means and where: a permit for it fits no other call.
#[must_use]
pub fn fingerprint(call: &ToolCall) -> String {
    let (name, action) = tool::normalize(call);
    let place = tool::working_directory(call);
    let meaning = format!("{name}\0{action:?}\0{place}\0{}", call.cwd);
    let mut digest = automode_core::digest(meaning);
    digest.truncate(32);
    digest
}

/// The most words of a command that are looked up, and the most bytes of a file behind one.
const MOST_WORDS: usize = 64;
const MOST_BYTES: u64 = 1024 * 1024;

/// Files in which runners look up what a task is.
const TASK_FILES: &[&str] = &[
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    ".justfile",
    "Justfile",
    "Taskfile.yml",
    "Taskfile.yaml",
    "package.json",
    "composer.json",
    "pyproject.toml",
    "tox.ini",
    "noxfile.py",
    "tasks.py",
    "Rakefile",
    "Cargo.toml",
    "build.gradle",
    "build.gradle.kts",
    "pom.xml",
    "mix.exs",
    "deno.json",
    "docker-compose.yml",
    "docker-compose.yaml",
    "compose.yml",
    "compose.yaml",
    "Procfile",
    "mise.toml",
];

/// The digest that a permit is given for: the call, the files that it names as they are, and
/// those in which its tasks are looked up. A script that was changed since is another one.
#[must_use]
pub fn bound(call: &ToolCall) -> String {
    let (_, action) = tool::normalize(call);
    let command = if let Action::Shell { command } | Action::PowerShell { command } = &action {
        command.as_str()
    } else {
        ""
    };
    let place = tool::working_directory(call);
    let parting = |letter: char| letter.is_whitespace() || "'\";&|()<>=`".contains(letter);
    let mut contents = String::new();
    for word in command
        .split(parting)
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
    {
        let path = path::absolute(word, &place, std::env::var("HOME").ok().as_deref());
        contents.extend(content(&path));
        // `make -C sub`, `cd sub && make`.
        contents.extend(tasks(&path));
    }
    if !command.is_empty() {
        contents.extend(tasks(&place));
    }
    let mut print = fingerprint(call);
    if !contents.is_empty() {
        let mut digest = automode_core::digest(contents);
        digest.truncate(16);
        print.push_str(&digest);
    }
    print
}

/// What stands in the task files of a directory.
fn tasks(directory: &str) -> impl Iterator<Item = String> {
    let is_directory = fs::metadata(directory).is_ok_and(|about| about.is_dir());
    let directory = directory.trim_end_matches('/').to_owned();
    let names = TASK_FILES.iter().filter(move |_| is_directory);
    names.filter_map(move |name| content(&format!("{directory}/{name}")))
}

/// What stands for the content of a file; nothing where there is none.
fn content(path: &str) -> Option<String> {
    let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let body = (about.len() <= MOST_BYTES)
        .then(|| fs::read(path).ok())
        .flatten();
    // What cannot be read is never the same again.
    Some(body.map_or_else(
        || format!("{:?}{:?}", about.len(), about.modified().ok()),
        automode_core::digest,
    ))
}

/// The narrowest permission rule that covers a call; nothing where it would have to say more than it may.
#[must_use]
pub fn narrowest(call: &ToolCall) -> Option<String> {
    let (name, action) = tool::normalize(call);
    let home = None;
    let rule = match action {
        Action::Shell { command } => format!("{name}({})", command.trim()),
        Action::Read { path } | Action::Edit { path, .. } | Action::Write { path, .. } => {
            format!("{name}(/{})", path::absolute(&path, &call.cwd, home))
        }
        Action::Fetch { url, .. } => {
            let rest = url.split_once("://")?.1;
            let host = rest.split(['/', '?', '#', ':']).next()?;
            (!host.is_empty() && !host.contains('@')).then(|| format!("{name}(domain:{host})"))?
        }
        Action::Mcp { .. } => name.into_owned(),
        Action::PowerShell { .. }
        | Action::Search { .. }
        | Action::Notebook { .. }
        | Action::WebSearch { .. }
        | Action::Spawn { .. }
        | Action::Schedule { .. }
        | Action::Message { .. }
        | Action::Configure { .. }
        | Action::Interact
        | Action::Inert
        | Action::Opaque { .. } => return None,
    };
    // A rule is one readable line without secrets, and a `*` in it would mean more than this call.
    let plain = rule.len() <= MAX_RULE && !rule.contains(['\n', '*']) && redact(&rule) == rule;
    plain.then_some(rule)
}

/// Permits the next call with this digest.
///
/// # Errors
/// Where the permit cannot be written.
pub fn grant(state: &State, print: &str, decision: &str) -> io::Result<()> {
    let path = place(state, print).ok_or(io::ErrorKind::InvalidInput)?;
    state.directory("permits")?;
    let _ = fs::remove_file(&path);
    let mut file: File = open_private(&path)?;
    file.write_all(decision.as_bytes())
}

/// Permits the next call with this digest to reach hosts while it is confined; never without.
///
/// # Errors
/// Where the permit cannot be written.
pub fn open_hosts(state: &State, print: &str, hosts: &[String]) -> io::Result<()> {
    let path = hosts_place(state, print).ok_or(io::ErrorKind::InvalidInput)?;
    state.directory("permits")?;
    let _ = fs::remove_file(&path);
    let mut file: File = open_private(&path)?;
    file.write_all(hosts.join("\n").as_bytes())
}

/// Uses up what was permitted so; the hosts.
#[must_use]
pub fn redeem_hosts(state: &State, print: &str, now: SystemTime) -> Vec<String> {
    let told = hosts_place(state, print).and_then(|path| used_up(&path, now));
    let told = told.unwrap_or_default();
    told.lines().map(str::to_owned).collect()
}

/// Whether a permit of this digest lies ready.
#[must_use]
pub fn is_granted(state: &State, print: &str) -> bool {
    place(state, print).is_some_and(|path| path.exists())
}

/// Whether there is any permit at all: most calls meet none, and need not ask for their own.
#[must_use]
pub fn are_given(state: &State) -> bool {
    let mut permits = fs::read_dir(state.path("permits")).into_iter().flatten();
    permits.next().is_some()
}

/// Uses the permit of this digest up. Says which decision it was given for.
#[must_use]
pub fn redeem(state: &State, print: &str, now: SystemTime) -> Option<String> {
    used_up(&place(state, print)?, now)
}

/// What a permit says, which nobody else can use then.
fn used_up(path: &Path, now: SystemTime) -> Option<String> {
    let given = fs::symlink_metadata(path).ok()?;
    let told = fs::read_to_string(path).ok()?;
    fs::remove_file(path).ok()?;
    let age = now.duration_since(given.modified().ok()?).ok()?;
    (given.is_file() && age <= LIFE).then_some(told)
}

fn hosts_place(state: &State, print: &str) -> Option<PathBuf> {
    Some(place(state, print)?.with_extension("hosts"))
}

fn place(state: &State, print: &str) -> Option<PathBuf> {
    let plain = !print.is_empty() && print.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| state.path("permits").join(print))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(tool: &str, input: &serde_json::Value) -> ToolCall {
        ToolCall {
            tool: tool.to_owned(),
            input: input.as_object().unwrap().clone(),
            cwd: "/w".to_owned(),
        }
    }

    fn check(tool: &str, input: &serde_json::Value, rule: Option<&str>) {
        assert_eq!(narrowest(&call(tool, input)).as_deref(), rule);
    }

    #[test]
    fn a_rule_says_no_more_than_the_call() {
        check(
            "Bash",
            &json!({"command": "make deploy"}),
            Some("Bash(make deploy)"),
        );
        check("bash", &json!({"command": "make a*"}), None);
        check("Bash", &json!({"command": "a\nb"}), None);
        check(
            "Bash",
            &json!({"command": "curl -H 'Authorization: Bearer sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789' x"}),
            None,
        );
        check(
            "Write",
            &json!({"file_path": "a.txt", "content": "x"}),
            Some("Write(//w/a.txt)"),
        );
        check(
            "WebFetch",
            &json!({"url": "https://docs.rs/x?y", "prompt": "p"}),
            Some("WebFetch(domain:docs.rs)"),
        );
        check(
            "WebFetch",
            &json!({"url": "https://a@b/x", "prompt": "p"}),
            None,
        );
        check("mcp__mail__send", &json!({}), Some("mcp__mail__send"));
        check("Teleport", &json!({}), None);
    }

    #[test]
    fn a_permit_serves_once_and_dies() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::at(directory.path().join("automode")).unwrap();
        let print = fingerprint(&call("Bash", &json!({"command": "make"})));
        assert_ne!(
            print,
            super::fingerprint(&call("Bash", &json!({"command": "make x"})))
        );
        assert_eq!(
            print,
            super::fingerprint(&call(
                "bash",
                &json!({"command": "make", "description": "d"})
            ))
        );
        let now = SystemTime::now();
        assert_eq!(redeem(&state, &print, now), None);
        grant(&state, &print, "k3f9").unwrap();
        assert_eq!(
            redeem(&state, &print, now + Duration::from_secs(5)).as_deref(),
            Some("k3f9")
        );
        assert_eq!(redeem(&state, &print, now), None);
        grant(&state, &print, "k3f9").unwrap();
        assert_eq!(redeem(&state, &print, now + LIFE + LIFE), None);
        assert!(grant(&state, "../../x", "k").is_err());
    }
}
