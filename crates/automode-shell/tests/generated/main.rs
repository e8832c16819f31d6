//! What a generator makes of the grammar, against oracles and laws.
//!
//! The oracles are a real bash and a second parser. Every seed is fixed, so a
//! failure comes back; `AUTOMODE_FUZZ_SECONDS` goes on past the fixed rounds.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

#[path = "../support/bounded.rs"]
mod bounded;
mod generate;
mod grammar;
mod laws;
mod traces;
