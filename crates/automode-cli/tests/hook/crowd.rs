//! A thousand hooks at once on one session, and sudden ends.

use std::io::Write;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use automode::audit;

use crate::bench::{Bench, DEADLY};

const HOOKS: usize = 1_000;

/// A cheap source of arbitrary numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Ends a child at its time; whether it has ended with an answer, once it has ended.
fn step(child: &mut Child, death: &mut Option<Instant>) -> Option<bool> {
    if death.is_some_and(|death| Instant::now() >= death) {
        // It is ours to end; it may have ended already.
        let _ = child.kill();
        *death = None;
    }
    child.try_wait().unwrap().map(|status| status.success())
}

#[test]
fn a_thousand_hooks_killed_at_random_break_nothing() {
    let bench = Bench::new();
    let mut dice = Dice(0x5eed);
    // All of them stand ready before the first one hears what it is about.
    let mut running: Vec<Child> = (0..HOOKS)
        .map(|_| bench.command(&["hook", "claude-code"]).spawn().unwrap())
        .collect();
    let begun = Instant::now();
    for (at, child) in running.iter_mut().enumerate() {
        let payload = bench.call(&format!("ls dir-{at}")).to_string();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(payload.as_bytes()).unwrap();
    }
    // Half of them are killed while the crowd is at work.
    let told = begun.elapsed();
    let mut crowd: Vec<(Child, Option<Instant>)> = running
        .into_iter()
        .map(|child| {
            let doomed = dice.roll(2) == 0;
            let after = Duration::from_millis(dice.roll(6_000));
            (child, doomed.then(|| begun + told + after))
        })
        .collect();
    let (mut answered, mut ended) = (0_u64, 0_usize);
    while !crowd.is_empty() {
        crowd.retain_mut(|(child, death)| match step(child, death) {
            Some(success) => {
                answered += u64::from(success);
                ended += 1;
                false
            }
            None => true,
        });
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(ended, HOOKS);
    assert!(answered >= HOOKS as u64 / 4, "{answered}");
    // What lay beside the log for want of the lock is taken in by the next one.
    assert_eq!(bench.claude(DEADLY).verdict(), "deny");
    let report = audit::Log::new(&bench.state()).verify().unwrap();
    assert_eq!(report.breaks, Vec::<String>::new());
    assert!(
        report.lines > answered,
        "{answered} decisions answered, {} in the log",
        report.lines
    );
    assert!(bench.memory().standing.cwd.is_some());
    eprintln!(
        "{answered} of {HOOKS} answered, {} lines, {} torn, {:?}",
        report.lines,
        report.torn,
        begun.elapsed()
    );
}
