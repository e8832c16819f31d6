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
    within(PATIENCE, decider, request)
}

fn within(patience: Duration, decider: &Arc<dyn Decider>, request: DoorRequest) -> DoorDecision {
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
    match waiting.recv_timeout(patience) {
        Ok(decision) => decision,
        Err(RecvTimeoutError::Timeout) => DoorDecision::failed("it took too long"),
        Err(RecvTimeoutError::Disconnected) => DoorDecision::failed("it panicked"),
    }
}

/// A thread that panicked left nothing half done that matters here.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decider::{DoorSession, LossQuestions, Tightening};
    use automode::{Presence, ToolCall, Verdict};
    use automode_core::SuspiciousResult;

    /// Does what the command says.
    struct Odd;

    impl Decider for Odd {
        fn decide(&self, request: &DoorRequest) -> DoorDecision {
            match request.call.text("command") {
                Some("panic") => panic!("as told"),
                Some("hang") => thread::sleep(Duration::from_secs(600)),
                Some(_) | None => {}
            }
            DoorDecision::why(Verdict::Allow)
        }

        fn suspect(&self, _: &DoorSession, _: SuspiciousResult) {}

        fn hear(&self, _: &DoorSession, _: &str) {}
    }

    #[test]
    fn a_decision_that_panics_or_hangs_is_a_failure() {
        let decider: Arc<dyn Decider> = Arc::new(Odd);
        let decide = |command: &str, patience: Duration| {
            let request = DoorRequest {
                session: DoorSession {
                    door: "test",
                    id: "s".to_owned(),
                    roots: vec!["/w".to_owned()],
                    presence: Presence::Headless,
                    losses: LossQuestions::Asked,
                    tightening: Tightening::default(),
                },
                call: ToolCall::bash(command, "/w"),
                transcript: None,
                suspicious: Vec::new(),
                meaning: None,
            };
            within(patience, &decider, request)
        };
        let long = Duration::from_secs(60);
        assert_eq!(decide("ls", long).verdict, Verdict::Allow);
        for (command, patience) in [("panic", long), ("hang", Duration::from_millis(50))] {
            let decision = decide(command, patience);
            assert!(decision.failed, "{command}");
            assert_eq!(decision.verdict, Verdict::Ask, "{command}");
        }
    }
}
