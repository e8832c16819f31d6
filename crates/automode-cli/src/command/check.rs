//! `automode check`: what would be answered to one call.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Result, bail};
use automode::judge::InstructionFiles;
use automode::observe::Machine;
use automode::ports::FileSystem as _;
use automode::{Decision, Gate, Mode, Presence, Query, Session, ToolCall, Verdict};
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;

use crate::{output, setup};

/// Say what would be answered to one tool call.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub call: CallArgs,
    /// Print the decision as JSON
    #[arg(long)]
    pub json: bool,
}

const EXAMPLES: &str = "\
Exit codes: 0 allow, 1 ask, 2 deny, 3 error.

Examples:
  automode check 'git push --force'
  automode check --headless --cwd ~/src/app npm test
  automode check --tool Write --input '{\"file_path\": \"src/new.rs\"}'
  echo '{\"url\": \"https://example.com\"}' | automode check --tool WebFetch --input -
  automode check --json 'rm -rf build'";

/// The call to decide, and the session it belongs to.
#[derive(clap::Args)]
pub struct CallArgs {
    /// The tool's name
    #[arg(long, value_name = "TOOL", default_value = "Bash")]
    tool: String,
    /// The tool's input as JSON; `-` reads it from stdin
    #[arg(
        long,
        value_name = "JSON",
        conflicts_with = "command",
        allow_hyphen_values = true
    )]
    input: Option<String>,
    /// The working directory, which is also the project [default: the current one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// A configuration file, beside those that are found
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Another directory the session may work in; may be repeated
    #[arg(long = "add-dir", value_name = "DIR")]
    add_dir: Vec<PathBuf>,
    /// The permission mode
    #[arg(long, value_name = "MODE", default_value = "auto", value_parser = modes())]
    mode: Mode,
    /// Nobody is there to ask
    #[arg(long)]
    headless: bool,
    /// A shell command, short for the input of the Bash tool; `-` reads it from stdin
    #[arg(value_name = "COMMAND", trailing_var_arg = true)]
    command: Vec<OsString>,
}

pub fn run(args: Args) -> Result<u8> {
    let (call, decision) = decide(args.call)?;
    output::print(&if args.json {
        output::json(&call, &decision, output::Detail::Answer)
    } else {
        output::answer(&decision)
    })?;
    Ok(exit_code(&decision))
}

/// A call and everything it is decided with.
pub struct PreparedCheck {
    pub call: ToolCall,
    pub session: Session,
    pub gate: Gate,
}

/// The call of the arguments, decided.
pub fn decide(args: CallArgs) -> Result<(ToolCall, Decision)> {
    let prepared = prepare(args, setup::gate)?;
    let settled = prepared
        .gate
        .decide(&prepared.call, &prepared.session, &InstructionFiles);
    Ok((prepared.call, settled.decision))
}

/// The call of the arguments under the gate that `seat` makes for its directory.
pub fn prepare(
    args: CallArgs,
    seat: impl FnOnce(&str, Option<PathBuf>) -> Result<Gate>,
) -> Result<PreparedCheck> {
    let cwd = setup::directory(args.cwd)?;
    let mut roots = vec![cwd.clone()];
    for extra in args.add_dir {
        roots.push(setup::directory(Some(extra))?);
    }
    let input = setup::input(args.input, args.command)?;
    let call = ToolCall {
        tool: args.tool,
        input,
        cwd,
    };
    if let Err(wrong) = call.check() {
        bail!("{wrong}");
    }
    let gate = seat(&call.cwd, args.config)?;
    let facts = Machine.observe(&[Query::Repo(call.cwd.clone())]);
    let session = Session {
        mode: args.mode,
        repo: facts.repos.into_values().next(),
        presence: if args.headless {
            Presence::Headless
        } else {
            Presence::Interactive
        },
        roots,
        home: setup::home(),
        variables: setup::variables(),
        own: automode::own::paths(),
        ..Session::default()
    };
    Ok(PreparedCheck {
        call,
        session,
        gate,
    })
}

pub fn exit_code(decision: &Decision) -> u8 {
    match decision.verdict {
        Verdict::Allow => 0,
        Verdict::Ask => 1,
        Verdict::Deny => 2,
    }
}

fn modes() -> impl clap::builder::TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(Mode::ALL.map(Mode::name)).map(|name| {
        Mode::ALL
            .into_iter()
            .find(|mode| mode.name() == name)
            .unwrap_or_default()
    })
}
