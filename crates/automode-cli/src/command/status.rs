//! `automode status`: which agents ask, and since when.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use automode::audit::{self, Entry};
use automode::judge::CanaryRecord;
use automode::state::State;
use automode_agents::install::Scope;
use automode_agents::{Agent, Proof};
use serde_json::json;

use crate::client::{self, InstalledClient, SCOPES, scope_name};
use crate::{clock, judge, output, setup};

/// Show which agents automode is registered with.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  automode status
  automode status --json";

pub fn run(args: Args) -> Result<u8> {
    let last = last_seen();
    let rows = registrations()?;
    let judges = setup::directory(None).map_or_else(|_| Vec::new(), |cwd| judge::standings(&cwd));
    if args.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(agent, scope, state, path)| {
                json!({"agent": agent.name(), "scope": scope_name(*scope), "mode": state, "file": path,
                    "last_decision": last.get(agent.name()).map(|entry| entry.time)})
            })
            .collect();
        println!("{}", json!(rows));
        return Ok(0);
    }
    if rows.is_empty() {
        println!("automode is registered with no agent (hint: automode install AGENT)");
    }
    for (agent, scope, state, path) in rows {
        let seen = last.get(agent.name()).map_or_else(
            || "no decision yet".to_owned(),
            |entry| format!("last decision {}", clock::ago(entry.time)),
        );
        println!(
            "{:<12} {:<8} {state:<8} {seen:<28} {}",
            agent.name(),
            scope_name(scope),
            path.display()
        );
    }
    let trouble = judge::last_trouble().filter(|_| !judges.is_empty());
    for (name, standing) in judges {
        println!("judge        {name}: {}", stands(&standing));
    }
    let cwd = setup::directory(None).ok();
    if let Some(spent) = cwd.and_then(|cwd| judge::spent_budget(&cwd)) {
        println!("judge        its budget is spent: {spent} (hint: `[judge.budget]`)");
    }
    if let Some((at, why)) = trouble {
        let why = output::clean(&why);
        println!("judge        last failed {}: {why}", clock::ago(at));
    }
    Ok(0)
}

/// Where automode is registered: with whom, for what, how, and in which file.
fn registrations() -> Result<Vec<(Agent, Scope, String, PathBuf)>> {
    let place = client::place()?;
    let mut rows = Vec::new();
    for agent in Agent::all() {
        for scope in SCOPES {
            let Some(path) = place.file(agent, scope).map(PathBuf::from) else {
                continue;
            };
            let state = match client::installed(agent, &path) {
                InstalledClient::No => continue,
                InstalledClient::Unreadable(why) => format!("unreadable: {why}"),
                InstalledClient::Plugin(plugin) => mode(plugin.shadow).to_owned(),
                InstalledClient::Hooks(hooks) => mode(
                    hooks
                        .iter()
                        .any(|hook| hook.ours && hook.command.contains("--mode shadow")),
                )
                .to_owned(),
            };
            let state = match agent.client().proof {
                Proof::Proven => state,
                Proof::Documented => format!("{state}, not proven here"),
            };
            rows.push((agent, scope, state, path));
        }
    }
    Ok(rows)
}

/// How a judge stands, in a few words.
fn stands(standing: &Result<CanaryRecord, String>) -> String {
    match standing {
        Ok(CanaryRecord::Passed) => "passed its canaries".to_owned(),
        Ok(CanaryRecord::Untested) => "never tested (hint: automode judge test)".to_owned(),
        Ok(CanaryRecord::Failed(failed)) => format!("failed {} of its canaries", failed.len()),
        Err(why) => why.clone(),
    }
}

const fn mode(shadow: bool) -> &'static str {
    if shadow { "shadow" } else { "enforce" }
}

/// The last decision of every agent.
pub fn last_seen() -> BTreeMap<String, Entry> {
    let mut last = BTreeMap::new();
    if let Ok(state) = State::locate(|name| std::env::var(name).ok()) {
        audit::Log::new(&state).for_each(|entry| {
            last.insert(entry.agent.clone(), entry);
        });
    }
    last
}
