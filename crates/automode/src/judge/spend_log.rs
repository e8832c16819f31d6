//! Money: what judges have cost today and in this session.
//!
//! One small file under a lock. If it cannot be read the money counts as spent
//! where a budget is set, because a limit that fails open is none.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use automode_core::judge::Budget;
use serde::{Deserialize, Serialize};

use crate::state::{Lock, State};

const PATIENCE: Duration = Duration::from_millis(500);
/// Sessions that are remembered; the ones that cost least go first.
const SESSIONS: usize = 200;
const DAY: u64 = 24 * 60 * 60;

/// What was spent, in millionths of a dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub session: u64,
    pub day: u64,
}

/// The purse of one session.
#[derive(Clone, Debug)]
pub struct SpendLog {
    file: PathBuf,
    lock: PathBuf,
    session: String,
}

#[derive(Default, Serialize, Deserialize)]
struct Book {
    /// Days since the epoch.
    day: u64,
    spent: u64,
    sessions: BTreeMap<String, u64>,
}

impl SpendLog {
    /// # Errors
    /// The folder cannot be made.
    pub fn open(state: &State, session: &str) -> std::io::Result<Self> {
        let folder = state.directory("judge")?;
        Ok(Self {
            file: folder.join("spent.json"),
            lock: folder.join("spent.lock"),
            session: session.to_owned(),
        })
    }

    /// What was spent until now.
    ///
    /// # Errors
    /// The book cannot be read.
    pub fn spent(&self, now: u64) -> std::io::Result<Spent> {
        let book = self.read()?;
        Ok(Spent {
            session: book.sessions.get(&self.session).copied().unwrap_or(0),
            day: if book.day == now / DAY { book.spent } else { 0 },
        })
    }

    /// Which limit is reached, for a person to read; nothing where there is money left. A book
    /// that cannot be read reaches every limit.
    #[must_use]
    pub fn reached(&self, budget: &Budget, now: u64) -> Option<String> {
        if budget.session.is_none() && budget.day.is_none() {
            return None;
        }
        let Ok(spent) = self.spent(now) else {
            return Some("the book of what was spent cannot be read".to_owned());
        };
        let over = |limit: Option<u64>, spent: u64| limit.filter(|limit| spent >= *limit);
        if let Some(limit) = over(budget.day, spent.day) {
            let left = DAY.saturating_sub(now % DAY).div_ceil(60 * 60);
            return Some(format!(
                "{} of {} today; a new day begins in {left} h",
                dollars(spent.day),
                dollars(limit)
            ));
        }
        over(budget.session, spent.session).map(|limit| {
            format!(
                "{} of {} in this session",
                dollars(spent.session),
                dollars(limit)
            )
        })
    }

    /// Writes an expense down.
    ///
    /// # Errors
    /// The book cannot be written.
    pub fn pay(&self, amount: u64, now: u64) -> std::io::Result<()> {
        let _lock = Lock::take(&self.lock, PATIENCE).map_err(std::io::Error::other)?;
        let mut book = self.read().unwrap_or_default();
        if book.day != now / DAY {
            book.day = now / DAY;
            book.spent = 0;
        }
        book.spent = book.spent.saturating_add(amount);
        let session = book.sessions.entry(self.session.clone()).or_default();
        *session = session.saturating_add(amount);
        while book.sessions.len() > SESSIONS {
            let least = book
                .sessions
                .iter()
                .filter(|(name, _)| **name != self.session)
                .min_by_key(|(_, spent)| **spent)
                .map(|(name, _)| name.clone());
            match least {
                Some(name) => book.sessions.remove(&name),
                None => break,
            };
        }
        let fresh = self.file.with_extension("new");
        let text = serde_json::to_string(&book)?;
        let _ = fs::remove_file(&fresh);
        crate::state::open_private(&fresh)?.write_all(text.as_bytes())?;
        fs::rename(&fresh, &self.file)
    }

    fn read(&self) -> std::io::Result<Book> {
        match fs::read_to_string(&self.file) {
            Ok(text) => serde_json::from_str(&text).map_err(std::io::Error::other),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Book::default()),
            Err(error) => Err(error),
        }
    }
}

/// Money as it is written: whole cents, and what is less than one in full.
fn dollars(millionths: u64) -> String {
    let (whole, rest) = (millionths / 1_000_000, millionths % 1_000_000);
    if rest % 10_000 == 0 {
        format!("${whole}.{:02}", rest / 10_000)
    } else {
        let fraction = format!("{rest:06}");
        format!("${whole}.{}", fraction.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(session: Option<u64>, day: Option<u64>) -> Budget {
        Budget {
            session,
            day,
            ..Budget::default()
        }
    }

    #[test]
    fn a_session_and_a_day_have_their_own_limits() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::at(directory.path().join("state")).unwrap();
        let one = SpendLog::open(&state, "one").unwrap();
        let two = SpendLog::open(&state, "two").unwrap();
        one.pay(300, 10).unwrap();
        two.pay(500, 20).unwrap();
        assert_eq!(
            one.spent(30).unwrap(),
            Spent {
                session: 300,
                day: 800
            }
        );
        assert!(one.reached(&limits(Some(300), None), 30).is_some());
        assert_eq!(one.reached(&limits(Some(301), None), 30), None);
        assert!(one.reached(&limits(None, Some(800)), 30).is_some());
        assert_eq!(one.reached(&limits(None, Some(800)), 30 + DAY), None);
        assert_eq!(one.reached(&limits(None, None), 30), None);
        one.pay(1, DAY).unwrap();
        assert_eq!(
            one.spent(DAY).unwrap(),
            Spent {
                session: 301,
                day: 1
            }
        );
    }

    #[test]
    fn a_person_reads_which_limit_is_reached_and_when_it_ends() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::at(directory.path().join("state")).unwrap();
        let purse = SpendLog::open(&state, "one").unwrap();
        purse.pay(5_020_000, 10 * 60 * 60).unwrap();
        let check = |limits: Budget, words: &str| {
            let told = purse.reached(&limits, 10 * 60 * 60 + 1);
            assert_eq!(told.as_deref(), Some(words));
        };
        check(
            limits(None, Some(5_000_000)),
            "$5.02 of $5.00 today; a new day begins in 14 h",
        );
        check(
            limits(Some(2_500), None),
            "$5.02 of $0.0025 in this session",
        );
    }

    #[test]
    fn a_broken_book_reaches_every_limit() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::at(directory.path().join("state")).unwrap();
        let purse = SpendLog::open(&state, "one").unwrap();
        fs::write(&purse.file, "nonsense").unwrap();
        assert!(purse.reached(&limits(Some(u64::MAX), None), 0).is_some());
        assert_eq!(purse.reached(&limits(None, None), 0), None);
    }
}
