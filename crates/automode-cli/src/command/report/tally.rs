//! What the page shows, counted in one pass over the log.

use std::collections::BTreeMap;

use automode::Verdict;
use automode::audit::{Entry, Said};

use crate::clock;

/// How many stopped calls are told one by one.
const MOST_STOPS: usize = 200;
/// How many of the slowest decisions are named.
const MOST_SLOW: usize = 8;
/// A call that was stopped although nothing was found in it, and comes again within this time,
/// was probably fine.
const AGAIN: u64 = 15 * 60 * 1000;

/// Decisions by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    pub allow: u64,
    pub ask: u64,
    pub deny: u64,
}

impl Verdicts {
    fn add(&mut self, verdict: Verdict) {
        let count = match verdict {
            Verdict::Allow => &mut self.allow,
            Verdict::Ask => &mut self.ask,
            Verdict::Deny => &mut self.deny,
        };
        *count = count.saturating_add(1);
    }

    pub const fn total(self) -> u64 {
        self.allow
            .saturating_add(self.ask)
            .saturating_add(self.deny)
    }
}

/// What one judge was asked for and took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spending {
    pub calls: u64,
    pub tokens: u64,
    /// Millionths of a dollar.
    pub price: u64,
}

/// Everything the page is drawn from.
#[derive(Default)]
pub struct ReportTally {
    pub verdicts: Verdicts,
    pub days: BTreeMap<String, Verdicts>,
    pub layers: BTreeMap<String, Verdicts>,
    pub rules: BTreeMap<String, Verdicts>,
    pub agents: BTreeMap<String, Verdicts>,
    pub judges: BTreeMap<String, Spending>,
    /// The latest denials and questions, the oldest first.
    pub stops: Vec<Entry>,
    /// The slowest decisions, the slowest first.
    pub slowest: Vec<Entry>,
    /// Stopped calls that a person let through, or in which nothing was found and that came again.
    pub doubtful: BTreeMap<String, Doubt>,
    latencies: Vec<f64>,
    stopped: BTreeMap<String, u64>,
}

/// A stop that may have been needless.
#[derive(Clone, Debug)]
pub struct Doubt {
    pub entry: Entry,
    /// How often it was stopped.
    pub times: u64,
    /// How often a person then said yes.
    pub yes: u64,
}

impl ReportTally {
    pub fn count(&mut self, entry: Entry, said: Option<Said>) {
        self.verdicts.add(entry.verdict);
        let add = |counts: &mut BTreeMap<String, Verdicts>, name: &str| {
            counts
                .entry(name.to_owned())
                .or_default()
                .add(entry.verdict);
        };
        add(&mut self.days, &clock::day(entry.time));
        add(&mut self.layers, &entry.ground);
        add(&mut self.agents, &entry.agent);
        add(&mut self.rules, entry.settled_by());
        self.latencies.push(entry.latency);
        self.spend(&entry);
        self.doubt(&entry, said);
        self.keep_slow(&entry);
        if entry.verdict != Verdict::Allow {
            self.stops.push(entry);
            if self.stops.len() > MOST_STOPS.saturating_mul(2) {
                self.stops
                    .drain(..self.stops.len().saturating_sub(MOST_STOPS));
            }
        }
    }

    pub const fn total(&self) -> u64 {
        self.verdicts.total()
    }

    /// The latest stops, the youngest first.
    pub fn latest_stops(&self) -> impl Iterator<Item = &Entry> {
        self.stops.iter().rev().take(MOST_STOPS)
    }

    /// A percentile of the time that decisions took, in milliseconds.
    pub fn latency(&self, percent: usize) -> f64 {
        let mut sorted = self.latencies.clone();
        sorted.sort_by(f64::total_cmp);
        let at = sorted.len().saturating_sub(1).saturating_mul(percent) / 100;
        sorted.get(at).copied().unwrap_or_default()
    }

    fn spend(&mut self, entry: &Entry) {
        let Some(judge) = &entry.judge else { return };
        let spending = self.judges.entry(judge.model.clone()).or_default();
        spending.calls = spending.calls.saturating_add(1);
        spending.price = spending
            .price
            .saturating_add(judge.price.unwrap_or_default());
        spending.tokens = spending
            .tokens
            .saturating_add(judge.input)
            .saturating_add(judge.cached)
            .saturating_add(judge.output);
    }

    /// A person's yes says that the question was needless. So does a call that keeps coming
    /// although it was stopped, but only where nothing was found in it: an agent that tries a
    /// disaster again is no witness.
    fn doubt(&mut self, entry: &Entry, said: Option<Said>) {
        if entry.verdict == Verdict::Allow || is_veto(entry) {
            return;
        }
        let print = entry.print.as_str();
        let before = self.stopped.insert(print.to_owned(), entry.time);
        let soon = before.is_some_and(|before| entry.time.saturating_sub(before) <= AGAIN);
        let yes = said == Some(Said::Yes);
        if let Some(doubt) = self.doubtful.get_mut(print) {
            doubt.times = doubt.times.saturating_add(1);
            doubt.yes = doubt.yes.saturating_add(u64::from(yes));
        } else if yes || soon && entry.findings.is_empty() {
            let doubt = Doubt {
                entry: entry.clone(),
                times: 1 + u64::from(soon),
                yes: u64::from(yes),
            };
            self.doubtful.insert(print.to_owned(), doubt);
        }
    }

    fn keep_slow(&mut self, entry: &Entry) {
        self.slowest.push(entry.clone());
        self.slowest
            .sort_by(|one, other| other.latency.total_cmp(&one.latency));
        self.slowest.truncate(MOST_SLOW);
    }
}

/// Whether a disaster was proved or a protected thing touched: such a stop is no mistake.
pub fn is_veto(entry: &Entry) -> bool {
    matches!(entry.ground.as_str(), "rule" | "guard") && entry.verdict != Verdict::Allow
}
