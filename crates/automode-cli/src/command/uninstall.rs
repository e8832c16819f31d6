//! `automode uninstall`: takes the hook out again and leaves the rest as it is.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use automode_agents::install::{self, Installation, Plan, Request, Scope};
use automode_agents::{Agent, Enforcement};

use super::install::{ScopeArg, agents};
use crate::client::{self, InstalledClient};
use crate::{person, user_config};

/// Take automode out of coding agents' configuration.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The agents
    #[arg(value_name = "AGENT", required_unless_present = "all", value_parser = agents())]
    agents: Vec<Agent>,
    /// Everybody, and what `automode setup` wrote into your configuration
    #[arg(long, conflicts_with = "agents")]
    all: bool,
    /// For every project of yours, or for the one in the current directory
    #[arg(long, value_enum, default_value = "user")]
    scope: ScopeArg,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Do it without asking
    #[arg(long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  automode uninstall claude-code
  automode uninstall codex gemini-cli --dry-run
  automode uninstall --all";

pub fn run(args: Args) -> Result<u8> {
    let place = client::place()?;
    let mut changes = Vec::new();
    let agents = if args.all {
        Agent::all().collect()
    } else {
        args.agents
    };
    for agent in agents {
        let Some(path) = place.file(agent, args.scope.into()).map(PathBuf::from) else {
            if args.all {
                continue;
            }
            bail!("`{}` has no configuration of its own", agent.name());
        };
        if let InstalledClient::No = client::installed(agent, &path) {
            if args.all {
                continue;
            }
            println!("{}: not installed in {}", agent.name(), path.display());
            continue;
        }
        let before = client::read(&path)?.unwrap_or_default();
        let after = match as_it_was(agent, args.scope.into(), &path, &before)? {
            Before::Text(text) => Some(text),
            Before::Nothing => None,
            Before::Unknown => install::remove(agent, &before)
                .map_err(|refusal| anyhow!("`{}` is left alone: {}", path.display(), refusal.0))?,
        };
        match &after {
            Some(_) => println!("{}: take the hooks out of {}", agent.name(), path.display()),
            None => println!("{}: remove {}", agent.name(), path.display()),
        }
        changes.push((agent, path, after));
    }
    if args.dry_run || changes.is_empty() && !args.all {
        return Ok(0);
    }
    if !args.yes && !person::agrees("do this?")? {
        bail!("nothing was changed");
    }
    if args.all && user_config::change(user_config::without_marked)? {
        println!(
            "took the choices of `automode setup` out of {}",
            user_config::path()?.display()
        );
    }
    for (agent, path, after) in changes {
        let backup = match &after {
            Some(text) => client::replace(&path, text)?,
            None => client::remove(&path)?,
        };
        if let (None, Some((manifest, text))) = (&after, client::manifest(agent, &path))
            && client::read(&manifest)?.as_deref() == Some(text)
        {
            client::remove(&manifest)?;
        }
        let rest = after.as_deref().unwrap_or("{}");
        let trust = install::hook_file(agent).and_then(|file| file.trust.as_ref());
        if let Some(trust) = trust
            && install::registered(agent, rest).is_ok_and(|all| all.is_empty())
        {
            let config = path.with_file_name(trust.file);
            if client::forget_trust(&config, &path)? {
                println!("took the trust in the hooks out of {}", config.display());
            }
        }
        if let Some(backup) = backup {
            println!(
                "changed {} (as it was: {})",
                path.display(),
                backup.display()
            );
        }
    }
    Ok(0)
}

/// What there was before the first installation.
enum Before {
    Text(String),
    Nothing,
    /// Somebody has changed the file since, or it was not kept.
    Unknown,
}

/// The file as it was before it was installed into, if nobody has changed it since: a kept
/// text that an installation turns into what stands there now.
fn as_it_was(agent: Agent, scope: Scope, path: &Path, now: &str) -> Result<Before> {
    // A plugin is a file of our own: whatever it was before, it goes.
    if let Installation::Plugin(_) = agent.client().installation {
        return Ok(Before::Nothing);
    }
    let (place, program) = (client::place()?, client::program()?);
    let plans: Vec<Plan> = [Enforcement::Enforce, Enforcement::Shadow]
        .into_iter()
        .filter_map(|enforcement| {
            install::plan(&Request {
                agent,
                scope,
                program: &program,
                enforcement,
                place: &place,
            })
        })
        .collect();
    let leads_to = |before: Option<&str>, after: &str| {
        let changed = |plan: &Plan| plan.change.apply(before);
        plans
            .iter()
            .any(|plan| changed(plan).as_deref() == Ok(after))
    };
    let is_ours = |text: &str| {
        install::registered(agent, text).is_ok_and(|hooks| hooks.iter().any(|hook| hook.ours))
    };
    let mut text = now.to_owned();
    // An installation may have been changed by another one.
    for before in client::backups(path) {
        if before != text && leads_to(Some(&before), &text) {
            text = before;
        }
        if !is_ours(&text) {
            return Ok(Before::Text(text));
        }
    }
    Ok(if leads_to(None, &text) {
        Before::Nothing
    } else {
        Before::Unknown
    })
}
