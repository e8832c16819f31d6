//! What leaves the repository.

mod default_branch_push;
mod force_push;

pub use default_branch_push::DefaultBranchPush;
pub use force_push::ForcePush;
