//! `automode man`: the manual, as pages for `man`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::output;

/// Print the manual page, or write the pages of all commands.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Write one page for each command into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  automode man | man -l -
  automode man --out ~/.local/share/man/man1";

pub fn run(args: &Args, command: clap::Command) -> Result<u8> {
    match &args.out {
        None => output::print(&page(command)?)?,
        Some(directory) => {
            fs::create_dir_all(directory)
                .with_context(|| format!("cannot make `{}`", directory.display()))?;
            clap_mangen::generate_to(command, directory)
                .with_context(|| format!("cannot write to `{}`", directory.display()))?;
        }
    }
    Ok(0)
}

fn page(command: clap::Command) -> Result<String> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(String::from_utf8(page)?)
}
