//! `automode report`: the log as one page that a person would rather look at than read.
//!
//! The page is one file: its style is inside, it loads nothing and runs no script, so
//! it can be mailed, kept with a release or opened years later. What agents wrote is
//! in it only escaped.

mod chart;
mod page;
mod tally;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use self::tally::ReportTally;
use super::log::{self, Filter};
use crate::output;

/// Write one HTML page about the decisions: by day, layer, rule and agent, and every denial.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    filter: Filter,
    /// The file to write; `-` is stdout
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "automode-report.html"
    )]
    out: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  automode report
  automode report --since 7d --out week.html
  automode report --agent codex --out - > codex.html";

pub fn run(args: Args) -> Result<u8> {
    let mut tally = ReportTally::default();
    let decisions = log::open()?;
    let answers = log::answers(&decisions);
    decisions.for_each(|entry| {
        if args.filter.admits(&entry) {
            let said = answers.get(&entry.id).copied();
            tally.count(entry, said);
        }
    });
    let page = page::render(&tally, env!("CARGO_PKG_VERSION"));
    if args.out.as_os_str() == "-" {
        output::print(&page)?;
        return Ok(0);
    }
    let shown = args.out.display();
    fs::write(&args.out, page).with_context(|| format!("`{shown}` could not be written"))?;
    println!("{shown}: {} decisions", tally.total());
    Ok(0)
}
