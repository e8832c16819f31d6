//! Whether a person sits at this terminal, and their answer to a question.
//!
//! What loosens a decision is only taken from a person: stdin and stdout are a
//! terminal, no agent says so in the environment, and none is among the parents of
//! this process. An agent can fake some of this with effort; its attempt to run the
//! command is vetoed before it gets here.

use std::env;
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::{Result, bail};
use automode_agents::{CLIENTS, Client};

/// What agents without a hook of ours set, and what they are called.
const OTHER_MARKS: &[&str] = &["AI_AGENT"];
const OTHER_AGENTS: &[&str] = &["aider"];

/// Refuses anybody but a person at a terminal.
pub fn required(what: &str) -> Result<()> {
    let marks = CLIENTS.iter().flat_map(|client| client.marks.variables);
    let mut marks = marks.chain(OTHER_MARKS);
    if let Some(mark) = marks.find(|mark| env::var_os(mark).is_some()) {
        bail!(
            "`{what}` is for a person, and `{mark}` says that an agent runs this\nhint: open another terminal, outside of the agent, and run it there"
        );
    }
    if let Some(agent) = agent_above() {
        bail!(
            "`{what}` is for a person, and `{agent}` runs this\nhint: open another terminal, outside of the agent, and run it there"
        );
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        bail!(
            "`{what}` is for a person at a terminal\nhint: type it in a terminal of your own, not in a script"
        );
    }
    Ok(())
}

/// Asks a yes-or-no question; anything but yes is no.
pub fn agrees(question: &str) -> Result<bool> {
    let mut out = io::stderr().lock();
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// Whether a process is among the parents of this one, where the system tells.
pub fn has_parent(wanted: u32) -> bool {
    let mut process = Some(std::process::id());
    for _ in 0..64 {
        process = process.and_then(parent);
        if process == Some(wanted) {
            return true;
        }
    }
    false
}

/// The first agent among the parents of this process, where the system tells.
fn agent_above() -> Option<String> {
    let mut process = std::process::id();
    for _ in 0..64 {
        process = parent(process)?;
        let words = fs::read(format!("/proc/{process}/cmdline")).ok()?;
        // An interpreter's first argument that is no flag is the program that it runs.
        let found = words
            .split(|byte| *byte == 0)
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .filter(|word| !word.starts_with('-'))
            .take(2)
            .find(|word| is_agent(word));
        if found.is_some() {
            return found;
        }
    }
    None
}

/// By the name of the program, or by the package that it is part of.
fn is_agent(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let name = [".js", ".mjs", ".exe"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name);
    let is_client = |client: &&Client| {
        client.program.is_some_and(|own| own.executable == name)
            || program
                .split('/')
                .any(|part| client.marks.packages.contains(&part))
    };
    OTHER_AGENTS.contains(&name) || CLIENTS.iter().any(is_client)
}

fn parent(process: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok().filter(|parent| *parent > 0)
}
