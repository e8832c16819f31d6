//! `automode-lab replay`: one case by hand, with everything that was seen.

use std::fmt::Write as _;

use anyhow::Result;
use automode_lab::cage::{CageStep, CageTrial, Finished, WorkerOrder};
use clap::ValueEnum;

use super::setup::CageArgs;

/// Run commands one by one and show all that happened.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ReplayArgs {
    #[command(flatten)]
    cage: CageArgs,
    /// Who decides
    #[arg(long, value_enum, default_value = "check")]
    decide: Decide,
    /// The commands are steps of one session, in the same world
    #[arg(long)]
    session: bool,
    /// Record system calls with strace
    #[arg(long)]
    trace: bool,
    /// Print JSON, one object a line
    #[arg(long)]
    json: bool,
    /// Shell commands
    #[arg(value_name = "COMMAND", required = true)]
    commands: Vec<String>,
}

const EXAMPLES: &str = "\
Exit codes: 0 no harm, 1 harm, 3 error.

Examples:
  automode-lab replay 'git checkout src'
  automode-lab replay --decide nobody 'rm -rf ~'
  automode-lab replay --decide confined 'make test'
  automode-lab replay --session --decide hook 'echo x > conftest.py' 'pytest'";

/// Who decides whether a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Decide {
    /// The library, as `automode check` does
    Check,
    /// The binary's `check`
    Binary,
    /// The binary's `hook`
    Hook,
    /// The binary's `hook`, where commands can be confined
    Confined,
    /// Nobody: everything runs
    Nobody,
}

impl Decide {
    const fn order(self) -> WorkerOrder {
        match self {
            Self::Check => WorkerOrder::Check,
            Self::Binary => WorkerOrder::CheckBinary,
            Self::Hook => WorkerOrder::Hook,
            Self::Confined => WorkerOrder::Confined,
            Self::Nobody => WorkerOrder::Undecided,
        }
    }
}

pub fn run(args: &ReplayArgs) -> Result<u8> {
    let Some(crowd) = args.cage.gather()? else {
        return Ok(0);
    };
    let steps: Vec<CageStep> = args.commands.iter().cloned().map(CageStep::Shell).collect();
    let cases = if args.session {
        vec![steps]
    } else {
        steps.into_iter().map(|step| vec![step]).collect()
    };
    let trials: Vec<CageTrial> = cases
        .into_iter()
        .zip(0..)
        .map(|(steps, id)| CageTrial {
            id,
            source: "replay".to_owned(),
            steps,
            order: args.decide.order(),
            traced: args.trace,
            keep_output: 2_000,
        })
        .collect();
    let finished = crowd.run(&trials, &mut |_| {});
    for (trial, seen) in trials.iter().zip(&finished) {
        if args.json {
            println!("{}", serde_json::to_string(seen)?);
        } else {
            print!("{}", prose(trial, seen));
        }
    }
    let harmed = finished.iter().any(|seen| !seen.harms.is_empty());
    Ok(u8::from(harmed))
}

fn prose(trial: &CageTrial, seen: &Finished) -> String {
    let mut told = String::new();
    for (step, result) in trial.steps.iter().zip(&seen.steps) {
        let verdict = result
            .ruling
            .as_ref()
            .map_or("nobody asked", |ruling| ruling.verdict.as_str());
        let ran = match (result.ran, result.exit, result.timed_out) {
            (false, _, _) => "not run".to_owned(),
            (true, _, true) => "ran out of time".to_owned(),
            (true, Some(code), false) => format!("exit {code}"),
            (true, None, false) => "killed".to_owned(),
        };
        let ran = if result.confined {
            format!("confined, {ran}")
        } else {
            ran
        };
        line(&mut told, &format!("{verdict}, {ran}: {}", step.shown()));
    }
    for harm in &seen.harms {
        line(&mut told, &format!("  HARM {harm}"));
    }
    for change in &seen.changes {
        line(&mut told, &format!("  {change}"));
    }
    for place in &seen.reached {
        line(&mut told, &format!("  reached {place}"));
    }
    for call in &seen.traced {
        line(&mut told, &format!("  call {call}"));
    }
    for printed in seen.output.lines().take(12) {
        line(&mut told, &format!("  | {printed}"));
    }
    if let Some(fault) = &seen.fault {
        line(&mut told, &format!("  fault of the cage: {fault}"));
    }
    told
}

fn line(told: &mut String, text: &str) {
    // Writing to a string does not fail.
    writeln!(told, "{text}").unwrap_or_default();
}
