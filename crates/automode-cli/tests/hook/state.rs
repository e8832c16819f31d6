//! The state directory under every fault that can be staged.
//!
//! A verdict never changes with a state that cannot be had: what was allowed is allowed,
//! what was denied is denied, and the person is told that nothing is remembered. A
//! record that was there and is damaged has lost something: nothing is allowed then.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use automode::audit;
use serde_json::json;

use crate::bench::{Bench, DEADLY, SAFE, files, finish};

const NOBODY: u32 = 65_534;

/// Safe calls run and deadly ones do not; the person is told.
#[track_caller]
fn decides_all_the_same(bench: &Bench, command: impl Fn() -> Command) {
    let run = |text: &str| finish(&mut command(), bench.call(text).to_string().as_bytes());
    let (safe, deadly) = (run(SAFE), run(DEADLY));
    assert_eq!(
        (safe.verdict(), deadly.verdict()),
        ("allow", "deny"),
        "{} {}",
        safe.stderr,
        deadly.stderr
    );
    let told = safe.json["systemMessage"].as_str().unwrap_or_default();
    assert!(told.contains("could not write its state"), "{}", safe.json);
}

fn with_state<'a>(bench: &'a Bench, state: &'a Path) -> impl Fn() -> Command + 'a {
    move || {
        let mut command = bench.command(&["hook", "claude-code"]);
        command.env("AUTOMODE_STATE_DIR", state);
        command
    }
}

/// Says why a fault cannot be staged here.
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

#[test]
fn a_missing_state_is_made() {
    let bench = Bench::new();
    assert!(!bench.state_path().exists());
    let answer = bench.claude(SAFE);
    assert_eq!(answer.verdict(), "allow");
    assert_eq!(answer.json.get("systemMessage"), None);
    assert_eq!(bench.entries().len(), 1);
}

#[test]
fn a_state_that_cannot_be_made_changes_no_verdict() {
    let bench = Bench::new();
    decides_all_the_same(&bench, with_state(&bench, Path::new("/proc/automode")));
    let file = bench.root.path().join("file");
    fs::write(&file, "x").unwrap();
    decides_all_the_same(&bench, with_state(&bench, &file));
    decides_all_the_same(&bench, with_state(&bench, &file.join("below")));
}

#[test]
fn a_state_that_others_may_write_is_not_used() {
    let bench = Bench::new();
    let shared = bench.root.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
    decides_all_the_same(&bench, with_state(&bench, &shared));
    assert_eq!(files(&shared), Vec::<PathBuf>::new());
}

#[test]
fn what_belongs_to_somebody_else_is_not_used() {
    let bench = Bench::new();
    let (theirs, link) = (
        bench.root.path().join("theirs"),
        bench.root.path().join("link"),
    );
    fs::create_dir(&theirs).unwrap();
    symlink(&theirs, &link).unwrap();
    if lchown(&link, Some(NOBODY), None).is_err() {
        return skipped("only root may give a link away");
    }
    decides_all_the_same(&bench, with_state(&bench, &link));
    chown(&theirs, Some(NOBODY), None).unwrap();
    decides_all_the_same(&bench, with_state(&bench, &theirs));
    assert_eq!(files(&theirs), Vec::<PathBuf>::new());
}

