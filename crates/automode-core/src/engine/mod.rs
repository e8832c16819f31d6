//! The engine: one call from its name to its decision.
//!
//! [`walk`] is the whole order of the engine. Vetoes come first, all are heard
//! and the strictest wins; then permits, of which the first that holds suffices;
//! then the mode, and last the judge. No stage that may allow stands before one
//! that may deny. What a repository asks for is a floor: everything after it is
//! still heard, and the stricter of the two answers. [`Engine`] drives it without
//! IO: it asks to observe, asks to judge, and settles.

mod case;
mod confinable;
mod consent;
#[cfg(test)]
mod laws;
mod opinion;
mod outward;
mod plan;
mod project;
mod record;
mod recoverable;
mod stage;
mod step;

pub use case::{JudgePresence, Question};
pub use confinable::Confinable;
pub use record::{Judged, ProjectStep, Settlement};
pub use recoverable::Recoverable;
pub use step::{Engine, Input, Step};

use crate::{Finding, Mode, Stage, Trace};
use case::Case;
use opinion::{Finality, Opinion};

/// The way of a call once all facts are in.
struct WalkResult {
    end: WalkEnd,
    /// What the answer may not be looser than.
    floor: Option<Opinion>,
}

/// Where it leads.
enum WalkEnd {
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
fn walk(case: &Case<'_>, findings: &[Finding], trace: &mut Trace) -> WalkResult {
    let heard = [
        stage::hear(trace, Stage::PolicyDeny, stage::deny(case)),
        stage::hear(trace, Stage::Guards, stage::guards(case)),
        stage::hear(trace, Stage::RulesVeto, stage::veto(findings)),
        stage::hear(trace, Stage::PolicyAsk, stage::ask(case)),
        stage::hear(trace, Stage::Mode, stage::plan(case)),
    ];
    let (vetoes, floors): (Vec<_>, Vec<_>) = heard
        .into_iter()
        .flatten()
        .partition(|opinion| opinion.finality == Finality::Settles);
    let end = match Opinion::strictest(vetoes) {
        Some(veto) => WalkEnd::Settled(veto),
        None => permitted(case, findings, trace),
    };
    WalkResult {
        end,
        floor: Opinion::strictest(floors),
    }
}

/// What a promise makes allowable, and else the judge.
fn promised(case: &Case<'_>, findings: &[Finding], trace: &mut Trace) -> WalkEnd {
    for promise in [stage::undo, stage::confined] {
        if let Some(opinion) = stage::hear(trace, Stage::Confine, promise(case, findings)) {
            return WalkEnd::Settled(opinion);
        }
    }
    WalkEnd::Judge
}

/// What no veto stopped: a permit, the mode's own answer, or the judge.
fn permitted(case: &Case<'_>, findings: &[Finding], trace: &mut Trace) -> WalkEnd {
    let warned = outward::is_warned(case);
    for (name, permit) in PERMITS {
        // What a person wrote stands; what is only routine is not, after a result that spoke to the agent.
        if warned && name != Stage::PolicyAllow {
            stage::silence(trace, name, outward::WARNED);
            continue;
        }
        if let Some(opinion) = stage::hear(trace, name, permit(case, findings)) {
            return WalkEnd::Settled(stage::confine_allowed(case, findings, opinion));
        }
    }
    match case.session.mode {
        Mode::Auto if warned => WalkEnd::Judge,
        Mode::Auto => promised(case, findings, trace),
        Mode::Default
        | Mode::AcceptEdits
        | Mode::Plan
        | Mode::DontAsk
        | Mode::BypassPermissions => {
            let opinion = stage::mode(case, findings);
            stage::note(trace, Stage::Mode, &opinion);
            WalkEnd::Settled(opinion)
        }
    }
}
