//! A call that its server's own words explain, and what that changes about its decision.
//!
//! The name of a tool says what kind of thing it does, and the engine reads no more than
//! that. A door that has seen the tool's definition may know more: it names the calls that
//! the call stands for, or says that the tool only handles words. Rules, guards and vetoes
//! about the tool itself are heard first; what the door knows only takes the place of an
//! open question.

use automode::engine::Settlement;
use automode::judge::InstructionFiles;
use automode::{Gate, Ground, Session, ToolCall, Verdict};

use crate::decider::DoorRequest;

/// What a call means, where the definition of its tool says so.
#[derive(Clone, Debug, PartialEq)]
pub enum CallMeaning {
    /// It does what these calls do, all of them.
    Calls(Vec<ToolCall>),
    /// It keeps or gives back the words that it is given.
    Words,
}

const WORDS_REASON: &str =
    "every word that the server says of this tool is known, and none names an effect";

/// The settlement that follows from the meaning; nothing where the call is decided by its name.
pub(crate) fn settle(gate: &Gate, request: &DoorRequest, session: &Session) -> Option<Settlement> {
    let meaning = request.meaning.as_ref()?;
    let decide = |gate: &Gate, call: &ToolCall| gate.decide(call, session, &InstructionFiles);
    // Without the judge: what is asked here is whether anybody has said something already.
    let named = decide(&Gate::new(gate.policy().clone()), &request.call);
    let is_open = matches!(named.decision.ground, Ground::NoJudge);
    match meaning {
        CallMeaning::Words if is_open => words(named, session),
        CallMeaning::Calls(calls)
            if is_open || matches!(named.decision.ground, Ground::FastPath(_)) =>
        {
            let mut settled = calls
                .iter()
                .map(|call| decide(gate, call))
                .max_by_key(|settled| settled.decision.verdict)?;
            settled.call.tool = named.call.tool;
            Some(settled)
        }
        CallMeaning::Calls(_) | CallMeaning::Words => None,
    }
}

/// Words that are handed over and do nothing by what they are: no path, address or secret.
fn words(mut named: Settlement, session: &Session) -> Option<Settlement> {
    let effects = named.effects.as_ref()?;
    let harmless = named.decision.findings.is_empty()
        && effects.analysis.effects.is_empty()
        && effects.analysis.invocations.is_empty()
        && session.suspicious.is_empty();
    harmless.then(|| {
        named.decision.verdict = Verdict::Allow;
        named.decision.reason = WORDS_REASON.to_owned();
        named.decision.ground = Ground::FastPath("words-only");
        named
    })
}
