//! Laws that hold for every policy and every command, attacked by a generator.

use automode_shell::analyse;
use proptest::{
    prelude::*,
    sample::{Index, select, subsequence},
};

use super::{
    AutoAllowRule, Layer, Policy, ProjectPolicy, Scope, Sources, Strip, Subject,
    fixture::{self, context, facts, origin, written},
};
use crate::{Mode, ToolCall, Verdict, tool};

const RULES: &[&str] = &[
    "Bash",
    "Bash(*)",
    "Bash(git *)",
    "Bash(git status)",
    "Bash(git push *)",
    "Bash(git:*)",
    "Bash(rm *)",
    "Bash(* --force)",
    "Bash(npm run test *)",
    "Bash(npm *)",
    "Bash(python *)",
    "Bash(python3 -m pytest *)",
    "Bash(sudo *)",
    "Bash(env *)",
    "Bash(ls*)",
    "Bash(echo *)",
    "Bash(cat *)",
    "Bash(timeout *)",
    "Read",
    "Read(./.env)",
    "Read(//etc/**)",
    "Read(**)",
    "Edit(/src/**)",
    "Edit",
    "Write(./out)",
    "WebFetch(domain:example.com)",
    "WebFetch(domain:*.example.com)",
    "WebFetch",
    "mcp__github",
    "mcp__github__get_*",
    "mcp__*",
    "*",
    "Agent",
    "Agent(Explore)",
    "Agent(model:opus)",
    "PowerShell(rm *)",
];

const COMMANDS: &[&str] = &[
    "git status",
    "git push origin main --force",
    "git -C x push",
    "rm -rf build",
    "npm run test -- --watch",
    "python x.py",
    "python3 -m pytest -q",
    "ls -la",
    "echo hi",
    "echo hi > /dev/null",
    "echo x > ~/.bashrc",
    "cat .env",
    "cat *",
    "lsof",
    "git $X",
    "timeout 5 git push",
    "NODE_ENV=test npm run test",
    "PATH=/x git status",
    "cat < /etc/passwd",
    "unfinished 'quote",
];

const WRAPPERS: &[&str] = &[
    "{}",
    "sudo {}",
    "env A=1 {}",
    "bash -c '{}'",
    "timeout 5 {}",
    "true && {}",
    "{} | cat",
    "(cd x; {})",
    "nice -n 5 {}",
];

