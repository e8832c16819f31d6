//! What is known of ACP agents, as data.

/// An agent, by the name it gives itself in `initialize`.
#[derive(Debug)]
pub(super) struct AcpAgent {
    /// Parts of the name, any of them.
    names: &'static [&'static str],
    /// How the ids of the modes end in which it asks for everything that changes something;
    /// the first is the one that it is set to. In any other it asks nobody, or not for everything.
    asking_modes: &'static [&'static str],
    /// A shell call has no `rawInput`: its title is the whole command.
    pub title_is_command: bool,
}

/// The agents that were looked at. An agent that is not here is taken as it is.
const AGENTS: &[AcpAgent] = &[
    AcpAgent {
        names: &["claude-agent-acp", "claude-code-acp"],
        asking_modes: &["default", "plan"],
        title_is_command: false,
    },
    AcpAgent {
        names: &["codex-acp"],
        asking_modes: &["read-only"],
        title_is_command: false,
    },
    AcpAgent {
        names: &["gemini-cli"],
        asking_modes: &["default", "plan"],
        title_is_command: true,
    },
    AcpAgent {
        names: &["Copilot"],
        asking_modes: &["#agent", "#plan"],
        title_is_command: false,
    },
    AcpAgent {
        names: &["qwen-code"],
        asking_modes: &["default", "plan"],
        title_is_command: false,
    },
];

/// The agent with this name.
pub(super) fn find(name: &str) -> Option<&'static AcpAgent> {
    AGENTS
        .iter()
        .find(|agent| agent.names.iter().any(|known| name.ends_with(known)))
}

impl AcpAgent {
    pub(super) fn is_silent(&self, mode: &str) -> bool {
        !self.asking_modes.iter().any(|asking| is_mode(mode, asking))
    }

    /// The mode that it is set to.
    pub(super) fn asking_mode(&self) -> &'static str {
        self.asking_modes.first().copied().unwrap_or_default()
    }

    /// The id of that mode among those it offers.
    pub(super) fn asking<'a>(&self, mut offered: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        offered.find(|mode| is_mode(mode, self.asking_mode()))
    }
}

/// Ids are plain words, or URLs that end in `#word`.
fn is_mode(id: &str, mode: &str) -> bool {
    id == mode || mode.starts_with('#') && id.ends_with(mode)
}

/// What an agent without modes has to be started with, so that it asks.
pub(super) fn variables(command: &[String]) -> Vec<(&'static str, &'static str)> {
    // Its own defaults for what only looks; everything else is asked for.
    const ASK: &str = r#"{"*":"ask","read":{"*":"allow","*.env":"ask","*.env.*":"ask","*.env.example":"allow"},"glob":"allow","grep":"allow","list":"allow","todowrite":"allow","question":"allow"}"#;
    let is_opencode = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or_default();
        name == "opencode"
    };
    if command.iter().any(is_opencode) {
        vec![("OPENCODE_PERMISSION", ASK)]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_that_ask_nobody_are_known() {
        let check = |name: &str, mode: &str, silent: bool| {
            assert_eq!(find(name).map(|agent| agent.is_silent(mode)), Some(silent));
        };
        check("@agentclientprotocol/codex-acp", "agent", true);
        check("@agentclientprotocol/codex-acp", "read-only", false);
        check("@agentclientprotocol/codex-acp", "workspace-write", true);
        check("gemini-cli", "a-mode-of-next-year", true);
        check("@agentclientprotocol/claude-agent-acp", "default", false);
        check(
            "@agentclientprotocol/claude-agent-acp",
            "bypassPermissions",
            true,
        );
        check("Copilot", "https://example.com/modes#autopilot", true);
        check("Copilot", "https://example.com/modes#agent", false);
        check("qwen-code", "auto", true);
        check("gemini-cli", "default", false);
        assert!(find("somebody").is_none());
    }

    #[test]
    fn the_mode_that_asks_is_chosen_from_what_is_offered() {
        let codex = find("codex-acp").unwrap();
        assert_eq!(
            codex.asking(["agent", "read-only"].into_iter()),
            Some("read-only")
        );
        assert_eq!(codex.asking(["agent"].into_iter()), None);
    }

    #[test]
    fn only_opencode_is_told_by_its_environment() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(variables(&words("/usr/bin/opencode acp")).len(), 1);
        assert!(variables(&words("gemini --acp")).is_empty());
    }
}
