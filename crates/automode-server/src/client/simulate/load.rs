//! Lines at a steady pace, and how far the servers fall behind it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use automode::audit::chain::ChainLink;

use super::{Enrolment, SimulationOptions, shared_client};
use crate::client::{ConnectionError, ServerConnection};
use crate::sample;

/// Members that send at the same moment.
const HANDS: usize = 32;
/// Lines of a batch, as a machine sends them that looks every few seconds.
const BATCH: u64 = 20;
/// Behind this at the end, the servers did not keep up.
const BEHIND: Duration = Duration::from_secs(5);

/// Lines on their way.
pub struct SteadyLoad {
    tasks: tokio::task::JoinSet<Result<Duration>>,
    counts: Arc<LoadCounts>,
    began: Instant,
}

#[derive(Default)]
struct LoadCounts {
    lines: AtomicU64,
    /// Batches that were sent again, by why.
    again: Mutex<BTreeMap<String, u64>>,
    /// The longest that a batch came late, in milliseconds.
    late: AtomicU64,
}

impl LoadCounts {
    fn again(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, u64>> {
        self.again.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How it went.
pub struct LoadReport {
    pub lines: u64,
    again: BTreeMap<String, u64>,
    took: Duration,
    longest: Duration,
    /// How late the last batches were.
    end: Duration,
}

impl LoadReport {
    pub fn kept_up(&self) -> bool {
        self.end <= BEHIND
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} lines accepted in {:.1} s: {:.0} a second, {} batches sent again, at most {:.1} s late, {:.1} s at the end",
            self.lines,
            self.took.as_secs_f64(),
            self.lines as f64 / self.took.as_secs_f64().max(0.001),
            self.again.values().sum::<u64>(),
            self.longest.as_secs_f64(),
            self.end.as_secs_f64()
        )?;
        for (why, count) in &self.again {
            write!(out, "\n  sent again {count} times: {why}")?;
        }
        Ok(())
    }
}

/// One member's chain.
struct SendingMember {
    connection: ServerConnection,
    device: String,
    last: ChainLink,
}

/// Has all members send their lines, spread over time.
pub fn start(members: &[Enrolment], options: &SimulationOptions) -> Result<SteadyLoad> {
    let client = shared_client()?;
    let counts = Arc::new(LoadCounts::default());
    let mut hands: Vec<Vec<SendingMember>> = (0..HANDS).map(|_| Vec::new()).collect();
    for (at, member) in members.iter().enumerate() {
        if let Some(hand) = hands.get_mut(at % HANDS) {
            hand.push(SendingMember {
                connection: ServerConnection::with_client(member, client.clone())?,
                device: member.device.clone(),
                last: ChainLink::genesis(),
            });
        }
    }
    let batches = options.lines.div_ceil(BATCH);
    let pace = options.pace.max(1) as f64 / HANDS as f64;
    let pause = Duration::from_secs_f64(BATCH as f64 / pace);
    let mut tasks = tokio::task::JoinSet::new();
    for hand in hands {
        tasks.spawn(send_all(hand, batches, pause, Arc::clone(&counts)));
    }
    Ok(SteadyLoad {
        tasks,
        counts,
        began: Instant::now(),
    })
}

impl SteadyLoad {
    /// Waits for the last line.
    pub async fn finish(mut self) -> Result<LoadReport> {
        let mut end = Duration::ZERO;
        while let Some(done) = self.tasks.join_next().await {
            end = end.max(done??);
        }
        Ok(LoadReport {
            lines: self.counts.lines.load(Ordering::Relaxed),
            again: self.counts.again().clone(),
            took: self.began.elapsed(),
            longest: Duration::from_millis(self.counts.late.load(Ordering::Relaxed)),
            end,
        })
    }
}

/// Sends one member's batch after the other. How late the last one was.
async fn send_all(
    mut members: Vec<SendingMember>,
    batches: u64,
    pause: Duration,
    counts: Arc<LoadCounts>,
) -> Result<Duration> {
    let mut due = tokio::time::Instant::now();
    let mut late = Duration::ZERO;
    for _ in 0..batches {
        for member in &mut members {
            tokio::time::sleep_until(due).await;
            member.send(&counts).await?;
            late = due.elapsed();
            let milliseconds = u64::try_from(late.as_millis()).unwrap_or(u64::MAX);
            counts.late.fetch_max(milliseconds, Ordering::Relaxed);
            due += pause;
        }
    }
    Ok(late)
}

impl SendingMember {
    /// Sends the next lines; what was not answered is sent again from where the server stands.
    async fn send(&mut self, counts: &LoadCounts) -> Result<()> {
        let from = self.last.seq.saturating_add(1);
        let (lines, last) = sample::lines(&self.last, from, BATCH, &self.device);
        let lines: Vec<String> = lines
            .iter()
            .map(|line| line.trim_end().to_owned())
            .collect();
        let mut failures = 0_u32;
        loop {
            let sent = self.connection.audit(&self.last.hash, lines.clone());
            let failure = match sent.await {
                // It had them already, and the answer was lost.
                Err(ConnectionError::Elsewhere(receipt)) if receipt.hash == last.hash => break,
                Ok(receipt) if receipt.hash == last.hash => break,
                Ok(_) => anyhow::bail!("the server took other lines than were sent"),
                Err(failure) => failure,
            };
            let why = cause(&failure);
            if failures >= 600 {
                return Err(failure.into());
            }
            failures = failures.saturating_add(1);
            *counts.again().entry(why).or_default() += 1;
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        counts.lines.fetch_add(BATCH, Ordering::Relaxed);
        self.last = last;
        Ok(())
    }
}

/// Why a batch was not answered, down to the first cause and without the address.
fn cause(failure: &ConnectionError) -> String {
    let mut error: &dyn std::error::Error = failure;
    while let Some(deeper) = error.source() {
        error = deeper;
    }
    error.to_string()
}
