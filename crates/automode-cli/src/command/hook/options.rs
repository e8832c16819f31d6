//! The arguments of a hook, parsed by hand: the installer writes them.

use std::ffi::OsString;
use std::time::Duration;

use automode::Presence;
use automode_agents::{Agent, Enforcement};

/// Below the shortest timeout a client is likely to have been given.
const DEADLINE: Duration = Duration::from_secs(20);
const LONGEST: u64 = 600;

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
            let known: Vec<_> = Agent::ALL.into_iter().map(Agent::name).collect();
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
        assert_eq!(options.agent, Agent::Codex);
        assert_eq!(options.enforcement, Enforcement::Shadow);
        assert_eq!(options.presence, Some(Presence::Headless));
        assert_eq!(options.deadline, Duration::from_secs(45));
    }

    #[test]
    fn anything_else_is_refused() {
        for line in [
            "",
            "cursor",
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
