//! `automode completions`: scripts that complete commands in a shell.

use anyhow::Result;

use crate::output;

/// Print a script that completes commands in a shell.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell to complete in
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

const EXAMPLES: &str = "\
Examples:
  automode completions bash > ~/.local/share/bash-completion/completions/automode
  automode completions fish > ~/.config/fish/completions/automode.fish";

pub fn run(args: &Args, mut command: clap::Command) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "automode", &mut script);
    output::print(&String::from_utf8(script)?)?;
    Ok(0)
}
