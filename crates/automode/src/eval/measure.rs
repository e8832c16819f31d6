//! Decides many cases at once.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use automode_core::{Session, ToolCall};

use super::checkout::Checkout;
use super::group::GroupFiles;
use super::{Case, Outcome, replay};
use crate::Gate;
use crate::ports::NoRecall;

/// Where cases are decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Site {
    /// Each in the project that it describes; nothing of the machine is looked at.
    Imagined,
    /// All in one real checkout, as it stands.
    Checkout { root: String, home: Option<String> },
}

/// Decides every case, on all cores, and tells `progress` how many are done.
///
/// `gate` makes a gate for one worker; the world of a case replaces its files.
pub fn run(
    cases: &[Case],
    gate: impl Fn() -> Gate + Sync,
    progress: impl Fn(usize) + Sync,
) -> Vec<Outcome> {
    run_at(&Site::Imagined, cases, gate, progress)
}

/// The same at a chosen site.
pub fn run_at(
    site: &Site,
    cases: &[Case],
    gate: impl Fn() -> Gate + Sync,
    progress: impl Fn(usize) + Sync,
) -> Vec<Outcome> {
    let groups = match site {
        Site::Imagined => GroupFiles::of(cases),
        Site::Checkout { .. } => GroupFiles::default(),
    };
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(cases.len()));
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((index, case)) = take(cases, &next) {
                    let outcome = match site {
                        Site::Imagined => {
                            let (session, world) = replay::stage(case, groups.around(index, case));
                            let cwd = world.cwd.clone();
                            decide(case, gate().with_files(world), &session, cwd)
                        }
                        Site::Checkout { root, home } => {
                            let (session, written) = replay::stage_at(case, root, home.as_deref());
                            let cwd = written.cwd.clone();
                            decide(case, gate().with_files(Checkout { written }), &session, cwd)
                        }
                    };
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

fn decide(case: &Case, gate: Gate, session: &Session, cwd: String) -> Outcome {
    let call = ToolCall {
        tool: case.call.tool.clone(),
        input: case.call.input.clone(),
        cwd,
    };
    let begun = Instant::now();
    let settlement = gate.decide(&call, session, &NoRecall);
    let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    Outcome::new(case, &settlement, &gate.policy().settings.service, micros)
}
