//! A policy that stays current in a long-lived process.

use std::sync::{Arc, Mutex, PoisonError};

use automode_core::policy::Policy;

use super::{Places, load};
use crate::ports::Clock;

/// Keeps the policy of a directory and reads its files again in time.
pub struct PolicyWatcher {
    places: Places,
    clock: Box<dyn Clock>,
    kept: Mutex<KeptPolicy>,
}

struct KeptPolicy {
    policy: Arc<Policy>,
    read_at: u64,
}

impl PolicyWatcher {
    /// The longest time in seconds that a policy is used before its files are read again.
    pub const MAX_AGE: u64 = 30 * 60;

    /// Reads the files for the first time.
    #[must_use]
    pub fn new(places: Places, clock: impl Clock + 'static) -> Self {
        let kept = KeptPolicy {
            read_at: clock.now(),
            policy: Arc::new(load(&places)),
        };
        Self {
            places,
            clock: Box::new(clock),
            kept: Mutex::new(kept),
        }
    }

    /// The policy, at most [`Self::MAX_AGE`] old. A clock that went back counts as old.
    pub fn current(&self) -> Arc<Policy> {
        let now = self.clock.now();
        // A panic while the lock was held left a whole policy behind: it is replaced in one step.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = now
            .checked_sub(kept.read_at)
            .is_some_and(|age| age < Self::MAX_AGE);
        if !fresh {
            *kept = KeptPolicy {
                policy: Arc::new(load(&self.places)),
                read_at: now,
            };
        }
        Arc::clone(&kept.policy)
    }
}
