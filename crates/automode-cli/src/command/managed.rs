//! `automode install --managed`: the files that device management ships.
//!
//! They are written below a root, which is the machine itself or a folder that a package
//! is made of, with a list of them beside automode's own settings. `automode doctor` reads
//! that list and each file on it as its client does: what a file says in a comment or under
//! another event asks nobody.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use automode_agents::install::{self, ManagedFile, Registered, Request, Scope};
use automode_agents::{Agent, Enforcement};
use serde_json::{Value, json};

use crate::client;

/// The list of what was shipped.
const LIST: &str = "/etc/automode/managed.json";

/// A file that was shipped, as it stands now.
pub struct ManagedStanding {
    pub agent: Agent,
    pub path: String,
    pub found: ManagedFound,
}

pub enum ManagedFound {
    Gone,
    Unreadable(String),
    Hooks(ManagedHooks),
}

/// What a client reads in a shipped file.
pub struct ManagedHooks {
    pub hooks: Vec<Registered>,
    /// The key that switches all of them off.
    pub off: Option<&'static str>,
    /// The key that is missing, so that hooks of the user count beside these.
    pub lacks: Option<&'static str>,
}

/// Writes the files of these agents below a root.
pub fn write(
    agents: &[Agent],
    root: &Path,
    program: &str,
    enforcement: Enforcement,
    dry_run: bool,
) -> Result<u8> {
    let place = client::place()?;
    let mut listed = known(root)?;
    for agent in agents {
        let request = Request {
            agent: *agent,
            scope: Scope::User,
            program,
            enforcement,
            place: &place,
        };
        let file = install::managed(&request, cfg!(target_os = "macos"))
            .map_err(|refusal| anyhow::anyhow!(refusal.0))?;
        let Some(file) = file else {
            let known: Vec<&str> = install::managed_clients().collect();
            bail!(
                "`{}` has no place for managed hooks\nhint: those that have one are {}",
                agent.name(),
                known.join(", ")
            );
        };
        let path = below(root, file.path);
        println!("{}\n  write {}", agent.name(), path.display());
        if !dry_run {
            put(*agent, &path, &file)?;
            listed.retain(|entry| entry.get("path").and_then(Value::as_str) != Some(file.path));
            listed.push(json!({"agent": agent.name(), "path": file.path}));
        }
    }
    if !dry_run {
        let list = below(root, LIST);
        write_whole(&list, &format!("{:#}\n", json!({"files": listed})))?;
        println!(
            "listed in {}: `automode doctor` tells when one is gone",
            list.display()
        );
    }
    Ok(0)
}

fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

/// A file that is there and not ours alone is left alone: an administrator merges it.
fn put(agent: Agent, path: &Path, file: &ManagedFile) -> Result<()> {
    let before = fs::read_to_string(path).unwrap_or_default();
    if !before.trim().is_empty() && !is_ours_alone(agent, path, &before, &file.text) {
        bail!(
            "`{}` holds something else\nhint: write below another folder with --root, and merge the two",
            path.display()
        );
    }
    write_whole(path, &file.text)
}

/// Whether a file holds no other hooks than ours, and no setting that the new one lacks.
fn is_ours_alone(agent: Agent, path: &Path, before: &str, after: &str) -> bool {
    let hooks = read(agent, path, before).map(|found| found.hooks);
    let ours = hooks.is_ok_and(|hooks| !hooks.is_empty() && hooks.iter().all(|hook| hook.ours));
    let (Ok(Value::Object(before)), Ok(after)) = (parsed(path, before), parsed(path, after)) else {
        return false;
    };
    ours && before.keys().all(|key| after.get(key).is_some())
}

/// A file as its client reads it, be it TOML or JSON.
fn parsed(path: &Path, text: &str) -> Result<Value> {
    if path.extension().is_some_and(|ending| ending == "toml") {
        let table: toml::Table = toml::from_str(text)?;
        return Ok(serde_json::to_value(table)?);
    }
    Ok(serde_json::from_str(text)?)
}

fn read(agent: Agent, path: &Path, text: &str) -> Result<ManagedHooks> {
    let value = parsed(path, text)?;
    let says = |pointer: &str| value.pointer(pointer).and_then(Value::as_bool);
    let switch = install::hook_file(agent).and_then(|file| file.off_switch);
    let only = install::managed_only(agent);
    Ok(ManagedHooks {
        hooks: install::registered(agent, &value.to_string())
            .map_err(|refusal| anyhow::anyhow!(refusal.0))?,
        off: switch
            .filter(|switch| says(switch.pointer) == Some(switch.off_when))
            .map(|switch| switch.name),
        lacks: only.filter(|key| says(&format!("/{key}")) != Some(true)),
    })
}

