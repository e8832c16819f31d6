//! What a settled call adds to a session's record.

use automode_core::Ledger;
use automode_core::engine::Settlement;

use super::note::{CallNote, Cost, LedgerNote, Note};

/// The call, how the ledger moved since `before`, and what the judge cost, in millionths
/// of a US dollar where the price is known.
#[must_use]
pub fn learned(
    before: Ledger,
    settlement: &Settlement,
    price: Option<u64>,
    call: CallNote,
) -> Vec<Note> {
    let ledger = LedgerNote::between(before, settlement.ledger).map(Note::Ledger);
    let cost = settlement.judged.as_ref().map(|judged| {
        Note::Cost(Cost {
            input: judged.usage.input,
            cached: judged.usage.cached,
            output: judged.usage.output,
            price: price.unwrap_or_default(),
        })
    });
    [Some(Note::Call(call)), ledger, cost]
        .into_iter()
        .flatten()
        .collect()
}
