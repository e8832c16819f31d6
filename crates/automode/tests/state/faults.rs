//! Damage that must not loosen anything, and kills that must not lose anything.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use automode::audit::{self, AppendedTo, Circumstance, Entry};
use automode::session::{self, CallNote, Note};
use automode::state::{Lock, State};
use automode_core::engine::ProjectStep;
use automode_core::{Decision, Ground, Outcome, Presence, Trace, Verdict, WrittenFile};

use crate::{PATIENCE, only_file, state};

fn written(path: &str, taint: &[&str]) -> WrittenFile {
    WrittenFile {
        path: path.to_owned(),
        digest: String::new(),
        created: true,
        findings: Vec::new(),
        taint: taint.iter().map(|mark| (*mark).to_owned()).collect(),
    }
}

fn call(id: usize, writes: Vec<WrittenFile>) -> Note {
    Note::Call(CallNote {
        id: Some(id.to_string()),
        print: format!("print-{id}"),
        tool: "Bash".to_owned(),
        brief: format!("make {id} {}", "x".repeat(600)),
        verdict: Verdict::Allow,
        decision: format!("d-{id}"),
        permitted: false,
        by: None,
        writes,
        project: ProjectStep::default(),
    })
}

fn log(state: &State) -> session::Log {
    session::Log::open(state, "codex", "s").unwrap()
}

fn is_tainted(state: &State, path: &str) -> bool {
    let standing = log(state).glance().unwrap();
    let whole = log(state).read().unwrap().standing;
    let taints = |standing: &session::SessionSummary| {
        let file = standing.written.iter().find(|file| file.path == path);
        file.is_some_and(|file| file.taint == ["network"])
    };
    assert_eq!(taints(&standing), taints(&whole));
    taints(&standing)
}

#[test]
fn a_downloaded_file_is_known_after_any_number_of_writes() {
    let (_directory, state) = state();
    let log = log(&state);
    log.append(
        &[call(0, vec![written("/w/tool.sh", &["network"])])],
        PATIENCE,
    )
    .unwrap();
    for id in 1..1_500 {
        let plain = written(&format!("/w/{id}"), &[]);
        log.append(&[call(id, vec![plain])], PATIENCE).unwrap();
    }
    assert!(is_tainted(&state, "/w/tool.sh"));
    assert!(!log.glance().unwrap().lost);
    // Many marks in one call are kept too.
    let many = (0..900).map(|at| written(&format!("/m/{at}"), &["network"]));
    log.append(&[call(2_000, many.collect())], PATIENCE)
        .unwrap();
    for id in 2_001..2_900 {
        log.append(&[call(id, Vec::new())], PATIENCE).unwrap();
    }
    assert!(is_tainted(&state, "/w/tool.sh") && is_tainted(&state, "/m/899"));
}

/// Each damage is noticed, goes on to be noticed after more was written, and outlives folding.
#[test]
fn a_damaged_record_is_noticed_for_good() {
    let flip = |bytes: &mut Vec<u8>| {
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
    };
    type Damage<'a> = (&'a str, &'a dyn Fn(&mut Vec<u8>));
    let ways: [Damage<'_>; 7] = [
        ("random bytes", &|bytes| *bytes = vec![0xa7; 2_000]),
        ("zeroes", &|bytes| bytes.fill(0)),
        ("empty", &|bytes| bytes.clear()),
        ("half", &|bytes| bytes.truncate(bytes.len() / 2)),
        ("one bit", &flip),
        ("a line less", &|bytes| {
            let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
            bytes.drain(..=end);
        }),
        ("its last line gone", &|bytes| {
            bytes.pop();
            let end = bytes.iter().rposition(|byte| *byte == b'\n').unwrap();
            bytes.truncate(end + 1);
        }),
    ];
    for (way, damage) in ways {
        let (_directory, state) = state();
        let log = log(&state);
        for id in 0..40 {
            let marks: &[&str] = if id == 7 { &["network"] } else { &[] };
            log.append(
                &[call(id, vec![written(&format!("/w/{id}"), marks)])],
                PATIENCE,
            )
            .unwrap();
        }
        assert!(!log.glance().unwrap().lost, "{way}");
        let path = only_file(&state.path("sessions"), "jsonl");
        let mut bytes = fs::read(&path).unwrap();
        damage(&mut bytes);
        fs::write(&path, bytes).unwrap();
        assert!(log.glance().unwrap().lost, "{way}");
        for id in 40..600 {
            log.append(&[call(id, Vec::new())], PATIENCE).unwrap();
        }
        assert!(log.glance().unwrap().lost, "{way}, folded");
        assert!(log.read().unwrap().standing.lost, "{way}, folded");
    }
    let (_directory, state) = state();
    let log = log(&state);
    log.append(&[call(0, Vec::new())], PATIENCE).unwrap();
    fs::remove_file(only_file(&state.path("sessions"), "jsonl")).unwrap();
    assert!(log.glance().unwrap().lost, "gone");
}

