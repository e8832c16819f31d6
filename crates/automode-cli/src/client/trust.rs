//! Some clients run only hooks that their user trusts; the others they skip in silence.
//!
//! Which hooks there are and what their digests are, the client itself says as a
//! server. Trust is written into its configuration the way its own `/hooks` does,
//! for our hooks alone, and only when the person has said yes to it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use automode_agents::install::{HookTrust, Place};
use serde_json::{Value, json};
use toml_edit::{DocumentMut, Item, Table, value};

use super::file;

const PATIENCE: Duration = Duration::from_secs(25);

/// A hook as the client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trusted {
    pub event: String,
    pub command: String,
    key: String,
    hash: String,
    pub trust: TrustAnswer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustAnswer {
    Trusted,
    /// In the client's own word.
    Not(String),
}

/// The file that holds the trust in the hooks of a file.
pub fn config(place: &Place, trust: &HookTrust, hooks: &Path) -> PathBuf {
    let beside = hooks.with_file_name(trust.file);
    let directory = place.directory(trust.directory_variable, trust.directory);
    let moved = place
        .directories
        .iter()
        .any(|(name, _)| *name == trust.directory_variable);
    if !moved && beside.exists() {
        beside
    } else {
        Path::new(&directory).join(trust.file)
    }
}

/// The client's hooks for a project, with what it thinks of them.
pub fn hooks(program: &Path, trust: &HookTrust, project: &str) -> Result<Vec<Trusted>> {
    let mut server = Command::new(program)
        .arg(trust.server)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("`{}` does not start", program.display()))?;
    let answer = ask(&mut server, project);
    // It is ours to end: it was started above.
    server.kill().unwrap_or_default();
    server.wait().ok();
    let answer = answer?;
    let groups = answer.pointer("/result/data").and_then(Value::as_array);
    let groups = groups.ok_or_else(|| anyhow!("the client's server gave no list of hooks"))?;
    Ok(groups
        .iter()
        .filter_map(|group| group.get("hooks").and_then(Value::as_array))
        .flatten()
        .filter_map(hook)
        .collect())
}

/// Trusts hooks of ours. Says how many were not trusted before.
pub fn trust(config: &Path, hooks: &[Trusted]) -> Result<usize> {
    let text = file::read(config)?.unwrap_or_default();
    let mut document: DocumentMut = text
        .parse()
        .with_context(|| format!("`{}` is not TOML", config.display()))?;
    let state = child(document.as_table_mut(), "hooks").and_then(|hooks| child(hooks, "state"));
    let Some(state) = state else {
        bail!("`hooks.state` in `{}` is not a table", config.display());
    };
    let mut changed = 0_usize;
    for hook in hooks
        .iter()
        .filter(|hook| hook.trust != TrustAnswer::Trusted)
    {
        let Some(entry) = child(state, &hook.key) else {
            bail!(
                "`hooks.state` in `{}` holds something else",
                config.display()
            );
        };
        entry.set_implicit(false);
        entry.insert("trusted_hash", value(&hook.hash));
        changed = changed.saturating_add(1);
    }
    if changed > 0 {
        file::replace(config, &document.to_string())?;
    }
    Ok(changed)
}

/// Takes the trust in all hooks of a file back. Whether there was any.
pub fn forget(config: &Path, hooks: &Path) -> Result<bool> {
    let Some(text) = file::read(config)? else {
        return Ok(false);
    };
    let mut document: DocumentMut = text
        .parse()
        .with_context(|| format!("`{}` is not TOML", config.display()))?;
    let begins = format!("{}:", hooks.display());
    let table = document.as_table_mut();
    let Some(all) = table.get_mut("hooks").and_then(Item::as_table_mut) else {
        return Ok(false);
    };
    let Some(state) = all.get_mut("state").and_then(Item::as_table_mut) else {
        return Ok(false);
    };
    let before = state.len();
    state.retain(|key, _| !key.starts_with(&begins));
    if state.len() == before {
        return Ok(false);
    }
    if state.is_empty() {
        all.remove("state");
    }
    if all.is_empty() {
        table.remove("hooks");
    }
    file::replace(config, &document.to_string())?;
    Ok(true)
}

/// A table inside a table, made where it is missing.
fn child<'a>(table: &'a mut Table, name: &str) -> Option<&'a mut Table> {
    let fresh = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    table.entry(name).or_insert_with(fresh).as_table_mut()
}

fn ask(server: &mut Child, project: &str) -> Result<Value> {
    let mut input = server
        .stdin
        .take()
        .ok_or_else(|| anyhow!("the client has no stdin"))?;
    let output = server
        .stdout
        .take()
        .ok_or_else(|| anyhow!("the client has no stdout"))?;
    let (lines, line) = channel();
    thread::spawn(move || {
        for text in BufReader::new(output).lines().map_while(Result::ok) {
            if lines.send(text).is_err() {
                return;
            }
        }
    });
    let mut send = |message: Value| writeln!(input, "{message}").and_then(|()| input.flush());
    let client =
        json!({"name": "automode", "title": "automode", "version": env!("CARGO_PKG_VERSION")});
    send(json!({"id": 1, "method": "initialize", "params": {"clientInfo": client}}))?;
    loop {
        let text = line.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => anyhow!("the client's server does not answer"),
            RecvTimeoutError::Disconnected => anyhow!("the client's server ended"),
        })?;
        let Ok(message) = serde_json::from_str::<Value>(&text) else {
            continue;
        };
        match message.get("id").and_then(Value::as_u64) {
            Some(1) => {
                send(json!({"method": "initialized"}))?;
                send(json!({"id": 2, "method": "hooks/list", "params": {"cwds": [project]}}))?;
            }
            Some(2) => return Ok(message),
            Some(_) | None => {}
        }
    }
}

fn hook(hook: &Value) -> Option<Trusted> {
    let text = |field: &str| hook.get(field).and_then(Value::as_str).map(str::to_owned);
    Some(Trusted {
        event: text("eventName")?,
        command: text("command")?,
        key: text("key")?,
        hash: text("currentHash")?,
        trust: match text("trustStatus")?.as_str() {
            "trusted" | "managed" => TrustAnswer::Trusted,
            other => TrustAnswer::Not(other.to_owned()),
        },
    })
}
