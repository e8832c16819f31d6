//! Sessions and the audit log under kills, crowds, full and foreign disks.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use automode::audit::{self, Circumstance, Entry, Kept};
use automode::session::{self, CallNote, Cost, LedgerNote, Memory, Note, Phase};
use automode::state::{Lock, State, Unusable};
use automode_core::transcript;
use automode_core::{
    Decision, Ground, Ledger, Mode, Outcome, Presence, Trace, Verdict, WrittenFile,
};

const PATIENCE: Duration = Duration::from_secs(20);

fn state() -> (tempfile::TempDir, State) {
    let directory = tempfile::tempdir().unwrap();
    let state = State::at(directory.path().join("automode")).unwrap();
    (directory, state)
}

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

fn entry(id: &str) -> Entry {
    let decision = Decision {
        verdict: Verdict::Deny,
        ground: Ground::Rule("force-push"),
        reason: "rewrites `main`".to_owned(),
        findings: Vec::new(),
        stop: false,
        trace: Trace::default(),
    };
    Entry::new(
        &decision,
        &Circumstance {
            time: 1_794_773_574_209,
            id,
            agent: "codex",
            session: "s",
            subagent: None,
            tool: "Bash",
            brief: "curl -H 'Authorization: Bearer sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789' x",
            cwd: "/w",
            presence: Presence::Headless,
            shadow: false,
            latency: 1.5,
            judged: None,
            price: None,
            config: "c0ffee",
            print: "p",
            permission: None,
        },
    )
}

// --- sessions -------------------------------------------------------------------------------

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
    let session = memory.session(Mode::Auto, Presence::Headless);
    assert_eq!(session.roots, ["/w"]);
    assert_eq!(
        session.transcript.first(),
        Some(&transcript::Entry::User("go".to_owned()))
    );
    assert_eq!(
        session
            .calls
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
        [("/w/a", "beef"), ("/w/b", "beef")]
    );
    assert_eq!((session.ledger.total, memory.cost.output), (1, 2));
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