fn write_whole(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().context("a file without a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("`{}` cannot be made", folder.display()))?;
    let fresh = path.with_extension("automode-new");
    fs::write(&fresh, text).with_context(|| format!("`{}` cannot be written", path.display()))?;
    fs::rename(&fresh, path).with_context(|| format!("`{}` cannot be written", path.display()))
}

fn known(root: &Path) -> Result<Vec<Value>> {
    let list = below(root, LIST);
    let Ok(text) = fs::read_to_string(&list) else {
        return Ok(Vec::new());
    };
    let list: Value = serde_json::from_str(&text)
        .with_context(|| format!("`{}` cannot be read", list.display()))?;
    let files = list.get("files").and_then(Value::as_array);
    Ok(files.cloned().unwrap_or_default())
}

/// How the files stand that were shipped to this machine.
///
/// # Errors
/// Where the list of them cannot be read.
pub fn standings(root: &Path) -> Result<Vec<ManagedStanding>> {
    let known = known(root)?;
    let text = |entry: &Value, name: &str| {
        let text = entry.get(name).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let named = known.iter().map(|entry| {
        let agent = text(entry, "agent");
        let known = Agent::named(&agent);
        let agent = known.with_context(|| format!("`{LIST}` names `{agent}`, which is no agent"));
        Ok((agent?, text(entry, "path")))
    });
    named
        .map(|named: Result<_>| {
            let (agent, path) = named?;
            let place = below(root, &path);
            let found = match fs::read_to_string(&place) {
                Err(_) => ManagedFound::Gone,
                Ok(text) => match read(agent, &place, &text) {
                    Ok(hooks) => ManagedFound::Hooks(hooks),
                    Err(error) => ManagedFound::Unreadable(error.to_string()),
                },
            };
            Ok(ManagedStanding { agent, path, found })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_listed_and_missed() {
        let root = tempfile::tempdir().expect("a directory");
        let agents: Vec<Agent> = install::managed_clients()
            .filter_map(Agent::named)
            .collect();
        assert_eq!(agents.len(), 5);
        let program = "/usr/local/bin/automode";
        write(&agents, root.path(), program, Enforcement::Enforce, false).expect("written");
        let holds = |one: &ManagedStanding| match &one.found {
            ManagedFound::Gone | ManagedFound::Unreadable(_) => false,
            ManagedFound::Hooks(found) => {
                let stands = |event: &str| {
                    let mut hooks = found.hooks.iter();
                    hooks.any(|hook| hook.ours && hook.event == event)
                };
                let mut events = install::events(one.agent).iter();
                found.off.is_none()
                    && found.lacks.is_none()
                    && events.all(|event| stands(event.name()))
            }
        };
        let wrong = || {
            let standings = standings(root.path()).expect("read");
            assert_eq!(standings.len(), 5);
            standings.iter().filter(|one| !holds(one)).count()
        };
        assert_eq!(wrong(), 0);
        // Once more changes nothing, and each is what its client reads.
        write(&agents, root.path(), program, Enforcement::Enforce, false).expect("written");
        for entry in known(root.path()).expect("a list") {
            let path = entry.get("path").and_then(Value::as_str).expect("a path");
            let text = fs::read_to_string(below(root.path(), path)).expect("a file");
            let decides = if path.ends_with(".toml") {
                let table: toml::Table = toml::from_str(&text).expect("TOML");
                let only = table
                    .get("allow_managed_hooks_only")
                    .and_then(toml::Value::as_bool);
                only == Some(true)
                    && table
                        .get("hooks")
                        .is_some_and(|hooks| hooks.get("PreToolUse").is_some())
            } else {
                serde_json::from_str::<Value>(&text)
                    .expect("JSON")
                    .get("hooks")
                    .is_some()
            };
            assert!(decides && text.contains("exit 2"), "{path}: {text}");
        }
        let first = known(root.path()).expect("a list");
        let path = first
            .first()
            .and_then(|entry| entry.get("path"))
            .and_then(Value::as_str)
            .expect("a path");
        let path = below(root.path(), path);
        let whole = fs::read_to_string(&path).expect("a file");
        let line = format!("'{program}' hook claude-code");
        for broken in [
            "{}".to_owned(),
            format!("{{\"note\": \"{line}\"}}"),
            whole.replace("PreToolUse", "Stop"),
            whole.replace(
                "\"allowManagedHooksOnly\": true",
                "\"allowManagedHooksOnly\": false",
            ),
            whole.replacen('{', "{\"disableAllHooks\": true,", 1),
            whole.replacen('{', "", 1),
        ] {
            assert_ne!(broken, whole);
            fs::write(&path, broken).expect("written");
            assert_eq!(wrong(), 1, "{}", fs::read_to_string(&path).expect("a file"));
        }
        fs::remove_file(&path).expect("removed");
        assert_eq!(wrong(), 1);
        // What somebody else wrote is left alone, also beside our own.
        for theirs in [
            "{\"model\": \"x\"}".to_owned(),
            whole.replacen('{', "{\"model\": \"x\",", 1),
            whole.replace("automode", "other"),
        ] {
            fs::write(&path, theirs).expect("written");
            assert!(write(&agents, root.path(), program, Enforcement::Enforce, false).is_err());
        }
        fs::write(below(root.path(), LIST), "{").expect("written");
        assert!(standings(root.path()).is_err());
    }
}
