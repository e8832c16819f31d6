//! Faults around a hook: none of them turns a denial into an allow, or loses it.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::bench::{Bench, DEADLY, SAFE, files, finish, start};

/// Runs a script around the hook, with a payload on its stdin.
fn around(bench: &Bench, script: &str, command: &str) -> crate::bench::Answer {
    finish(
        &mut bench.shell(script),
        bench.call(command).to_string().as_bytes(),
    )
}

/// What a runner would do is not known: no form of its file is nothing done.
#[test]
fn a_runners_file_that_cannot_be_read_allows_nothing() {
    let files = [
        ("Makefile", "make test"),
        ("justfile", "just test"),
        ("package.json", "npm test"),
        ("Rakefile", "rake test"),
        ("run.sh", "bash run.sh"),
    ];
    let forms = [
        r#"printf '# caf\351\ntest:\n\trm -rf ~/\n' > "$1""#,
        r#"head -c 300000 /dev/zero | tr '\0' '#' > "$1""#,
        r#"printf 'test:\n\000\n' > "$1""#,
        r#"mkfifo "$1""#,
        r#"ln -s "$1" "$1""#,
        r#"mkdir "$1""#,
    ];
    for (file, command) in files {
        for form in forms {
            let bench = Bench::new();
            let script = format!("set -- {file}; {form}");
            let made = finish(&mut bench.shell(&script), b"");
            assert_eq!(made.code, Some(0), "{script}: {}", made.stderr);
            let answer = bench.claude(command);
            let verdict = answer.verdict();
            assert!(["ask", "deny"].contains(&verdict), "{script}; {command}");
        }
    }
}

