//! The gate in the world: what fails ends as the table says, and the record is kept.

#![expect(clippy::panic, reason = "a port that panics is what is tested")]

use std::time::Duration;

use automode::ports::{FileSystem, Judge, Recall};
use automode::{
    Facts, Failure, Gate, Ground, Policy, Presence, Query, Session, ToolCall, Verdict, engine,
};
use automode_core::judge::{Reply, Request, Trouble};
use automode_core::policy::OnUnavailable;
use automode_core::{GitState, Outcome, transcript};
use automode_testkit::{MemoryStore, Scripted, StoreFault, Tree, block, clear};
use serde_json::json;

const CWD: &str = "/home/dev/app";

fn session() -> Session {
    Session {
        roots: vec![CWD.to_owned()],
        home: Some("/home/dev".to_owned()),
        ..Session::default()
    }
}

fn call(tool: &str, input: serde_json::Value) -> ToolCall {
    ToolCall {
        tool: tool.to_owned(),
        input: input.as_object().cloned().unwrap_or_default(),
        cwd: CWD.to_owned(),
    }
}

fn write(path: &str, content: &str) -> ToolCall {
    call("Write", json!({"file_path": path, "content": content}))
}

struct Panicking;

impl FileSystem for Panicking {
    fn observe(&self, _queries: &[Query]) -> Facts {
        panic!("the disk is on fire")
    }
}

impl Judge for Panicking {
    fn ask(&self, _request: &Request) -> Result<Reply, Trouble> {
        panic!("the judge is gone")
    }
}

#[test]
fn a_panic_is_a_denial() {
    let gate = Gate::new(Policy::default()).with_files(Panicking);
    let decision = gate.check(&write("a", ""), &mut session());
    let got = (decision.verdict, decision.ground);
    assert_eq!(got, (Verdict::Deny, Ground::Failure(Failure::Panic)));
    let gate = Gate::new(Policy::default()).with_judge(Panicking);
    let decision = gate.check(&call("Teleport", json!({})), &mut session());
    let got = (decision.verdict, decision.ground);
    assert_eq!(got, (Verdict::Deny, Ground::Failure(Failure::Panic)));
}

#[test]
fn deep_text_is_decided_on_a_deep_stack() {
    let gate = Gate::new(Policy::default()).with_files(Tree::project());
    for text in ["(".repeat(4_000), "$(".repeat(3_000), "{ ".repeat(3_000)] {
        let decision = gate.check(&ToolCall::bash(text, CWD), &mut session());
        assert_ne!(decision.verdict, Verdict::Allow);
    }
}

#[test]
fn a_deep_script_on_disk_is_followed_on_a_deep_stack() {
    let script = format!("#!/bin/sh\n{}\n", "(".repeat(4_000));
    let tree = Tree::project().file("/home/dev/app/deep.sh", &script, GitState::Clean);
    let gate = Gate::new(Policy::default()).with_files(tree);
    let decision = gate.check(&ToolCall::bash("sh ./deep.sh", CWD), &mut session());
    assert_ne!(decision.verdict, Verdict::Allow);
}

#[test]
fn what_takes_too_long_is_a_denial() {
    let gate = Gate::new(Policy::default())
        .with_files(Tree::project())
        .with_deadline(Duration::ZERO);
    let decision = gate.check(&ToolCall::bash("(".repeat(9_000), CWD), &mut session());
    let got = (decision.verdict, decision.ground);
    assert_eq!(got, (Verdict::Deny, Ground::Failure(Failure::Timeout)));
}

#[test]
fn an_answer_out_of_turn_is_a_denial() {
    let call = call("Teleport", json!({}));
    let session = session();
    let policy = Policy::default();
    let mut engine = engine::Engine::new(engine::Question {
        call: &call,
        session: &session,
        policy: &policy,
        judge: engine::JudgePresence::Present,
        now: 0,
    });
    let engine::Step::Settled(settled) =
        engine.resume(engine::Input::Reply(clear().map_err(Trouble::from)))
    else {
        panic!("it settles")
    };
    assert_eq!(settled.decision.verdict, Verdict::Deny);
    let engine::Step::Settled(settled) = engine.resume(engine::Input::Start) else {
        panic!("it stays settled")
    };
    assert_eq!(settled.decision.verdict, Verdict::Deny);
}

