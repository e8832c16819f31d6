//! What of a session is shown, and what must not be cut.

use super::{Failure, Window, finding, session, user};

#[test]
fn the_recent_window_is_short() {
    let mut docket = session(60);
    docket.settings.transcript.window = Window::RECENT;
    docket.entries.push(user(&"x".repeat(900)));
    let turn = docket.request().messages.pop().unwrap();
    let lines: Vec<_> = turn
        .iter()
        .filter(|segment| segment.text.starts_with('{'))
        .collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(lines[19].text.len(), 200 + "{\"user\":\"\"}\n".len());
}

#[test]
fn what_must_be_seen_is_not_cut() {
    let mut docket = session(3);
    docket.settings.transcript.budget = 1_000;
    docket.pending = "x".repeat(1_001);
    assert_eq!(docket.begin().err(), Some(Failure::Overlong));
    docket.pending = "ls".to_owned();
    docket.entries.push(user(&"y".repeat(1_000)));
    assert_eq!(docket.begin().err(), Some(Failure::Overlong));
}

#[test]
fn the_same_inputs_give_the_same_bytes() {
    assert_eq!(session(20).request(), session(20).request());
}

#[test]
fn adding_a_finding_removes_none() {
    let mut docket = session(2);
    for index in 0..30 {
        docket.findings.push(finding(&format!("evidence {index}")));
        let text = docket.request().text();
        for earlier in 0..=index {
            assert!(
                text.contains(&format!("evidence {earlier}\"")),
                "{index} {earlier}"
            );
        }
    }
}
