//! The examples on the pages of rules and exceptions, run through the whole line.
//!
//! One line is one test. A `known-gap` that begins to hold fails, so that the
//! page gets corrected.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use automode::ports::FileSystem as _;
use automode_core::engine::{Engine, Input, JudgePresence, Question, Step};
use automode_core::exceptions::EXCEPTIONS;
use automode_core::page::{Example, Expectation, Page};
use automode_core::policy::Policy;
use automode_core::rules::CATALOGUE;
use automode_core::{
    Decision, GitState, Ground, Remote, RepoFact, Session, ToolCall, Verdict, Weight,
};
use automode_testkit::Tree;
use serde_json::{Map, Value};

const PROJECT: &str = "/home/dev/app";

/// The project that the pages speak of.
fn tree() -> Tree {
    Tree::project()
        .file(
            "/home/dev/app/package.json",
            r#"{"scripts":{"build":"tsc","test":"jest","deploy":"kubectl apply -f prod.yaml"},"devDependencies":{"eslint":"9","jest":"30","typescript":"5"}}"#,
            GitState::Clean,
        )
        .file("/home/dev/app/requirements.txt", "flask==3.0\n", GitState::Clean)
        .file("/home/dev/app/Makefile", "all:\n\tcargo build\n", GitState::Clean)
        .file("/home/dev/app/README.md", "# App\n", GitState::Clean)
        .file("/home/dev/app/data.json", "{}\n", GitState::Clean)
        .file("/home/dev/app/tests/fixtures/server.key", "x\n", GitState::Clean)
        .file("/home/dev/app/tests/fixtures/server.pem", "x\n", GitState::Clean)
        .file("/home/dev/app/tests/fixtures/.env", "x\n", GitState::Clean)
        .file("/home/dev/app/.env", "KEY=1\n", GitState::Ignored)
        .file("/home/dev/Documents/thesis.md", "x\n", GitState::None)
        .file("/home/dev/.ssh/id_rsa", "x\n", GitState::None)
        .link("/home/dev/app/link-out", "/srv/other")
        .repo(PROJECT, repo())
}

fn repo() -> RepoFact {
    RepoFact {
        root: Some(PROJECT.to_owned()),
        branch: Some("feature/x".to_owned()),
        default_branch: Some("main".to_owned()),
        remotes: vec![Remote {
            name: "origin".to_owned(),
            url: "git@github.com:dev/app.git".to_owned(),
        }],
        dirty: true,
        head: None,
        helpers: Vec::new(),
        credentials: Vec::new(),
    }
}

fn call(example: &Example<'_>) -> ToolCall {
    if example.language == "sh" {
        return ToolCall::bash(example.text, PROJECT);
    }
    let value: Value = serde_json::from_str(example.text).expect("an example is JSON");
    let input = value.get("input").and_then(Value::as_object);
    ToolCall {
        tool: value
            .get("tool")
            .and_then(Value::as_str)
            .expect("a tool")
            .to_owned(),
        input: input.cloned().unwrap_or_else(Map::new),
        cwd: PROJECT.to_owned(),
    }
}

fn decide(call: &ToolCall) -> Decision {
    let session = Session {
        roots: vec![PROJECT.to_owned()],
        home: Some("/home/dev".to_owned()),
        repo: Some(repo()),
        ..Session::default()
    };
    let policy = Policy::default();
    let mut engine = Engine::new(Question {
        call,
        session: &session,
        policy: &policy,
        judge: JudgePresence::Absent,
        now: 0,
    });
    let tree = tree();
    let mut input = Input::Start;
    loop {
        input = match engine.resume(input) {
            Step::Observe(queries) => Input::from(tree.observe(&queries)),
            Step::Judge(_) => panic!("there is no judge"),
            Step::Settled(settlement) => return settlement.decision,
        };
    }
}

/// What a rule's page may expect of a decision.
fn holds(id: &str, expectation: Expectation, decision: &Decision) -> bool {
    let own = |weight| {
        decision
            .findings
            .iter()
            .any(|finding| finding.rule == id && finding.weight == weight)
    };
    let open = own(Weight::Evidence) || own(Weight::Soft);
    let allowed = decision.verdict == Verdict::Allow;
    match expectation {
        Expectation::Veto => own(Weight::Veto) && decision.verdict == Verdict::Deny,
        Expectation::Evidence => open && !own(Weight::Veto) && !allowed,
        Expectation::Pass => allowed || !decision.findings.iter().any(|finding| finding.rule == id),
        Expectation::KnownGap => !own(Weight::Veto) && !open,
        Expectation::Fine => allowed,
        Expectation::Open => !allowed,
    }
}

#[test]
fn examples_of_the_pages_hold() {
    let rules = CATALOGUE.iter().map(|rule| (rule.id(), rule.page()));
    let exceptions = EXCEPTIONS.iter().map(|rule| (rule.id(), rule.page()));
    let mut broken = Vec::new();
    for (id, page) in rules.chain(exceptions) {
        for example in Page::read(page).examples {
            let decision = decide(&call(&example));
            if !holds(id, example.expectation, &decision) {
                let found: Vec<_> = decision
                    .findings
                    .iter()
                    .map(|finding| format!("{} {:?}", finding.rule, finding.weight))
                    .collect();
                broken.push(format!(
                    "{id}:{} {:?}\n    {}\n    {} ({found:?}): {}",
                    example.line,
                    example.expectation,
                    example.text,
                    decision.verdict.name(),
                    decision.reason,
                ));
            }
        }
    }
    assert!(
        broken.is_empty(),
        "{} examples do not hold:\n{}",
        broken.len(),
        broken.join("\n")
    );
}

/// A veto that an example shows is the ground of the denial, and its reason names the rule.
#[test]
fn a_denial_names_its_rule() {
    for rule in CATALOGUE {
        for example in Page::read(rule.page()).examples {
            if example.expectation != Expectation::Veto {
                continue;
            }
            let decision = decide(&call(&example));
            if let Ground::Rule(id) = decision.ground {
                assert!(decision.reason.starts_with(id), "{}", decision.reason);
            }
            assert!(
                decision.reason.chars().count() <= 1_200,
                "{}",
                decision.reason
            );
            assert!(
                !decision.reason.chars().any(char::is_control),
                "{}",
                decision.reason
            );
        }
    }
}
