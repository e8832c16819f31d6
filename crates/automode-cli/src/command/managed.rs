//! `automode install --managed`: the files that device management ships.
//!
//! They are written below a root, which is the machine itself or a folder that a package
//! is made of, with a list of them beside automode's own settings. `automode doctor` reads
//! that list and tells which file is gone or no longer asks automode.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use automode_agents::install::{self, ManagedFile, Request, Scope};
use automode_agents::{Agent, Enforcement};
use serde_json::{Value, json};

use crate::client;

/// The list of what was shipped.
const LIST: &str = "/etc/automode/managed.json";

/// What doctor says of a managed file.
pub enum Standing {
    Good(String),
    Gone { what: String, hint: String },
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
    let mut listed = known(root);
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
            put(&path, &file)?;
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

/// A file that is there and not ours is left alone: an administrator merges it.
fn put(path: &Path, file: &ManagedFile) -> Result<()> {
    let before = fs::read_to_string(path).unwrap_or_default();
    if !before.trim().is_empty() && !before.contains(" hook ") {
        bail!(
            "`{}` holds something else\nhint: write below another folder with --root, and merge the two",
            path.display()
        );
    }
    write_whole(path, &file.text)
}

fn write_whole(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().context("a file without a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("`{}` cannot be made", folder.display()))?;
    let fresh = path.with_extension("automode-new");
    fs::write(&fresh, text).with_context(|| format!("`{}` cannot be written", path.display()))?;
    fs::rename(&fresh, path).with_context(|| format!("`{}` cannot be written", path.display()))
}

fn known(root: &Path) -> Vec<Value> {
    let text = fs::read_to_string(below(root, LIST)).unwrap_or_default();
    let list: Value = serde_json::from_str(&text).unwrap_or_default();
    list.get("files")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

/// How the files stand that were shipped to this machine.
pub fn standings(root: &Path) -> Vec<Standing> {
    known(root)
        .iter()
        .map(|entry| {
            let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
            let (agent, path) = (text("agent"), text("path"));
            let found = fs::read_to_string(below(root, path)).unwrap_or_default();
            let hint = format!("sudo automode install --managed {agent}");
            if found.is_empty() {
                return Standing::Gone {
                    what: format!("the managed hook of {agent} is gone: {path}"),
                    hint,
                };
            }
            if !found.contains(&format!(" hook {agent}")) {
                return Standing::Gone {
                    what: format!("{path} no longer asks automode"),
                    hint,
                };
            }
            Standing::Good(format!("the managed hook of {agent} is in place"))
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
        let wrong = || {
            let standings = standings(root.path());
            standings
                .iter()
                .filter(|one| matches!(one, Standing::Gone { .. }))
                .count()
        };
        assert_eq!((standings(root.path()).len(), wrong()), (5, 0));
        // Once more changes nothing, and each is what its client reads.
        write(&agents, root.path(), program, Enforcement::Enforce, false).expect("written");
        for entry in known(root.path()) {
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
        let first = known(root.path());
        let path = first
            .first()
            .and_then(|entry| entry.get("path"))
            .and_then(Value::as_str)
            .expect("a path");
        fs::write(below(root.path(), path), "{}").expect("emptied");
        assert_eq!(wrong(), 1);
        fs::remove_file(below(root.path(), path)).expect("removed");
        assert_eq!(wrong(), 1);
        // What somebody else wrote is left alone.
        fs::write(below(root.path(), path), "{\"model\": \"x\"}").expect("written");
        assert!(write(&agents, root.path(), program, Enforcement::Enforce, false).is_err());
    }
}
