//! Every wire against a server that knows its vendor's schema, with every way to answer.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail loudly"
)]

mod faults;
mod setup;
#[path = "../support/mod.rs"]
mod support;
mod vendor;
mod verdicts;
