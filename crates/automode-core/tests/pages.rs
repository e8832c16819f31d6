//! The examples of guards and fast paths, run through the whole line.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use automode::ports::FileSystem;
use automode_core::engine::{Engine, Input, JudgePresence, Question, Step};
use automode_core::fastpath::FAST_PATHS;
use automode_core::guards::GUARDS;
use automode_core::policy::Policy;
use automode_core::{Ground, Query, Session, ToolCall, Verdict};
use automode_testkit::Tree;
use serde_json::Value;

/// How a call ends: settled with a ground, or before the judge.
fn run(line: &str) -> String {
    let example: Value = serde_json::from_str(line).expect("an example is JSON");
    let call = ToolCall {
        tool: example["tool"].as_str().expect("a tool").to_owned(),
        input: example["input"].as_object().expect("an input").clone(),
        cwd: "/home/dev/app".to_owned(),
    };
    let session = Session {
        roots: vec!["/home/dev/app".to_owned()],
        home: Some("/home/dev".to_owned()),
        ..Session::default()
    };
    let policy = Policy::default();
    let mut engine = Engine::new(Question {
        call: &call,
        session: &session,
        policy: &policy,
        judge: JudgePresence::Present,
        now: 0,
    });
    let mut step = engine.resume(Input::Start);
    loop {
        step = match step {
            Step::Observe(queries) if queries == [Query::Transcript] => return "judge".to_owned(),
            Step::Observe(queries) => engine.resume(Input::from(Tree::project().observe(&queries))),
            Step::Judge(_) => return "judge".to_owned(),
            Step::Settled(settled) => {
                let decision = settled.decision;
                return match (decision.verdict, decision.ground) {
                    (Verdict::Allow, _) => "allow".to_owned(),
                    (_, Ground::Guard(guard)) => format!("stop by {guard}"),
                    (Verdict::Deny, Ground::Rule(_)) => "veto".to_owned(),
                    (Verdict::Ask, _) => "ask".to_owned(),
                    (Verdict::Deny, ground) => format!("deny by {ground:?}"),
                };
            }
        }
    }
}

/// The fenced examples of a page with the word of their info string.
fn examples(page: &str) -> Vec<(String, String)> {
    let mut word = None;
    let mut found = Vec::new();
    for line in page.lines() {
        match (line.strip_prefix("```"), &word) {
            (Some(info), None) => {
                let expected = info
                    .strip_prefix("json ")
                    .expect("a fence says what it expects");
                word = Some(expected.to_owned());
            }
            (Some(_), Some(_)) => word = None,
            (None, Some(word)) => found.push((word.clone(), line.to_owned())),
            (None, None) => {}
        }
    }
    found
}

fn check_page(id: &str, page: &str) {
    assert!(
        page.starts_with(&format!("# {id}\n")),
        "{id} has its own page"
    );
    let examples = examples(page);
    assert!(examples.len() >= 2, "{id} has examples");
    for (expected, example) in examples {
        let outcome = run(&example);
        let fits = match expected.as_str() {
            // The analysis may prove more than the guard asks for.
            "stop" => outcome == format!("stop by {id}") || outcome == "veto",
            word => outcome == word,
        };
        assert!(fits, "{id}: {example}\nexpected {expected}, got {outcome}");
    }
}

#[test]
fn guards_stop_what_their_pages_say() {
    for guard in GUARDS {
        check_page(guard.id(), guard.page());
    }
}

#[test]
fn fast_paths_settle_what_their_pages_say() {
    for path in FAST_PATHS {
        check_page(path.id(), path.page());
    }
}
