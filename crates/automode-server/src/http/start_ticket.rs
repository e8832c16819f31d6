//! The link that `serve` and `dashboard` print: it opens once, and for an hour.
//!
//! An address is seen by whoever lists processes or reads a browser's history, so the
//! administrator's token is never in one.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::secret;

/// How long a link may be used.
const LASTS: Duration = Duration::from_secs(3_600);

/// The one link that is open.
#[derive(Default)]
pub struct StartTicket {
    open: Mutex<Option<(String, Instant)>>,
}

impl StartTicket {
    /// A new link's word; the one before ends.
    #[must_use]
    pub fn make(&self) -> String {
        let word = secret::token();
        let kept = (secret::digest(&word), Instant::now());
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        word
    }

    /// Whether this word opens; then it opened for the last time.
    #[must_use]
    pub fn take(&self, word: &str) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = open.as_ref().is_some_and(|(digest, made)| {
            *digest == secret::digest(word) && made.elapsed() < LASTS
        });
        if fits {
            *open = None;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_once() {
        let ticket = StartTicket::default();
        assert!(!ticket.take(""));
        let old = ticket.make();
        let word = ticket.make();
        let opened = [&old, "", "x", &word, &word].map(|word| ticket.take(word));
        assert_eq!(opened, [false, false, false, true, false]);
    }
}
