//! The hook as a process: what it answers, what it remembers, and what it survives.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

mod answer;
mod bench;
mod brought;
mod crowd;
mod death;
mod faults;
mod own;
mod patience;
mod permit;
mod session;
mod state;
mod versions;
