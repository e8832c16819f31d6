//! `automode-lab report`: the page of a run, from its records.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use automode_lab::generate::Draft;
use automode_lab::record::LabRecord;
use automode_lab::report::{Tally, page};

/// Make the page of one or several runs from their records.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  automode-lab report
  automode-lab report night-1/records.jsonl night-2/records.jsonl --out both.html")]
pub struct ReportArgs {
    /// Files of records
    #[arg(
        value_name = "FILE",
        default_value = "target/lab-results/records.jsonl"
    )]
    records: Vec<PathBuf>,
    /// Where the page goes
    #[arg(
        long,
        value_name = "FILE",
        default_value = "target/lab-results/report.html"
    )]
    out: PathBuf,
    /// Print the sums as JSON and make no page
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ReportArgs) -> Result<u8> {
    let mut tally = Tally::default();
    for path in &args.records {
        let shown = path.display();
        let file = File::open(path).with_context(|| {
            format!("`{shown}` could not be opened\nhint: `automode-lab run` writes it")
        })?;
        for (number, line) in BufReader::new(file).lines().enumerate() {
            let record: LabRecord = serde_json::from_str(&line?).with_context(|| {
                format!("`{shown}` line {} is no record", number.saturating_add(1))
            })?;
            tally.add(&record);
        }
    }
    if args.json {
        println!("{}", tally.json());
        return Ok(0);
    }
    let harmed: Vec<(Draft, LabRecord)> = tally
        .harmed
        .iter()
        .map(|record| {
            (
                Draft::command(record.source.clone(), record.case.clone()),
                record.clone(),
            )
        })
        .collect();
    fs::write(&args.out, page(&tally, &harmed, &[]))
        .with_context(|| format!("`{}` could not be written", args.out.display()))?;
    println!("{}\n{}", tally.headline(), args.out.display());
    Ok(0)
}
