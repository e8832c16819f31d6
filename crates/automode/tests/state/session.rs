//! The record of one session.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use automode::session::{self, CallNote, Cost, LedgerNote, Memory, Note, Phase};
use automode::state::State;
use automode_core::engine::ProjectStep;
use automode_core::transcript;
use automode_core::{Ledger, Mode, Outcome, Presence, Verdict, WrittenFile};

use crate::{PATIENCE, files, only_file, state};

fn log(state: &State) -> session::Log {
    session::Log::open(state, "codex", "../../etc/passwd").unwrap()
}

fn call(id: &str, verdict: Verdict) -> Note {
    Note::Call(CallNote {
        id: Some(id.to_owned()),
        print: format!("print-{id}"),
        tool: "Bash".to_owned(),
        brief: format!("make {id}"),
        verdict,
        decision: format!("d-{id}"),
        permitted: false,
        by: None,
        writes: vec![file(&format!("/w/{id}"), "")],
        project: ProjectStep::default(),
    })
}

fn file(path: &str, digest: &str) -> WrittenFile {
    WrittenFile {
        path: path.to_owned(),
        digest: digest.to_owned(),
        created: true,
        findings: Vec::new(),
        taint: Vec::new(),
    }
}

fn done(id: &str, outcome: Outcome) -> Note {
    Note::Done {
        id: Some(id.to_owned()),
        print: String::new(),
        outcome,
        files: vec![file(&format!("/w/{id}"), "beef")],
    }
}

fn user(text: &str) -> Note {
    Note::User {
        text: text.to_owned(),
    }
}

#[test]
fn a_session_comes_back_as_it_was_noted() {
    let (_directory, state) = state();
    let log = log(&state);
    assert_eq!(log.read().unwrap(), Memory::default());
    let start = Note::Start {
        agent: "codex".to_owned(),
        session: "s".to_owned(),
        cwd: "/w".to_owned(),
        repo: None,
    };
    let moved = LedgerNote::between(
        Ledger::default(),
        Ledger {
            consecutive: 1,
            total: 1,
            unavailable: 0,
            paused_until: 0,
        },
    );
    log.append(
        &[
            start,
            user("go"),
            call("a", Verdict::Allow),
            call("b", Verdict::Ask),
            call("c", Verdict::Deny),
        ],
        PATIENCE,
    )
    .unwrap();
    log.append(
        &[
            done("a", Outcome::Failed),
            done("b", Outcome::Succeeded),
            Note::Ledger(moved.unwrap()),
        ],
        PATIENCE,
    )
    .unwrap();
    log.append(
        &[
            Note::Cost(Cost {
                input: 5,
                cached: 1,
                output: 2,
                price: 5,
            }),
            Note::End,
        ],
        PATIENCE,
    )
    .unwrap();
    let memory = log.read().unwrap();
    assert_eq!(log.glance().unwrap(), memory.standing);
    let session = memory.standing.session(Mode::Auto, Presence::Headless);
    assert_eq!(session.roots, ["/w"]);
    assert_eq!(
        memory.entries.first(),
        Some(&transcript::Entry::User("go".to_owned()))
    );
    assert_eq!(
        memory
            .records()
            .iter()
            .map(|call| call.outcome)
            .collect::<Vec<_>>(),
        [Outcome::Failed, Outcome::Succeeded, Outcome::Denied]
    );
    assert_eq!(
        session
            .written
            .iter()
            .map(|file| (file.path.as_str(), file.digest.as_str()))
            .collect::<Vec<_>>(),
        [("/w/a", ""), ("/w/b", "beef")]
    );
    assert_eq!((session.ledger.total, memory.standing.cost.output), (1, 2));
}

