//! The answer to a safeguard, written into the reply's last delta.
//!
//! Where the service behind the gateway answers too, the stricter of the two counts.

use std::collections::BTreeMap;

use automode::Verdict;
use serde_json::{Map, Value, json};

use super::context::KIND;
use crate::decider::DoorDecision;

/// What became of the calls of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Results {
    /// Something was not understood, or not decided: nothing of the reply may run.
    Unavailable,
    /// Every call, by its id.
    Decided(BTreeMap<String, DoorDecision>),
}

/// The delta with the results in it. `None`: it is not a delta.
pub(super) fn write(mut delta: Map<String, Value>, results: &Results) -> Option<Value> {
    let inner = delta.get_mut("delta")?.as_object_mut()?;
    let theirs = inner.remove("safeguard_results");
    let mut list = theirs
        .and_then(|list| list.as_array().cloned())
        .unwrap_or_default();
    let is_ours = |result: &Value| result.get("type").and_then(Value::as_str) == Some(KIND);
    let before: Vec<Value> = list
        .iter()
        .filter(|result| is_ours(result))
        .cloned()
        .collect();
    list.retain(|result| !is_ours(result));
    let mut status = status(results);
    for other in before {
        status = stricter(status, other.get("status").unwrap_or(&Value::Null));
    }
    list.push(json!({"type": KIND, "status": status}));
    inner.insert("safeguard_results".to_owned(), Value::Array(list));
    Some(Value::Object(delta))
}

fn status(results: &Results) -> Value {
    match results {
        Results::Unavailable => json!({"type": "unavailable"}),
        Results::Decided(calls) => {
            let uses: Map<String, Value> = calls
                .iter()
                .map(|(id, decision)| (id.clone(), outcome(decision)))
                .collect();
            json!({"type": "available", "tool_uses": uses})
        }
    }
}

/// The outcome is binary: a question is flagged, and says how to confirm.
fn outcome(decision: &DoorDecision) -> Value {
    let explanation = match decision.verdict {
        Verdict::Allow => return json!({"type": "evaluated", "outcome": "not_flagged"}),
        Verdict::Ask => format!("automode: {} (needs a person's yes)", decision.reason),
        Verdict::Deny => format!("automode: {}", decision.reason),
    };
    json!({"type": "evaluated", "outcome": "flagged", "explanation": explanation})
}

/// Our status, no looser than theirs.
fn stricter(mut ours: Value, theirs: &Value) -> Value {
    let Some(their_uses) = theirs.get("tool_uses").and_then(Value::as_object) else {
        return json!({"type": "unavailable"});
    };
    if let Some(uses) = ours.get_mut("tool_uses").and_then(Value::as_object_mut) {
        for (id, own) in uses.iter_mut() {
            let cleared =
                |one: &Value| one.get("outcome").and_then(Value::as_str) == Some("not_flagged");
            if let Some(their) = their_uses.get(id)
                && cleared(own)
                && !cleared(their)
            {
                *own = their.clone();
            }
        }
    }
    ours
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(verdict: Verdict) -> Results {
        let decision = DoorDecision::why(verdict);
        Results::Decided(BTreeMap::from([("t".to_owned(), decision)]))
    }

    fn written(delta: Value, results: &Results) -> Value {
        let delta = delta.as_object().unwrap().clone();
        write(delta, results).unwrap()["delta"]["safeguard_results"].clone()
    }

    fn plain() -> Value {
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})
    }

    #[test]
    fn every_verdict_has_its_word() {
        let outcome =
            |results: &Results| written(plain(), results)[0]["status"]["tool_uses"]["t"].clone();
        assert_eq!(
            outcome(&decided(Verdict::Allow)),
            json!({"type": "evaluated", "outcome": "not_flagged"})
        );
        for verdict in [Verdict::Ask, Verdict::Deny] {
            let outcome = outcome(&decided(verdict));
            assert_eq!(outcome["outcome"], "flagged");
            assert!(outcome["explanation"].as_str().unwrap().contains("WHY"));
        }
        assert_eq!(
            written(plain(), &Results::Unavailable),
            json!([{"type": KIND, "status": {"type": "unavailable"}}])
        );
        let none = Results::Decided(BTreeMap::new());
        assert_eq!(
            written(plain(), &none)[0]["status"],
            json!({"type": "available", "tool_uses": {}})
        );
    }

    #[test]
    fn the_stricter_of_two_answers_counts() {
        let with = |status: Value| json!({"type": "message_delta", "delta": {"safeguard_results": [{"type": "other"}, {"type": KIND, "status": status}]}});
        let flagged = json!({"type": "evaluated", "outcome": "flagged", "explanation": "THEIRS"});
        let theirs = with(json!({"type": "available", "tool_uses": {"t": flagged}}));
        let results = written(theirs, &decided(Verdict::Allow));
        assert_eq!(results[0], json!({"type": "other"}));
        assert_eq!(
            results[1]["status"]["tool_uses"]["t"]["explanation"],
            "THEIRS"
        );
        let cleared =
            with(json!({"type": "available", "tool_uses": {"t": {"outcome": "not_flagged"}}}));
        let results = written(cleared, &decided(Verdict::Deny));
        assert_eq!(results[1]["status"]["tool_uses"]["t"]["outcome"], "flagged");
        let results = written(
            with(json!({"type": "unavailable"})),
            &decided(Verdict::Allow),
        );
        assert_eq!(results[1]["status"]["type"], "unavailable");
    }
}