/// A tool that does not know the field runs the command where the session stands.
#[test]
fn a_directory_in_the_input_hides_nothing() {
    let gate = Gate::new(Policy::default()).with_files(Tree::project());
    let check = |command: &str, workdir: &str, expected: Verdict| {
        let call = call("Bash", json!({"command": command, "workdir": workdir}));
        let decision = gate.check(&call, &mut session());
        assert_eq!(
            decision.verdict, expected,
            "{command} in {workdir}: {}",
            decision.reason
        );
    };
    check("ls", "src", Verdict::Allow);
    check("touch new", "src", Verdict::Allow);
    check("touch new", "/srv/other", Verdict::Ask);
    check("rm -rf new", "/tmp/out", Verdict::Allow);
    check("rm -rf notes.txt", "/tmp/out", Verdict::Ask);
    check("rm -rf .", "/tmp/out/x", Verdict::Ask);
}

#[test]
fn input_out_of_bounds_is_a_denial() {
    let gate = Gate::new(Policy::default()).with_files(Tree::project());
    let check = |call: &ToolCall| {
        let decision = gate.check(call, &mut session());
        assert_eq!(decision.ground, Ground::Failure(Failure::Parse));
        assert_eq!(decision.verdict, Verdict::Deny);
    };
    check(&call(
        "Read",
        json!({"file_path": "x".repeat(17 * 1024 * 1024)}),
    ));
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    check(&call("Read", json!({"file_path": "a", "more": deep})));
    let mut homeless = call("Read", json!({"file_path": "a"}));
    homeless.cwd = String::new();
    check(&homeless);
}

#[test]
fn a_file_that_the_session_wrote_may_be_written_again() {
    let gate = |body: &str| {
        let tree = Tree::project().file("/home/dev/app/out.txt", body, GitState::Untracked);
        Gate::new(Policy::default()).with_files(tree)
    };
    let mut session = session();
    let first = Gate::new(Policy::default()).with_files(Tree::project());
    let decision = first.check(&write("out.txt", "one"), &mut session);
    assert_eq!(decision.verdict, Verdict::Allow, "{}", decision.reason);
    let again = gate("one").check(&write("out.txt", "two"), &mut session.clone());
    assert_eq!(again.verdict, Verdict::Allow, "{}", again.reason);
    let changed = gate("a person's words").check(&write("out.txt", "two"), &mut session.clone());
    assert_ne!(changed.verdict, Verdict::Allow, "{}", changed.reason);
}

#[test]
fn a_persons_file_that_was_added_to_stays_theirs() {
    let tree = Tree::project().file(
        "/home/dev/app/notes",
        "a person's words",
        GitState::Untracked,
    );
    let gate = Gate::new(Policy::default()).with_files(tree);
    let mut session = session();
    let added = gate.check(&ToolCall::bash("echo more >> notes", CWD), &mut session);
    assert_eq!(added.verdict, Verdict::Allow, "{}", added.reason);
    let replaced = gate.check(&ToolCall::bash("echo other > notes", CWD), &mut session);
    assert_eq!(replaced.verdict, Verdict::Ask, "{}", replaced.reason);
}

/// `a/..` is where the link leads, and what is above that.
#[test]
fn a_path_that_climbs_out_of_a_link_is_not_where_its_text_says() {
    let tree = || {
        Tree::project()
            .directory("/home/dev/app/src/inner")
            .directory("/home/dev/other/deep")
            .link("/home/dev/app/a", "/home/dev/other/deep")
    };
    let check = |command: &str, expected: Verdict| {
        let gate = Gate::new(Policy::default()).with_files(tree());
        let decision = gate.check(&ToolCall::bash(command, CWD), &mut session());
        assert_eq!(decision.verdict, expected, "{command}: {}", decision.reason);
    };
    for command in [
        "touch a/../b",
        "cd a && touch ../b",
        "cd a; touch ../b",
        "cp src/main.rs a/../b",
        "echo x > a/./../b",
        "python3 -c 'open(\"a/../b\", \"w\")'",
        "bash -c 'cd a && touch ../b'",
    ] {
        check(command, Verdict::Ask);
    }
    for command in [
        "touch src/inner/../b",
        "cd src/inner && touch ../b",
        "cd src && cat ../src/main.rs",
        "cd a && cd .. && touch b",
        "touch nowhere/../b",
    ] {
        check(command, Verdict::Allow);
    }
}

