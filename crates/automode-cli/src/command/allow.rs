//! `automode allow`: a person turns a stopped call into a permission rule.
//!
//! The rule is the narrowest that covers the call: the exact command, the exact
//! path, the one host. It is shown before it is written, and goes into the user's own
//! configuration, keeping what stands there.

use anyhow::{Result, anyhow, bail};
use automode::state::State;

use super::allow_once::{DecisionName, find, show};
use super::why::a_rule_helps;
use crate::{person, user_config};

/// Turn a call that was denied or asked about into a permission rule.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    decision: DecisionName,
}

const EXAMPLES: &str = "\
Examples:
  automode allow last
  automode allow k3f9x2ab";

pub fn run(args: Args) -> Result<u8> {
    person::required("automode allow")?;
    let state = State::locate(|name| std::env::var(name).ok())?;
    let entry = find(&state, &args.decision.id)?;
    show(&entry);
    if !a_rule_helps(&entry) {
        bail!(
            "a permission rule does not permit what stopped this ({} {})\nhint: permit it once with `automode allow-once {}`, or see `automode rules`",
            entry.ground,
            entry.rule.unwrap_or_default(),
            entry.id
        );
    }
    let rule = entry.permission.ok_or_else(|| {
        anyhow!("no rule is narrow enough for this call\nhint: permit it once with `automode allow-once {}`", entry.id)
    })?;
    let path = user_config::path()?;
    println!(
        "\nthe rule, for every session of yours:\n  {rule}\nin {}",
        path.display()
    );
    if !person::agrees("write it?")? {
        bail!("nothing was written");
    }
    user_config::change(|text| user_config::with_rule(text, &rule))?;
    println!("written; `automode config lint` says whether it holds in auto mode");
    Ok(0)
}
