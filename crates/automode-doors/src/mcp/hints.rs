//! Annotations: hints of a server about its own tools.
//!
//! A server that calls a tool harmless proves nothing. One that calls it dangerous is
//! believed: then a proof by the tool's name does not allow it. A person's rule does, and so
//! does what the call itself is known to do: that a tool may overwrite a file says nothing
//! new about the call that writes this one.

use automode::Verdict;
use serde_json::{Map, Value};

use crate::decider::DoorDecision;

/// The decision, no looser than what the server says of the tool.
pub(super) fn tighten(decision: DoorDecision, annotations: &Map<String, Value>) -> DoorDecision {
    let says = |hint: &str| annotations.get(hint).and_then(Value::as_bool);
    let why = if says("destructiveHint") == Some(true) {
        "destroys things"
    } else if says("readOnlyHint") == Some(false) {
        "changes things"
    } else {
        return decision;
    };
    if decision.verdict != Verdict::Allow || decision.by_person || decision.by_meaning {
        return decision;
    }
    DoorDecision {
        verdict: Verdict::Ask,
        reason: format!("the server says that this tool {why} (hint: an allow rule for it)"),
        ..decision
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(verdict: Verdict, by_person: bool, annotations: Value, answer: Verdict) {
        let decision = DoorDecision {
            verdict,
            by_person,
            by_meaning: false,
            reason: String::new(),
            failed: false,
            reaches_out: true,
        };
        let tightened = tighten(decision, annotations.as_object().unwrap());
        assert_eq!(tightened.verdict, answer, "{annotations}");
    }

    #[test]
    fn hints_only_tighten() {
        use Verdict::{Allow, Ask, Deny};
        check(Allow, false, json!({}), Allow);
        check(
            Allow,
            false,
            json!({"readOnlyHint": true, "destructiveHint": false}),
            Allow,
        );
        check(Allow, false, json!({"destructiveHint": true}), Ask);
        check(Allow, false, json!({"readOnlyHint": false}), Ask);
        check(Allow, true, json!({"destructiveHint": true}), Allow);
        check(Deny, false, json!({"readOnlyHint": true}), Deny);
        check(Ask, false, json!({"readOnlyHint": true}), Ask);
        check(Allow, false, json!({"destructiveHint": "yes"}), Allow);
    }
}
