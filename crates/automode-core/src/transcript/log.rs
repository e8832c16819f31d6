//! A session within a budget, read once from old to new.
//!
//! Over the budget the oldest calls go first; user words go never, because they
//! carry consent and its limits. Shedding frees a quarter of the budget at once,
//! so that the rest stays byte-identical for many calls and the provider's
//! cache keeps hitting. The state depends on what was pushed and nothing else,
//! and memory is bounded by the budget however long the session is.

use std::borrow::Borrow;
use std::collections::VecDeque;

use super::Entry;
use crate::Failure;

/// What an entry costs beyond its text.
const OVERHEAD: usize = 16;

/// The entries that are kept.
#[derive(Clone, Debug)]
pub struct Log<T = Entry> {
    budget: usize,
    /// Each with its place in the session.
    users: Vec<(u64, T)>,
    calls: VecDeque<(u64, usize, T)>,
    user_bytes: usize,
    call_bytes: usize,
    next: u64,
    shed: u64,
}

impl<T: Borrow<Entry>> Log<T> {
    #[must_use]
    pub const fn new(budget: usize) -> Self {
        Self {
            budget,
            users: Vec::new(),
            calls: VecDeque::new(),
            user_bytes: 0,
            call_bytes: 0,
            next: 0,
            shed: 0,
        }
    }

    /// Appends the next entry.
    pub fn push(&mut self, entry: T) {
        let size = size(entry.borrow());
        let place = self.next;
        self.next = self.next.saturating_add(1);
        match entry.borrow() {
            Entry::User(_) => {
                self.user_bytes = self.user_bytes.saturating_add(size);
                if self.is_overlong() {
                    self.users = Vec::new();
                } else {
                    self.users.push((place, entry));
                }
            }
            Entry::Call { .. } => {
                self.call_bytes = self.call_bytes.saturating_add(size);
                self.calls.push_back((place, size, entry));
            }
        }
        if self.user_bytes.saturating_add(self.call_bytes) > self.budget {
            self.shed();
        }
    }

    /// How many calls were left out.
    #[must_use]
    pub const fn omitted(&self) -> u64 {
        self.shed
    }

    /// The kept entries, oldest first.
    ///
    /// # Errors
    /// [`Failure::Overlong`]: the user's words alone do not fit.
    pub fn into_entries(self) -> Result<Vec<T>, Failure> {
        if self.is_overlong() {
            return Err(Failure::Overlong);
        }
        let mut entries = Vec::with_capacity(self.users.len().saturating_add(self.calls.len()));
        let mut calls = self.calls.into_iter().peekable();
        for (place, user) in self.users {
            while let Some((_, _, call)) = calls.next_if(|(earlier, _, _)| *earlier < place) {
                entries.push(call);
            }
            entries.push(user);
        }
        entries.extend(calls.map(|(_, _, call)| call));
        Ok(entries)
    }

    /// Whether the user's words alone do not fit.
    #[must_use]
    pub const fn is_overlong(&self) -> bool {
        self.user_bytes > self.budget
    }

    fn shed(&mut self) {
        let target = self.budget.saturating_sub(self.budget / 4);
        while self.user_bytes.saturating_add(self.call_bytes) > target {
            let Some((_, size, _)) = self.calls.pop_front() else {
                return;
            };
            self.call_bytes = self.call_bytes.saturating_sub(size);
            self.shed = self.shed.saturating_add(1);
        }
    }
}

fn size(entry: &Entry) -> usize {
    let text = match entry {
        Entry::User(text) => text.len(),
        Entry::Call { tool, brief } => tool.len().saturating_add(brief.len()),
    };
    text.saturating_add(OVERHEAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(text: &str) -> Entry {
        Entry::Call {
            tool: "Bash".to_owned(),
            brief: text.to_owned(),
        }
    }

    fn kept(budget: usize, entries: &[Entry]) -> Result<Vec<Entry>, Failure> {
        let mut log = Log::new(budget);
        for entry in entries {
            log.push(entry.clone());
        }
        log.into_entries()
    }

    #[test]
    fn what_fits_is_kept_in_order() {
        let entries = [call("a"), Entry::User("b".to_owned()), call("c")];
        assert_eq!(kept(1000, &entries).as_deref(), Ok(entries.as_slice()));
    }

    #[test]
    fn the_oldest_calls_go_first_and_user_words_stay() {
        let user = Entry::User("never push".to_owned());
        let entries = [call("one"), user.clone(), call("two"), call("three")];
        assert_eq!(kept(70, &entries), Ok(vec![user, call("three")]));
    }

    #[test]
    fn user_words_that_do_not_fit_are_overlong_not_cut() {
        let entries = [Entry::User("x".repeat(100)), call("a")];
        assert_eq!(kept(100, &entries), Err(Failure::Overlong));
    }

    #[test]
    fn shedding_is_rare_and_the_rest_does_not_move() {
        let mut log = Log::new(10_000);
        let mut first_kept = Vec::new();
        for index in 0..2_000 {
            log.push(call(&format!("command number {index:04}")));
            first_kept.push(log.omitted());
        }
        let moves = first_kept
            .windows(2)
            .filter(|pair| pair[0] != pair[1])
            .count();
        assert!(log.omitted() > 1_500);
        assert!(moves < 40, "{moves} moves in 2000 calls");
    }

    #[test]
    fn memory_is_bounded_by_the_budget() {
        let mut log = Log::new(1_000);
        for _ in 0..10_000 {
            log.push(call("0123456789"));
            log.push(Entry::User("0123456789".to_owned()));
        }
        assert!(log.users.len() + log.calls.len() < 100);
        assert_eq!(log.into_entries(), Err(Failure::Overlong));
    }
}
