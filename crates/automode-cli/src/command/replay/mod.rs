//! `automode replay`: recorded sessions through the policy of today.
//!
//! Answers what a person wants to know before switching it on: how many questions
//! would have been saved, what would have been stopped, what a judge would have seen
//! and at what price. Files stream through; nothing of a session is kept but counts
//! and a few examples. Paths are looked at as they are now, which may differ from
//! how they were.

mod find;
mod run;
mod tally;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::{judge, setup};
use find::Recording;
pub use tally::ReplayTally;

/// Run recorded sessions of coding agents through the current policy.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Recordings or directories of them [default: where the clients keep theirs]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  automode replay
  automode replay ~/.claude/projects/-home-dev-shop
  automode replay --json session.jsonl";

pub fn run(args: Args) -> Result<u8> {
    let recordings = find::recordings(&args.paths, setup::home().as_deref());
    if recordings.is_empty() {
        bail!("no recorded session was found\nhint: name a file or a directory");
    }
    let total: u64 = recordings.iter().map(|recording| recording.bytes).sum();
    let read = AtomicU64::new(0);
    let finished = AtomicBool::new(false);
    let tally = thread::scope(|scope| {
        let bar = scope.spawn(|| progress(&read, total, &finished));
        let tally = all(&recordings, &read);
        finished.store(true, Ordering::Relaxed);
        // The bar only draws; it has nothing to say.
        bar.join().unwrap_or_default();
        tally
    });
    if args.json {
        println!("{}", tally.json());
    } else {
        tally.show();
    }
    Ok(0)
}

/// The sessions where the clients keep theirs; nothing where there are none.
pub fn past_sessions() -> Option<ReplayTally> {
    let recordings = find::recordings(&[], setup::home().as_deref());
    (!recordings.is_empty()).then(|| all(&recordings, &AtomicU64::new(0)))
}

/// Shares the recordings out over the processors.
fn all(recordings: &[Recording], read: &AtomicU64) -> ReplayTally {
    let next = AtomicU64::new(0);
    let workers = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(8);
    let work = || {
        let mut tally = ReplayTally::default();
        loop {
            let at = usize::try_from(next.fetch_add(1, Ordering::Relaxed)).unwrap_or(usize::MAX);
            let Some(recording) = recordings.get(at) else {
                return tally;
            };
            run::replay(recording, &mut tally, read);
        }
    };
    thread::scope(|scope| {
        let hands: Vec<_> = (0..workers)
            .filter_map(|_| {
                thread::Builder::new()
                    .stack_size(64 * 1024 * 1024)
                    .spawn_scoped(scope, work)
                    .ok()
            })
            .collect();
        let has_judge = setup::directory(None).is_ok_and(|cwd| !judge::standings(&cwd).is_empty());
        let mut tally = ReplayTally::beside(has_judge);
        for hand in hands {
            match hand.join() {
                Ok(own) => tally.add(own),
                Err(_) => tally.failed = tally.failed.saturating_add(1),
            }
        }
        tally
    })
}

/// Draws how far it is, on a terminal.
fn progress(read: &AtomicU64, total: u64, finished: &AtomicBool) {
    const WIDTH: u64 = 40;
    let mut err = io::stderr();
    if !err.is_terminal() {
        return;
    }
    while !finished.load(Ordering::Relaxed) {
        let done = read.load(Ordering::Relaxed).min(total);
        let filled = done
            .saturating_mul(WIDTH)
            .checked_div(total)
            .unwrap_or(WIDTH);
        let bar = "█".repeat(usize::try_from(filled).unwrap_or_default());
        let rest = "·".repeat(usize::try_from(WIDTH.saturating_sub(filled)).unwrap_or_default());
        let _ = write!(
            err,
            "\r{bar}{rest} {} of {} MB",
            done / 1_000_000,
            total / 1_000_000
        );
        thread::sleep(Duration::from_millis(100));
    }
    let _ = write!(err, "\r{}\r", " ".repeat(70));
}
