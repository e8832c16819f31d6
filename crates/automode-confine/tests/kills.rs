//! Undo that is killed at any moment: while it keeps, while it seals, while it brings back.
//!
//! Nothing is lost and nothing newer is written over. More by hand, and the figure:
//! `AUTOMODE_KILLS=1000 cargo test -p automode-confine --test kills -- --nocapture`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use automode_confine::undo::{Change, UndoStore};

const FILES: usize = 24;

/// What is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Keep,
    Seal,
    Undo,
}

struct World {
    _temp: tempfile::TempDir,
    project: PathBuf,
    state: PathBuf,
}

/// A project without a repository, in memory where there is room: the kills are of processes,
/// not of machines, and nobody waits for a disk.
fn world() -> World {
    let memory = Path::new("/dev/shm");
    let temp = if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    };
    let top = temp.path().canonicalize().unwrap();
    let project = top.join("app");
    fs::create_dir(&project).unwrap();
    for number in 0..FILES {
        fs::write(project.join(name(number)), old(number)).unwrap();
    }
    World {
        _temp: temp,
        project,
        state: top.join("state"),
    }
}

fn name(number: usize) -> String {
    format!("f{number}")
}

fn old(number: usize) -> String {
    format!("old {number} {}", "x".repeat(3_000))
}

impl World {
    fn command(&self, phase: Phase) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_automode-confine"));
        let state = self.state.to_str().unwrap();
        match phase {
            Phase::Keep => command.args(["keep", state, self.project.to_str().unwrap(), "c1"]),
            Phase::Seal => command.args(["seal", state, "c1"]),
            Phase::Undo => command.args(["undo", state, "c1"]),
        };
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn whole(&self, phase: Phase) {
        assert!(self.command(phase).status().unwrap().success(), "{phase:?}");
    }

    /// Whether it died of the kill.
    fn killed(&self, phase: Phase, after: Duration) -> bool {
        let mut child = self.command(phase).spawn().unwrap();
        thread::sleep(after);
        child.kill().unwrap();
        !child.wait().unwrap().success()
    }

    /// Every third file is lost and every third rewritten.
    fn lose(&self) {
        for number in 0..FILES {
            let path = self.project.join(name(number));
            match number % 3 {
                0 => fs::remove_file(path).unwrap(),
                1 => fs::write(path, "by the call").unwrap(),
                _ => {}
            }
        }
    }

    /// A person goes on with every fifth.
    fn go_on(&self) {
        for number in (0..FILES).step_by(5) {
            fs::write(self.project.join(name(number)), newer(number)).unwrap();
        }
    }

    fn all(&self) -> BTreeMap<String, String> {
        let entries = fs::read_dir(&self.project).unwrap().flatten();
        let named = entries.map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap())
        });
        named.collect()
    }

    /// Every file is one of the versions that it had, and newer work is where it was.
    fn check_whole(&self, told: &str) {
        let all = self.all();
        for number in 0..FILES {
            match all.get(&name(number)).map(String::as_str) {
                text if number % 5 == 0 => {
                    assert_eq!(text, Some(newer(number).as_str()), "{told}: {number}");
                }
                Some(text) => {
                    let whole = text == "by the call" || text == old(number);
                    assert!(whole, "{told}: {number} is half of something");
                }
                None => assert_eq!(number % 3, 0, "{told}: {number} is gone"),
            }
        }
    }

    /// Undo that nobody disturbs brings every old version back, in place or beside.
    fn check_restored(&self, told: &str) {
        let (changes, _) = UndoStore::new(&self.state).restore("c1").unwrap();
        let failed = changes
            .iter()
            .any(|change| matches!(change, Change::Failed(..)));
        assert!(!failed, "{told}: {changes:?}");
        let all = self.all();
        for number in 0..FILES {
            let found = all.values().filter(|text| **text == old(number)).count();
            assert!(found >= 1, "{told}: {number}");
            if number % 5 == 0 {
                assert_eq!(all[&name(number)], newer(number), "{told}: {number}");
            }
        }
        let strays = all.keys().filter(|name| name.contains("automode-undo"));
        assert_eq!(strays.count(), 0, "{told}");
    }
}

fn newer(number: usize) -> String {
    format!("newer {number}")
}

/// One round with kills in one phase; how many there were.
fn round(phase: Phase, mut moment: impl FnMut(Phase) -> Duration, told: &str) -> u64 {
    let world = world();
    let before = world.all();
    let mut kills = 0;
    if phase == Phase::Keep {
        kills += u64::from(world.killed(phase, moment(phase)));
        assert_eq!(world.all(), before, "{told}: keeping touches nothing");
        // A half snapshot is none, and is in nobody's way.
        let listed = UndoStore::new(&world.state).list().unwrap();
        assert!(listed.iter().all(|snapshot| snapshot.before.len() >= FILES));
    }
    world.whole(Phase::Keep);
    world.lose();
    if phase == Phase::Seal {
        kills += u64::from(world.killed(phase, moment(phase)));
    } else {
        world.whole(Phase::Seal);
    }
    world.go_on();
    if phase == Phase::Undo {
        for _ in 0..3 {
            kills += u64::from(world.killed(phase, moment(phase)));
            world.check_whole(told);
        }
    }
    world.check_restored(told);
    kills
}

#[test]
fn a_kill_at_any_moment_loses_nothing() {
    let wanted: u64 = std::env::var("AUTOMODE_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(30);
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below.max(1)
    };
    // How long each takes where nobody ends it.
    let calm = world();
    let mut lengths = BTreeMap::new();
    for phase in [Phase::Keep, Phase::Seal, Phase::Undo] {
        let started = Instant::now();
        calm.whole(phase);
        lengths.insert(phase, started.elapsed());
        if phase == Phase::Keep {
            calm.lose();
        }
    }
    let started = Instant::now();
    let mut kills: BTreeMap<Phase, u64> = BTreeMap::new();
    let mut rounds = 0_u64;
    // Those that end before they are killed are no kills; most are.
    while kills.values().sum::<u64>() < wanted && rounds < wanted * 3 {
        let phase = match rounds % 4 {
            0 => Phase::Keep,
            1 => Phase::Seal,
            _ => Phase::Undo,
        };
        let moment = |phase: Phase| {
            let length = u64::try_from(lengths[&phase].as_micros()).unwrap();
            Duration::from_micros(random(length))
        };
        let killed = round(phase, moment, &format!("round {rounds}, {phase:?}"));
        *kills.entry(phase).or_default() += killed;
        rounds += 1;
    }
    let all: u64 = kills.values().sum();
    println!(
        "{all} kills ({kills:?}) in {rounds} rounds, {:.0} s: nothing lost, nothing overwritten",
        started.elapsed().as_secs_f64()
    );
    assert!(all >= wanted.min(10), "{all} of {wanted}");
}
