//! The commands around the hook: install, inspect, replay.

#![expect(
    clippy::unwrap_used,
    clippy::string_slice,
    reason = "a test that panics has failed"
)]

mod help;
mod home;
mod install;
mod log;
mod packages;
mod pages;
mod policy;
mod replay;
mod setup;
