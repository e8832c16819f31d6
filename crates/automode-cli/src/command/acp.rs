//! `automode acp -- AGENT ARGS`: between an editor and its agent.

use std::sync::Arc;

use anyhow::Result;
use automode::Presence;
use automode_doors::acp;

use crate::door;

/// Stand between an ACP editor and an ACP agent, and answer what the agent asks permission for.
///
/// Start this in the editor in place of the agent. What automode allows or denies is answered
/// at once; a question goes on to the editor, after a message with the reason. An agent that
/// starts in a mode in which it asks nobody is set to one in which it asks.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    door: door::DoorArgs,
    /// Nobody is at the editor: what would be asked is denied
    #[arg(long)]
    headless: bool,
    /// The agent and its arguments
    #[arg(value_name = "AGENT", last = true, required = true)]
    agent: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  automode acp -- claude-agent-acp
  automode acp -- gemini --acp
  automode acp --config team.toml -- codex-acp";

pub fn run(args: Args) -> Result<u8> {
    let presence = if args.headless {
        Presence::Headless
    } else {
        Presence::Interactive
    };
    let decider = Arc::new(door::decider(&args.door));
    Ok(acp::run(&args.agent, presence, decider)?)
}
