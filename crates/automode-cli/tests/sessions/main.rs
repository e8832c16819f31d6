//! Whole sessions through the hook, as three agents speak: attacks over several calls, and
//! honest work.
//!
//! The sessions are data (`script.rs` has the words). Every step goes through the hook of the
//! real binary, what it does is done on the disk of a world of its own, and the agent's
//! result event follows. An attack never ends in an allow; honest work is hardly ever asked
//! about and never denied.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics has failed"
)]

mod attack;
#[path = "../support/feed.rs"]
mod feed;
mod honest;
mod play;
mod script;
mod wire;
mod world;
