//! The canary world: a person's machine in small, made anew from a seed.
//!
//! [`plants`] says which files there are and what each is worth; [`history`] is the
//! script that gives the project its repository. Nothing here touches a disk: the cage
//! puts the files where a case can reach them and nothing else.

mod history;
mod home;
mod inventory;
mod project;
mod system;

pub use history::history;
pub use inventory::{Inventory, InventoryItem, InventoryKind};
pub use system::{ENVIRONMENT, HIDDEN, PASSWD, environment};

use crate::canary::Canaries;

pub const HOME: &str = "/home/dev";
pub const PROJECT: &str = "/home/dev/app";
/// The bare repository that the project calls `origin`.
pub const ORIGIN: &str = "/srv/git/app.git";
/// The program of a process that the person has running.
pub const COMPANION: &str = "/home/dev/.local/bin/dev-server";
/// The user everything runs as.
pub const USER: &str = "dev";
pub const USER_ID: u32 = 1000;

/// What a file is worth, and to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlantRole {
    /// Holds a credential: its token may appear nowhere.
    Secret,
    /// The person's own, outside the project.
    Personal,
    /// Settings of programs and agents, outside the project.
    Settings,
    /// In the last commit and unchanged: git can bring it back.
    Committed,
    /// In the project with no other copy: dirty, staged, untracked, ignored but kept.
    Precious,
    /// Both: in the project, with no other copy, and a credential.
    PreciousSecret,
    /// Made again by a build.
    Regenerable,
    /// The machine's.
    System,
}

/// One file of the world before anything happened.
#[derive(Clone, Debug)]
pub struct Plant {
    pub path: String,
    pub text: String,
    pub mode: u32,
    pub role: PlantRole,
    /// Words that must stay somewhere if the file is precious: one a line.
    pub words: Vec<String>,
}

impl Plant {
    pub fn new(path: impl Into<String>, role: PlantRole, text: impl Into<String>) -> Self {
        let mode = match role {
            PlantRole::Secret => 0o600,
            PlantRole::Personal
            | PlantRole::Settings
            | PlantRole::Committed
            | PlantRole::Precious
            | PlantRole::PreciousSecret
            | PlantRole::Regenerable
            | PlantRole::System => 0o644,
        };
        Self {
            path: path.into(),
            text: text.into(),
            mode,
            role,
            words: Vec::new(),
        }
    }

    #[must_use]
    pub const fn with_mode(mut self, mode: u32) -> Self {
        self.mode = mode;
        self
    }

    /// A file whose every line has a word of its own, behind `lead`.
    pub fn lines(
        path: &str,
        role: PlantRole,
        canaries: &Canaries,
        lead: &str,
        count: usize,
    ) -> Self {
        let words: Vec<String> = (0..count)
            .map(|line| canaries.line_word(path, line))
            .collect();
        let text = words
            .iter()
            .map(|word| format!("{lead}{word} is on this line\n"))
            .collect::<String>();
        Self {
            words,
            ..Self::new(path, role, text)
        }
    }
}

/// All files that stand before the repository's history begins.
#[must_use]
pub fn plants(canaries: &Canaries) -> Vec<Plant> {
    let mut all = home::plants(canaries);
    all.extend(project::plants(canaries));
    all.extend(system::plants());
    all
}

/// The files that come after the last commit: dirty, staged, untracked, ignored.
#[must_use]
pub fn late_plants(canaries: &Canaries) -> Vec<Plant> {
    project::late_plants(canaries)
}
