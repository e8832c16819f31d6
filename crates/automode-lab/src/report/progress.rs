//! The bar on a terminal while a run goes on; silent where nobody looks.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use super::Tally;
use super::tally::per_second;

const WIDTH: usize = 28;

/// Shows how far a run is.
pub struct Progress {
    goal: usize,
    started: Instant,
    shown: Instant,
    visible: bool,
}

impl Progress {
    #[must_use]
    pub fn new(goal: usize, quiet: bool) -> Self {
        let now = Instant::now();
        Self {
            goal: goal.max(1),
            started: now,
            shown: now,
            visible: !quiet && io::stderr().is_terminal(),
        }
    }

    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub fn show(&mut self, done: usize, tally: &Tally) {
        if !self.visible || self.shown.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.shown = Instant::now();
        let filled = WIDTH.saturating_mul(done.min(self.goal)) / self.goal;
        let bar = format!(
            "{}{}",
            "█".repeat(filled),
            "░".repeat(WIDTH.saturating_sub(filled))
        );
        eprint!(
            "\r{bar} {done}/{}  executed {}  harmed {}  {:.0}/s \x1b[K",
            self.goal,
            tally.executed,
            tally.harmed.len(),
            per_second(done, self.elapsed())
        );
        // A terminal that is gone needs no bar.
        io::stderr().flush().unwrap_or_default();
    }

    pub fn clear(&self) {
        if self.visible {
            eprint!("\r\x1b[K");
        }
    }
}
