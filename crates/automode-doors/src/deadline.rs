//! A decision in time: one that panics or takes too long is a failure, never an answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::decider::{Decider, DoorDecision, DoorRequest};

/// A judge may take its time; clients wait longer than this.
const PATIENCE: Duration = Duration::from_secs(50);
/// Room for the deepest input that is admitted.
const STACK: usize = 64 * 1024 * 1024;

/// The decision, or that there is none.
pub(crate) fn in_time(decider: &Arc<dyn Decider>, request: DoorRequest) -> DoorDecision {
    let (done, waiting) = channel();
    let decider = Arc::clone(decider);
    let spawned = thread::Builder::new().stack_size(STACK).spawn(move || {
        let decided = catch_unwind(AssertUnwindSafe(|| decider.decide(&request)));
        if let Ok(decision) = decided {
            done.send(decision).ok();
        }
    });
    if spawned.is_err() {
        return DoorDecision::failed("no thread could be started");
    }
    match waiting.recv_timeout(PATIENCE) {
        Ok(decision) => decision,
        Err(RecvTimeoutError::Timeout) => DoorDecision::failed("it took too long"),
        Err(RecvTimeoutError::Disconnected) => DoorDecision::failed("it panicked"),
    }
}

/// A thread that panicked left nothing half done that matters here.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
