//! Outages of the judge, shared by all sessions.
//!
//! A judge that is dead is dead for everybody: what one session has waited for, the
//! next one need not. The file holds a count and a time in fixed width and is
//! overwritten in place; a reader that finds anything else finds no outage, which
//! costs time and never an answer.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use automode_core::Ledger;
use automode_core::policy::Limits;

use super::note::LedgerNote;
use crate::state::State;

/// The outages that the sessions of a state share.
#[derive(Clone, Debug)]
pub struct Outages {
    path: PathBuf,
}

impl Outages {
    #[must_use]
    pub fn of(state: &State) -> Self {
        Self {
            path: state.path("outages"),
        }
    }

    /// A session's ledger with what the others have seen.
    #[must_use]
    pub fn seen_by(&self, own: Ledger) -> Ledger {
        let (count, until) = self.read();
        Ledger {
            unavailable: own.unavailable.max(count),
            paused_until: own.paused_until.max(until),
            ..own
        }
    }

    /// Tells the other sessions how a ledger moved.
    pub fn tell(&self, moved: &LedgerNote) {
        let (count, _) = self.read();
        if moved.outages_ended {
            fs::remove_file(&self.path).unwrap_or_default();
        } else if moved.outages > 0 || moved.paused_until > 0 {
            self.write(count.saturating_add(moved.outages), moved.paused_until);
        }
    }

    /// One more outage. Says until when the judge is left alone, 0 where it is not yet.
    #[must_use]
    pub fn count(&self, now: u64) -> u64 {
        let limits = Limits::default();
        let count = self.read().0.saturating_add(1);
        let until = if count >= limits.unavailable {
            now.saturating_add(u64::from(limits.pause))
        } else {
            0
        };
        self.write(count, until);
        until
    }

    fn read(&self) -> (u32, u64) {
        let read = || {
            let text = fs::read_to_string(&self.path).ok()?;
            let (count, until) = text.trim_end().split_once(' ')?;
            Some((count.parse().ok()?, until.parse().ok()?))
        };
        read().unwrap_or_default()
    }

    /// Whoever reads sees the old pair or the new one.
    fn write(&self, count: u32, until: u64) {
        let beside = self.path.with_extension(std::process::id().to_string());
        let written = fs::File::create(&beside)
            .and_then(|mut file| file.write_all(format!("{count} {until}\n").as_bytes()))
            .and_then(|()| fs::rename(&beside, &self.path));
        // Not to be told costs the others a wait.
        written.unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_session_waited_for_the_next_one_knows() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::at(directory.path().join("automode")).unwrap();
        let outages = Outages::of(&state);
        assert_eq!(outages.seen_by(Ledger::default()), Ledger::default());
        outages.tell(&LedgerNote {
            outages: 1,
            paused_until: 90,
            ..LedgerNote::default()
        });
        let seen = outages.seen_by(Ledger::default());
        assert_eq!((seen.unavailable, seen.paused_until), (1, 90));
        outages.tell(&LedgerNote {
            outages_ended: true,
            ..LedgerNote::default()
        });
        assert_eq!(outages.seen_by(Ledger::default()), Ledger::default());
        let limits = Limits::default();
        let until: Vec<u64> = (0..limits.unavailable)
            .map(|_| outages.count(100))
            .collect();
        assert_eq!(until.last(), Some(&(100 + u64::from(limits.pause))));
        fs::write(state.path("outages"), "\0\0 rubbish").unwrap();
        assert_eq!(outages.seen_by(Ledger::default()), Ledger::default());
    }
}
