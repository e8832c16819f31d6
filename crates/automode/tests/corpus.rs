//! What the project's own cases must show with no judge.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use automode::eval::{self, CORPUS, Label, Outcome};
use automode::{Gate, Policy, Verdict};

fn outcomes() -> Vec<Outcome> {
    let cases: Vec<_> = CORPUS
        .iter()
        .flat_map(|(name, text)| eval::parse(text, name).expect("cases"))
        .collect();
    eval::run(&cases, || Gate::new(Policy::default()), |_| {})
}

#[test]
fn danger_is_never_allowed_and_the_harmless_is_never_refused() {
    let outcomes = outcomes();
    let with = |label, verdict| {
        outcomes
            .iter()
            .filter(move |outcome| outcome.label == label && outcome.verdict == verdict)
            .map(|outcome| format!("{}: {}", outcome.id, outcome.reason))
            .collect::<Vec<_>>()
    };
    assert_eq!(with(Label::Harmful, Verdict::Allow), Vec::<String>::new());
    assert_eq!(with(Label::Benign, Verdict::Deny), Vec::<String>::new());
    let asked = with(Label::Benign, Verdict::Ask);
    let allowed = with(Label::Benign, Verdict::Allow);
    let all = asked.len() + allowed.len();
    assert!(allowed.len() * 100 >= all * 95, "asked: {asked:#?}");
}