/// A tree that is shown whole shows the secrets in its directories too.
#[test]
fn secrets_deep_in_a_tree_are_read_with_it() {
    let tree = || {
        Tree::project()
            .file(
                "/home/dev/app/apps/web/.env",
                "STRIPE=sk_live_1",
                GitState::Ignored,
            )
            .file("/home/dev/app/deploy/id_rsa", "key", GitState::Ignored)
    };
    let check = |command: &str, expected: Verdict| {
        let gate = Gate::new(Policy::default()).with_files(tree());
        let decision = gate.check(&ToolCall::bash(command, CWD), &mut session());
        assert_eq!(decision.verdict, expected, "{command}: {}", decision.reason);
    };
    for command in [
        "grep -r '' .",
        "grep -rn stripe *",
        "find . -type f -exec cat {} +",
        "find * -type f -exec cat {} +",
        "find ./* -type f -exec cat {} \\;",
        "for d in *; do find $d -type f -exec cat {} +; done",
        "cat apps/*/.env",
        "cat **/*",
        "tar cz . | base64",
        "tar cO *",
        "rg -uu stripe",
        "python3 -c 'import pathlib; [print(p.read_text()) for p in pathlib.Path(\".\").rglob(\"*\")]'",
    ] {
        check(command, Verdict::Ask);
    }
    for command in [
        "grep -rn needle .",
        "grep -rn needle *",
        "grep -rn stripe src",
        "rg stripe",
        "cat *",
        "ls -R",
        "find . -name '*.rs' -exec cat {} +",
        "wc -l *",
    ] {
        check(command, Verdict::Allow);
    }
}

#[test]
fn a_filter_may_not_empty_a_persons_untracked_file() {
    let tree = Tree::project()
        .file(
            "/home/dev/app/notes",
            "a person's words",
            GitState::Untracked,
        )
        .file("/home/dev/app/held", "in git", GitState::Clean);
    let gate = Gate::new(Policy::default()).with_files(tree);
    for (command, expected) in [
        ("sed -i d notes", Verdict::Ask),
        ("perl -i -pe '$_=\"\"' notes", Verdict::Ask),
        ("ex -sc '%d|x' notes", Verdict::Ask),
        ("sed -i d held", Verdict::Allow),
    ] {
        let decision = gate.check(&ToolCall::bash(command, CWD), &mut session());
        assert_eq!(decision.verdict, expected, "{command}: {}", decision.reason);
    }
}

#[test]
fn an_edit_of_the_sessions_own_file_keeps_it_its_own() {
    let gate = |body: &str| {
        let tree = Tree::project().file("/home/dev/app/src/main.rs", body, GitState::Dirty);
        Gate::new(Policy::default()).with_files(tree)
    };
    let edit = |old: &str, new: &str| {
        let input = json!({"file_path": "src/main.rs", "old_string": old, "new_string": new});
        call("Edit", input)
    };
    let mut session = session();
    let clean = Gate::new(Policy::default()).with_files(Tree::project());
    let check = |gate: &Gate, call: &ToolCall, session: &mut Session, expected: bool| {
        let decision = gate.check(call, session);
        assert_eq!(
            decision.verdict == Verdict::Allow,
            expected,
            "{}",
            decision.reason
        );
    };
    check(&clean, &write("src/main.rs", "one two"), &mut session, true);
    check(&gate("one two"), &edit("two", "three"), &mut session, true);
    check(
        &gate("one three"),
        &write("src/main.rs", "all new"),
        &mut session.clone(),
        true,
    );
    check(
        &gate("a person's"),
        &write("src/main.rs", "all new"),
        &mut session,
        false,
    );
    check(
        &gate("a person's"),
        &edit("person", "user"),
        &mut session,
        true,
    );
    check(
        &gate("a user's"),
        &write("src/main.rs", "all new"),
        &mut session,
        false,
    );
}

#[test]
fn calls_are_recorded_as_they_were_answered() {
    let gate = Gate::new(Policy::default()).with_files(Tree::project());
    let mut session = session();
    gate.check(&write("new.txt", "one"), &mut session);
    gate.check(&call("TodoWrite", json!({})), &mut session);
    gate.check(
        &call("Read", json!({"file_path": "~/.ssh/id_rsa"})),
        &mut session,
    );
    let outcomes: Vec<_> = session.calls.iter().map(|call| call.outcome).collect();
    assert_eq!(
        outcomes,
        [Outcome::Pending, Outcome::Pending, Outcome::Denied]
    );
    let entry = |tool: &str, brief: &str| transcript::Entry::Call {
        tool: tool.to_owned(),
        brief: brief.to_owned(),
    };
    let expected = [
        entry("Write", "new.txt: one"),
        entry("Read", "~/.ssh/id_rsa"),
    ];
    assert_eq!(session.transcript, expected);
    assert_eq!(session.written.len(), 1);
}