#[test]
fn a_closed_stdout_blocks() {
    let bench = Bench::new();
    let answer = around(&bench, r#""$0" hook claude-code >&-"#, DEADLY);
    assert_eq!(answer.code, Some(2), "{}", answer.stderr);
    let answer = around(&bench, r#""$0" hook claude-code >&- 2>&-"#, DEADLY);
    assert_eq!(answer.code, Some(2));
    let answer = around(&bench, r#""$0" hook claude-code > /dev/full"#, DEADLY);
    assert_eq!(answer.code, Some(2));
}

#[test]
fn a_full_pipe_ends_in_a_block() {
    let bench = Bench::new();
    // The reader opens the pipe, fills it and never reads.
    let script = r#"mkfifo p; exec 9<>p; head -c 65536 /dev/zero >&9
        "$0" hook claude-code >&9; echo "code $?""#;
    let started = Instant::now();
    let answer = around(&bench, script, DEADLY);
    assert!(answer.stdout.contains("code 2"), "{}", answer.stdout);
    assert!(started.elapsed() < Duration::from_secs(15));
}

#[test]
fn every_signal_that_can_be_caught_blocks() {
    let bench = Bench::new();
    let signals = "HUP INT QUIT TRAP ABRT BUS USR1 USR2 ALRM TERM STKFLT XCPU VTALRM PROF IO PWR SYS TSTP TTIN TTOU 34 50 64";
    // The hook waits for its input, so the signal finds it at work.
    for signal in signals.split(' ') {
        let one = format!(
            r#"mkfifo in; exec 9<>in; "$0" hook claude-code <&9 >/dev/null 2>&1 & p=$!; sleep 0.3
            kill -{signal} $p; wait $p; echo "code $?"; rm in"#
        );
        let answer = around(&bench, &one, DEADLY);
        assert!(
            answer.stdout.contains("code 2"),
            "{signal}: {}",
            answer.stdout
        );
    }
}

#[test]
fn without_a_home_the_home_is_still_guarded() {
    let bench = Bench::new();
    for home in [None, Some(""), Some("relative")] {
        let mut command = bench.command(&["hook", "claude-code"]);
        match home {
            None => command.env_remove("HOME"),
            Some(home) => command.env("HOME", home),
        };
        let answer = finish(&mut command, bench.call(DEADLY).to_string().as_bytes());
        assert_eq!(answer.verdict(), "deny", "{home:?} {}", answer.stdout);
    }
}

#[test]
fn odd_surroundings_change_no_verdict() {
    let bench = Bench::new();
    let surroundings: [&[(&str, &str)]; 4] = [
        &[("LANG", "xx_YY.Nonsense"), ("LC_ALL", "\u{fffd}")],
        &[("LANG", "tr_TR.UTF-8"), ("LC_CTYPE", "C")],
        &[("TZ", "Mars/Olympus"), ("COLUMNS", "0")],
        &[("RUST_BACKTRACE", "full"), ("RUST_MIN_STACK", "1")],
    ];
    for variables in surroundings {
        for (text, verdict) in [(SAFE, "allow"), (DEADLY, "deny")] {
            let mut command = bench.command(&["hook", "claude-code"]);
            command.envs(variables.iter().copied());
            let answer = finish(&mut command, bench.call(text).to_string().as_bytes());
            assert_eq!(answer.verdict(), verdict, "{variables:?}");
        }
    }
}

#[test]
fn no_mask_and_no_limit_loosens() {
    let bench = Bench::new();
    for script in [
        r#"umask 777; "$0" hook claude-code"#,
        r#"ulimit -n 3; "$0" hook claude-code || exit 2"#,
        r#"ulimit -n 5; "$0" hook claude-code || exit 2"#,
        r#"ulimit -f 0; "$0" hook claude-code || exit 2"#,
    ] {
        let answer = around(&bench, script, DEADLY);
        assert!(
            answer.blocks(),
            "{script} {:?} {}",
            answer.code,
            answer.stdout
        );
    }
    // What was made under the mask can be used without it.
    assert_eq!(bench.claude(SAFE).json.get("systemMessage"), None);
    assert!(bench.memory().standing.cwd.is_some());
}

#[test]
fn a_downloaded_file_is_known_to_the_next_session() {
    let bench = Bench::new();
    let shop = bench.path("shop");
    assert!(
        Command::new("git")
            .args(["init", "-q", &shop])
            .status()
            .unwrap()
            .success()
    );
    let state = bench.state();
    let project = automode::session::Log::of_project(&state, &shop).unwrap();
    let run = |session: &str| {
        let mut payload = bench.call("make test");
        payload["session_id"] = json!(session);
        let answer = bench.hook(&["claude-code"], &payload.to_string());
        answer.verdict().to_owned()
    };
    fs::write(format!("{shop}/Makefile"), "test:\n\tcargo test\n").unwrap();
    assert_eq!(run("one"), "allow");
    let marked = automode_core::WrittenFile {
        path: format!("{shop}/helper.sh"),
        digest: String::new(),
        created: true,
        findings: Vec::new(),
        taint: vec!["network".to_owned()],
    };
    let note = automode::session::Note::Done {
        id: None,
        print: String::new(),
        outcome: automode_core::Outcome::Succeeded,
        files: vec![marked],
    };
    project.append(&[note], Duration::from_secs(5)).unwrap();
    // The mark is the file's: without it there is nothing to fear.
    assert_eq!(run("none"), "allow");
    fs::write(format!("{shop}/helper.sh"), "rm -rf ~\n").unwrap();
    assert_ne!(run("two"), "allow");
    // And a record that was damaged closes the project's code as well.
    let path = files(&state.path("projects"))
        .into_iter()
        .find(|path| path.extension().is_some_and(|kind| kind == "jsonl"));
    fs::write(path.unwrap(), "").unwrap();
    assert_ne!(run("three"), "allow");
    let mut plain = bench.call(SAFE);
    plain["session_id"] = json!("four");
    assert_eq!(
        bench.hook(&["claude-code"], &plain.to_string()).verdict(),
        "allow"
    );
}

#[test]
fn a_damaged_session_is_told_and_allows_nothing_by_itself() {
    let bench = Bench::new();
    assert_eq!(bench.claude(SAFE).verdict(), "allow");
    let record = files(&bench.state_path().join("sessions"))
        .into_iter()
        .find(|path| path.extension().is_some_and(|kind| kind == "jsonl"))
        .unwrap();
    let mut bytes = fs::read(&record).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&record, bytes).unwrap();
    let answer = bench.claude(SAFE);
    assert_ne!(answer.verdict(), "allow", "{}", answer.stdout);
    assert!(
        answer.stdout.contains("record of this session is damaged"),
        "{}",
        answer.stdout
    );
    assert_ne!(bench.claude(SAFE).verdict(), "allow");
}

#[test]
fn a_denial_of_the_watchdog_is_logged() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let shop = bench.root.path().join("shop");
    // A repository whose index only git itself may understand, and a git that never answers.
    fs::create_dir_all(shop.join(".git")).unwrap();
    fs::write(shop.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(shop.join(".git/index"), "DIRC\0\0\0\u{9}").unwrap();
    fs::write(shop.join("notes.txt"), "x").unwrap();
    let tools = bench.root.path().join("tools");
    fs::create_dir_all(&tools).unwrap();
    fs::write(tools.join("git"), "#!/bin/sh\nexec sleep 60\n").unwrap();
    fs::set_permissions(tools.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = bench.command(&["hook", "claude-code", "--deadline", "1"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", tools.display()));
    let payload = bench.call("rm notes.txt").to_string();
    let answer = crate::bench::finish(&mut command, payload.as_bytes());
    assert!(answer.blocks(), "{}", answer.stdout);
    let entries = bench.entries();
    let last = entries.last().expect("the denial is in the log");
    assert_eq!(
        (last.verdict.name(), last.ground.as_str()),
        ("deny", "failure")
    );
}

#[test]
fn a_judge_that_outlives_the_hook_is_an_outage_and_logged() {
    let bench = Bench::new();
    let config = bench.root.path().join("home/.config/automode");
    fs::create_dir_all(&config).unwrap();
    let judge = "[[judge.chain]]\nkind = \"command\"\ncommand = [\"/bin/sleep\", \"60\"]\n";
    fs::write(config.join("config.toml"), judge).unwrap();
    let payload = bench.call(crate::bench::UNKNOWN).to_string();
    let answer = bench.hook(&["claude-code", "--deadline", "2"], &payload);
    assert_ne!(answer.verdict(), "allow", "{}", answer.stdout);
    let entries = bench.entries();
    let last = entries.last().expect("the outage is in the log");
    assert_eq!(last.ground.as_str(), "failure");
}

#[test]
fn held_locks_cost_their_time_once() {
    let bench = Bench::new();
    bench.claude(SAFE);
    let patience = Duration::from_secs(5);
    let locks: Vec<_> = files(&bench.state_path())
        .into_iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "lock"))
        .map(|path| automode::state::Lock::take(&path, patience).unwrap())
        .collect();
    assert!(locks.len() >= 2);
    let started = Instant::now();
    let mut child = start(
        &mut bench.command(&["hook", "claude-code"]),
        bench.call(DEADLY).to_string().as_bytes(),
    );
    child.wait().unwrap();
    assert!(started.elapsed() < Duration::from_millis(4_500));
}

/// Kills at any moment, over hooks and folds: nothing answered is lost, nothing is torn for good,
/// nothing is loosened. `AUTOMODE_KILLS=10000` for more than a taste.
#[test]
fn kills_lose_nothing_and_loosen_nothing() {
    let kills: u64 = std::env::var("AUTOMODE_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(40);
    let bench = Bench::new();
    let words = |at: u64| {
        let text = format!("{at} {}", "word ".repeat(4_000));
        bench
            .event("UserPromptSubmit", &json!({"prompt": text}))
            .to_string()
    };
    let mut answered = 0;
    let mut seed = 7_u64;
    for at in 0..kills {
        // Long prompts make the record fold every dozen of them.
        let payload = match at % 3 {
            0 => words(at),
            1 => bench.call(SAFE).to_string(),
            _ => bench.call(DEADLY).to_string(),
        };
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mut child = start(
            &mut bench.command(&["hook", "claude-code"]),
            payload.as_bytes(),
        );
        std::thread::sleep(Duration::from_micros(seed >> 50));
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(at % 3 != 2 || !told.contains("\"allow\""), "{told}");
        answered += usize::from(at % 3 != 0 && told.contains("permissionDecision"));
        if at % 10 == 9 {
            let safe = bench.claude(SAFE);
            assert_eq!(safe.verdict(), "allow", "{at}: {}", safe.stdout);
            assert_eq!(bench.claude(DEADLY).verdict(), "deny");
            answered += 2;
        }
    }
    assert!(bench.entries().len() >= answered);
    let report = automode::audit::Log::new(&bench.state()).verify().unwrap();
    assert!(report.holds(), "{report:?}");
    assert!(!bench.memory().standing.lost);
}
