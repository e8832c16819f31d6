//! Kills of client, server and database at random points: nothing that was accepted is
//! lost, nothing is doubled, and what was really lost shows as a gap.
//!
//! `AUTOMODE_KILLS` sets how many; without it there are a few. `AUTOMODE_SERVER` names
//! another build of the program, such as a release.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod world;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use automode::state::State;
use automode_server::sample;
use automode_server::store::{FleetStore, Organisation, TallyColumn};
use world::Database;

/// A small generator: which kill comes next need not be secret.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// A replica as a process of its own.
struct Replica {
    port: u16,
    process: Child,
}

fn program() -> PathBuf {
    let named = std::env::var_os("AUTOMODE_SERVER").map(PathBuf::from);
    named.unwrap_or_else(|| env!("CARGO_BIN_EXE_automode-server").into())
}

fn serve(address: &str, port: u16) -> Replica {
    let process = Command::new(program())
        .args(["serve", "--organisation", "test", "--database", address])
        .args(["--listen", &format!("127.0.0.1:{port}"), "--retention", "0"])
        .stdout(Stdio::null())
        .stderr(match std::env::var_os("AUTOMODE_KILLS") {
            Some(_) => Stdio::inherit(),
            None => Stdio::null(),
        })
        .spawn()
        .expect("a server");
    Replica { port, process }
}

