//! Lists against each other, broken rules, and very many.

use super::super::{Layer, Origin, Policy, Scope, Sources, Written};
use super::Says::{self, Allow, Ask, Deny, Nothing};
use super::{call, fixture, policy, say};
use crate::{Facts, ToolCall};

#[test]
fn deny_beats_ask_beats_allow() {
    let status = call("$ git status");
    let check = |deny: &[&str], ask: &[&str], allow: &[&str], expected: Says| {
        let found = say(&policy(deny, ask, allow), &status, None, &Facts::default());
        assert_eq!(found, expected, "deny {deny:?} ask {ask:?} allow {allow:?}");
    };
    let (broad, exact) = (&["Bash(git *)"], &["Bash(git status)"]);
    check(broad, exact, exact, Deny);
    check(&[], broad, exact, Ask);
    check(&[], &[], exact, Allow);
    check(&[], &[], &[], Nothing);
}

#[test]
fn broken_rules_fail_the_policy() {
    let built = |scope, file: &str, deny: &str, allow: &[&str]| {
        let origin = Origin {
            scope,
            file: file.to_owned(),
            line: 0,
        };
        Policy::new(Sources {
            layers: vec![Layer {
                deny: vec![Written {
                    text: deny.to_owned(),
                    line: 7,
                }],
                allow: fixture::written(allow),
                ..Layer::empty(origin)
            }],
            ..Sources::default()
        })
    };
    let check = |scope, file: &str, deny: &str, broken: bool| {
        let policy = built(scope, file, deny, &[]);
        assert_eq!(policy.failure().is_some(), broken, "`{deny}` in {file}");
    };
    check(Scope::User, "/c.toml", "Bash(rm *", true);
    check(Scope::AgentUser, "/s.json", "Bash(rm *", true);
    check(Scope::User, "/c.toml", "-- secrets --", true);
    check(Scope::AgentUser, "/s.json", "-- secrets --", false);
    // It says where, and a policy with a fault allows nothing.
    let broken = built(Scope::User, "/c.toml", "Bash(rm *", &["Bash"]);
    let why = broken.failure().expect("a failure");
    assert!(why.starts_with("/c.toml:7: `Bash(rm *`"), "{why}");
    let status = call("$ git status");
    assert_eq!(say(&broken, &status, None, &Facts::default()), Nothing);
}

#[test]
fn many_rules_for_other_tools_are_not_looked_at() {
    let rules: Vec<String> = (0..10_000).map(|n| format!("Bash(tool{n} *)")).collect();
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let policy = policy(&rules, &[], &rules);
    let check = |call: &ToolCall, expected: Says| {
        assert_eq!(say(&policy, call, None, &Facts::default()), expected);
    };
    check(&call("$ tool77 x"), Deny);
    check(&call("$ other x"), Nothing);
    check(&call("Read"), Nothing);
}
