//! The arguments of a hook, parsed by hand: the installer writes them. [`Args`] describes
//! them to people.

use std::ffi::OsString;
use std::time::Duration;

use automode::Presence;
use automode_agents::{Agent, Enforcement};

/// Below the shortest timeout a client is likely to have been given.
const DEADLINE: Duration = Duration::from_secs(20);
const LONGEST: u64 = 600;

/// Answer one event of a coding agent: its JSON on stdin, the answer on stdout.
///
/// `automode install` registers this with an agent; nobody has to type it. The exit code is
/// 0 with an answer, or 2 with the reason on stderr, which every client reads as a denial.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The agent, as `automode install --help` lists them; `generic` is any other harness
    #[arg(value_name = "AGENT")]
    agent: String,
    /// `enforce` answers, `shadow` decides and records and answers nothing
    #[arg(long, value_name = "MODE", default_value = "enforce")]
    mode: String,
    /// Whether a person is there to be asked: `interactive` or `headless`; told by the client where it is left out
    #[arg(long, value_name = "PRESENCE")]
    presence: Option<String>,
    /// Deny after this many seconds without a decision; below the client's own timeout
    #[arg(long, value_name = "SECONDS", default_value_t = DEADLINE.as_secs())]
    deadline: u64,
}

const EXAMPLES: &str = "\
Examples:
  automode hook claude-code --deadline 45
  echo '{\"event\": \"before-tool\", \"session\": \"s\", \"cwd\": \"/tmp\", \"tool\": \"Bash\", \"input\": {\"command\": \"ls\"}}' | automode hook generic";

/// What clap understood, for the parser that counts.
pub fn run(args: Args) -> anyhow::Result<u8> {
    let mut words = vec![args.agent, "--mode".to_owned(), args.mode];
    let presence = args.presence.into_iter();
    words.extend(presence.flat_map(|word| ["--presence".to_owned(), word]));
    words.extend(["--deadline".to_owned(), args.deadline.to_string()]);
    Ok(super::main(words.into_iter().map(OsString::from)))
}

/// What a hook was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub agent: Agent,
    pub enforcement: Enforcement,
    /// Whether a person is there, where the installation says so.
    pub presence: Option<Presence>,
    /// When to deny without having decided.
    pub deadline: Duration,
}

impl Options {
    /// Reads `AGENT [--mode enforce|shadow] [--presence interactive|headless] [--deadline SECONDS]`.
    pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut words = arguments.map(|word| word.into_string().unwrap_or_default());
        let name = words.next().unwrap_or_default();
        let agent = Agent::named(&name).ok_or_else(|| {
            let known: Vec<_> = Agent::all().map(Agent::name).collect();
            format!(
                "`{name}` is no agent that is known (hint: one of {})",
                known.join(", ")
            )
        })?;
        let mut options = Self {
            agent,
            enforcement: Enforcement::Enforce,
            presence: None,
            deadline: DEADLINE,
        };
        while let Some(flag) = words.next() {
            let value = words.next().unwrap_or_default();
            match (flag.as_str(), value.as_str()) {
                ("--mode", "enforce") => options.enforcement = Enforcement::Enforce,
                ("--mode", "shadow") => options.enforcement = Enforcement::Shadow,
                ("--presence", "interactive") => options.presence = Some(Presence::Interactive),
                ("--presence", "headless") => options.presence = Some(Presence::Headless),
                ("--deadline", seconds) => options.deadline = deadline(seconds)?,
                _ => return Err(format!("`{flag} {value}` is not an option of `hook`")),
            }
        }
        Ok(options)
    }
}

fn deadline(seconds: &str) -> Result<Duration, String> {
    match seconds.parse() {
        Ok(seconds @ 1..=LONGEST) => Ok(Duration::from_secs(seconds)),
        Ok(_) | Err(_) => Err(format!(
            "`--deadline {seconds}` is not between 1 and {LONGEST} seconds"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split(' ').map(OsString::from))
    }

    #[test]
    fn what_the_installer_writes_is_understood() {
        let options = parse("codex --deadline 45 --mode shadow --presence headless").unwrap();
        assert_eq!(options.agent.name(), "codex");
        assert_eq!(options.enforcement, Enforcement::Shadow);
        assert_eq!(options.presence, Some(Presence::Headless));
        assert_eq!(options.deadline, Duration::from_secs(45));
    }

    #[test]
    fn anything_else_is_refused() {
        for line in [
            "",
            "nobody",
            "codex --mode off",
            "codex --deadline 0",
            "codex --deadline x",
            "codex --mode",
            "codex extra",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
