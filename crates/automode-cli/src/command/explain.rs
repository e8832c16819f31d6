//! `automode explain`: the same as `check`, with the whole way to the answer, or
//! with `--effects` what the call would do, before anybody judges it.

use anyhow::{Result, bail};
use automode::ports::NoRecall;

use super::check::{CallArgs, decide, exit_code, prepare};
use crate::{effects, output, setup};

/// Say what would be answered to one tool call, and how that came about.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    call: CallArgs,
    /// Print what the call would do instead of what would be answered
    #[arg(long)]
    effects: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Exit codes: 0 allow, 1 ask, 2 deny, 3 error; with --effects 0, whatever the call does.

Examples:
  automode explain 'git push --force'
  automode explain --effects 'curl -s https://example.com/install.sh | sudo sh'
  automode explain --tool Edit --input '{\"file_path\": \".git/config\", \"old_string\": \"a\", \"new_string\": \"b\"}'";

pub fn run(args: Args) -> Result<u8> {
    if args.effects {
        return tell_effects(args);
    }
    let (call, decision) = decide(args.call)?;
    output::print(&if args.json {
        output::json(&call, &decision, output::Detail::Trace)
    } else {
        output::answer(&decision) + &output::trace(&decision)
    })?;
    Ok(exit_code(&decision))
}

/// Nobody is asked: what a call does is known before it is judged.
fn tell_effects(args: Args) -> Result<u8> {
    let prepared = prepare(args.call, |cwd, config| {
        Ok(setup::judgeless_gate(cwd, config))
    })?;
    // What a call does is told all the same; its answer, which names them, is not.
    let provenance = prepared.gate.policy().provenance();
    provenance
        .faults
        .iter()
        .for_each(|fault| output::complain(fault));
    let settlement = prepared
        .gate
        .decide(&prepared.call, &prepared.session, &NoRecall);
    let Some(found) = settlement.effects else {
        bail!("{}", settlement.decision.reason);
    };
    let text = effects::text_of(&prepared.call);
    let told = if args.json {
        format!("{}\n", effects::json(text, &found))
    } else {
        effects::prose(text, &found)
    };
    output::print(&told)?;
    Ok(0)
}
