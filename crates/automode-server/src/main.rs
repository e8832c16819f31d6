//! `automode-server`: what `automode serve`, `dashboard`, `fleet` and `approve` start.
//!
//! A program of its own, so that the hook's program stays as small as it is.

mod command;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A team's view of automode.
#[derive(Parser)]
// People start it through `automode`: that is the name in its usage.
#[command(
    name = "automode-server",
    bin_name = "automode",
    version,
    max_term_width = 100
)]
struct ServerCli {
    #[command(subcommand)]
    command: ServerCommand,
}

#[derive(Subcommand)]
enum ServerCommand {
    Serve(Box<command::serve::Args>),
    Dashboard(command::dashboard::Args),
    Fleet(command::fleet::Args),
    Approve(command::approve::Args),
}

fn main() -> ExitCode {
    let cli = ServerCli::parse();
    raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(2 * 1024 * 1024)
        .build();
    let done = runtime.map_err(anyhow::Error::from).and_then(|runtime| {
        runtime.block_on(async {
            match cli.command {
                ServerCommand::Serve(args) => command::serve::run(*args).await,
                ServerCommand::Dashboard(args) => command::dashboard::run(args).await,
                ServerCommand::Fleet(args) => command::fleet::run(args).await,
                ServerCommand::Approve(args) => command::approve::run(args).await,
            }
        })
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(3)
        }
    }
}

/// A poll that waits is an open file: as many as the system lets this user have.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let known = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: known.maximum,
        maximum: known.maximum,
    };
    // With fewer it works too, for fewer devices.
    let _ = setrlimit(Resource::Nofile, raised);
}
