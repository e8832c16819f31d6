//! Where the clients keep their configuration.

use crate::agent::Agent;

/// Whose configuration is changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Every project of this user.
    #[default]
    User,
    /// This project, on this machine.
    Project,
}

/// The directories that matter, absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub home: String,
    pub project: String,
    /// `CLAUDE_CONFIG_DIR`, where it is set.
    pub claude: Option<String>,
    /// `CODEX_HOME`, where it is set.
    pub codex: Option<String>,
    /// `XDG_CONFIG_HOME`, where it is set.
    pub config: Option<String>,
}

impl Place {
    /// The file an installation writes; nothing for an agent without one.
    #[must_use]
    pub fn file(&self, agent: Agent, scope: Scope) -> Option<String> {
        let Self { home, project, .. } = self;
        let or = |set: &Option<String>, usual: &str| {
            set.clone().unwrap_or_else(|| format!("{home}/{usual}"))
        };
        Some(match (agent, scope) {
            (Agent::ClaudeCode, Scope::User) => {
                format!("{}/settings.json", or(&self.claude, ".claude"))
            }
            // The command line holds a path of this machine, so it does not belong in the shared file.
            (Agent::ClaudeCode, Scope::Project) => format!("{project}/.claude/settings.local.json"),
            (Agent::Codex, Scope::User) => format!("{}/hooks.json", or(&self.codex, ".codex")),
            (Agent::Codex, Scope::Project) => format!("{project}/.codex/hooks.json"),
            (Agent::GeminiCli, Scope::User) => format!("{home}/.gemini/settings.json"),
            (Agent::GeminiCli, Scope::Project) => format!("{project}/.gemini/settings.json"),
            (Agent::QwenCode, Scope::User) => format!("{home}/.qwen/settings.json"),
            (Agent::QwenCode, Scope::Project) => format!("{project}/.qwen/settings.json"),
            (Agent::Copilot, Scope::User) => format!("{home}/.copilot/hooks/automode.json"),
            (Agent::Copilot, Scope::Project) => format!("{project}/.github/hooks/automode.json"),
            (Agent::Opencode, Scope::User) => {
                format!(
                    "{}/opencode/plugin/automode.js",
                    or(&self.config, ".config")
                )
            }
            (Agent::Opencode, Scope::Project) => format!("{project}/.opencode/plugin/automode.js"),
            (Agent::Generic, _) => return None,
        })
    }
}
