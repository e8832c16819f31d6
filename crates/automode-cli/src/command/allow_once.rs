//! `automode allow-once`: a person permits one call that was stopped.

use anyhow::{Result, anyhow, bail};
use automode::audit::{Entry, Log};
use automode::state::State;
use automode::{Verdict, permit};
use automode_confine::RunRecord;

use crate::{output, person};

/// Permit one call that was denied or asked about, once.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    decision: DecisionName,
    /// Not the call as it is, but confined with this host open at port 443
    #[arg(long = "host", value_name = "HOST")]
    hosts: Vec<String>,
}

/// The call that was stopped.
#[derive(clap::Args)]
pub struct DecisionName {
    /// The decision's name, as the denial or `automode log` shows it; `last` for the latest
    #[arg(value_name = "ID")]
    pub id: String,
}

const EXAMPLES: &str = "\
Examples:
  automode allow-once last
  automode allow-once k3f9x2ab
  automode allow-once k3f9x2ab --host registry.example.com";

pub fn run(args: Args) -> Result<u8> {
    person::required("automode allow-once")?;
    let state = State::locate(|name| std::env::var(name).ok())?;
    let entry = find(&state, &args.decision.id)?;
    show(&entry);
    if let Some(odd) = args.hosts.iter().find(|host| !is_host(host)) {
        bail!(
            "`{odd}` is no host\nhint: a name such as registry.example.com, without a scheme or a port"
        );
    }
    let question = if args.hosts.is_empty() {
        "permit this call once, within 15 minutes?".to_owned()
    } else {
        let hosts = args.hosts.join(", ");
        format!("permit this call once, confined, with {hosts} open, within 15 minutes?")
    };
    if !person::agrees(&question)? {
        bail!("nothing was permitted");
    }
    if args.hosts.is_empty() {
        permit::grant(&state, &entry.print, &entry.id)?;
    } else {
        permit::open_hosts(&state, &entry.print, &args.hosts)?;
    }
    println!("permitted once: let the agent try again");
    Ok(0)
}

fn is_host(text: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '.';
    text.contains('.') && text.chars().all(plain)
}

/// The decision of this name, which must be a no or a question.
pub fn find(state: &State, id: &str) -> Result<Entry> {
    let mut found: Option<Entry> = None;
    Log::new(state).for_each_back(|line| {
        found = serde_json::from_str(line).ok().filter(|entry: &Entry| {
            entry.id == id || id == "last" && entry.verdict != Verdict::Allow
        });
        found.is_none()
    });
    let entry = found
        .ok_or_else(|| anyhow!("there is no decision `{id}` in the log\nhint: automode log"))?;
    let refused = RunRecord::read(state.root(), &entry.id)
        .is_some_and(|record| !record.report.refusals.is_empty());
    if entry.verdict == Verdict::Allow && !refused {
        bail!("decision `{id}` was an allow: there is nothing to permit");
    }
    Ok(entry)
}

pub fn show(entry: &Entry) {
    println!(
        "{} of {} in {}",
        entry.tool,
        entry.agent,
        output::clean(&entry.cwd)
    );
    println!("  {}", output::clean(&entry.brief));
    println!("{}: {}", entry.verdict.name(), output::clean(&entry.reason));
}