impl Replica {
    fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn fleet(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .arg("fleet")
        .args(words)
        .env("AUTOMODE_STATE_DIR", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn decide(folder: &Path, from: u64, count: u64) {
    let state = State::at(folder.to_owned()).expect("a state");
    let log = automode::audit::Log::new(&state);
    for at in from..from + count {
        let entry = serde_json::from_str(&sample::entry(at)).expect("an entry");
        log.append(&entry, Duration::from_secs(5)).expect("written");
    }
}

/// Tries until it works, with the replicas that are alive.
fn insist(folder: &Path, words: &[&str]) {
    let end = Instant::now() + Duration::from_secs(60);
    while Instant::now() < end {
        if fleet(folder, words)
            .status()
            .is_ok_and(|status| status.success())
        {
            return;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    panic!("{words:?} does not work");
}

/// A number of the environment.
fn number(name: &str, otherwise: u64) -> u64 {
    let told = std::env::var(name).ok();
    told.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Machines that write and send.
const WRITERS: u64 = 12;

/// A machine that writes and sends.
struct Writer {
    state: PathBuf,
    /// The number of its next line.
    next: u64,
}

/// Everything that can be killed.
struct Scene {
    dice: Dice,
    database: Database,
    replicas: [Replica; 2],
    writers: Vec<Writer>,
    /// Clients, servers, databases.
    kills: [u64; 3],
    /// Lines that were cut out of a log unsent.
    lost: u64,
    /// Servers that ended without being killed.
    revived: u64,
}

impl Scene {
    /// Work everywhere, and in the middle of it several are killed.
    fn round(&mut self, round: u64) {
        self.revive();
        let mut working = Vec::new();
        for writer in &mut self.writers {
            let count = 5 + self.dice.roll(60);
            decide(&writer.state, writer.next, count);
            writer.next += count;
            let client = fleet(&writer.state, &["sync"]).spawn();
            working.push(client.expect("a client"));
        }
        // Most clients, and in between both servers.
        for turn in 0..12 {
            std::thread::sleep(Duration::from_millis(self.dice.roll(20)));
            if turn == 6 || turn == 11 {
                let at = usize::from(turn == 11);
                self.replicas[at].kill();
                self.replicas[at] = serve(&self.database.address(), self.replicas[at].port);
                self.kills[1] += 1;
                continue;
            }
            let at = usize::try_from(self.dice.roll(WRITERS)).expect("small");
            // Who ended already was not killed.
            if matches!(working[at].try_wait(), Ok(None)) {
                let _ = working[at].kill();
                self.kills[0] += 1;
            }
        }
        if round % 4 == 3 {
            std::thread::sleep(Duration::from_millis(self.dice.roll(120)));
            self.database.kill();
            self.database.run();
            self.kills[2] += 1;
        }
        for mut client in working {
            let _ = client.wait();
        }
    }

    /// As a service manager does: who ended by itself is started again.
    fn revive(&mut self) {
        let address = self.database.address();
        for replica in &mut self.replicas {
            if matches!(replica.process.try_wait(), Ok(Some(_))) {
                *replica = serve(&address, replica.port);
                self.revived += 1;
            }
        }
    }

    /// Somebody really loses lines: the end of a log that was not sent, but for its last line.
    fn lose(&mut self) {
        self.revive();
        let writer = &mut self.writers[0];
        insist(&writer.state, &["sync"]);
        decide(&writer.state, writer.next, 5);
        let log = writer.state.join("audit.jsonl");
        let text = std::fs::read_to_string(&log).expect("a log");
        let lines: Vec<&str> = text.lines().collect();
        let kept = [&lines[..lines.len() - 5], &lines[lines.len() - 1..]].concat();
        std::fs::write(&log, kept.join("\n") + "\n").expect("cut");
        writer.next += 5;
        self.lost += 4;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_accepted_is_lost_or_doubled() {
    let Some(database) = Database::start() else {
        return;
    };
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seed = since.map_or(1, |since| u64::from(since.subsec_nanos()) | 1);
    let (kills, seed) = (number("AUTOMODE_KILLS", 13), number("AUTOMODE_SEED", seed));
    eprintln!("seed {seed}");
    let address = database.address();
    let store = FleetStore::open(&address).await.expect("a store");
    let (ours, _) = store.organisation("test", 0).await.expect("made");
    let ports = [free_port(), free_port()];
    let folder = tempfile::tempdir().expect("a directory");
    let mut scene = Scene {
        dice: Dice(seed),
        replicas: ports.map(|port| serve(&address, port)),
        database,
        writers: Vec::new(),
        kills: [0; 3],
        lost: 0,
        revived: 0,
    };
    for at in 0..usize::try_from(WRITERS).expect("small") {
        let state = folder.path().join(format!("state-{at}"));
        State::at(state.clone()).expect("a state");
        let end = automode_server::clock::now() + 600_000;
        let code = store.make_code(ours, "everyone", "test", end).await;
        let server = format!("http://127.0.0.1:{}", ports[at % 2]);
        insist_enrol(&state, &server, &code.expect("a code"));
        scene.writers.push(Writer { state, next: 1 });
    }
    let began = Instant::now();
    let mut rounds = 0_u64;
    while scene.kills.iter().sum::<u64>() < kills {
        scene.round(rounds);
        if rounds % 7 == 3 {
            scene.lose();
        }
        rounds += 1;
        if rounds.is_multiple_of(20) {
            eprintln!("{rounds} rounds, {:?} kills", scene.kills);
        }
    }
    scene.revive();
    for writer in &scene.writers {
        insist(&writer.state, &["sync"]);
    }
    println!(
        "{rounds} rounds in {:.0} s, {} servers ended by themselves",
        began.elapsed().as_secs_f64(),
        scene.revived
    );
    hold_against(&store, ours, &scene).await;
}

/// What was written against what is stored.
async fn hold_against(store: &FleetStore, ours: Organisation, scene: &Scene) {
    let (kills, lost) = (scene.kills, scene.lost);
    let written: u64 = scene.writers.iter().map(|writer| writer.next - 1).sum();
    let stored = store.count_lines(ours).await.expect("counted");
    let gaps = store.gaps(ours, 10_000).await.expect("listed");
    let shown: i64 = gaps.iter().map(|gap| gap.missing).sum();
    println!(
        "{} kills ({} clients, {} servers, {} databases): {written} lines written, {lost} lost on a machine, {stored} stored, {} gaps that show {shown}",
        kills.iter().sum::<u64>(),
        kills[0],
        kills[1],
        kills[2],
        gaps.len()
    );
    let count = |number: i64| u64::try_from(number).expect("a count");
    assert_eq!(count(stored), written - lost, "lost or doubled");
    assert_eq!(
        count(shown),
        lost,
        "a gap is not shown, or one that is none"
    );
    let tally = store.tally(ours, TallyColumn::Agent, 0).await;
    let summed: i64 = tally.expect("summed").iter().map(|row| row.count).sum();
    assert_eq!(summed, stored, "the sums do not follow");
}

fn insist_enrol(state: &Path, server: &str, code: &str) {
    insist(state, &["enroll", server, code, "--name", "laptop"]);
}
