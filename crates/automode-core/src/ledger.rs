//! Counting the judge's denials, and its outages, apart.
//!
//! Only the judge's denials count: a deny rule must not be worn down by retries.
//! Any allow ends a row of denials; the total never falls. At a limit a person
//! decides, or a headless run ends. A limit never turns a denial into an allow.

use crate::policy::{Limits, OnLimit};
use crate::{Failure, Ledger, Presence, Verdict};

/// What one settled call means for the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Settled without the judge.
    Unjudged(Verdict),
    /// The judge cleared it.
    Cleared,
    /// The judge blocked it.
    Blocked,
    /// The judge gave no verdict.
    Failed(Failure),
}

/// What the limits say about a denial of the judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Within,
    /// Too many: a person takes over.
    Person,
    /// Too many and nobody there: the run ends.
    Stop,
}

impl Ledger {
    /// The ledger after one call.
    #[must_use]
    pub fn after(self, entry: Entry, limits: &Limits, now: u64) -> Self {
        match entry {
            Entry::Unjudged(Verdict::Allow) => Self {
                consecutive: 0,
                ..self
            },
            Entry::Unjudged(Verdict::Ask | Verdict::Deny) => self,
            Entry::Cleared => Self {
                consecutive: 0,
                total: self.total,
                unavailable: 0,
                paused_until: 0,
            },
            Entry::Blocked => Self {
                consecutive: self.consecutive.saturating_add(1),
                total: self.total.saturating_add(1),
                unavailable: 0,
                paused_until: 0,
            },
            Entry::Failed(failure) => self.after_failure(failure, limits, now),
        }
    }

    fn after_failure(self, failure: Failure, limits: &Limits, now: u64) -> Self {
        match failure {
            Failure::Unavailable | Failure::Timeout => {
                let unavailable = self.unavailable.saturating_add(1);
                let broken = unavailable >= limits.unavailable;
                Self {
                    unavailable,
                    paused_until: if broken {
                        now.saturating_add(u64::from(limits.pause))
                    } else {
                        self.paused_until
                    },
                    ..self
                }
            }
            Failure::Budget
            | Failure::Refused
            | Failure::Unreadable
            | Failure::Overlong
            | Failure::Cancelled
            | Failure::Store
            | Failure::Parse
            | Failure::Panic => self,
        }
    }

    /// Whether the judge is being left alone after outages.
    /// A pause further away than its own length comes from a clock that jumped, and is over.
    #[must_use]
    pub fn is_paused(self, limits: &Limits, now: u64) -> bool {
        let left = self.paused_until.saturating_sub(now);
        left > 0 && left <= u64::from(limits.pause)
    }

    /// What the limits say once a denial has been counted.
    #[must_use]
    pub const fn limit(self, limits: &Limits, presence: Presence, on_limit: OnLimit) -> Limit {
        if self.consecutive < limits.consecutive && self.total < limits.total {
            return Limit::Within;
        }
        match (presence, on_limit) {
            (Presence::Interactive, _) => Limit::Person,
            (Presence::Headless, OnLimit::Stop) => Limit::Stop,
            (Presence::Headless, OnLimit::Deny) => Limit::Within,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKED: Entry = Entry::Blocked;
    const ALLOWED: Entry = Entry::Unjudged(Verdict::Allow);
    const RULE: Entry = Entry::Unjudged(Verdict::Deny);
    const OUTAGE: Entry = Entry::Failed(Failure::Unavailable);

    fn run(entries: &[Entry]) -> Ledger {
        let limits = Limits::default();
        entries.iter().fold(Ledger::default(), |ledger, entry| {
            ledger.after(*entry, &limits, 1_000)
        })
    }

    fn check(entries: &[Entry], consecutive: u32, total: u32) {
        let ledger = run(entries);
        let counts = (ledger.consecutive, ledger.total);
        assert_eq!(counts, (consecutive, total), "{entries:?}");
    }

    #[test]
    fn only_the_judge_counts_and_any_allow_resets_the_row() {
        check(&[BLOCKED, BLOCKED], 2, 2);
        check(&[BLOCKED, RULE, BLOCKED], 2, 2);
        check(&[BLOCKED, Entry::Unjudged(Verdict::Ask), BLOCKED], 2, 2);
        check(&[BLOCKED, ALLOWED, BLOCKED], 1, 2);
        check(&[BLOCKED, BLOCKED, Entry::Cleared], 0, 2);
        check(&[OUTAGE, OUTAGE, OUTAGE], 0, 0);
    }

    #[test]
    fn limits_hand_over_to_a_person_or_end_the_run() {
        use OnLimit::{Deny, Stop};
        use Presence::{Headless, Interactive};
        let check = |consecutive, total, presence, on_limit, expected| {
            let ledger = Ledger {
                consecutive,
                total,
                ..Ledger::default()
            };
            let limit = ledger.limit(&Limits::default(), presence, on_limit);
            assert_eq!(
                limit, expected,
                "{consecutive} {total} {presence:?} {on_limit:?}"
            );
        };
        check(2, 19, Interactive, Stop, Limit::Within);
        check(3, 3, Interactive, Stop, Limit::Person);
        check(1, 20, Interactive, Deny, Limit::Person);
        check(3, 3, Headless, Stop, Limit::Stop);
        check(1, 20, Headless, Stop, Limit::Stop);
        check(3, 3, Headless, Deny, Limit::Within);
    }

    #[test]
    fn a_broken_judge_is_left_alone_for_a_while() {
        let limits = Limits::default();
        assert!(!run(&[OUTAGE]).is_paused(&limits, 1_000));
        let broken = run(&[OUTAGE, OUTAGE]);
        assert!(broken.is_paused(&limits, 1_000));
        assert!(broken.is_paused(&limits, 1_059));
        assert!(!broken.is_paused(&limits, 1_060));
        assert!(!run(&[OUTAGE, BLOCKED, OUTAGE]).is_paused(&limits, 1_000));
        assert!(!run(&[OUTAGE, Entry::Cleared, OUTAGE]).is_paused(&limits, 1_000));
        assert!(run(&[OUTAGE, ALLOWED, OUTAGE]).is_paused(&limits, 1_000));
        assert!(run(&[OUTAGE, OUTAGE, OUTAGE]).is_paused(&limits, 1_000));
    }

    #[test]
    fn a_clock_that_jumped_back_does_not_silence_the_judge() {
        let broken = run(&[OUTAGE, OUTAGE]);
        assert!(!broken.is_paused(&Limits::default(), 10));
    }
}
