//! What decisions come to, in sums that can be kept and put together.
//!
//! The answer to a question is a line of its own and may stand in a later part of the
//! log than the question, so both are kept by name until they meet.

use std::collections::{BTreeMap, BTreeSet};

use automode::Verdict;
use automode::audit::{Entry, PersonAnswer, Said};
use serde::{Deserialize, Serialize};

use crate::clock;
use crate::prompts::{self, PromptChange};

/// Counts by name.
pub type StatsCounts = BTreeMap<String, u64>;

/// No zone of the world begins its day between two of these.
const QUARTER_HOUR: u64 = 15 * 60 * 1000;

/// What the decisions of a part of the log come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    pub total: u64,
    pub saved: u64,
    pub added: u64,
    /// Questions that were answered.
    yes: u64,
    no: u64,
    /// Questions without an answer, the latest of them by name.
    unanswered: u64,
    open: BTreeSet<String>,
    /// Answers to questions of an earlier part.
    late: BTreeMap<String, Said>,
    pub judged: u64,
    pub price: u64,
    pub tokens: u64,
    /// By hundredths of a millisecond.
    latencies: BTreeMap<u64, u64>,
    pub verdicts: StatsCounts,
    pub grounds: StatsCounts,
    pub rules: StatsCounts,
    pub tools: StatsCounts,
    pub promises: StatsCounts,
    /// By quarter of an hour: which day that was depends on where one asks.
    times: BTreeMap<u64, u64>,
}

impl Sums {
    pub fn count(&mut self, entry: &Entry) {
        self.total = self.total.saturating_add(1);
        let change = prompts::of_entry(entry);
        let is = |wanted: PromptChange| u64::from(change == wanted);
        self.saved = self.saved.saturating_add(is(PromptChange::Saved));
        self.added = self.added.saturating_add(is(PromptChange::Added));
        if entry.verdict == Verdict::Ask {
            self.open.insert(entry.id.clone());
        }
        add(
            &mut self.latencies,
            (entry.latency.max(0.0) * 100.0) as u64,
            1,
        );
        add(&mut self.times, entry.time / QUARTER_HOUR, 1);
        add_name(&mut self.verdicts, entry.verdict.name());
        add_name(&mut self.grounds, &entry.ground);
        add_name(&mut self.tools, &entry.tool);
        if let Some(promise) = &entry.protection {
            add_name(&mut self.promises, promise);
        }
        if entry.verdict != Verdict::Allow {
            add_name(&mut self.rules, entry.settled_by());
        }
        if let Some(judge) = &entry.judge {
            self.judged = self.judged.saturating_add(1);
            self.price = self.price.saturating_add(judge.price.unwrap_or_default());
            let tokens = judge
                .input
                .saturating_add(judge.cached)
                .saturating_add(judge.output);
            self.tokens = self.tokens.saturating_add(tokens);
        }
    }

    pub fn answer(&mut self, answer: PersonAnswer) {
        if !self.open.remove(&answer.answers) {
            self.late.insert(answer.answers, answer.said);
            return;
        }
        let count = match answer.said {
            Said::Yes => &mut self.yes,
            Said::No => &mut self.no,
        };
        *count = count.saturating_add(1);
    }

    /// Adds what came later.
    pub fn add(&mut self, later: &Self) {
        for (own, more) in [
            (&mut self.total, later.total),
            (&mut self.saved, later.saved),
            (&mut self.added, later.added),
            (&mut self.yes, later.yes),
            (&mut self.no, later.no),
            (&mut self.unanswered, later.unanswered),
            (&mut self.judged, later.judged),
            (&mut self.price, later.price),
            (&mut self.tokens, later.tokens),
        ] {
            *own = own.saturating_add(more);
        }
        for (own, more) in [
            (&mut self.verdicts, &later.verdicts),
            (&mut self.grounds, &later.grounds),
            (&mut self.rules, &later.rules),
            (&mut self.tools, &later.tools),
            (&mut self.promises, &later.promises),
        ] {
            more.iter()
                .for_each(|(name, count)| add(own, name.clone(), *count));
        }
        for (own, more) in [
            (&mut self.latencies, &later.latencies),
            (&mut self.times, &later.times),
        ] {
            more.iter().for_each(|(at, count)| add(own, *at, *count));
        }
        for (answers, said) in &later.late {
            self.answer(PersonAnswer {
                time: 0,
                answers: answers.clone(),
                said: *said,
            });
        }
        self.open.extend(later.open.iter().cloned());
    }

    /// Takes the answers that stand in a later part.
    pub fn take_answers(&mut self, later: &mut Self) {
        let late = std::mem::take(&mut later.late);
        for (answers, said) in late {
            if self.open.contains(&answers) {
                self.answer(PersonAnswer {
                    time: 0,
                    answers,
                    said,
                });
            } else {
                later.late.insert(answers, said);
            }
        }
    }

    /// Nobody answers any more: the names need not be kept.
    pub fn settle(&mut self) {
        self.unanswered = self.unanswered.saturating_add(self.open.len() as u64);
        self.open.clear();
        self.late.clear();
    }

    pub fn questions(&self) -> u64 {
        self.not_known()
            .saturating_add(self.yes)
            .saturating_add(self.no)
    }

    /// What people answered to questions.
    pub fn said(&self) -> StatsCounts {
        let said = [
            ("yes", self.yes),
            ("no", self.no),
            ("not known", self.not_known()),
        ];
        let given = said.into_iter().filter(|(_, count)| *count > 0);
        given
            .map(|(name, count)| (name.to_owned(), count))
            .collect()
    }

    fn not_known(&self) -> u64 {
        self.unanswered.saturating_add(self.open.len() as u64)
    }

    /// Decisions by day, as the days are here.
    pub fn days(&self) -> StatsCounts {
        let mut days = StatsCounts::new();
        for (at, count) in &self.times {
            add(
                &mut days,
                clock::day(at.saturating_mul(QUARTER_HOUR)),
                *count,
            );
        }
        days
    }

    /// A percentile of the latencies, in milliseconds.
    pub fn latency(&self, percent: u64) -> f64 {
        let mut left = self.total.saturating_sub(1).saturating_mul(percent) / 100;
        for (hundredths, count) in &self.latencies {
            match left.checked_sub(*count) {
                Some(rest) => left = rest,
                None => return *hundredths as f64 / 100.0,
            }
        }
        0.0
    }

    /// The first and the last time that is counted, in milliseconds since the epoch.
    pub fn span(&self) -> Option<(u64, u64)> {
        let (first, _) = self.times.first_key_value()?;
        let (last, _) = self.times.last_key_value()?;
        let end = last.saturating_add(1).saturating_mul(QUARTER_HOUR);
        Some((first.saturating_mul(QUARTER_HOUR), end))
    }
}

fn add<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K, more: u64) {
    let count = counts.entry(key).or_default();
    *count = count.saturating_add(more);
}

fn add_name(counts: &mut StatsCounts, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count = count.saturating_add(1),
        None => add(counts, name.to_owned(), 1),
    }
}