fn calls() -> impl Strategy<Value = ToolCall> {
    let shell = (select(WRAPPERS), select(COMMANDS)).prop_map(|(wrapper, command)| {
        ToolCall::bash(wrapper.replace("{}", command), "/home/dev/app")
    });
    let others = select(vec![
        ("Read", r#"{"file_path": ".env"}"#),
        ("Read", r#"{"file_path": "/etc/passwd"}"#),
        ("Write", r#"{"file_path": "src/a", "content": ""}"#),
        ("Write", r#"{"file_path": "link", "content": ""}"#),
        (
            "Edit",
            r#"{"file_path": "src/a", "old_string": "a", "new_string": "b"}"#,
        ),
        ("WebFetch", r#"{"url": "https://api.example.com/x"}"#),
        ("WebFetch", r#"{"url": "https://example.com@evil.org"}"#),
        ("mcp__github__get_issue", "{}"),
        (
            "Agent",
            r#"{"subagent_type": "Explore", "prompt": "p", "model": "opus"}"#,
        ),
        ("PowerShell", r#"{"command": "gci; rm x"}"#),
        ("Unknown", r#"{"x": 1}"#),
    ])
    .prop_map(|(tool, input)| ToolCall {
        tool: tool.to_owned(),
        input: serde_json::from_str(input).expect("an input"),
        cwd: "/home/dev/app".to_owned(),
    });
    prop_oneof![3 => shell, 1 => others]
}

#[derive(Clone, Debug)]
struct Lists {
    deny: Vec<&'static str>,
    ask: Vec<&'static str>,
    allow: Vec<&'static str>,
}

fn lists() -> impl Strategy<Value = Lists> {
    let some = |most| subsequence(RULES, 0..=most);
    (some(3), some(3), some(8)).prop_map(|(deny, ask, allow)| Lists { deny, ask, allow })
}

fn sources(lists: &Lists) -> Sources {
    fixture::sources(&lists.deny, &lists.ask, &lists.allow)
}

/// The verdict of the rules alone: what no rule allows is asked about.
fn verdict(policy: &Policy, call: &ToolCall, mode: Mode) -> Verdict {
    let (name, action) = tool::normalize(call);
    let context = context();
    let app = "/home/dev/app";
    let facts = facts(&[
        (app, app),
        ("/home/dev/app/.env", "/home/dev/app/.env"),
        ("/home/dev/app/src/a", "/home/dev/app/src/a"),
        ("/etc/passwd", "/etc/passwd"),
        ("/home/dev/app/link", "/home/dev/.bashrc"),
    ]);
    let analysis = match &action {
        crate::Action::Shell { command } => Some(analyse(command, &context, &facts.shell)),
        _ => None,
    };
    let subject = Subject {
        tool: &name,
        input: &call.input,
        action: &action,
        analysis: analysis.as_ref(),
        effects: &[],
        context: &context,
        facts: &facts,
    };
    if policy.denies(&subject).is_some() {
        Verdict::Deny
    } else if policy.asks(&subject).any().is_some() || policy.allows(&subject, mode).is_none() {
        Verdict::Ask
    } else {
        Verdict::Allow
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 700, ..ProptestConfig::default() })]

    #[test]
    fn adding_a_veto_never_loosens(lists in lists(), more in select(RULES), call in calls()) {
        let before = verdict(&Policy::new(sources(&lists)), &call, Mode::Auto);
        let mut denying = lists.clone();
        denying.deny.push(more);
        prop_assert!(verdict(&Policy::new(sources(&denying)), &call, Mode::Auto) >= before);
        let mut asking = lists;
        asking.ask.push(more);
        prop_assert!(verdict(&Policy::new(sources(&asking)), &call, Mode::Auto) >= before);
    }

    #[test]
    fn order_does_not_matter(lists in lists(), turn in any::<Index>(), call in calls()) {
        let before = verdict(&Policy::new(sources(&lists)), &call, Mode::Default);
        let mut turned = lists.clone();
        for list in [&mut turned.deny, &mut turned.ask, &mut turned.allow] {
            list.reverse();
            if !list.is_empty() {
                let by = turn.index(list.len());
                list.rotate_left(by);
            }
        }
        prop_assert_eq!(verdict(&Policy::new(sources(&turned)), &call, Mode::Default), before);
        // Nor does it matter which layer a rule stands in.
        let mut split = sources(&lists);
        let mut managed = Layer::empty(origin(Scope::Managed));
        managed.allow = std::mem::take(&mut split.layers[0].allow);
        split.layers.insert(0, managed);
        prop_assert_eq!(verdict(&Policy::new(split), &call, Mode::Default), before);
    }

    #[test]
    fn a_project_never_loosens(lists in lists(), deny in subsequence(RULES, 0..3), ask in subsequence(RULES, 0..3), call in calls()) {
        let before = verdict(&Policy::new(sources(&lists)), &call, Mode::Auto);
        let mut with = sources(&lists);
        with.projects.push(ProjectPolicy {
            origin: origin(Scope::Project),
            root: "/home/dev/app".to_owned(),
            ask: written(&ask),
            deny: written(&deny),
            settings: Vec::new(),
            ignored: written(&["permissions.allow"]),
        });
        prop_assert!(verdict(&Policy::new(with), &call, Mode::Auto) >= before);
    }

    #[test]
    fn auto_mode_allows_no_more_than_the_rules(lists in lists(), call in calls()) {
        let policy = Policy::new(sources(&lists));
        prop_assert!(verdict(&policy, &call, Mode::Auto) >= verdict(&policy, &call, Mode::Default));
    }

    #[test]
    fn a_fault_allows_nothing(lists in lists(), call in calls()) {
        let mut broken = sources(&lists);
        let before = verdict(&Policy::new(broken.clone()), &call, Mode::Auto);
        broken.faults.push("/file: broken".to_owned());
        let after = verdict(&Policy::new(broken), &call, Mode::Auto);
        prop_assert!(after >= before && after != Verdict::Allow);
    }

    #[test]
    fn wrapping_never_loosens_a_denial(rule in select(RULES), wrapper in select(WRAPPERS), command in select(COMMANDS)) {
        let lists = Lists { deny: vec![rule], ask: vec![], allow: vec!["Bash"] };
        let policy = Policy::new(sources(&lists));
        let run = |text: &str| verdict(&policy, &ToolCall::bash(text, "/home/dev/app"), Mode::Default);
        prop_assume!(!command.contains('\''));
        prop_assert!(run(&wrapper.replace("{}", command)) >= run(command), "{} in {}", command, wrapper);
    }
}

/// Stripping is a function of the rule: asking twice gives the same, and other modes
/// have all rules.
#[test]
fn stripping_is_idempotent_and_reversible() {
    let lists = Lists {
        deny: vec![],
        ask: vec![],
        allow: RULES.to_vec(),
    };
    let policy = Policy::new(sources(&lists));
    let [_, _, all] = policy.rules();
    assert_eq!(all.len(), RULES.len());
    let stripped = policy.provenance().stripped.len();
    assert!(stripped > 0 && stripped < RULES.len());
    for rule in all {
        let once = AutoAllowRule::admit(rule.clone(), Strip::Standard);
        if let Ok(admitted) = &once {
            assert_eq!(
                AutoAllowRule::admit(rule.clone(), Strip::Standard).as_ref(),
                Ok(admitted)
            );
            assert_eq!(admitted.rule(), &**rule);
        }
        // The strict list contains the standard one.
        if once.is_err() {
            assert!(
                AutoAllowRule::admit(rule.clone(), Strip::Strict).is_err(),
                "{}",
                rule.text
            );
        }
    }
}