#[test]
fn a_subagent_has_its_own_line() {
    let (_directory, state) = state();
    let log = log(&state);
    let Note::Call(inner) = call("a", Verdict::Deny) else {
        panic!()
    };
    let inner = Note::Call(CallNote {
        by: Some("a1".to_owned()),
        ..inner
    });
    let phase = |phase| Note::Subagent {
        id: "a1".to_owned(),
        kind: "reviewer".to_owned(),
        phase,
    };
    log.append(
        &[phase(Phase::Started), inner, phase(Phase::Stopped)],
        PATIENCE,
    )
    .unwrap();
    let memory = log.read().unwrap();
    let line = memory.subagents.get("a1").unwrap();
    assert_eq!(
        (line.kind.as_str(), line.calls, line.denied, line.stopped),
        ("reviewer", 1, 1, true)
    );
}

#[test]
fn movements_of_the_ledger_add_up_across_processes() {
    let before = Ledger {
        consecutive: 1,
        total: 4,
        unavailable: 2,
        paused_until: 0,
    };
    let blocked = LedgerNote::between(
        before,
        Ledger {
            consecutive: 2,
            total: 5,
            unavailable: 0,
            paused_until: 0,
        },
    )
    .unwrap();
    let after = blocked.apply(blocked.apply(before));
    assert_eq!(
        after,
        Ledger {
            consecutive: 3,
            total: 6,
            unavailable: 0,
            paused_until: 0
        }
    );
    let cleared = LedgerNote::between(
        after,
        Ledger {
            consecutive: 0,
            ..after
        },
    )
    .unwrap();
    assert_eq!(
        cleared.apply(after),
        Ledger {
            consecutive: 0,
            ..after
        }
    );
    assert_eq!(LedgerNote::between(after, after), None);
}

/// Puts bytes behind the only record, as another program would.
fn write_behind(state: &State, bytes: &[u8]) -> PathBuf {
    let path = only_file(&state.path("sessions"), "jsonl");
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(bytes).unwrap();
    path
}

