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
}

/// Which calls are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConfineMode {
    /// None; what could be confined is only noted.
    #[default]
    Off,
    /// Those that run code which was not read.
    Unread,
    /// Every shell command that is allowed without a rule.
    Always,
}

/// Whether what an allowed call could lose is kept first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undo {
    #[default]
    Off,
    On,
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
