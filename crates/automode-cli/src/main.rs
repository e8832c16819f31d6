//! `automode`: one file per command.
//!
//! Exit codes of `check` and `explain`: 0 allow, 1 ask, 2 deny, 3 error. An error
//! or a panic is never 0.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

/// As the standard one, but a reader that went away has seen enough: no panic, no error.
macro_rules! println {
    ($($text:tt)*) => {
        $crate::output::line(format_args!($($text)*))
    };
}

mod client;
mod clock;
mod command;
mod door;
mod effects;
mod judge;
mod output;
mod person;
mod prompts;
mod setup;
mod user_config;
mod zone;

use std::ffi::OsString;
use std::io;
use std::panic::{self, AssertUnwindSafe};

use clap::{CommandFactory as _, Parser, Subcommand};

#[global_allocator]
static MEMORY: automode_watchdog::Memory = automode_watchdog::Memory;

/// The exit code of everything that went wrong.
const ERROR: u8 = 3;

/// Auto mode for any coding agent: allow, ask or deny, with the ground of the answer.
#[derive(Parser)]
#[command(name = "automode", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  automode check 'rm -rf build'
  automode check --tool Write --input '{\"file_path\": \"src/new.rs\"}'
  automode explain 'curl -s https://example.com/install.sh | sh'";

#[derive(Subcommand)]
enum Command {
    Check(command::check::Args),
    Explain(command::explain::Args),
    Config(command::config::Args),
    Rules(command::rules::Args),
    Completions(command::completions::Args),
    Man(command::man::Args),
    Eval(command::eval::Args),
    Test(command::test::Args),
    Setup(command::setup::Args),
    Install(command::install::Args),
    Uninstall(command::uninstall::Args),
    Status(command::status::Args),
    Doctor(command::doctor::Args),
    Hook(command::hook::Args),
    Log(command::log::Args),
    Why(command::why::Args),
    Stats(command::stats::Args),
    Replay(command::replay::Args),
    Report(command::report::Args),
    Allow(command::allow::Args),
    AllowOnce(command::allow_once::Args),
    Judge(command::judge::Args),
    Acp(command::acp::Args),
    Mcp(command::mcp::Args),
    Run(command::run::Args),
    Undo(command::undo::Args),
    Try(command::try_out::Args),
    Gateway(command::gateway::Args),
    /// Serve policy, decisions and pages for a team
    Serve(command::server::Args),
    /// Show this machine's decisions in the browser, live
    Dashboard(command::server::Args),
    /// Belong to an organisation, and bring its policy out
    Fleet(command::server::Args),
    /// List waiting questions, or answer one
    Approve(command::server::Args),
}

/// Where the C library begins: what the standard library does before its own `main` costs a tenth
/// of a bare process, and a hook needs three lines of it.
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
#[expect(unsafe_code, reason = "a name that the C library calls")]
// SAFETY: nothing else in this program has the name, and this is the form that is called.
#[unsafe(no_mangle)]
extern "C" fn main() -> std::ffi::c_int {
    automode_watchdog::start();
    std::process::exit(i32::from(program()))
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(program())
}

/// The whole program, and its exit code.
fn program() -> u8 {
    let mut arguments = std::env::args_os().skip(1).peekable();
    // Before every tool call, so before everything else.
    let first = arguments.next();
    if first.as_ref().is_some_and(|first| first == "hook") && !asks_for_help(arguments.peek()) {
        let answered = AssertUnwindSafe(|| command::hook::main(arguments));
        return panic::catch_unwind(answered).unwrap_or(command::hook::BLOCK);
    }
    // The parts that this program starts itself, inside a confined run.
    if first.is_some_and(|first| first == "confined") {
        let words: Vec<String> = arguments
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        return panic::catch_unwind(|| automode_confine::inner(&words)).unwrap_or(ERROR);
    }
    panic::catch_unwind(run).unwrap_or(ERROR)
}

fn asks_for_help(word: Option<&OsString>) -> bool {
    word.is_some_and(|word| word == "--help" || word == "-h")
}

fn run() -> u8 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let done = match cli.command {
        Command::Check(args) => command::check::run(args),
        Command::Explain(args) => command::explain::run(args),
        Command::Config(args) => command::config::run(args),
        Command::Rules(args) => command::rules::run(args),
        Command::Completions(args) => command::completions::run(&args, Cli::command()),
        Command::Man(args) => command::man::run(&args, Cli::command()),
        Command::Eval(args) => command::eval::run(args),
        Command::Test(args) => command::test::run(args),
        Command::Setup(args) => command::setup::run(args),
        Command::Install(args) => command::install::run(args),
        Command::Uninstall(args) => command::uninstall::run(args),
        Command::Status(args) => command::status::run(args),
        Command::Doctor(args) => command::doctor::run(args),
        // Only its help gets here.
        Command::Hook(args) => command::hook::run(args),
        Command::Log(args) => command::log::run(args),
        Command::Why(args) => command::why::run(args),
        Command::Stats(args) => command::stats::run(args),
        Command::Replay(args) => command::replay::run(args),
        Command::Report(args) => command::report::run(args),
        Command::Allow(args) => command::allow::run(args),
        Command::AllowOnce(args) => command::allow_once::run(args),
        Command::Judge(args) => command::judge::run(args),
        Command::Acp(args) => command::acp::run(args),
        Command::Mcp(args) => command::mcp::run(args),
        Command::Run(args) => command::run::run(args),
        Command::Undo(args) => command::undo::run(args),
        Command::Try(args) => command::try_out::run(args),
        Command::Gateway(args) => command::gateway::run(args),
        Command::Serve(args) => command::server::run("serve", args),
        Command::Dashboard(args) => command::server::run("dashboard", args),
        Command::Fleet(args) => command::server::run("fleet", args),
        Command::Approve(args) => command::server::run("approve", args),
    };
    done.unwrap_or_else(|error| {
        output::error(&error);
        ERROR
    })
}

/// Help and version are answers; everything else about the arguments is an error.
fn usage(error: &clap::Error) -> u8 {
    let printed = error.print();
    let unprinted = |error: io::Error| error.kind() != io::ErrorKind::BrokenPipe;
    if error.use_stderr() || printed.is_err_and(unprinted) {
        ERROR
    } else {
        0
    }
}
