//! An organisation's policy, which a process beside the hook fetched and verified.
//!
//! Its first line says which revision it is and when it expires. One that has expired
//! stays in force, and is made stricter as its organisation wanted. A first line that
//! cannot be read is a fault: a policy that nobody can date allows nothing.

use std::time::{SystemTime, UNIX_EPOCH};

use automode_core::policy::{Layer, Written};

use super::fault::Fault;

/// What the first line begins with.
const MARK: &str = "# automode-bundle ";

/// Adds the rule for everything that an expired policy stands for.
pub(super) fn tighten_when_stale(text: &str, layer: &mut Layer, faults: &mut Vec<Fault>) {
    let head = text.lines().next().and_then(|line| line.strip_prefix(MARK));
    let field = |name: &str| {
        let words = head.unwrap_or_default().split_whitespace();
        words
            .filter_map(|word| word.split_once('='))
            .find(|(own, _)| *own == name)
            .map(|(_, value)| value)
    };
    let expires = field("expires").and_then(|value| value.parse::<u64>().ok());
    let (Some(expires), Some(on_stale)) = (expires, field("on_stale")) else {
        faults.push(Fault {
            file: layer.origin.file.clone(),
            line: 1,
            what: "the organisation's policy does not say when it expires".to_owned(),
            hint: Some("automode fleet sync".to_owned()),
        });
        return;
    };
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    if expires == 0 || since.as_millis() < u128::from(expires) {
        return;
    }
    let everything = Written {
        text: "*".to_owned(),
        line: 1,
    };
    match on_stale {
        "keep" => {}
        "ask" => layer.ask.push(everything),
        // What is not known is the strictest.
        _ => layer.deny.push(everything),
    }
}
