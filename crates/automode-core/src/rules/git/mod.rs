//! What leaves the repository.

mod default_branch_push;
mod force_push;

pub use default_branch_push::{DefaultBranchPush, reached as default_branch_reached};
pub use force_push::ForcePush;
