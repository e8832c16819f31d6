//! Laws of the line, attacked by a generator and held against the specification.

use std::cell::Cell;

use automode::{Decision, Failure, Gate, Mode, Presence, Session, ToolCall, Verdict};
use automode_core::Ledger;
use automode_core::judge::Reply;
use automode_core::policy::{AskRules, OnLimit, OnUnavailable, Policy};
use automode_testkit::spec::{self, Fast, Sheet, SpecJudge};
use automode_testkit::{FixedClock, Rules, Scripted, Tree, block, clear, garbled, policy};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use proptest::{prop_assert, prop_assert_eq};
use serde_json::{Value, json};

const CASES: u32 = 10_000;

/// A call whose features are known.
#[derive(Clone, Debug)]
struct Sample {
    tool: &'static str,
    input: Value,
    fast: Fast,
    guarded: bool,
    vetoed: bool,
    evidence: bool,
    changes: bool,
    /// Its tool-wide allow rule is set aside in auto mode.
    stripped: bool,
}

fn samples() -> Vec<Sample> {
    let plain = |tool, input, fast| Sample {
        tool,
        input,
        fast,
        guarded: false,
        vetoed: false,
        evidence: false,
        changes: false,
        stripped: false,
    };
    let write = |path: &str, fast| Sample {
        changes: true,
        ..plain("Write", json!({"file_path": path, "content": "x"}), fast)
    };
    vec![
        plain("Teleport", json!({"to": "mars"}), Fast::Silent),
        plain("mcp__files__frobnicate", json!({"a": 1}), Fast::Silent),
        plain("Read", json!({"file_path": "src/main.rs"}), Fast::Safe),
        plain("ToolSearch", json!({}), Fast::Safe),
        Sample {
            stripped: true,
            ..plain(
                "PowerShell",
                json!({"command": "Get-Process"}),
                Fast::Person,
            )
        },
        write("src/new.rs", Fast::Edit),
        write("notes.txt", Fast::Silent),
        write("/srv/other/x.txt", Fast::Silent),
        Sample {
            evidence: true,
            ..write(".github/workflows/ci.yml", Fast::Silent)
        },
        Sample {
            guarded: true,
            ..write(".git/config", Fast::Silent)
        },
        Sample {
            guarded: true,
            vetoed: true,
            ..write("/home/dev/.config/automode/config.toml", Fast::Silent)
        },
        Sample {
            guarded: true,
            ..plain("AskUserQuestion", json!({}), Fast::Silent)
        },
        Sample {
            vetoed: true,
            ..plain(
                "Read",
                json!({"file_path": "/home/dev/.ssh/id_rsa"}),
                Fast::Safe,
            )
        },
        Sample {
            stripped: true,
            ..plain("Agent", json!({"prompt": "look around"}), Fast::Silent)
        },
    ]
}

/// Everything that decides about one call.
#[derive(Clone, Debug)]
struct Attack {
    sample: Sample,
    /// Rules beside those on the call's own tool.
    other: Vec<&'static str>,
    denied: bool,
    asked: bool,
    allowed: bool,
    project_asked: bool,
    mode: Mode,
    presence: Presence,
    ask_rules: AskRules,
    on_unavailable: OnUnavailable,
    on_limit: OnLimit,
    judge: SpecJudge,
    /// Denials of the judge in a row and in all.
    denials: (u32, u32),
}

/// Tools that no sample uses.
const OTHERS: [&str; 6] = [
    "Bash(git status)",
    "WebFetch",
    "Grep",
    "mcp__chat",
    "Config",
    "LSP",
];

