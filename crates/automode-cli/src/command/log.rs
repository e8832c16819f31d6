//! `automode log`: what was decided.

use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow};
use automode::Verdict;
use automode::audit::{Entry, Log};
use automode::state::State;
use clap::Subcommand;

use crate::{clock, output};

/// Show decisions, or check that nobody changed the log.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    filter: Filter,
    /// How many of the latest decisions to show
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 50)]
    lines: usize,
    /// Go on showing decisions as they are made
    #[arg(short, long)]
    follow: bool,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  automode log --verdict deny --since 2h
  automode log --follow --agent codex
  automode log verify";

#[derive(Subcommand)]
enum Command {
    /// Check the hash chain from its first line to its end
    Verify,
}

/// Which decisions are meant.
#[derive(clap::Args)]
pub struct Filter {
    /// Only this agent's
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only this session's
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Only this verdict
    #[arg(long, value_name = "VERDICT", value_parser = ["allow", "ask", "deny"])]
    verdict: Option<String>,
    /// Only this tool's
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// Only by this rule, guard or fast path, or where the rule found something
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// Only younger than this: 90s, 15m, 2h, 7d
    #[arg(long, value_name = "SPAN", value_parser = clock::span)]
    since: Option<Duration>,
}

impl Filter {
    pub fn admits(&self, entry: &Entry) -> bool {
        let is = |wanted: &Option<String>, own: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == own)
        };
        let since = self
            .since
            .map(|span| u64::try_from(span.as_millis()).unwrap_or(u64::MAX));
        is(&self.agent, &entry.agent)
            && is(&self.session, &entry.session)
            && is(&self.verdict, entry.verdict.name())
            && is(&self.tool, &entry.tool)
            && self.rule.as_deref().is_none_or(|rule| names(entry, rule))
            && since.is_none_or(|since| entry.time >= clock::now().saturating_sub(since))
    }
}

/// Whether a rule settled the decision, or was among what was found against the call.
fn names(entry: &Entry, rule: &str) -> bool {
    entry.rule.as_deref() == Some(rule) || entry.findings.iter().any(|finding| finding.rule == rule)
}

pub fn run(args: Args) -> Result<u8> {
    let log = open()?;
    if let Some(Command::Verify) = args.command {
        return verify(&log);
    }
    let mut tail = log.tail();
    let mut latest: Vec<Entry> = Vec::new();
    log.for_each_back(|line| {
        if latest.len() < args.lines
            && let Ok(entry) = serde_json::from_str::<Entry>(line)
            && args.filter.admits(&entry)
        {
            latest.push(entry);
        }
        latest.len() < args.lines
    });
    for entry in latest.iter().rev() {
        show(entry, args.json)?;
    }
    if !args.follow {
        return Ok(0);
    }
    loop {
        for entry in tail
            .fresh()?
            .iter()
            .filter(|entry| args.filter.admits(entry))
        {
            show(entry, args.json)?;
        }
        thread::sleep(Duration::from_millis(300));
    }
}

/// The log of this user.
pub fn open() -> Result<Log> {
    let state =
        State::locate(|name| std::env::var(name).ok()).map_err(|error| anyhow!("{error}"))?;
    Ok(Log::new(&state))
}

fn verify(log: &Log) -> Result<u8> {
    let report = log.verify()?;
    println!("{} decisions hold", report.lines);
    if report.torn > 0 {
        println!(
            "{} lines were torn by a kill; the chain goes on behind them",
            report.torn
        );
    }
    for place in &report.breaks {
        println!("broken: {place}");
    }
    Ok(u8::from(!report.holds()))
}

fn show(entry: &Entry, json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string(entry)?);
        return Ok(());
    }
    let verdict = output::painted(entry.verdict, &format!("{:<5}", entry.verdict.name()));
    let shadow = if entry.shadow { " (shadow)" } else { "" };
    let rule = entry.rule.as_deref().unwrap_or_default();
    let ground = format!("{} {}", entry.ground, output::clean(rule));
    let brief: String = output::clean(&entry.brief).chars().take(100).collect();
    println!(
        "{}  {}  {verdict}{shadow}  {:<28} {:<12} {} {brief}",
        clock::stamp(entry.time),
        entry.id,
        ground.trim_end(),
        entry.agent,
        entry.tool,
    );
    Ok(())
}

/// Whether a decision saved a person a question.
pub fn saved_a_prompt(entry: &Entry) -> bool {
    entry.verdict == Verdict::Allow && !entry.shadow && !is_reading(&entry.tool)
}

/// Tools that agents do not ask about by themselves.
fn is_reading(tool: &str) -> bool {
    matches!(
        tool,
        "Read" | "Grep" | "Glob" | "TodoWrite" | "TodoRead" | "ToolSearch" | "NotebookRead" | "LSP"
    )
}
