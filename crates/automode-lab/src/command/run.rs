//! `automode-lab run` and `fuzz`: many cases, then what they showed.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use automode_lab::cage::{CageStep, WorkerOrder};
use automode_lab::compare::secret_paths;
use automode_lab::crowd::Crowd;
use automode_lab::dice::Dice;
use automode_lab::generate::{Bandit, Draft, Installed, Shrinker, corpora, sessions};
use automode_lab::record::LabRecord;
use automode_lab::report::{Progress, Tally, page};
use serde_json::json;

use super::setup::CageArgs;

/// What both commands share.
#[derive(clap::Args)]
pub struct HuntArgs {
    #[command(flatten)]
    cage: CageArgs,
    /// A file or folder of further cases (JSON Lines, or text with one command a line); may be repeated
    #[arg(long = "corpus", value_name = "PATH")]
    corpus: Vec<PathBuf>,
    /// Take the number of the day as the seed
    #[arg(long, conflicts_with = "seed")]
    seed_of_the_day: bool,
    /// Decide everything by the hook, where commands can be confined, and run what is allowed confined so
    #[arg(long)]
    confined: bool,
    /// Leave out whole sessions through the hook
    #[arg(long)]
    no_sessions: bool,
    /// Only what these generators make; may be repeated
    #[arg(long, value_name = "GENERATOR", value_parser = ["corpus", "installed", "mutate", "learned", "session"])]
    only: Vec<String>,
    /// Record the system calls of one case in so many
    #[arg(long, value_name = "NUMBER", default_value_t = 200)]
    trace_one_in: u64,
    /// Where results go
    #[arg(long, value_name = "DIR", default_value = "target/lab-results")]
    out: PathBuf,
    /// Print the sums as JSON
    #[arg(long)]
    json: bool,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
    /// Leave findings as long as they are
    #[arg(long)]
    no_shrink: bool,
}

impl HuntArgs {
    fn order(&self) -> Option<WorkerOrder> {
        self.confined.then_some(WorkerOrder::Confined)
    }
}

/// Decide a number of cases, execute those that are allowed, and report.
///
/// Corpora come first, then every generator in turn, chosen by what it was worth so far.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    #[command(flatten)]
    hunt: HuntArgs,
    /// How many cases are decided
    #[arg(long, value_name = "NUMBER", default_value_t = 5000)]
    cases: usize,
    /// Go on until so many were executed, whatever `--cases` says
    #[arg(long, value_name = "NUMBER")]
    executed: Option<usize>,
    /// Leave out the corpora, and generate everything
    #[arg(long)]
    generated_only: bool,
}

/// Try new things until the time is over.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct FuzzArgs {
    #[command(flatten)]
    hunt: HuntArgs,
    /// How long
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    minutes: u64,
}

const EXAMPLES: &str = "\
Exit codes: 0 no harm, 1 harm, 3 error.
Results: records.jsonl (every case), findings.jsonl (harm, as lines of a corpus), report.html.

Examples:
  automode-lab run --cases 5000 --seed-of-the-day
  automode-lab run --corpus ../shared/eval/dev --executed 20000
  automode-lab run --confined --only corpus
  automode-lab fuzz --minutes 480 --seed 7";

/// How far to go.
enum Goal {
    Cases(usize),
    Executed(usize),
    Time(Duration),
}

impl Goal {
    fn reached(&self, tally: &Tally, elapsed: Duration) -> bool {
        match self {
            Self::Cases(cases) => tally.tried >= *cases,
            Self::Executed(cases) => tally.executed >= *cases,
            Self::Time(time) => elapsed >= *time,
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Cases(cases) | Self::Executed(cases) => *cases,
            Self::Time(_) => 1,
        }
    }

    fn done(&self, tally: &Tally) -> usize {
        match self {
            Self::Cases(_) | Self::Time(_) => tally.tried,
            Self::Executed(_) => tally.executed,
        }
    }
}

pub fn run(args: RunArgs) -> Result<u8> {
    let goal = args
        .executed
        .map_or(Goal::Cases(args.cases), Goal::Executed);
    hunt(args.hunt, &goal, !args.generated_only)
}

pub fn fuzz(args: FuzzArgs) -> Result<u8> {
    let goal = Goal::Time(Duration::from_secs(args.minutes.saturating_mul(60)));
    hunt(args.hunt, &goal, false)
}

fn hunt(mut args: HuntArgs, goal: &Goal, with_corpora: bool) -> Result<u8> {
    if args.seed_of_the_day {
        args.cage.seed = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / 86_400;
    }
    let Some(crowd) = args.cage.gather()? else {
        return Ok(0);
    };
    let has_binary = args.cage.has_binary();
    if !has_binary && !args.no_sessions {
        eprintln!("no sessions: there is no automode binary (hint: `cargo build -p automode-cli`)");
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = corpora(&root, &args.corpus)?;
    let installed = Installed::new(&root, args.cage.seed);
    let commands = corpus.iter().map(Draft::shown).collect();
    let with_sessions = has_binary && !args.no_sessions;
    let wanted = |name: &str| args.only.is_empty() || args.only.iter().any(|one| one == name);
    let bandit = Bandit::new(installed, commands, args.cage.seed, &|name| {
        wanted(name) && (with_sessions || name != "session")
    });
    let mut first = Vec::new();
    if with_corpora {
        if wanted("corpus") {
            first.extend(corpus);
        }
        if with_sessions && wanted("session") {
            first.extend(sessions(
                400,
                &mut Dice::new(args.cage.seed).fork("sessions"),
            ));
        }
    }
    Hunt::open(&args, &crowd, goal)?.go(bandit, first)
}

/// One run under way.
struct Hunt<'a> {
    args: &'a HuntArgs,
    crowd: &'a Crowd,
    goal: &'a Goal,
    tally: Tally,
    progress: Progress,
    records: BufWriter<File>,
    next: u64,
    findings: Vec<(Draft, LabRecord)>,
}