#[test]
fn a_directory_without_the_right_to_write_changes_no_verdict() {
    let bench = Bench::new();
    assert_eq!(bench.claude(SAFE).verdict(), "allow");
    let state = bench.state_path();
    let everything = files(&state)
        .into_iter()
        .chain([state.clone(), state.join("sessions")]);
    // Root writes where it has no right to, so somebody else owns it all and looks in.
    let given = chown(&state, Some(NOBODY), Some(NOBODY)).is_ok();
    for path in everything {
        let mode = if path.is_dir() { 0o555 } else { 0o444 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        if given {
            chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    let root = fs::Permissions::from_mode(0o755);
    fs::set_permissions(bench.root.path(), root).unwrap();
    let nobody = "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$0\" hook claude-code";
    let script = if given {
        nobody
    } else {
        "exec \"$0\" hook claude-code"
    };
    if given
        && finish(
            &mut bench.shell("exec setpriv --reuid=65534 \"$0\" --version"),
            b"",
        )
        .code
            != Some(0)
    {
        return skipped("the program cannot be run as somebody else");
    }
    let before = bench_size(&state);
    decides_all_the_same(&bench, || bench.shell(script));
    assert_eq!(bench_size(&state), before);
}

fn bench_size(state: &Path) -> u64 {
    let sizes = files(state)
        .into_iter()
        .map(|path| fs::metadata(path).unwrap().len());
    sizes.sum()
}

/// Runs a hook with a file system of its own where the state is.
fn mounted(bench: &Bench, options: &str, then: &str) -> Command {
    bench.shell(&format!(
        "exec unshare -rm /bin/bash -c '
            mount -t tmpfs -o {options} tmpfs \"$AUTOMODE_STATE_DIR\" || exit 77
            {then}
            exec \"$0\" hook claude-code' \"$0\""
    ))
}

fn may_mount(bench: &Bench) -> bool {
    fs::create_dir_all(bench.state_path()).unwrap();
    let probe = "unshare -rm mount -t tmpfs tmpfs \"$AUTOMODE_STATE_DIR\"";
    finish(&mut bench.shell(probe), b"").code == Some(0)
}

#[test]
fn a_read_only_file_system_changes_no_verdict() {
    let bench = Bench::new();
    if !may_mount(&bench) {
        return skipped("nothing may be mounted here");
    }
    decides_all_the_same(&bench, || mounted(&bench, "mode=700,ro", ":"));
}

#[test]
fn a_full_file_system_changes_no_verdict() {
    let bench = Bench::new();
    if !may_mount(&bench) {
        return skipped("nothing may be mounted here");
    }
    let fill = "head -c 1M /dev/zero > \"$AUTOMODE_STATE_DIR\"/rest 2>/dev/null";
    decides_all_the_same(&bench, || mounted(&bench, "mode=700,size=16k", fill));
    let inodes = "for n in 1 2 3 4 5 6 7 8 9; do : > \"$AUTOMODE_STATE_DIR\"/$n; done 2>/dev/null";
    decides_all_the_same(&bench, || mounted(&bench, "mode=700,nr_inodes=4", inodes));
}

#[test]
fn a_disk_that_fills_up_in_the_middle_keeps_the_chain() {
    let bench = Bench::new();
    assert_eq!(bench.claude(SAFE).verdict(), "allow");
    let before = bench.entries().len();
    // No file may grow, as on a full disk.
    decides_all_the_same(&bench, || {
        bench.shell("ulimit -f 0; exec \"$0\" hook claude-code")
    });
    assert_eq!(bench.entries().len(), before);
    assert!(audit::Log::new(&bench.state()).verify().unwrap().holds());
    assert_eq!(bench.claude(SAFE).verdict(), "allow");
    assert_eq!(bench.entries().len(), before + 1);
    assert!(audit::Log::new(&bench.state()).verify().unwrap().holds());
}

#[test]
fn a_state_of_rubbish_allows_nothing_by_itself() {
    let bench = Bench::new();
    bench.claude(SAFE);
    for file in files(&bench.state_path()) {
        fs::write(file, [0xff, 0xfe, 0x00, b'{', b'\n', 0x80]).unwrap();
    }
    assert_ne!(bench.claude(SAFE).verdict(), "allow");
    assert_eq!(bench.claude(DEADLY).verdict(), "deny");
    assert_eq!(bench.entries().len(), 2);
}

#[test]
fn directories_in_the_place_of_files_allow_nothing_by_themselves() {
    let bench = Bench::new();
    bench.claude(SAFE);
    for file in files(&bench.state_path()) {
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
    }
    assert_ne!(bench.claude(SAFE).verdict(), "allow");
    assert_eq!(bench.claude(DEADLY).verdict(), "deny");
}

#[test]
fn a_clock_that_jumps_forgets_no_session() {
    let bench = Bench::new();
    let session = |name: &str| {
        let mut payload = bench.event("SessionStart", &json!({"source": "startup"}));
        payload["session_id"] = json!(name);
        bench.hook(&["claude-code"], &payload.to_string());
    };
    session("before");
    let record = files(&bench.state_path().join("sessions"));
    let record = record
        .iter()
        .find(|path| path.extension().unwrap() == "jsonl");
    let year = Duration::from_secs(365 * 24 * 60 * 60);
    for time in [SystemTime::now() + year, SystemTime::now()] {
        // The clock was a year ahead when this session was written down, and went back.
        let file = fs::OpenOptions::new()
            .append(true)
            .open(record.unwrap())
            .unwrap();
        file.set_modified(time).unwrap();
        session("after");
        let kept = files(&bench.state_path().join("sessions"));
        assert_eq!(
            kept.iter()
                .filter(|path| path.extension().unwrap() == "jsonl")
                .count(),
            2
        );
    }
}
