//! The log of decisions and its chain.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::thread;
use std::time::Duration;

use automode::audit::{self, AppendedTo, Circumstance, Entry};
use automode::state::Lock;
use automode_core::{Decision, Ground, Presence, Trace, Verdict};

use crate::{PATIENCE, state};

fn entry(id: &str) -> Entry {
    let decision = Decision {
        verdict: Verdict::Deny,
        ground: Ground::Rule("force-push"),
        reason: "rewrites `main`".to_owned(),
        findings: Vec::new(),
        stop: false,
        trace: Trace::default(),
        protection: automode_core::confine::Protection::default(),
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

#[test]
fn the_chain_holds_and_edits_show() {
    let (_directory, state) = state();
    let log = audit::Log::new(&state);
    for at in 0..5 {
        assert_eq!(
            log.append(&entry(&format!("id{at}")), PATIENCE).unwrap(),
            AppendedTo::InTheChain
        );
    }
    let report = log.verify().unwrap();
    assert_eq!((report.lines, report.torn, report.holds()), (5, 0, true));
    assert_eq!(log.find("last").unwrap().0.id, "id4");
    assert_eq!(log.find("id2").unwrap().0, entry("id2"));
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
            AppendedTo::Beside
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