impl<'a> Hunt<'a> {
    fn open(args: &'a HuntArgs, crowd: &'a Crowd, goal: &'a Goal) -> Result<Self> {
        fs::create_dir_all(&args.out)
            .with_context(|| format!("`{}` could not be made", args.out.display()))?;
        let records = BufWriter::new(File::create(args.out.join("records.jsonl"))?);
        Ok(Self {
            args,
            crowd,
            goal,
            tally: Tally::new(args.cage.seed),
            progress: Progress::new(goal.size(), args.quiet || args.json),
            records,
            next: 0,
            findings: Vec::new(),
        })
    }

    fn go(mut self, mut bandit: Bandit, first: Vec<Draft>) -> Result<u8> {
        let mut waiting = first;
        while !self.goal.reached(&self.tally, self.progress.elapsed()) {
            let size = self.round_size();
            let drafts = if waiting.is_empty() {
                bandit.round(size, self.crowd)
            } else {
                let rest = waiting.split_off(size.min(waiting.len()));
                std::mem::replace(&mut waiting, rest)
            };
            if drafts.is_empty() {
                break;
            }
            self.round(&drafts, &mut bandit)?;
        }
        self.tally.elapsed = self.progress.elapsed();
        self.progress.clear();
        self.records.flush()?;
        let shrunk = self.shrink()?;
        fs::write(
            self.args.out.join("report.html"),
            page(&self.tally, &shrunk, &bandit.standing()),
        )?;
        if self.args.json {
            println!("{}", self.tally.json());
        } else {
            print!("{}", self.tally.text());
            for (draft, record) in &shrunk {
                let harms: Vec<String> = record
                    .harms
                    .iter()
                    .take(2)
                    .map(ToString::to_string)
                    .collect();
                println!(
                    "HARM {}\n     {}",
                    draft.shown().replace('\n', "\u{2424}"),
                    harms.join("; ")
                );
            }
            println!("results: {}", self.args.out.display());
        }
        Ok(u8::from(!self.tally.harmed.is_empty()))
    }

    fn round_size(&self) -> usize {
        match self.goal {
            Goal::Cases(cases) => 400.min(cases.saturating_sub(self.tally.tried)),
            Goal::Executed(_) | Goal::Time(_) => 400,
        }
    }

    fn round(&mut self, drafts: &[Draft], bandit: &mut Bandit) -> Result<()> {
        let start = self.next;
        self.next = self.next.saturating_add(u64::try_from(drafts.len())?);
        let trials: Vec<_> = drafts
            .iter()
            .zip(start..)
            .map(|(draft, id)| {
                let mut trial = match self.args.order() {
                    Some(order) => draft.trial_by(order, id),
                    None => draft.trial(id),
                };
                trial.traced = self.args.trace_one_in > 0 && id % self.args.trace_one_in == 0;
                trial
            })
            .collect();
        let secrets = secret_paths(self.args.cage.seed);
        let done = self.goal.done(&self.tally);
        let mut heard = 0_usize;
        let finished = self.crowd.run(&trials, &mut |_| {
            heard = heard.saturating_add(1);
            self.progress.show(done.saturating_add(heard), &self.tally);
        });
        for (draft, one) in drafts.iter().zip(&finished) {
            let record = LabRecord::new(draft, one, &secrets);
            self.tally.add(&record);
            serde_json::to_writer(&mut self.records, &record)?;
            self.records.write_all(b"\n")?;
            if !record.harms.is_empty() {
                self.findings.push((draft.clone(), record));
            }
        }
        bandit.learn(drafts, &finished);
        Ok(())
    }

    /// Findings made short, one for each way of doing harm, written as lines of a corpus.
    fn shrink(&self) -> Result<Vec<(Draft, LabRecord)>> {
        let shrinker = Shrinker::new(self.crowd, self.args.order());
        let mut short: Vec<(Draft, LabRecord)> = Vec::new();
        for (draft, record) in self.findings.iter().take(150) {
            let Some(harm) = record.harms.first() else {
                continue;
            };
            let small = if self.args.no_shrink {
                draft.clone()
            } else {
                shrinker.shrink(draft, harm.kind)
            };
            if !short.iter().any(|(one, _)| one.shown() == small.shown()) {
                short.push((small, record.clone()));
            }
        }
        let mut lines = String::new();
        for (number, (draft, record)) in short.iter().enumerate() {
            let kind = record.harms.first().map_or("harm", |harm| harm.kind.name());
            let transcript: Vec<_> = draft.steps.iter().rev().skip(1).rev().map(turn).collect();
            let Some(last) = draft.steps.last() else {
                continue;
            };
            let id = format!("lab-{}-{}", self.args.cage.seed, number.saturating_add(1));
            let line = json!({
                "id": id, "label": "harmful", "category": kind, "group": id,
                "call": turn(last), "transcript": transcript,
            });
            lines.push_str(&format!("{line}\n"));
        }
        fs::write(self.args.out.join("findings.jsonl"), lines)?;
        Ok(short)
    }
}

fn turn(step: &CageStep) -> serde_json::Value {
    let (tool, input) = step.call();
    json!({ "tool": tool, "input": input })
}
