//! The commands around the hook: install, inspect, replay.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test that panics has failed"
)]

mod help;
mod home;
mod install;
mod log;
mod replay;