fn attacks() -> impl Strategy<Value = Attack> {
    let judge = prop_oneof![
        Just(SpecJudge::Absent),
        Just(SpecJudge::Clears),
        Just(SpecJudge::Blocks),
        select(Failure::ALL.to_vec()).prop_map(SpecJudge::Fails),
    ];
    let settings = (
        select(vec![AskRules::Person, AskRules::Judge]),
        select(vec![OnUnavailable::Deny, OnUnavailable::Ask]),
        select(vec![OnLimit::Stop, OnLimit::Deny]),
    );
    let rules = (
        subsequence(OTHERS.to_vec(), 0..OTHERS.len()),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    );
    let session = (
        select(Mode::ALL.to_vec()),
        select(vec![Presence::Interactive, Presence::Headless]),
        (0_u32..5, 0_u32..25),
    );
    // Files cost more to decide about than names; both kinds are met often enough.
    let files = |sample: &Sample| matches!(sample.tool, "Read" | "Write");
    let (costly, cheap): (Vec<_>, Vec<_>) = samples().into_iter().partition(files);
    let sample = prop_oneof![1 => select(costly), 2 => select(cheap)];
    (sample, rules, session, settings, judge).prop_map(
        |(sample, rules, session, settings, judge)| Attack {
            sample,
            other: rules.0,
            denied: rules.1,
            asked: rules.2,
            allowed: rules.3,
            project_asked: rules.4,
            mode: session.0,
            presence: session.1,
            denials: session.2,
            ask_rules: settings.0,
            on_unavailable: settings.1,
            on_limit: settings.2,
            judge,
        },
    )
}

impl Attack {
    fn sheet(&self) -> Sheet {
        let Self { sample, .. } = self;
        let (row, all) = self.denials;
        Sheet {
            mode: self.mode,
            presence: self.presence,
            denied: self.denied,
            guarded: sample.guarded,
            vetoed: sample.vetoed,
            asked: self.asked,
            project_asked: self.project_asked,
            ask_rules: self.ask_rules,
            changes: sample.changes,
            allowed: self.allowed && !(sample.stripped && self.mode == Mode::Auto),
            evidence: sample.evidence,
            fast: sample.fast,
            judge: self.judge,
            on_unavailable: self.on_unavailable,
            at_limit: row + 1 >= 3 || all + 1 >= 20,
            on_limit: self.on_limit,
        }
    }

    fn rules(&self) -> Rules {
        let others = || self.other.iter().map(|rule| (*rule).to_owned());
        let own = |wanted: bool| wanted.then(|| self.sample.tool.to_owned());
        Rules {
            deny: others().chain(own(self.denied)).collect(),
            ask: own(self.asked).into_iter().chain(others()).collect(),
            allow: others().chain(own(self.allowed)).collect(),
            project_ask: others().chain(own(self.project_asked)).collect(),
            ..Rules::default()
        }
    }

    fn policy(&self, rules: &Rules) -> Policy {
        let mut policy = policy(rules);
        policy.settings.ask_rules = self.ask_rules;
        policy.settings.on_unavailable = self.on_unavailable;
        policy.settings.on_limit = self.on_limit;
        policy
    }

    fn session(&self) -> Session {
        Session {
            mode: self.mode,
            presence: self.presence,
            roots: vec!["/home/dev/app".to_owned()],
            home: Some("/home/dev".to_owned()),
            ledger: Ledger {
                consecutive: self.denials.0,
                total: self.denials.1,
                ..Ledger::default()
            },
            ..Session::default()
        }
    }

    fn replies(&self) -> Option<Vec<Result<Reply, Failure>>> {
        match self.judge {
            SpecJudge::Absent => None,
            SpecJudge::Clears => Some(vec![clear()]),
            SpecJudge::Blocks => Some(vec![block(), block()]),
            SpecJudge::Fails(Failure::Unreadable) => Some(vec![garbled(), garbled()]),
            SpecJudge::Fails(failure) => Some(vec![Err(failure)]),
        }
    }

    fn decide(&self) -> (Decision, Session) {
        self.decide_with(self.policy(&self.rules()))
    }

