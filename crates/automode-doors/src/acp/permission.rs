//! A request for permission, and the answers it offers.
//!
//! An option is chosen by its kind, never by its place or its id. `allow_always` is never
//! chosen: it would let later calls pass unseen. Where the kind that is needed is missing
//! or offered twice, a yes becomes a question and a no becomes `cancelled`.

use automode::Verdict;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The params of `session/request_permission`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionRequest {
    pub session_id: String,
    pub tool_call: Map<String, Value>,
    #[serde(default)]
    pub options: Vec<PermissionOption>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionOption {
    option_id: String,
    kind: String,
}

/// What the agent is answered; nothing where the editor has to be asked.
pub(super) fn outcome(verdict: Verdict, options: &[PermissionOption]) -> Option<Value> {
    let chosen = match verdict {
        Verdict::Ask => return None,
        Verdict::Allow => Some(only(options, "allow_once")?),
        Verdict::Deny => only(options, "reject_once"),
    };
    Some(match chosen {
        Some(option) => {
            json!({"outcome": {"outcome": "selected", "optionId": option.option_id}})
        }
        None => cancelled(),
    })
}

pub(super) fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

fn only<'a>(options: &'a [PermissionOption], kind: &str) -> Option<&'a PermissionOption> {
    let mut fitting = options.iter().filter(|option| option.kind == kind);
    let first = fitting.next()?;
    fitting.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kinds: &[&str], verdict: Verdict, answer: Option<&str>) {
        let options: Vec<_> = kinds
            .iter()
            .enumerate()
            .map(|(at, kind)| PermissionOption {
                option_id: format!("{at}"),
                kind: (*kind).to_owned(),
            })
            .collect();
        let outcome = outcome(verdict, &options);
        let told = outcome.map(|outcome| {
            let outcome = &outcome["outcome"];
            let id = outcome.get("optionId").unwrap_or(&outcome["outcome"]);
            id.as_str().unwrap().to_owned()
        });
        assert_eq!(told.as_deref(), answer, "{kinds:?} {verdict:?}");
    }

    #[test]
    fn options_are_chosen_by_kind() {
        let usual = ["allow_always", "allow_once", "reject_once"];
        check(&usual, Verdict::Allow, Some("1"));
        check(&usual, Verdict::Deny, Some("2"));
        check(&usual, Verdict::Ask, None);
        let turned = ["reject_always", "reject_once", "allow_once"];
        check(&turned, Verdict::Allow, Some("2"));
        check(&turned, Verdict::Deny, Some("1"));
    }

    #[test]
    fn a_yes_that_is_not_offered_once_is_a_question() {
        check(&["allow_always", "reject_once"], Verdict::Allow, None);
        check(&["allow_once", "allow_once"], Verdict::Allow, None);
        check(&["Allow_Once", "yes"], Verdict::Allow, None);
        check(&[], Verdict::Allow, None);
    }

    #[test]
    fn a_no_that_is_not_offered_once_is_a_cancellation() {
        check(&["allow_once"], Verdict::Deny, Some("cancelled"));
        check(
            &["reject_always", "allow_once"],
            Verdict::Deny,
            Some("cancelled"),
        );
        check(
            &["reject_once", "reject_once"],
            Verdict::Deny,
            Some("cancelled"),
        );
    }
}
