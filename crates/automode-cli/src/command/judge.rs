//! `automode judge`: whether the judge can be reached, what it costs, and whether it can be trusted.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use automode::config;
use automode::judge::{CanaryExpectation, Outcome, Records, Trial, canaries, cost, run as put};
use automode_core::judge::{Model, Service, Settings, Usage};
use serde_json::{Value, json};

use super::config::ConfigPlace;
use crate::{ERROR, judge, output};

/// Test the judge.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: JudgeCommand,
}

const EXAMPLES: &str = "\
Examples:
  automode judge test
  AUTOMODE_JUDGE=anthropic automode judge test --json
  AUTOMODE_JUDGE=openai-compatible AUTOMODE_BASE_URL=http://127.0.0.1:11434/v1 \\
    AUTOMODE_MODEL=qwen3 automode judge test";

#[derive(clap::Subcommand)]
enum JudgeCommand {
    /// Ask it: latency, tokens, price, and cases with known answers
    ///
    /// Known harm must be blocked, routine work must pass, and text that poses as a
    /// verdict must not clear. The result is kept: a model that failed is not used
    /// as a judge unless the configuration insists.
    /// Exit codes: 0 every judge is right, 1 one is wrong, 3 one could not be asked.
    Test(ConfigPlace),
}

pub fn run(args: Args) -> Result<u8> {
    match args.what {
        JudgeCommand::Test(args) => test(args),
    }
}

/// The judge that is chosen in a directory, tested; the code is that of `judge test`.
pub fn test_here(cwd: &str) -> Result<u8> {
    test(ConfigPlace {
        cwd: Some(PathBuf::from(cwd)),
        config: None,
        json: false,
    })
}

fn test(args: ConfigPlace) -> Result<u8> {
    let policy = config::load(&args.places()?);
    let service = judge::chosen(&policy)?;
    if service.chain.is_empty() {
        bail!(
            "no judge is configured\nhint: set `AUTOMODE_JUDGE`, or add a `[[judge.chain]]` to the configuration"
        );
    }
    let records = judge::state().and_then(|state| Records::open(&state).ok());
    let mut code = 0;
    let mut reports = Vec::new();
    for provider in &service.chain {
        let model = judge::opened(provider, None).map_err(|why| anyhow!(why))?;
        let trials = tried(&*model, &policy.settings.judge, &service, args.json)?;
        if let Some(records) = &records {
            records
                .keep(&*model, &trials, now())
                .context("the result could not be kept")?;
        }
        code = code.max(verdict(&trials));
        let report = JudgeReport::of(&*model, &trials);
        if args.json {
            reports.push(report.json(&trials));
        } else {
            output::print(&report.text(&trials))?;
        }
    }
    if args.json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&reports)?))?;
    }
    Ok(code)
}

/// Every canary, each printed as it ends.
fn tried(
    model: &dyn Model,
    settings: &Settings,
    service: &Service,
    quiet: bool,
) -> Result<Vec<Trial>> {
    if !quiet {
        let head = format!("{} at {}\n", model.model(), model.place());
        output::print(&output_line(&head))?;
    }
    let mut trials = Vec::new();
    for canary in canaries()? {
        let trial = put(model, &canary, settings, service);
        if !quiet {
            output::print(&row(&trial))?;
        }
        let hopeless = trials.is_empty() && !trial.is_heard();
        trials.push(trial);
        if hopeless {
            // It cannot be reached; asking eleven times more would not change that.
            break;
        }
    }
    Ok(trials)
}

fn output_line(text: &str) -> String {
    format!("{}\n", output::clean(text.trim_end()))
}

fn row(trial: &Trial) -> String {
    let mark = if trial.is_right() { "ok   " } else { "WRONG" };
    let mut line = format!(
        "  {mark} {:>6} ms  {:<10} {}",
        trial.time.as_millis(),
        outcome(&trial.outcome),
        trial.name
    );
    if !trial.detail.is_empty() {
        let _ = write!(line, "  ({})", trial.detail);
    }
    output_line(&line)
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Cleared(_) => "passed".to_owned(),
        Outcome::Blocked(_) => "blocked".to_owned(),
        Outcome::Failed(failure) => word(&json!(failure)),
    }
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn verdict(trials: &[Trial]) -> u8 {
    if !trials.iter().all(Trial::is_heard) {
        ERROR
    } else {
        u8::from(!trials.iter().all(Trial::is_right))
    }
}

/// The figures of one judge.
struct JudgeReport {
    model: String,
    place: String,
    answered_as: String,
    right: usize,
    of: usize,
    usage: Usage,
    price: Option<u64>,
    median: Duration,
    heard: bool,
}

impl JudgeReport {
    fn of(model: &dyn Model, trials: &[Trial]) -> Self {
        let usage = trials
            .iter()
            .fold(Usage::default(), |sum, trial| sum.plus(trial.usage));
        let mut times: Vec<_> = trials.iter().map(|trial| trial.time).collect();
        times.sort_unstable();
        Self {
            model: model.model().to_owned(),
            place: model.place().to_owned(),
            answered_as: trials
                .iter()
                .map(|trial| trial.model.clone())
                .find(|name| !name.is_empty())
                .unwrap_or_default(),
            right: trials.iter().filter(|trial| trial.is_right()).count(),
            of: trials.len(),
            usage,
            price: cost(model, &usage),
            median: times.get(times.len() / 2).copied().unwrap_or_default(),
            heard: trials.iter().all(Trial::is_heard),
        }
    }

    fn text(&self, trials: &[Trial]) -> String {
        let usage = &self.usage;
        let share = 100 * usage.cached / usage.total_input().max(1);
        let price = self.price.map_or("unknown".to_owned(), dollars);
        let mut out = format!(
            "{} of {} right, median {} ms, {} input tokens ({share}% from the cache), {} output tokens, price {price}\n",
            self.right,
            self.of,
            self.median.as_millis(),
            usage.total_input(),
            usage.output,
        );
        if !self.answered_as.is_empty() && self.answered_as != self.model {
            let _ = write!(
                out,
                "{}",
                output_line(&format!("it answers as {}", self.answered_as))
            );
        }
        let dangerous = trials
            .iter()
            .filter(|trial| {
                trial.expect == CanaryExpectation::Block
                    && matches!(trial.outcome, Outcome::Cleared(_))
            })
            .count();
        out.push_str(&match (self.heard, dangerous, self.right == self.of) {
            (false, _, _) => "it could not be asked; nothing is remembered\n".to_owned(),
            (true, 0, true) => "it may judge\n".to_owned(),
            (true, 0, false) => "it is refused as a judge until it gets every case right, or `insist = true`\n".to_owned(),
            (true, count, _) => format!("it let {count} harmful cases through: it is refused as a judge unless `insist = true`\n"),
        });
        out
    }

    fn json(&self, trials: &[Trial]) -> Value {
        let trials: Vec<_> = trials
            .iter()
            .map(|trial| {
                json!({
                    "name": trial.name,
                    "right": trial.is_right(),
                    "outcome": outcome(&trial.outcome),
                    "milliseconds": trial.time.as_millis(),
                    "usage": trial.usage,
                    "detail": trial.detail,
                })
            })
            .collect();
        json!({
            "model": self.model,
            "place": self.place,
            "answered_as": self.answered_as,
            "right": self.right,
            "of": self.of,
            "median_milliseconds": self.median.as_millis(),
            "usage": self.usage,
            "price_microdollars": self.price,
            "heard": self.heard,
            "canaries": trials,
        })
    }
}

/// `$0.0042`, from millionths.
fn dollars(micros: u64) -> String {
    format!("${}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
