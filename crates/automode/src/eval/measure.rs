//! Decides many cases at once.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use automode_core::ToolCall;

use super::{Case, Outcome, replay};
use crate::Gate;
use crate::ports::NoRecall;

/// Decides every case, on all cores, and tells `progress` how many are done.
///
/// `gate` makes a gate for one worker; the world of a case replaces its files.
pub fn run(
    cases: &[Case],
    gate: impl Fn() -> Gate + Sync,
    progress: impl Fn(usize) + Sync,
) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(cases.len()));
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((index, case)) = take(cases, &next) {
                    let outcome = decide(case, gate());
                    if let Ok(mut found) = found.lock() {
                        found.push((index, outcome));
                    }
                    progress(done.fetch_add(1, Ordering::Relaxed).saturating_add(1));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, outcome)| outcome).collect()
}

fn take<'a>(cases: &'a [Case], next: &AtomicUsize) -> Option<(usize, &'a Case)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    cases.get(index).map(|case| (index, case))
}

fn decide(case: &Case, gate: Gate) -> Outcome {
    let (session, world) = replay::stage(case);
    let call = ToolCall {
        tool: case.call.tool.clone(),
        input: case.call.input.clone(),
        cwd: world.cwd.clone(),
    };
    let gate = gate.with_files(world);
    let begun = Instant::now();
    let settlement = gate.decide(&call, &session, &NoRecall);
    let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    Outcome::new(case, &settlement, &gate.policy().settings.service, micros)
}
