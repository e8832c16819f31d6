//! The line: one call from its name to its decision.
//!
//! [`walk`] is the whole order of the engine. Vetoes come first, all are heard
//! and the strictest wins; then permits, of which the first that holds suffices;
//! then the mode, and last the judge. No stage that may allow stands before one
//! that may deny. [`Line`] drives it without IO: it asks to observe, asks to
//! judge, and settles.

mod case;
mod gap;
mod opinion;
mod plan;
mod record;
mod stage;
mod step;

pub use case::{Question, Seat};
pub use record::{Judged, Settlement};
pub use step::{Input, Line, Step};

use crate::{Finding, Mode, Stage, Trace};
use case::Case;
use opinion::Opinion;

/// Where a call leads once all facts are in.
enum Course {
    Settled(Opinion),
    /// Nothing settled it: the judge decides.
    Judge,
}

/// The stages that may allow, in the order they are asked.
const PERMITS: [(Stage, stage::Permit); 3] = [
    (Stage::PolicyAllow, stage::allow),
    (Stage::FastPaths, stage::fast_paths),
    (Stage::FastPaths, stage::exceptions),
];

/// Takes a call through every stage before the judge.
fn walk(case: &Case<'_>, findings: &[Finding], trace: &mut Trace) -> Course {
    let heard = [
        stage::hear(trace, Stage::PolicyDeny, stage::deny(case)),
        stage::hear(trace, Stage::Guards, stage::guards(case)),
        stage::hear(trace, Stage::RulesVeto, stage::veto(findings)),
        stage::hear(trace, Stage::PolicyAsk, stage::ask(case)),
        stage::hear(trace, Stage::Mode, stage::plan(case)),
    ];
    if let Some(strictest) = Opinion::strictest(heard) {
        return Course::Settled(strictest);
    }
    for (name, permit) in PERMITS {
        if let Some(opinion) = stage::hear(trace, name, permit(case, findings)) {
            return Course::Settled(opinion);
        }
    }
    match case.session.mode {
        Mode::Auto => Course::Judge,
        Mode::Default
        | Mode::AcceptEdits
        | Mode::Plan
        | Mode::DontAsk
        | Mode::BypassPermissions => {
            let opinion = stage::mode(case, findings);
            stage::note(trace, Stage::Mode, &opinion);
            Course::Settled(opinion)
        }
    }
}
