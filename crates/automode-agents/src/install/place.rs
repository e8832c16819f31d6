//! Where the clients keep their configuration.

use super::Installation;
use crate::agent::{Agent, CLIENTS};

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
    /// Variables that name a directory, where they are set: see [`Place::variables`].
    pub directories: Vec<(&'static str, String)>,
}

impl Place {
    /// Variables that move a client's configuration.
    pub fn variables() -> impl Iterator<Item = &'static str> {
        CLIENTS
            .iter()
            .flat_map(|client| client.files.directory_variables)
            .copied()
    }

    /// The file an installation writes; nothing for an agent without one.
    #[must_use]
    pub fn file(&self, agent: Agent, scope: Scope) -> Option<String> {
        match &agent.client().installation {
            Installation::Hooks(file) => Some((file.path)(self, scope)),
            Installation::Plugin(plugin) => Some((plugin.path)(self, scope)),
            Installation::ByTheHarness => None,
        }
    }

    /// The directory that a variable names, or the usual one under the home directory.
    #[must_use]
    pub fn directory(&self, variable: &str, usual: &str) -> String {
        self.directories
            .iter()
            .find(|(name, _)| *name == variable)
            .map_or_else(|| format!("{}/{usual}", self.home), |(_, set)| set.clone())
    }

    /// Where a client's folder lies whose place no variable moves.
    #[must_use]
    pub fn base(&self, scope: Scope) -> &str {
        match scope {
            Scope::User => &self.home,
            Scope::Project => &self.project,
        }
    }
}
