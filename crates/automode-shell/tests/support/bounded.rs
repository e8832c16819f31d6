//! A real bash that is ended where it does not end by itself.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs it unseen, for so long at the most.
pub fn run_at_most(limit: Duration, bash: &mut Command) {
    let quiet = bash.stdin(Stdio::null()).stdout(Stdio::null());
    let spawned = quiet.stderr(Stdio::null()).spawn();
    let mut child = spawned.expect("bash must be installed to run this test");
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if start.elapsed() >= limit {
            let _ = child.kill();
            let _ = child.wait();
        }
        std::thread::sleep(Duration::from_micros(300));
    }
}
