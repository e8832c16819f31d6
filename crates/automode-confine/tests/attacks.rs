//! Every attack succeeds unconfined and fails confined.
//!
//! Each runs in a sandbox of its own, against a throw-away home, as a user without rights.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "attack/table.rs"]
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use table::{ATTACKS, Attack};

#[derive(Debug, PartialEq, Eq)]
enum Result {
    Hit,
    Stopped,
}

fn try_attack(attack: &Attack, backend: &str) -> (Result, String) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attack");
    let number = NUMBER.fetch_add(1, Ordering::SeqCst);
    let base = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("attack-{}-{number}", std::process::id()));
    fs::create_dir_all(&base).unwrap();
    let send = "python3 -c 'import socket, sys; s = socket.socket(1); s.connect(sys.argv[1]); s.send(b\"stolen\")' ";
    let text = attack
        .attack
        .replace("~/", "$REALHOME/")
        .replace("send $", &format!("{send}$"));
    let text = if let Some(rest) = text.strip_prefix("send s") {
        format!("{send}s{rest}")
    } else {
        text
    };
    let root = rustix::process::geteuid().is_root();
    let mut command = Command::new("unshare");
    if !root {
        command
            .args(["--user", "--map-root-user"])
            .env("OWN_USER", "1");
    }
    let output = command
        .args(["--net", "--pid", "--ipc", "--fork", "--mount-proc", "sh"])
        .arg(here.join("run.sh"))
        .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
        .env("HERE", &here)
        .env("BASE", &base)
        .env("LAUNCHER", env!("CARGO_BIN_EXE_automode-confine"))
        .env("BACKEND", backend)
        .env("SETUP", attack.setup)
        .env("ATTACK", text)
        .env("HIT", attack.hit)
        .stdin(Stdio::null())
        .output()
        .expect("unshare");
    let _ = fs::remove_dir_all(&base);
    let shown = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let result = match String::from_utf8_lossy(&output.stdout).lines().last() {
        Some("RESULT hit") => Result::Hit,
        Some("RESULT stopped") => Result::Stopped,
        Some(_) | None => panic!("{}: no result: {shown}", attack.name),
    };
    (result, shown)
}

/// What did not go as expected, by two workers.
fn wrong(backend: &str, expected: impl Fn(&Attack) -> Result + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let only = std::env::var("ATTACK_ONLY").unwrap_or_default();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(attack) = ATTACKS.get(next.fetch_add(1, Ordering::SeqCst)) {
                    if !attack.name.contains(&only) {
                        continue;
                    }
                    let (result, shown) = try_attack(attack, backend);
                    if result != expected(attack) {
                        wrong
                            .lock()
                            .unwrap()
                            .push(format!("{}: {result:?}\n{shown}", attack.name));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    println!(
        "{} attacks, {backend}: {} not as expected",
        ATTACKS.len(),
        wrong.len()
    );
    wrong
}

#[test]
fn unconfined_every_attack_succeeds() {
    assert!(ATTACKS.len() >= 60, "{}", ATTACKS.len());
    let missed = wrong("none", |_| Result::Hit);
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn bubblewrap_stops_every_attack() {
    let hits = wrong("bubblewrap", |_| Result::Stopped);
    assert!(hits.is_empty(), "{}", hits.join("\n"));
}

#[test]
fn landlock_stops_all_but_the_named() {
    assert!(ATTACKS.iter().filter(|attack| attack.landlock_hits).count() <= 3);
    let others = wrong("landlock", |attack| {
        if attack.landlock_hits {
            Result::Hit
        } else {
            Result::Stopped
        }
    });
    assert!(others.is_empty(), "{}", others.join("\n"));
}

/// Runs a command by bubblewrap in a project of a throw-away home, as whoever runs the test.
fn confined(setup: impl Fn(&Path), command: &str) -> Option<(PathBuf, String, String)> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::SeqCst);
    let base = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("confined-{}-{number}", std::process::id()));
    let project = base.join("home/app");
    fs::create_dir_all(&project).unwrap();
    setup(&base.join("home"));
    let promise = format!("{{\"project\": {:?}}}", project.to_str().unwrap());
    let output = Command::new(env!("CARGO_BIN_EXE_automode-confine"))
        .args(["run", "bubblewrap", base.join("state").to_str().unwrap()])
        .args([promise.as_str(), command])
        .current_dir(&project)
        .env("HOME", base.join("home"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (printed, said) = (text(&output.stdout), text(&output.stderr));
    let has_bubblewrap = !said.contains("bubblewrap is not installed");
    has_bubblewrap.then_some((base, printed, said))
}

/// In a container people are the machine's owner, whose rights to some files need no capability.
#[test]
fn the_machine_is_closed_to_its_owner_too() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    // The same value again: it changes nothing, and shows who may.
    let command = "f=/proc/sys/kernel/panic_on_oops; v=$(cat $f); echo $v > $f && echo wrote; \
                   test -s /etc/shadow && echo read; ls -A /etc/ssl/private";
    let Some((base, printed, said)) = confined(|_| {}, command) else {
        return;
    };
    let _ = fs::remove_dir_all(&base);
    assert_eq!(printed, "", "{said}");
    assert!(said.contains("Read-only file system"), "{said}");
}

/// pnpm, bun and uv fill a project with other names of files in their stores.
#[test]
fn packages_that_other_projects_share_are_not_changed() {
    let packages = |home: &Path| {
        let folder = home.join("app/node_modules/.pnpm/x");
        fs::create_dir_all(&folder).unwrap();
        fs::write(home.join("store.js"), "good").unwrap();
        fs::hard_link(home.join("store.js"), folder.join("x.js")).unwrap();
    };
    let command = "echo evil > node_modules/.pnpm/x/x.js; mkdir node_modules/.cache && cat node_modules/.pnpm/x/x.js";
    let Some((base, printed, said)) = confined(packages, command) else {
        return;
    };
    let store = fs::read_to_string(base.join("home/store.js")).unwrap();
    let cache = base.join("home/app/node_modules/.cache").is_dir();
    let _ = fs::remove_dir_all(&base);
    assert_eq!(
        (printed.as_str(), store.as_str()),
        ("good", "good"),
        "{said}"
    );
    assert!(cache, "{said}");
}