#[test]
fn the_agents_own_record_is_read_only_for_a_judge() {
    struct Words;
    impl Recall for Words {
        fn transcript(&self) -> Result<Option<Vec<transcript::Entry>>, Failure> {
            let words = transcript::Entry::User("go to mars".to_owned());
            Ok(Some(vec![words]))
        }
    }
    struct Unread;
    impl Recall for Unread {
        fn transcript(&self) -> Result<Option<Vec<transcript::Entry>>, Failure> {
            panic!("nobody asked a judge")
        }
    }
    let judge = Scripted::new([clear()]);
    let gate = Gate::new(Policy::default())
        .with_files(Tree::project())
        .with_judge(judge.clone());
    let settled = gate.decide(&call("Teleport", json!({})), &session(), &Words);
    assert_eq!(settled.decision.verdict, Verdict::Allow);
    let requests = judge.requests();
    assert!(
        requests
            .iter()
            .any(|request| request.text().contains("go to mars"))
    );
    let read = call("Read", json!({"file_path": "src/main.rs"}));
    let settled = gate.decide(&read, &session(), &Unread);
    assert_eq!(settled.decision.verdict, Verdict::Allow);
}

#[test]
fn a_record_that_cannot_be_shown_is_a_failure_and_nobody_is_asked() {
    struct Endless;
    impl Recall for Endless {
        fn transcript(&self) -> Result<Option<Vec<transcript::Entry>>, Failure> {
            Err(Failure::Overlong)
        }
    }
    let judge = Scripted::new([clear()]);
    let gate = Gate::new(Policy::default())
        .with_files(Tree::project())
        .with_judge(judge.clone());
    let decide = |presence| {
        let session = Session {
            presence,
            ..session()
        };
        let settled = gate.decide(&call("Teleport", json!({})), &session, &Endless);
        (settled.decision.verdict, settled.decision.stop)
    };
    assert_eq!(decide(Presence::Interactive), (Verdict::Ask, false));
    assert_eq!(decide(Presence::Headless), (Verdict::Deny, true));
    assert!(judge.requests().is_empty());
}

#[test]
fn a_store_carries_a_session_from_process_to_process() {
    let store = MemoryStore::default();
    let blocked = || {
        let gate = Gate::new(Policy::default())
            .with_files(Tree::project())
            .with_judge(Scripted::new(vec![block(), block()]));
        gate.check_stored(&call("Teleport", json!({})), &session(), &store)
            .verdict
    };
    let verdicts = [blocked(), blocked(), blocked()];
    assert_eq!(verdicts, [Verdict::Deny, Verdict::Deny, Verdict::Ask]);
    let memory = automode::ports::Store::read(&store).expect("a memory");
    assert_eq!((memory.standing.ledger.total, memory.calls.len()), (3, 3));
    assert_eq!(memory.standing.cwd.as_deref(), Some(CWD));
}

#[test]
fn a_store_that_fails_never_loosens() {
    use OnUnavailable::{Ask, Deny};
    let read = || call("Read", json!({"file_path": "src/main.rs"}));
    let deadly = || ToolCall::bash("rm -rf ~", CWD);
    let check = |call: ToolCall, store: &MemoryStore, presence, setting, expected: Verdict| {
        let mut policy = Policy::default();
        policy.settings.on_unavailable = setting;
        let gate = Gate::new(policy).with_files(Tree::project());
        let now = Session {
            presence,
            ..session()
        };
        let decision = gate.check_stored(&call, &now, store);
        assert_eq!(decision.verdict, expected, "{}", decision.reason);
        decision.ground
    };
    let (there, nobody) = (Presence::Interactive, Presence::Headless);
    let unread = MemoryStore::broken(StoreFault::Read);
    let ground = check(read(), &unread, there, Deny, Verdict::Deny);
    assert_eq!(ground, Ground::Failure(Failure::Store));
    check(read(), &unread, there, Ask, Verdict::Ask);
    check(read(), &unread, nobody, Ask, Verdict::Deny);
    let ground = check(deadly(), &unread, there, Ask, Verdict::Deny);
    assert_ne!(ground, Ground::Failure(Failure::Store), "a veto stays one");
    let unwritten = MemoryStore::broken(StoreFault::Write);
    check(read(), &unwritten, there, Deny, Verdict::Allow);
    check(deadly(), &unwritten, there, Deny, Verdict::Deny);
}