#[test]
fn a_torn_line_costs_itself() {
    let (_directory, state) = state();
    let log = log(&state);
    log.append(&[user("one")], PATIENCE).unwrap();
    let path = only_file(&state.path("sessions"), "jsonl");
    OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap()
        .write_all(br#"{"note":"user","te"#)
        .unwrap();
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
    assert_eq!(memory.ledger.total, 2);
    assert!(memory.written.iter().any(|file| file.path == "/w/399"));
}

#[test]
fn lines_of_another_version_survive() {
    let (_directory, state) = state();
    let log = log(&state);
    log.append(&[user("one")], PATIENCE).unwrap();
    let path = only_file(&state.path("sessions"), "jsonl");
    OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap()
        .write_all(b"{\"note\":\"from-the-future\",\"x\":1}\n")
        .unwrap();
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

// --- the audit log ---------------------------------------------------------------------------

#[test]
fn the_chain_holds_and_edits_show() {
    let (_directory, state) = state();
    let log = audit::Log::new(&state);
    for at in 0..5 {
        assert_eq!(
            log.append(&entry(&format!("id{at}")), PATIENCE).unwrap(),
            Kept::InTheChain
        );
    }
    let report = log.verify().unwrap();
    assert_eq!((report.lines, report.torn, report.holds()), (5, 0, true));
    assert_eq!(log.find("last").unwrap().id, "id4");
    assert_eq!(log.find("id2").unwrap(), entry("id2"));
    let path = state.path("audit.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    assert!(!whole.contains("sk-ant-api03"), "a secret is in the log");

    let broken = |text: String| {
        fs::write(&path, text).unwrap();
        log.verify().unwrap().breaks.len()
    };
    let lines: Vec<&str> = whole.lines().collect();
    let without = |at: usize| {
        lines
            .iter()
            .enumerate()
            .filter(|(line, _)| *line != at)
            .map(|(_, line)| format!("{line}\n"))
            .collect::<String>()
    };
    assert_eq!(broken(whole.replace("id2", "id9")), 2);
    assert_eq!(broken(without(2)), 1);
    assert_eq!(broken(without(4)), 1);
    assert_eq!(broken(without(0)), 1);
    assert_eq!(broken(whole.clone()), 0);
}

#[test]
fn a_torn_line_costs_itself_and_is_admitted() {
    let (_directory, state) = state();
    let log = audit::Log::new(&state);
    log.append(&entry("one"), PATIENCE).unwrap();
    let path = state.path("audit.jsonl");
    OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap()
        .write_all(b"{\"time\":17,\"id\":\"to")
        .unwrap();
    assert!(log.verify().unwrap().holds());
    log.append(&entry("two"), PATIENCE).unwrap();
    let report = log.verify().unwrap();
    assert_eq!(
        (report.lines, report.torn, report.breaks),
        (2, 1, Vec::new())
    );
}

#[test]
fn a_crowd_of_deciders_loses_nothing() {
    let (_directory, state) = state();
    thread::scope(|scope| {
        for writer in 0..16 {
            let log = audit::Log::new(&state);
            scope.spawn(move || {
                for at in 0..25 {
                    log.append(&entry(&format!("{writer}-{at}")), PATIENCE)
                        .unwrap();
                }
            });
        }
    });
    let report = audit::Log::new(&state).verify().unwrap();
    assert_eq!((report.lines, report.holds()), (400, true));
}

#[test]
fn a_writer_without_the_lock_leaves_its_line_beside() {
    let (_directory, state) = state();
    let log = audit::Log::new(&state);
    log.append(&entry("one"), PATIENCE).unwrap();
    {
        let _held = Lock::take(&state.path("audit.lock"), PATIENCE).unwrap();
        assert_eq!(
            log.append(&entry("two"), Duration::from_millis(5)).unwrap(),
            Kept::Beside
        );
    }
    log.append(&entry("three"), PATIENCE).unwrap();
    let mut ids = Vec::new();
    log.for_each(|entry| ids.push(entry.id));
    assert_eq!(ids, ["one", "two", "three"]);
    assert!(log.verify().unwrap().holds());
}

#[test]
fn a_full_log_is_put_aside_and_the_chain_goes_on() {
    let (_directory, state) = state();
    let log = audit::Log::new(&state);
    let mut big = entry("big");
    big.reason = "r".repeat(60_000);
    for _ in 0..300 {
        log.append(&big, PATIENCE).unwrap();
    }
    log.append(&entry("last"), PATIENCE).unwrap();
    assert_eq!(log.files().len(), 2);
    let report = log.verify().unwrap();
    assert_eq!((report.lines, report.holds()), (301, true));
    fs::remove_file(state.path("audit.jsonl")).unwrap();
    assert!(!log.verify().unwrap().holds());
}

// --- the directory ---------------------------------------------------------------------------

#[test]
fn a_missing_directory_is_made_private() {
    let (_directory, state) = state();
    let mode = fs::metadata(state.root()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_directory_that_others_may_write_is_not_used() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("automode");
    fs::create_dir(&root).unwrap();
    fs::set_permissions(&root, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(matches!(State::at(root), Err(Unusable::Shared(_))));
}

#[test]
fn a_link_of_somebody_else_is_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let (real, link) = (
        directory.path().join("real"),
        directory.path().join("automode"),
    );
    fs::create_dir(&real).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o700)).unwrap();
    symlink(&real, &link).unwrap();
    assert!(State::at(link.clone()).is_ok());
    // Only root may give things away.
    if lchown(&link, Some(65_534), None).is_ok() {
        assert!(matches!(State::at(link), Err(Unusable::Foreign(_))));
        lchown(&real, Some(65_534), None).unwrap();
        assert!(matches!(State::at(real), Err(Unusable::Foreign(_))));
    }
}

#[test]
fn a_file_in_its_place_is_not_a_state() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("automode");
    fs::write(&root, "x").unwrap();
    assert!(State::at(root).is_err());
}

#[test]
fn a_full_disk_fails_the_log_and_nothing_else() {
    // `/dev/full` says what a full disk says.
    if !Path::new("/dev/full").exists() {
        return;
    }
    let mut full = OpenOptions::new()
        .write(true)
        .read(true)
        .open("/dev/full")
        .unwrap();
    assert!(automode::state::append(&mut full, "x\n").is_err());
}

#[test]
fn the_place_follows_the_environment() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path().to_str().unwrap().to_owned();
    let at =
        |name: &'static str| State::locate(|asked| (asked == name).then(|| base.clone())).unwrap();
    assert!(at("XDG_STATE_HOME").root().ends_with("automode"));
    assert!(at("HOME").root().ends_with(".local/state/automode"));
    assert!(matches!(State::locate(|_| None), Err(Unusable::Homeless)));
}

fn files(directory: &Path, kind: &str) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|own| own == kind))
        .collect();
    files.sort();
    files
}

fn only_file(directory: &Path, kind: &str) -> std::path::PathBuf {
    let files = files(directory, kind);
    assert_eq!(files.len(), 1);
    files.into_iter().next().unwrap()
}
