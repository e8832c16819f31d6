//! `automode eval`: how good the decisions are, on labelled cases.

use std::env;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use automode::config::{self, Places};
use automode::eval::{self, Bench, Case, Outcome, Report, Site};
use automode::{Gate, Policy};
use clap::ValueEnum;

use crate::{judge, output, setup};

/// Measure decisions on labelled cases.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files of cases, one JSON object a line [default: the corpus of automode itself]
    #[arg(value_name = "CASES.jsonl", conflicts_with = "diff")]
    cases: Vec<PathBuf>,
    /// Who judges what the analysis leaves open
    #[arg(long, value_enum, default_value_t = JudgeChoice::None)]
    judge: JudgeChoice,
    /// Decide under the policy in force here, instead of the built-in one
    #[arg(long, conflicts_with = "diff")]
    policy: bool,
    /// A configuration file, beside those that are found
    #[arg(long, value_name = "FILE", requires = "policy")]
    config: Option<PathBuf>,
    /// Decide all cases in this checkout, as it stands, instead of in a project of their own
    #[arg(long, value_name = "PATH", conflicts_with = "diff")]
    repo: Option<PathBuf>,
    /// Write one JSON line for each case to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
    /// Print what changed between two files written with `--out`
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"])]
    diff: Option<Vec<PathBuf>>,
}

/// Who judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum JudgeChoice {
    /// Nobody: what the analysis leaves open counts as ask
    None,
    /// The judge of the configuration or the environment; its fast pass is counted apart
    Configured,
}

const EXAMPLES: &str = "\
A case: {\"id\": \"1\", \"label\": \"benign\", \"call\": {\"tool\": \"Bash\", \"input\": {\"command\": \"ls\"}}}
Labels are benign, harmful and dual; `group`, `cwd`, `transcript`, `files`, `git` and `home` may be there.

Examples:
  automode eval
  automode eval cases.jsonl --out after.jsonl
  automode eval cases.jsonl --policy --config team.toml
  automode eval cases.jsonl --repo ~/src/app
  AUTOMODE_JUDGE=anthropic automode eval --judge configured
  automode eval --diff before.jsonl after.jsonl";

pub fn run(args: Args) -> Result<u8> {
    if let Some(files) = args.diff {
        return diff(&files);
    }
    let cases = load(&args.cases)?;
    if cases.is_empty() {
        bail!("there are no cases\nhint: name a file with one case a line");
    }
    let site = site(args.repo.as_deref())?;
    let rules = if args.policy {
        policy_in_force(args.config)?
    } else {
        // The built-in rules and lists, so that anybody gets the same figures.
        Policy::default()
    };
    let bar = Bar::new(cases.len());
    let outcomes = match args.judge {
        JudgeChoice::None => eval::run_at(
            &site,
            &cases,
            || Gate::new(rules.clone()),
            |done| bar.show(done),
        ),
        JudgeChoice::Configured => {
            let own = if args.policy {
                rules.clone()
            } else {
                config::load(&Places::here(setup::directory(None)?.as_ref(), None))
            };
            let policy = judged(rules, &own)?;
            let gate = || judge::with_configured_judge(Gate::new(policy.clone()), "eval", || None);
            eval::run_at(&site, &cases, gate, |done| bar.show(done))
        }
    };
    bar.clear();
    if let Some(path) = args.out {
        write(&path, &outcomes)?;
    }
    let report = Report::of(&outcomes);
    let bench = Bench::of(&outcomes);
    if args.json {
        let mut json = report.json();
        if let (Some(bench), Some(object)) = (bench, json.as_object_mut()) {
            object.insert("judge".to_owned(), bench.json());
        }
        println!("{json}");
    } else {
        let bench = bench.map_or_else(String::new, |bench| format!("\n{}", bench.text()));
        output::print(&format!("{}{bench}", report.text()))?;
    }
    Ok(0)
}

/// Where the cases are decided.
fn site(repo: Option<&Path>) -> Result<Site> {
    let Some(path) = repo else {
        return Ok(Site::Imagined);
    };
    let shown = path.display();
    let root = fs::canonicalize(path)
        .with_context(|| format!("`{shown}` is no directory\nhint: name a checkout"))?;
    if !root.is_dir() {
        bail!("`{shown}` is no directory\nhint: name a checkout");
    }
    Ok(Site::Checkout {
        root: root.to_string_lossy().into_owned(),
        home: env::var("HOME").ok(),
    })
}

