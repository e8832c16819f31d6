//! What is known of the code that a project would load.
//!
//! Code of the project may run unseen only where everything that changed was read
//! and is clean. Nobody having looked is not clean.

/// The state of what changed in the project, when something runs its code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProjectState {
    /// Nobody looked: nothing may run unseen.
    #[default]
    Unknown,
    /// Everything that changed was read, and nothing in it stood out.
    Clean,
    /// Some of it stood out or could not be read.
    Suspect(Vec<Suspicion>),
}

/// One thing that keeps the project's code from running unseen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// The file, or the part of the command.
    pub subject: String,
    /// Why it is not clean: "deletes your home directory", "could not be read".
    pub why: String,
    pub origin: SuspicionOrigin,
}

/// Where a suspicion comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspicionOrigin {
    /// A rule or a guard found it: no promise makes it good.
    Found,
    /// It was not read, or does what nobody vouches for.
    Unread,
}

impl ProjectState {
    /// Whether the project's code may run unseen.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        match self {
            Self::Clean => true,
            Self::Unknown | Self::Suspect(_) => false,
        }
    }

    /// What a rule or a guard found in the code, if anything.
    #[must_use]
    pub fn found(&self) -> Option<&Suspicion> {
        let mut all = self.suspicions().iter();
        all.find(|suspicion| suspicion.origin == SuspicionOrigin::Found)
    }

    /// What stands out, if anything does.
    #[must_use]
    pub fn suspicions(&self) -> &[Suspicion] {
        match self {
            Self::Suspect(all) => all,
            Self::Unknown | Self::Clean => &[],
        }
    }
}
