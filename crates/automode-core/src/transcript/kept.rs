//! What a window keeps of a session that streams by.
//!
//! Memory is bounded by the window, however long the session is, and what is kept
//! here is what the window would have shown of the whole.

use std::collections::VecDeque;

use super::{Entry, Log, Settings, Window};
use crate::Failure;

/// The entries that a window can show.
#[derive(Clone, Debug)]
pub struct Kept(EntryStore);

#[derive(Clone, Debug)]
enum EntryStore {
    Full(Log),
    Recent { most: usize, last: VecDeque<Entry> },
}

impl Kept {
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self(match settings.window {
            Window::Full => EntryStore::Full(Log::new(settings.budget)),
            Window::Recent { entries, .. } => EntryStore::Recent {
                most: entries,
                last: VecDeque::new(),
            },
        })
    }

    /// Takes the next entry.
    pub fn push(&mut self, entry: Entry) {
        match &mut self.0 {
            EntryStore::Full(log) => log.push(entry),
            EntryStore::Recent { most, last } => {
                last.push_back(entry);
                if last.len() > *most {
                    last.pop_front();
                }
            }
        }
    }

    /// Whether more entries cannot change that there is too much.
    #[must_use]
    pub const fn is_overlong(&self) -> bool {
        match &self.0 {
            EntryStore::Full(log) => log.is_overlong(),
            EntryStore::Recent { .. } => false,
        }
    }

    /// The kept entries, oldest first.
    ///
    /// # Errors
    /// [`Failure::Overlong`]: the user's words alone do not fit.
    pub fn into_entries(self) -> Result<Vec<Entry>, Failure> {
        match self.0 {
            EntryStore::Full(log) => log.into_entries(),
            EntryStore::Recent { last, .. } => Ok(last.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(window: Window, entries: &[Entry]) -> Result<Vec<Entry>, Failure> {
        let mut kept = Kept::new(&Settings {
            window,
            budget: 200,
            ..Settings::default()
        });
        entries.iter().for_each(|entry| kept.push(entry.clone()));
        kept.into_entries()
    }

    #[test]
    fn each_window_keeps_what_it_shows() {
        let calls: Vec<_> = (0..20)
            .map(|index| Entry::Call {
                tool: "Bash".to_owned(),
                brief: format!("command {index:02}"),
            })
            .collect();
        let recent = Window::Recent {
            entries: 3,
            chars: 9,
        };
        assert_eq!(kept(recent, &calls).as_deref(), Ok(&calls[17..]));
        let full = kept(Window::Full, &calls).unwrap();
        assert!(full.len() < 8 && full.last() == calls.last());
        let words = [Entry::User("x".repeat(300))];
        assert_eq!(kept(Window::Full, &words), Err(Failure::Overlong));
        assert_eq!(kept(recent, &words).as_deref(), Ok(&words[..]));
    }
}
