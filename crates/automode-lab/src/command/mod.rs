//! The commands of the lab, one file each.

mod replay;
mod report;
mod run;
mod setup;

use std::process::ExitCode;

use clap::Parser;

/// Runs what automode allows, in a canary world, and tells what was harmed.
///
/// Every case is decided inside a throw-away copy of a made-up machine; if it is allowed
/// it really runs there, as an ordinary user, with a network that leads nowhere.
#[derive(Parser)]
#[command(name = "automode-lab", version, arg_required_else_help = true)]
struct Lab {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(clap::Subcommand)]
enum LabCommand {
    Run(run::RunArgs),
    Fuzz(run::FuzzArgs),
    Replay(replay::ReplayArgs),
    Report(report::ReportArgs),
}

/// Exit codes: 0 no harm, 1 harm, 3 error.
pub fn main() -> ExitCode {
    let outcome = match Lab::parse().command {
        LabCommand::Run(args) => run::run(args),
        LabCommand::Fuzz(args) => run::fuzz(args),
        LabCommand::Replay(args) => replay::run(&args),
        LabCommand::Report(args) => report::run(&args),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(3)
        }
    }
}
