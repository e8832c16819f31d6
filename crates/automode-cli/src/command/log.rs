//! `automode log`: what was decided.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow};
use automode::audit::{Entry, Log, PersonAnswer, Said};
use automode::state::State;
use clap::{Subcommand, ValueEnum};
use serde_json::Value;

use crate::{clock, output};

/// Show decisions, or check that nobody changed the log.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<LogCommand>,
    #[command(flatten)]
    filter: Filter,
    /// How many of the latest decisions to show
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 50)]
    lines: usize,
    /// Go on showing decisions as they are made
    #[arg(short, long)]
    follow: bool,
    /// How to print them
    #[arg(long, value_enum, default_value = "text")]
    format: LogFormat,
    /// Print one JSON object a line, as --format json
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  automode log --verdict deny --since 2h
  automode log --follow --agent codex
  automode log --format csv -n 1000 > decisions.csv
  automode log verify";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    Text,
    Json,
    Csv,
}

#[derive(Subcommand)]
enum LogCommand {
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
    /// Whether every decision is meant, but for its time.
    pub fn is_open(&self) -> bool {
        let wanted = [
            &self.agent,
            &self.session,
            &self.verdict,
            &self.tool,
            &self.rule,
        ];
        wanted.into_iter().all(Option::is_none)
    }

    /// The oldest time that is meant, in milliseconds since the epoch.
    pub fn from(&self) -> u64 {
        self.since.map_or(0, |span| {
            let span = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
            clock::now().saturating_sub(span)
        })
    }

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

/// What people said to questions, by the name of the decision that asked.
pub fn answers(log: &Log) -> BTreeMap<String, Said> {
    let mut answers = BTreeMap::new();
    log.for_each_back(|line| {
        if let Some(answer) = PersonAnswer::read(line) {
            answers.entry(answer.answers).or_insert(answer.said);
        }
        true
    });
    answers
}

pub fn run(args: Args) -> Result<u8> {
    let log = open()?;
    if let Some(LogCommand::Verify) = args.command {
        return verify(&log);
    }
    let format = if args.json {
        LogFormat::Json
    } else {
        args.format
    };
    let mut tail = log.tail();
    let mut latest: Vec<Entry> = Vec::new();
    let mut any = false;
    let mut answers = BTreeMap::new();
    log.for_each_back(|line| {
        // An answer stands behind its question, so it is met first.
        if let Some(answer) = PersonAnswer::read(line) {
            answers.entry(answer.answers).or_insert(answer.said);
        } else if let Ok(entry) = serde_json::from_str::<Entry>(line) {
            any = true;
            if args.filter.admits(&entry) {
                latest.push(entry);
            }
        }
        latest.len() < args.lines
    });
    let mut printer = Printer::new(format, answers);
    printer.begin(latest.is_empty(), any);
    for entry in latest.iter().rev() {
        printer.show(entry)?;
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
            printer.show(entry)?;
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

/// Shows entries one after the other.
struct Printer {
    format: LogFormat,
    answers: BTreeMap<String, Said>,
    /// The day whose head line stands above.
    day: String,
    width: usize,
}

impl Printer {
    fn new(format: LogFormat, answers: BTreeMap<String, Said>) -> Self {
        Self {
            format,
            answers,
            day: String::new(),
            width: output::width(),
        }
    }

    fn begin(&self, empty: bool, any: bool) {
        match self.format {
            LogFormat::Csv => println!("{}", COLUMNS.join(",")),
            LogFormat::Text if empty && any => {
                println!("no decision matches (hint: other filters)")
            }
            LogFormat::Text if empty => {
                println!("no decision yet (hint: automode status, automode setup)");
            }
            LogFormat::Text | LogFormat::Json => {}
        }
    }

    fn show(&mut self, entry: &Entry) -> Result<()> {
        match self.format {
            LogFormat::Json => println!("{}", self.json(entry)?),
            LogFormat::Csv => println!("{}", self.csv(entry)),
            LogFormat::Text => self.text(entry),
        }
        Ok(())
    }

    fn said(&self, entry: &Entry) -> Option<&'static str> {
        self.answers.get(&entry.id).map(|said| said.name())
    }

    fn json(&self, entry: &Entry) -> Result<Value> {
        let mut line = serde_json::to_value(entry)?;
        if let (Some(said), Value::Object(fields)) = (self.said(entry), &mut line) {
            fields.insert("said".to_owned(), Value::from(said));
        }
        Ok(line)
    }

    fn csv(&self, entry: &Entry) -> String {
        let latency = format!("{:.3}", entry.latency);
        let fields = [
            &clock::stamp(entry.time),
            &entry.id,
            entry.verdict.name(),
            self.said(entry).unwrap_or_default(),
            &entry.ground,
            entry.rule.as_deref().unwrap_or_default(),
            &entry.agent,
            &entry.session,
            &entry.tool,
            &entry.brief,
            &entry.cwd,
            &latency,
        ];
        fields.map(quoted).join(",")
    }

    /// One line that fits: the verdict, the call, what settled it, its name and the time.
    fn text(&mut self, entry: &Entry) {
        let day = clock::day_and_zone(entry.time);
        if day != self.day {
            println!("{day}");
            self.day = day;
        }
        let word = match (self.said(entry), entry.shadow) {
            (Some(said), _) => format!("{} {said}", entry.verdict.name()),
            (None, true) => format!("{}*", entry.verdict.name()),
            (None, false) => entry.verdict.name().to_owned(),
        };
        let verdict = output::painted(entry.verdict, &format!("{word:<7}"));
        let call = match entry.tool.as_str() {
            "Bash" => entry.brief.clone(),
            tool => format!("{tool} {}", entry.brief),
        };
        let by = entry.settled_by();
        let room = self.width.saturating_sub(FIXED).max(16);
        println!(
            "{verdict} {} {} {:<8} {}",
            fitted(&output::clean(&call), room),
            fitted(&output::clean(by), BY),
            entry.id,
            clock::time(entry.time),
        );
    }
}

/// Columns of what settled it.
const BY: usize = 18;
/// Columns of a line beside the call: verdict, ground, name, time and what parts them.
const FIXED: usize = 7 + BY + 8 + 8 + 4;
const COLUMNS: [&str; 12] = [
    "time",
    "id",
    "verdict",
    "said",
    "ground",
    "rule",
    "agent",
    "session",
    "tool",
    "call",
    "directory",
    "milliseconds",
];

/// A text in exactly so many columns.
fn fitted(text: &str, columns: usize) -> String {
    let length = text.chars().count();
    if length <= columns {
        return format!("{text:<columns$}");
    }
    let kept: String = text.chars().take(columns.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// A field of CSV. A text that a spreadsheet would take for a formula is kept from being one.
fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@']);
    let text = if formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_columns_hold_what_they_are_given() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(quoted("=1+1"), "'=1+1");
        assert_eq!(fitted("abc", 5), "abc  ");
        assert_eq!(fitted("abcdef", 4), "abc…");
    }
}