#[test]
fn a_torn_line_costs_itself() {
    let (_directory, state) = state();
    let log = log(&state);
    log.append(&[user("one")], PATIENCE).unwrap();
    write_behind(&state, br#"{"note":"user","te"#);
    log.append(&[user("two")], PATIENCE).unwrap();
    let memory = log.read().unwrap();
    assert_eq!(
        memory.entries,
        [
            transcript::Entry::User("one".to_owned()),
            transcript::Entry::User("two".to_owned())
        ]
    );
    assert_eq!(memory.unreadable, 1);
}

#[test]
fn a_record_that_is_rubbish_is_an_empty_session() {
    let (_directory, state) = state();
    let log = log(&state);
    log.append(&[user("one")], PATIENCE).unwrap();
    let path = only_file(&state.path("sessions"), "jsonl");
    fs::write(&path, [0xff, 0x00, b'\n', b'{', 0xfe]).unwrap();
    assert_eq!(log.read().unwrap().entries, []);
    log.append(&[user("two")], PATIENCE).unwrap();
    assert_eq!(log.read().unwrap().entries.len(), 1);
}

#[test]
fn a_record_stays_within_its_bounds_and_keeps_what_matters() {
    let (_directory, state) = state();
    let log = log(&state);
    log.append(
        &[
            user("never push"),
            Note::Ledger(LedgerNote {
                denied: 2,
                ..LedgerNote::default()
            }),
        ],
        PATIENCE,
    )
    .unwrap();
    for at in 0..400 {
        let long = "x".repeat(900);
        log.append(
            &[
                user(&format!("{at} {long}")),
                call(&format!("{at}"), Verdict::Allow),
                Note::Unknown,
            ],
            PATIENCE,
        )
        .unwrap();
    }
    let path = only_file(&state.path("sessions"), "jsonl");
    assert!(fs::metadata(path).unwrap().len() < 300 * 1024);
    let memory = log.read().unwrap();
    assert_eq!(
        memory.entries.first(),
        Some(&transcript::Entry::User("never push".to_owned()))
    );
    assert!(
        matches!(memory.entries.last(), Some(transcript::Entry::Call { brief, .. }) if brief == "make 399")
    );
    assert_eq!(log.glance().unwrap(), memory.standing);
    let memory = memory.standing;
    assert_eq!(memory.ledger.total, 2);
    assert!(memory.written.iter().any(|file| file.path == "/w/399"));
}

#[test]
fn lines_of_another_version_survive() {
    let (_directory, state) = state();
    let log = log(&state);
    log.append(&[user("one")], PATIENCE).unwrap();
    let path = write_behind(&state, b"{\"note\":\"from-the-future\",\"x\":1}\n");
    for _ in 0..40 {
        log.append(&[user(&"y".repeat(20_000))], PATIENCE).unwrap();
    }
    assert!(
        fs::read_to_string(path)
            .unwrap()
            .contains("from-the-future")
    );
    assert_eq!(log.read().unwrap().unreadable, 0);
}

#[test]
fn a_crowd_of_writers_loses_nothing() {
    let (_directory, state) = state();
    thread::scope(|scope| {
        for writer in 0..16 {
            let log = log(&state);
            scope.spawn(move || {
                for at in 0..25 {
                    log.append(&[user(&format!("{writer}-{at}"))], PATIENCE)
                        .unwrap();
                }
            });
        }
    });
    let memory = log(&state).read().unwrap();
    assert_eq!((memory.entries.len(), memory.unreadable), (400, 0));
}

#[test]
fn old_sessions_go_and_a_jumping_clock_takes_none() {
    let (_directory, state) = state();
    for at in 0..3_u64 {
        let name = format!("s{at}");
        session::Log::open(&state, "codex", &name)
            .unwrap()
            .append(&[user("x")], PATIENCE)
            .unwrap();
    }
    let day = Duration::from_secs(24 * 60 * 60);
    let touch = |path: &Path, time: SystemTime| {
        OpenOptions::new()
            .append(true)
            .open(path)
            .unwrap()
            .set_modified(time)
            .unwrap()
    };
    let files = files(&state.path("sessions"), "jsonl");
    let long_ago = SystemTime::UNIX_EPOCH + 1000 * day;
    for path in &files {
        touch(path, long_ago);
    }
    let now = long_ago + 32 * day;
    assert_eq!(session::expire(&state, now).unwrap(), 0);
    touch(files.first().unwrap(), long_ago + 31 * day);
    assert_eq!(session::expire(&state, long_ago).unwrap(), 0);
    assert_eq!(session::expire(&state, now).unwrap(), 2);
}

#[test]
fn a_call_that_was_let_through_writes_and_a_refused_one_does_not() {
    let check = |verdict: Verdict, outcome: Option<Outcome>, expected: &[(&str, &str)]| {
        let (_directory, state) = state();
        let log = log(&state);
        log.append(&[call("a", verdict)], PATIENCE).unwrap();
        if let Some(outcome) = outcome {
            let Note::Done { id, print, .. } = done("a", outcome) else {
                return;
            };
            let ended = Note::Done {
                id,
                print,
                outcome,
                files: match outcome {
                    Outcome::Succeeded | Outcome::Failed => vec![file("/w/a", "beef")],
                    Outcome::Pending | Outcome::Denied => Vec::new(),
                },
            };
            log.append(&[ended], PATIENCE).unwrap();
        }
        let written = log.read().unwrap().standing.written;
        let found: Vec<_> = written
            .iter()
            .map(|file| (file.path.as_str(), file.digest.as_str()))
            .collect();
        assert_eq!(found, expected, "{verdict:?} {outcome:?}");
    };
    check(Verdict::Allow, None, &[("/w/a", "")]);
    check(
        Verdict::Allow,
        Some(Outcome::Succeeded),
        &[("/w/a", "beef")],
    );
    check(Verdict::Ask, None, &[]);
    check(Verdict::Ask, Some(Outcome::Succeeded), &[("/w/a", "beef")]);
    check(Verdict::Ask, Some(Outcome::Denied), &[]);
    check(Verdict::Deny, None, &[]);
    // Nobody enforced the verdict.
    check(Verdict::Deny, Some(Outcome::Succeeded), &[("/w/a", "beef")]);
}