    fn decide_with(&self, policy: Policy) -> (Decision, Session) {
        let call = ToolCall {
            tool: self.sample.tool.to_owned(),
            input: self.sample.input.as_object().cloned().unwrap_or_default(),
            cwd: "/home/dev/app".to_owned(),
        };
        let mut session = self.session();
        let mut gate = Gate::new(policy)
            .with_files(Tree::project())
            .with_clock(FixedClock(1_000));
        if let Some(replies) = self.replies() {
            gate = gate.with_judge(Scripted::new(replies));
        }
        let decision = gate.check(&call, &mut session);
        (decision, session)
    }
}

/// Runs a law over many attacks.
fn law(cases: u32, holds: impl Fn(Attack) -> Result<(), TestCaseError>) {
    law_with(cases, Just(()), |attack, ()| holds(attack));
}

/// Runs a law over many attacks, each with something more that is generated.
fn law_with<S: Strategy>(
    cases: u32,
    more: S,
    holds: impl Fn(Attack, S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let ran = Cell::new(0_u32);
    let outcome = TestRunner::new(config).run(&(attacks(), more), |(attack, more)| {
        ran.set(ran.get() + 1);
        holds(attack, more)
    });
    assert!(outcome.is_ok(), "{outcome:?}");
    assert!(ran.get() >= cases);
}

#[test]
fn the_line_agrees_with_the_specification() {
    law(CASES, |attack| {
        let (decision, _) = attack.decide();
        let expected = spec::verdict(&attack.sheet());
        prop_assert_eq!(
            (decision.verdict, decision.stop),
            expected,
            "{:?}",
            decision
        );
        Ok(())
    });
}

#[test]
fn an_added_deny_denies_and_an_added_ask_never_allows() {
    law(1_000, |attack| {
        let mut stricter = attack.rules();
        stricter.deny.push(attack.sample.tool.to_owned());
        let (denied, _) = attack.decide_with(attack.policy(&stricter));
        prop_assert_eq!(denied.verdict, Verdict::Deny);
        let mut stricter = attack.rules();
        stricter.project_ask.push(attack.sample.tool.to_owned());
        let mut policy = attack.policy(&stricter);
        policy.settings.ask_rules = AskRules::Person;
        let (asked, _) = attack.decide_with(policy);
        prop_assert!(asked.verdict >= Verdict::Ask, "a person decides");
        Ok(())
    });
}

/// Rules that a repository may hold, one of them broken, beside those on the call's own tool.
const PROJECT: [&str; 5] = [
    "Grep",
    "mcp__chat",
    "Bash(git *)",
    "Edit(/src/**)",
    "Bash(unclosed",
];

#[test]
fn a_project_never_loosens() {
    let lists = (
        subsequence(PROJECT.to_vec(), 0..=PROJECT.len()),
        subsequence(PROJECT.to_vec(), 0..=PROJECT.len()),
        any::<bool>(),
        any::<bool>(),
    );
    law_with(2_000, lists, |attack, (deny, ask, denies, asks)| {
        let bare = Rules {
            project_ask: Vec::new(),
            ..attack.rules()
        };
        let list = |rules: Vec<&str>, own: bool| {
            let own = own.then(|| attack.sample.tool.to_owned());
            rules.into_iter().map(str::to_owned).chain(own).collect()
        };
        let found = Rules {
            project_deny: list(deny, denies),
            project_ask: list(ask, asks),
            ..bare.clone()
        };
        let (without, _) = attack.decide_with(attack.policy(&bare));
        let (with, _) = attack.decide_with(attack.policy(&found));
        prop_assert!(
            with.verdict >= without.verdict,
            "{:?} without the project, {:?} with it",
            without,
            with
        );
        Ok(())
    });
}

#[test]
fn the_order_of_rules_does_not_matter() {
    law(1_000, |attack| {
        let (one, _) = attack.decide();
        let mut rules = attack.rules();
        for list in [&mut rules.deny, &mut rules.ask, &mut rules.allow] {
            list.reverse();
        }
        let (other, _) = attack.decide_with(attack.policy(&rules));
        prop_assert_eq!((one.verdict, one.stop), (other.verdict, other.stop));
        Ok(())
    });
}

#[test]
fn a_failure_never_allows() {
    law(1_000, |attack| {
        let failing = Attack {
            judge: SpecJudge::Fails(Failure::Unavailable),
            ..attack
        };
        let (decision, _) = failing.decide();
        let judged = matches!(decision.ground, automode::Ground::Failure(_));
        prop_assert!(!judged || decision.verdict != Verdict::Allow);
        Ok(())
    });
}

#[test]
fn a_broken_policy_allows_nothing() {
    law(1_000, |attack| {
        let mut rules = attack.rules();
        rules.deny.push("Bash(unclosed".to_owned());
        let (decision, _) = attack.decide_with(attack.policy(&rules));
        prop_assert!(decision.verdict != Verdict::Allow, "{:?}", decision);
        Ok(())
    });
}

#[test]
fn the_ledger_never_turns_a_denial_into_an_allow() {
    law(1_000, |attack| {
        let fresh = Attack {
            denials: (0, 0),
            ..attack.clone()
        };
        let (before, _) = fresh.decide();
        let (worn, session) = attack.decide();
        prop_assert!(before.verdict == Verdict::Allow || worn.verdict != Verdict::Allow);
        prop_assert!(session.ledger.total >= attack.denials.1);
        Ok(())
    });
}

#[test]
fn nobody_is_asked_where_nobody_is() {
    law(1_000, |attack| {
        let headless = Attack {
            presence: Presence::Headless,
            ..attack
        };
        let (decision, _) = headless.decide();
        prop_assert!(decision.verdict != Verdict::Ask);
        Ok(())
    });
}

#[test]
fn the_trace_keeps_the_order_of_the_line() {
    law(1_000, |attack| {
        let (decision, _) = attack.decide();
        let vetoes = ["PolicyDeny", "Guards", "RulesVeto", "PolicyAsk", "Mode"];
        let names: Vec<_> = decision
            .trace
            .entries
            .iter()
            .map(|entry| format!("{:?}", entry.stage))
            .collect();
        let heard = vetoes
            .iter()
            .all(|veto| names.iter().any(|name| name == veto));
        prop_assert!(heard, "every veto is heard: {:?}", names);
        let permit = names.iter().position(|name| name == "PolicyAllow");
        let last_veto = names.iter().position(|name| name == "PolicyAsk");
        prop_assert!(permit.is_none_or(|permit| Some(permit) > last_veto));
        Ok(())
    });
}

/// Sequences of judgements against a model of the two counts.
#[test]
fn the_ledger_counts_as_the_model_does() {
    let config = Config {
        cases: 100,
        failure_persistence: None,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&vec(any::<bool>(), 0..30), |denials| {
        let (mut row, mut all) = (0, 0);
        let mut session = Session {
            roots: vec!["/home/dev/app".to_owned()],
            ..Session::default()
        };
        for denied in denials {
            let replies = if denied {
                vec![block(), block()]
            } else {
                vec![clear()]
            };
            let gate = Gate::new(Policy::default())
                .with_files(Tree::project())
                .with_judge(Scripted::new(replies));
            let mut call = ToolCall::bash("", "/home/dev/app");
            call.tool = "Teleport".to_owned();
            let decision = gate.check(&call, &mut session);
            if denied {
                row += 1;
                all += 1;
            } else {
                row = 0;
            }
            let expected = match (denied, row >= 3 || all >= 20) {
                (false, _) => Verdict::Allow,
                (true, false) => Verdict::Deny,
                (true, true) => Verdict::Ask,
            };
            prop_assert_eq!(decision.verdict, expected);
            prop_assert_eq!(
                (session.ledger.consecutive, session.ledger.total),
                (row, all)
            );
        }
        Ok(())
    });
    assert!(outcome.is_ok(), "{outcome:?}");
}
