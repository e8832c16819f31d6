//! `automode explain`: the same as `check`, with the whole way to the answer.

use anyhow::Result;

use super::check::{CallArgs, decide, exit_code};
use crate::output;

/// Say what would be answered to one tool call, and how that came about.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    call: CallArgs,
    /// Print the decision and its trace as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Exit codes: 0 allow, 1 ask, 2 deny, 3 error.

Examples:
  automode explain 'git push --force'
  automode explain --tool Edit --input '{\"file_path\": \".git/config\", \"old_string\": \"a\", \"new_string\": \"b\"}'";

pub fn run(args: Args) -> Result<u8> {
    let (call, decision) = decide(args.call)?;
    if args.json {
        output::json(&call, &decision, output::Detail::Trace)?;
    } else {
        output::answer(&decision)?;
        output::trace(&decision)?;
    }
    Ok(exit_code(&decision))
}
