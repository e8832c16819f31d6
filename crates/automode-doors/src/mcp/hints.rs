//! Annotations: hints of a server about its own tools.
//!
//! A server that calls a tool harmless proves nothing. One that calls it dangerous is
//! believed: then no proof of ours allows it, only a person's rule does.

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
    if decision.verdict != Verdict::Allow || decision.by_person {
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
