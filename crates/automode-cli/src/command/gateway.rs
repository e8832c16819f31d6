//! `automode gateway`: in front of a model service, for safeguards.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Result;
use automode_doors::gateway::{self, GatewaySettings};

use crate::door;

/// Stand in front of a model service and judge the calls of its replies for a client's auto mode.
///
/// Point the client here with `ANTHROPIC_BASE_URL`. Requests and replies are forwarded as they
/// are; where the client asks for its calls to be judged, the answer is written into the end of
/// the reply. Keep the hook as well: what the client settles by itself runs whatever is answered.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    door: door::DoorArgs,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8377")]
    listen: SocketAddr,
    /// The service, or another gateway
    #[arg(long, value_name = "URL", default_value = "https://api.anthropic.com")]
    upstream: String,
    /// Let other machines come too; the client's key passes through here
    #[arg(long)]
    expose: bool,
}

const EXAMPLES: &str = "\
Examples:
  automode gateway
  automode gateway --listen 127.0.0.1:9000 --upstream https://llm.example.com
  ANTHROPIC_BASE_URL=http://127.0.0.1:8377 claude --permission-mode auto";

pub fn run(args: Args) -> Result<u8> {
    let settings = GatewaySettings {
        listen: args.listen,
        upstream: args.upstream,
        exposed: args.expose,
    };
    let decider = Arc::new(door::decider(&args.door));
    gateway::run(&settings, decider, |address| {
        println!("listening on http://{address}");
    })?;
    Ok(0)
}
