//! `automode run`: a command inside what was promised for it.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use automode::state::State;
use automode_confine::{
    Backend, Confinement, Machine, NOT_STARTED, RunRecord, RunRequest, Ticket, known_backend,
    run as run_confined, selftest,
};

/// Run a shell command confined: no network, an empty home, changes only in the project.
///
/// Under an ID it runs what was decided for that call, and only that command. Without one it
/// runs confined to the project of the current directory. The exit code is the command's own;
/// 125 means that it was not started, and the reason is on stderr. It is never run bare.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The decision's name, as the rewritten command carries it
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// The command, as one word for a shell
    #[arg(last = true, value_name = "COMMAND", required = true)]
    command: String,
}

const EXAMPLES: &str = "\
Examples:
  automode run -- 'make test'
  automode run k3f9x2ab -- './scripts/gen.sh'";

pub fn run(args: Args) -> Result<u8> {
    match start(args) {
        Ok(code) => Ok(code),
        Err(error) => {
            eprintln!("automode: not started: {error:#}");
            Ok(NOT_STARTED)
        }
    }
}

fn start(args: Args) -> Result<u8> {
    let state = State::locate(|name| env::var(name).ok())?;
    let machine = machine(&state)?;
    let directory = env::current_dir()?;
    let (session, confinement, backend) = match &args.id {
        Some(id) => {
            let ticket = Ticket::read(state.root(), id, &args.command)?;
            (ticket.session, ticket.confinement, ticket.backend)
        }
        None => {
            let confinement = Confinement::of_project(project(&directory));
            ("terminal".to_owned(), confinement, backend(&machine)?)
        }
    };
    let request = RunRequest {
        id: args.id.clone(),
        session,
        command: args.command,
        directory,
        confinement,
        instead: None,
    };
    let outcome = run_confined(&request, &machine, &backend)?;
    eprint!("{}", outcome.report.for_model(args.id.as_deref()));
    if let Some(id) = &args.id {
        let record = RunRecord {
            code: outcome.code,
            backend: backend.name().to_owned(),
            report: outcome.report,
        };
        // The command has run; a record that cannot be kept is only missed.
        record.write(state.root(), id).unwrap_or_default();
    }
    Ok(outcome.code)
}

pub fn machine(state: &State) -> Result<Machine> {
    Machine::here(state.root().to_owned())
        .ok_or_else(|| anyhow!("there is no home that could be hidden\nhint: set HOME"))
}

/// What keeps promises here, tried now if it is not known.
pub fn backend(machine: &Machine) -> Result<Backend> {
    if let Some(known) = known_backend(machine) {
        return Ok(known);
    }
    let tested = selftest(machine);
    let tried: Vec<String> = tested.attempts.iter().map(ToString::to_string).collect();
    tested.backend.ok_or_else(|| {
        anyhow!(
            "nothing can confine a command on this machine: {}",
            tried.join("; ")
        )
    })
}

/// The repository around a directory, or the directory.
pub fn project(directory: &Path) -> PathBuf {
    directory
        .ancestors()
        .find(|above| above.join(".git").symlink_metadata().is_ok())
        .unwrap_or(directory)
        .to_owned()
}
