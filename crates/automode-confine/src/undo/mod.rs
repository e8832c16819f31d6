//! What an allowed call could lose, kept before it and brought back after it.
//!
//! A snapshot copies the files that a call may change into a private store, addressed by
//! their content. The after-event seals it: how the call left each path. Restoring touches
//! only what is still as the call left it; newer work stays, and the old version goes
//! beside it. Nothing is ever deleted in the person's directories.

mod asked_git;
mod entry;
mod position;
mod restore;
mod snapshot;
mod store;

pub use automode_core::confine::SnapshotPlan;
pub use entry::{Entry, EntryKind};
pub use position::Position;
pub use restore::{Change, Restoring};
pub use snapshot::{Snapshot, SnapshotLimits, TakeError};
pub use store::{StoreError, UndoStore, WIDE};