#[test]
fn a_torn_line_is_no_damage() {
    let (_directory, state) = state();
    let log = log(&state);
    log.append(&[call(0, Vec::new())], PATIENCE).unwrap();
    let path = only_file(&state.path("sessions"), "jsonl");
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(br#"{"note":"call","id":"torn"#).unwrap();
    assert!(!log.glance().unwrap().lost);
    log.append(&[call(1, Vec::new())], PATIENCE).unwrap();
    assert!(!log.glance().unwrap().lost);
    assert_eq!(log.read().unwrap().calls.len(), 2);
}

#[test]
fn a_call_of_another_version_outlives_folding() {
    let (_directory, state) = state();
    let log = log(&state);
    log.append(&[call(0, Vec::new())], PATIENCE).unwrap();
    let path = only_file(&state.path("sessions"), "jsonl");
    let future = r#"{"note":"call","id":"f","print":7,"verdict":"perhaps"}"#;
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    writeln!(file, "{future}").unwrap();
    for id in 1..600 {
        log.append(&[call(id, Vec::new())], PATIENCE).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap().contains(future));
}

/// A file is the session's own only once the call that made it has succeeded.
#[test]
fn only_what_succeeded_is_the_sessions_own() {
    let own = |outcome: Option<Outcome>| {
        let (_directory, state) = state();
        let log = log(&state);
        let mut notes = vec![call(0, vec![written("/w/new", &["network"])])];
        notes.extend(outcome.map(|outcome| Note::Done {
            id: Some("0".to_owned()),
            print: String::new(),
            outcome,
            files: vec![WrittenFile {
                digest: "beef".to_owned(),
                ..written("/w/new", &[])
            }],
        }));
        log.append(&notes, PATIENCE).unwrap();
        assert!(is_tainted(&state, "/w/new"));
        let standing = log.glance().unwrap();
        standing.written.find("/w/new").unwrap().is_own()
    };
    assert!(own(Some(Outcome::Succeeded)));
    assert!(!own(Some(Outcome::Failed)));
    assert!(!own(Some(Outcome::Denied)));
    assert!(!own(None));
}

#[test]
fn a_mark_outlives_its_session() {
    let (_directory, state) = state();
    let project = session::Log::of_project(&state, "/w").unwrap();
    let done = Note::Done {
        id: None,
        print: String::new(),
        outcome: Outcome::Succeeded,
        files: vec![written("/w/tool.sh", &["network"]), written("/w/mine", &[])],
    };
    project.append(&[done], PATIENCE).unwrap();
    let mut standing = session::SessionSummary::default();
    standing.add_project(project.glance().unwrap(), |_| true);
    let [file] = standing.written.as_slice() else {
        panic!("{:?}", standing.written);
    };
    assert!(file.path == "/w/tool.sh" && file.taint == ["network"] && !file.is_own());
}

fn entry(id: &str) -> Entry {
    let decision = Decision {
        verdict: Verdict::Deny,
        ground: Ground::Limit,
        reason: String::new(),
        findings: Vec::new(),
        stop: false,
        trace: Trace::default(),
        protection: automode_core::confine::Protection::default(),
    };
    let about = Circumstance {
        time: 1,
        id,
        agent: "codex",
        session: "s",
        subagent: None,
        tool: "Bash",
        brief: "ls",
        cwd: "/w",
        presence: Presence::Headless,
        shadow: false,
        latency: 1.0,
        judged: None,
        price: None,
        config: "",
        print: "p",
        permission: None,
    };
    Entry::new(&decision, &about)
}

fn ids(log: &audit::Log) -> Vec<String> {
    let mut ids = Vec::new();
    log.for_each(|entry| ids.push(entry.id));
    ids
}

/// Whatever happens between appending and removing, a waiting line is in the log once.
#[test]
fn waiting_lines_are_removed_only_behind_their_append() {
    let (_directory, state) = state();
    let log = audit::Log::new(&state);
    let held = Lock::take(&state.path("audit.lock"), PATIENCE).unwrap();
    for at in 0..20 {
        let kept = log
            .append(&entry(&format!("w{at}")), Duration::ZERO)
            .unwrap();
        assert_eq!(kept, AppendedTo::Beside);
    }
    drop(held);
    // The log cannot be appended to: what waits goes on waiting.
    fs::create_dir(state.path("audit.jsonl")).unwrap();
    assert!(log.append(&entry("x"), PATIENCE).is_err());
    assert_eq!(fs::read_dir(state.path("waiting")).unwrap().count(), 20);
    fs::remove_dir(state.path("audit.jsonl")).unwrap();
    // A writer that is killed behind its append leaves them beside the log, too.
    let kept: Vec<_> = fs::read_dir(state.path("waiting"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    log.append(&entry("y"), PATIENCE).unwrap();
    for (path, body) in &kept {
        fs::write(path, body).unwrap();
    }
    log.append(&entry("z"), PATIENCE).unwrap();
    let mut ids = ids(&log);
    ids.sort();
    let before = ids.len();
    ids.dedup();
    assert_eq!((before, ids.len()), (22, 22));
    assert!(log.verify().unwrap().holds());
    assert_eq!(fs::read_dir(state.path("waiting")).unwrap().count(), 0);
}

#[test]
fn following_loses_nothing_at_a_rotation() {
    let (_directory, state) = state();
    let log = audit::Log::new(&state);
    log.append(&entry("before"), PATIENCE).unwrap();
    let mut tail = log.tail();
    let mut expected = Vec::new();
    for round in 0..3 {
        for at in 0..4 {
            let id = format!("r{round}a{at}");
            log.append(&entry(&id), PATIENCE).unwrap();
            expected.push(id);
        }
        let from = state.path("audit.jsonl");
        let to = state.path(&format!("audit.{}.jsonl", 2 + 4 * (round + 1)));
        fs::rename(from, to).unwrap();
        log.append(&entry(&format!("n{round}")), PATIENCE).unwrap();
        expected.push(format!("n{round}"));
    }
    let seen: Vec<String> = tail
        .fresh()
        .unwrap()
        .into_iter()
        .map(|entry| entry.id)
        .collect();
    assert_eq!(seen, expected);
    log.append(&entry("after"), PATIENCE).unwrap();
    assert_eq!(tail.fresh().unwrap().len(), 1);
    assert_eq!(log.find("last").unwrap().0.id, "after");
    assert_eq!(log.find("r0a1").unwrap().0.id, "r0a1");
    assert_eq!(log.find("before").unwrap().0.id, "before");
    assert!(log.find("never").is_none());
}

#[test]
fn no_mask_makes_a_state_that_its_user_cannot_use() {
    let (directory, state) = state();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    log(&state)
        .append(&[call(0, Vec::new())], PATIENCE)
        .unwrap();
    assert_eq!(mode(state.root()), 0o700);
    assert_eq!(mode(&state.path("sessions")), 0o700);
    assert_eq!(mode(&only_file(&state.path("sessions"), "jsonl")), 0o600);
    drop(directory);
}
