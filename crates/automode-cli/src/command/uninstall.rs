//! `automode uninstall`: takes the hook out again and leaves the rest as it is.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use automode_agents::Agent;
use automode_agents::install;

use super::install::{ScopeArg, agents};
use crate::client::{self, Installed};
use crate::person;

/// Take automode out of coding agents' configuration.
#[derive(clap::Args)]
pub struct Args {
    /// The agents
    #[arg(value_name = "AGENT", required = true, value_parser = agents())]
    agents: Vec<Agent>,
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

pub fn run(args: Args) -> Result<u8> {
    let place = client::place()?;
    let mut changes = Vec::new();
    for agent in args.agents {
        let Some(path) = place.file(agent, args.scope.into()).map(PathBuf::from) else {
            bail!("`{}` has no configuration of its own", agent.name());
        };
        if let Installed::No = client::installed(agent, &path) {
            println!("{}: not installed in {}", agent.name(), path.display());
            continue;
        }
        let before = client::read(&path)?.unwrap_or_default();
        let after = install::remove(agent, &before)
            .map_err(|refusal| anyhow!("`{}` is left alone: {}", path.display(), refusal.0))?;
        match &after {
            Some(_) => println!("{}: take the hooks out of {}", agent.name(), path.display()),
            None => println!("{}: remove {}", agent.name(), path.display()),
        }
        changes.push((path, after));
    }
    if args.dry_run || changes.is_empty() {
        return Ok(0);
    }
    if !args.yes && !person::agrees("do this?")? {
        bail!("nothing was changed");
    }
    for (path, after) in changes {
        let backup = match after {
            Some(text) => client::replace(&path, &text)?,
            None => client::remove(&path)?,
        };
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
