//! The switches of confinement.

use super::{Confinement, Home, Network};

/// When calls are confined, and how tightly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfineSettings {
    pub mode: ConfineMode,
    pub home: Home,
    /// Places beside the project that confined calls may read.
    pub read: Vec<String>,
    /// Places beside the project that they may change.
    pub write: Vec<String>,
    /// Hosts that they may reach at port 443.
    pub net: Vec<String>,
    /// Ports of this machine that they may reach.
    pub loopback: Vec<String>,
    pub undo: Undo,
    pub undo_limits: UndoLimits,
}

/// Which calls are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConfineMode {
    /// None; what could be confined is only noted.
    Off,
    /// Those that run code which was not read.
    #[default]
    Unread,
    /// Every shell command that is allowed without a rule.
    Always,
}

/// Before which calls work that they could lose is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undo {
    Off,
    /// Before code runs confined that nobody read.
    #[default]
    Confined,
    /// Also before a call whose only fault is such a loss, which is then allowed where a person
    /// is there to bring it back.
    On,
}

/// What is kept for one call at most; a call that could lose more asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoLimits {
    pub files: u32,
    pub megabytes: u32,
    /// How long a call waits for it.
    pub milliseconds: u32,
}

impl Default for UndoLimits {
    fn default() -> Self {
        Self {
            files: 2_000,
            megabytes: 50,
            milliseconds: 300,
        }
    }
}

impl ConfineSettings {
    /// The widest that a person has opened for a project.
    #[must_use]
    pub fn confinement(&self, project: &str) -> Confinement {
        Confinement {
            write: self.write.iter().map(Into::into).collect(),
            read: self.read.iter().map(Into::into).collect(),
            home: self.home,
            network: if self.net.is_empty() {
                Network::Off
            } else {
                Network::Registries(self.net.clone())
            },
            loopback: self
                .loopback
                .iter()
                .filter_map(|port| port.parse().ok())
                .collect(),
            ..Confinement::of_project(project)
        }
    }
}