/// The policy that is in force in this directory. A broken one allows nothing, so its figures
/// would say nothing.
fn policy_in_force(config: Option<PathBuf>) -> Result<Policy> {
    let policy = config::load(&Places::here(setup::directory(None)?.as_ref(), config));
    if let Some(fault) = policy.provenance().faults.first() {
        bail!("the policy in force is broken: {fault}\nhint: automode config lint");
    }
    Ok(policy)
}

/// A policy with the judge of another: whom to ask and how is the person's.
fn judged(mut policy: Policy, own: &Policy) -> Result<Policy> {
    policy.settings.judge = own.settings.judge.clone();
    policy.settings.service = judge::chosen(own)?;
    if policy.settings.service.chain.is_empty() {
        bail!(
            "no judge is configured\nhint: set `AUTOMODE_JUDGE`, or add a `[[judge.chain]]` to the configuration"
        );
    }
    Ok(policy)
}

/// The cases of the files, or those that the project ships.
fn load(files: &[PathBuf]) -> Result<Vec<Case>> {
    if files.is_empty() {
        let mut cases = Vec::new();
        for (name, text) in eval::CORPUS {
            cases.extend(eval::parse(text, name)?);
        }
        return Ok(cases);
    }
    let mut cases = Vec::new();
    for file in files {
        cases.extend(eval::load(file)?);
    }
    Ok(cases)
}

fn write(path: &Path, outcomes: &[Outcome]) -> Result<()> {
    let shown = path.display();
    let file = File::create(path).with_context(|| format!("`{shown}` could not be written"))?;
    let mut file = BufWriter::new(file);
    for outcome in outcomes {
        serde_json::to_writer(&mut file, outcome)?;
        writeln!(file)?;
    }
    file.flush()
        .with_context(|| format!("`{shown}` could not be written"))
}

/// Changed verdicts, the worse ones marked.
fn diff(files: &[PathBuf]) -> Result<u8> {
    let [before, after] = files else {
        bail!("two files are needed\nhint: `automode eval --diff before.jsonl after.jsonl`");
    };
    let (before, after) = (read(before)?, read(after)?);
    let changes = eval::diff(&before, &after);
    for change in &changes {
        let mark = if change.is_worse() { "!" } else { " " };
        println!(
            "{mark} {} -> {}  {}  {} {}  {}",
            change.before.verdict.name(),
            change.after.verdict.name(),
            change.after.label.name(),
            change.after.file,
            change.after.id,
            output::clean(&change.after.reason),
        );
    }
    let worse = changes.iter().filter(|change| change.is_worse()).count();
    println!("{} verdicts changed, {worse} for the worse", changes.len());
    Ok(u8::from(worse > 0))
}

fn read(path: &Path) -> Result<Vec<Outcome>> {
    let shown = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("`{shown}` could not be read"))?;
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            serde_json::from_str(line)
                .with_context(|| format!("`{shown}` is no output of `automode eval`"))
        })
        .collect()
}

/// A progress bar on stderr, where that is a terminal.
struct Bar {
    total: usize,
    shown: Option<Mutex<Instant>>,
}

impl Bar {
    const WIDTH: usize = 32;
    const PAUSE: Duration = Duration::from_millis(80);

    fn new(total: usize) -> Self {
        Self {
            total,
            shown: io::stderr()
                .is_terminal()
                .then(|| Mutex::new(Instant::now())),
        }
    }

    fn show(&self, done: usize) {
        let Some(Ok(mut last)) = self.shown.as_ref().map(Mutex::try_lock) else {
            return;
        };
        if last.elapsed() < Self::PAUSE {
            return;
        }
        *last = Instant::now();
        let full = Self::WIDTH.saturating_mul(done) / self.total.max(1);
        let bar = format!(
            "{}{}",
            "█".repeat(full),
            "░".repeat(Self::WIDTH.saturating_sub(full))
        );
        // A bar that cannot be drawn is no reason to stop.
        let _ = write!(io::stderr(), "\r{bar} {done}/{}", self.total);
    }

    fn clear(&self) {
        if self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}
