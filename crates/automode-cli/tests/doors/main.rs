//! The doors as processes: whatever goes wrong on either side, nothing is let through by it.
//!
//! Each door is tried with the other side missing, crashing, hanging, talking garbage and
//! killed, and with the door itself killed. What runs here are doubles of agents, servers
//! and services; the real ones are tried where they can be installed (`tests/clients.rs`).

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics has failed"
)]

mod acp;
mod bench;
mod faults;
mod gateway;
mod http;
mod mcp;
mod modules;
