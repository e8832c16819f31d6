//! What would still act after the task is done.

mod agent_self_change;
mod classifier_bypass;
mod git_helper;
mod scheduled_persistence;

pub use agent_self_change::AgentSelfChange;
pub use classifier_bypass::ClassifierBypass;
pub use git_helper::{git_directory, runs_hooks};
pub use scheduled_persistence::ScheduledPersistence;
