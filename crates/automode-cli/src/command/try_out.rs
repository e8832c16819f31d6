//! `automode try`: a command whose changes can still be dropped.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, anyhow, bail};
use automode::state::State;
use automode_confine::undo::{SnapshotPlan, UndoStore, WIDE};
use automode_confine::{
    Backend, ConfinedTrial, Confinement, Difference, NOT_STARTED, RunRequest, StandIn,
    run as run_confined,
};
use serde_json::json;

use super::run::{backend, machine, project};
use crate::{output, person};

/// Run a command on an overlay of the project, look at what it changed, then keep or drop it.
///
/// It runs at the project's own path, without network and with an empty home; where the kernel
/// allows no overlay it runs on a copy, which is said.
/// Keeping is refused where the project itself has changed meanwhile; what keeping replaces
/// can be brought back with `automode undo`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The command, as one word for a shell
    #[arg(value_name = "COMMAND")]
    command: String,
    /// Keep the changes without a question
    #[arg(long, conflicts_with = "drop")]
    keep: bool,
    /// Drop the changes without a question
    #[arg(long)]
    drop: bool,
    /// Answer as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  automode try './scripts/migrate.sh'
  automode try --drop 'npm run format'";

pub fn run(args: Args) -> Result<u8> {
    let state = State::locate(|name| env::var(name).ok())?;
    let machine = machine(&state)?;
    let directory = env::current_dir()?;
    let project = project(&directory);
    let backend = backend(&machine)?;
    if !matches!(backend, Backend::Bubblewrap(_)) {
        bail!("a trial needs bubblewrap\nhint: install the package `bubblewrap`");
    }
    let place = state
        .directory("trials")?
        .join(std::process::id().to_string());
    let trial = ConfinedTrial::begin(&project, &place, &machine)?;
    match trial.stand_in() {
        StandIn::Overlay(_) => {}
        StandIn::Copy(_) => {
            eprintln!("automode: the kernel allows no overlay here: it runs on a copy");
        }
    }
    let request = RunRequest {
        id: None,
        session: "trial".to_owned(),
        command: args.command.clone(),
        directory,
        confinement: Confinement::of_project(&project),
        instead: Some(trial.stand_in().clone()),
    };
    let outcome = match run_confined(&request, &machine, &backend) {
        Ok(outcome) => outcome,
        Err(error) => {
            eprintln!("automode: not started: {error}");
            return Ok(NOT_STARTED);
        }
    };
    eprint!("{}", outcome.report.for_model(None));
    let found = trial.differences()?;
    let kept = if found.is_empty() {
        false
    } else {
        show(&args, &project, &trial, &found)?
    };
    if kept {
        let id = remember(&state, &project, &args.command, &found)?;
        trial.keep(&found)?;
        // Without a seal `undo` would put everything beside: less handy, and nothing lost.
        UndoStore::new(state.root()).seal(&id).unwrap_or_default();
    }
    tell(&args, outcome.code, kept, &found);
    Ok(outcome.code)
}

/// The differences as a tree and as text, and whether they are wanted.
fn show(
    args: &Args,
    project: &Path,
    trial: &ConfinedTrial,
    found: &BTreeMap<PathBuf, Difference>,
) -> Result<bool> {
    if !args.json {
        for (path, difference) in found {
            let mark = match difference {
                Difference::Made => '+',
                Difference::Changed => '~',
                Difference::Removed => '-',
            };
            println!("{mark} {}", output::clean(&path.display().to_string()));
        }
        text(project, trial, found);
    }
    if args.keep || args.drop {
        return Ok(args.keep);
    }
    person::required("automode try")?;
    person::agrees("keep these changes?")
}

/// What a person reads of changed texts, in the form that git gives them.
fn text(project: &Path, trial: &ConfinedTrial, found: &BTreeMap<PathBuf, Difference>) {
    const SHOWN: usize = 20;
    const LINES: usize = 400;
    let changed = found
        .iter()
        .filter(|(path, _)| !path.starts_with(".git"))
        .filter(|(path, _)| {
            let is_file = |path: &Path| {
                let found = path.symlink_metadata();
                found.is_ok_and(|found| found.is_file())
            };
            is_file(&project.join(path)) || is_file(&trial.version(path))
        });
    for (path, difference) in changed.take(SHOWN) {
        let (before, after) = (project.join(path), trial.version(path));
        let nothing = PathBuf::from("/dev/null");
        let (before, after) = match difference {
            Difference::Changed => (before, after),
            Difference::Made => (nothing, after),
            Difference::Removed => (before, nothing),
        };
        println!("{}", output::clean(&path.display().to_string()));
        let output = Command::new("git")
            .args([
                "diff",
                "--no-index",
                "--no-ext-diff",
                "--no-textconv",
                "--no-color",
                "--",
            ])
            .args([before, after])
            .output();
        let Ok(output) = output else {
            return;
        };
        let shown = String::from_utf8_lossy(&output.stdout);
        let lines = shown.lines().skip_while(|line| !line.starts_with("@@"));
        for line in lines.take(LINES) {
            println!("  {}", output::clean(line));
        }
    }
}

/// What keeping replaces is kept first, like what a call replaces.
fn remember(
    state: &State,
    project: &Path,
    command: &str,
    found: &BTreeMap<PathBuf, Difference>,
) -> Result<String> {
    let id = format!("try-{}", std::process::id());
    let paths: Vec<PathBuf> = found
        .iter()
        .filter(|(_, difference)| **difference != Difference::Made)
        .map(|(path, _)| project.join(path))
        .collect();
    if paths.is_empty() {
        return Ok(id);
    }
    let plan = SnapshotPlan {
        paths,
        ..SnapshotPlan::default()
    };
    UndoStore::new(state.root())
        .take(&id, project, command, &plan, WIDE)
        .map_err(|error| anyhow!("what would be replaced cannot be kept: {error}"))?;
    Ok(id)
}

fn tell(args: &Args, code: u8, kept: bool, found: &BTreeMap<PathBuf, Difference>) {
    if args.json {
        println!(
            "{}",
            json!({ "exit": code, "kept": kept, "differences": found })
        );
        return;
    }
    match (found.is_empty(), kept) {
        (true, _) => println!("it changed nothing"),
        (false, true) => println!("kept"),
        (false, false) => println!("dropped"),
    }
}
