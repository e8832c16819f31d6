//! Asking a judge: a chain of models, its deadline, its money and its record.
//!
//! What is asked and what an answer means is settled in
//! [`automode_core::judge`]; who is asked, how often and how long is settled
//! here. No outcome of this module allows anything: it brings back a reply or
//! says why there is none.

mod canary;
mod chain;
mod choice;
mod folder;
mod instructions;
mod spend_log;
mod trial;

pub use canary::{Canary, CanaryExpectation, canaries};
pub use chain::{Chain, Link, Notes};
pub use choice::{Wrong, service, service_of};
pub use folder::Folder;
pub use instructions::{InstructionFiles, instructions};
pub use spend_log::{SpendLog, Spent};
pub use trial::{CanaryRecord, Outcome, Records, Trial, TrialRecord, run};

use automode_core::judge::{Model, Price, Reply, Request, Usage};

/// What tokens of a model cost, in millionths of a dollar, where that is known.
#[must_use]
pub fn cost(model: &dyn Model, usage: &Usage) -> Option<u64> {
    model.price().map(|price| price.of(usage))
}

/// What one reply takes from a budget. An unknown price and untold tokens are counted
/// high: a limit that fails open is none.
fn charge(model: &dyn Model, request: &Request, reply: &Reply) -> u64 {
    let usage = if reply.usage == Usage::default() {
        Usage::estimate(request, reply)
    } else {
        reply.usage
    };
    model.price().unwrap_or(Price::UNKNOWN).of(&usage)
}
