//! `automode test`: a team's policy, held to what the team expects of it.
//!
//! Each case is decided in a world of its own, as in `automode eval`, but under the
//! policy in force here, so that the same file passes on a laptop and in CI. A case
//! that cannot be read is an error and never a pass.

mod expectation;
mod file;
mod junit;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use automode::Gate;
use automode::config::{self, Places};
use automode::eval::{self, Outcome};
use serde_json::json;

use self::expectation::TestFailure;
use self::file::PolicyCase;
use crate::{output, setup};

/// The file that is read where none is named.
const DEFAULT_FILE: &str = "automode-tests.toml";

/// Decide labelled cases under the policy in force, and say which are not as expected.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files of cases, TOML or JSON Lines [default: automode-tests.toml]
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,
    /// A configuration file, beside those that are found
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write the results as JUnit XML, for a CI server
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
A case in TOML:
  [[case]]
  name = \"nobody pushes to main\"
  run = \"git push origin main\"      # or: tool = \"Write\", input = { file_path = \"x\" }
  expect = \"deny\"                   # allow, ask, deny, or a list of them
  rule = \"default-branch-push\"      # if wanted

A case in JSON Lines is one of `automode eval`, with `expect` and `rule` beside it.
Exit codes: 0 all as expected, 1 some not, 3 error.

Examples:
  automode test
  automode test policy/*.toml --config policy.toml --junit results.xml";

/// One case and what became of it.
struct Tested {
    case: PolicyCase,
    outcome: Outcome,
    failure: Option<TestFailure>,
}

pub fn run(args: Args) -> Result<u8> {
    let cases = load(&args.files)?;
    let policy = config::load(&Places::here(setup::directory(None)?.as_ref(), args.config));
    // A policy with a broken file allows nothing: its cases would pass or fail for the wrong reason.
    if let Some(fault) = policy.provenance().faults.first() {
        bail!("the policy in force is broken: {fault}\nhint: automode config lint");
    }
    let calls: Vec<_> = cases.iter().map(|case| case.call.clone()).collect();
    let outcomes = eval::run(&calls, || Gate::new(policy.clone()), |_| ());
    let tested: Vec<Tested> = cases
        .into_iter()
        .zip(outcomes)
        .map(|(case, outcome)| Tested {
            failure: case.expected.failure(&outcome),
            case,
            outcome,
        })
        .collect();
    if let Some(path) = &args.junit {
        let shown = path.display();
        fs::write(path, junit::render(&tested))
            .with_context(|| format!("`{shown}` could not be written"))?;
    }
    output::print(&if args.json {
        as_json(&tested)
    } else {
        as_text(&tested)
    })?;
    Ok(u8::from(tested.iter().any(|one| one.failure.is_some())))
}

fn load(files: &[PathBuf]) -> Result<Vec<PolicyCase>> {
    let default = [PathBuf::from(DEFAULT_FILE)];
    let files = if files.is_empty() { &default } else { files };
    let mut cases = Vec::new();
    for path in files {
        cases.extend(read(path)?);
    }
    if cases.is_empty() {
        bail!("there are no cases\nhint: automode test --help shows one");
    }
    Ok(cases)
}

fn read(path: &Path) -> Result<Vec<PolicyCase>> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| {
        anyhow!("`{shown}` could not be read: {error}\nhint: automode test --help shows a case")
    })?;
    file::parse(&text, path).with_context(|| format!("`{shown}` holds no cases"))
}

fn as_text(tested: &[Tested]) -> String {
    let mut told = String::new();
    for one in tested {
        if let Some(failure) = &one.failure {
            told.push_str(&format!(
                "FAIL  {}\n      {failure}\n      {}\n",
                output::clean(&one.case.call.id),
                output::clean(&one.outcome.reason),
            ));
        }
    }
    let failed = tested.iter().filter(|one| one.failure.is_some()).count();
    let passed = tested.len().saturating_sub(failed);
    told.push_str(&format!("{passed} passed, {failed} failed\n"));
    told
}

fn as_json(tested: &[Tested]) -> String {
    let cases: Vec<_> = tested
        .iter()
        .map(|one| {
            json!({
                "name": one.case.call.id,
                "file": one.case.call.file,
                "passed": one.failure.is_none(),
                "expected": one.case.expected.words(),
                "expected_rule": one.case.expected.rule,
                "verdict": one.outcome.verdict,
                "rule": one.outcome.rule,
                "reason": one.outcome.reason,
            })
        })
        .collect();
    let failed = tested.iter().filter(|one| one.failure.is_some()).count();
    format!(
        "{}\n",
        json!({"cases": cases, "passed": tested.len().saturating_sub(failed), "failed": failed})
    )
}
