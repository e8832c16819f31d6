//! Sums over the records of a run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use automode::eval::Rate;
use serde_json::{Value, json};

use crate::record::LabRecord;

/// Everything that is summed up while a run goes on.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub seed: u64,
    pub elapsed: Duration,
    pub tried: usize,
    pub verdicts: BTreeMap<String, usize>,
    pub executed: usize,
    /// Of these, with a step that ran confined.
    pub confined: usize,
    pub timed_out: usize,
    pub faults: usize,
    pub harmed: Vec<LabRecord>,
    pub compared: usize,
    pub unexpected: Vec<LabRecord>,
    pub imprecise: usize,
    /// Tried, executed and harmed, by generator.
    pub sources: BTreeMap<String, [usize; 3]>,
    /// Allowed, asked, denied and harmed, by program.
    pub programs: BTreeMap<String, [usize; 4]>,
    pub decide_micros: u64,
    pub run_micros: u64,
    pub judge_micros: u64,
    pub cpu_micros: u64,
}

impl Tally {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }

    pub fn add(&mut self, record: &LabRecord) {
        let one_more = |count: &mut usize| *count = count.saturating_add(1);
        let harmed = !record.harms.is_empty();
        one_more(&mut self.tried);
        one_more(self.verdicts.entry(record.verdict.clone()).or_default());
        let kind = record.source.split(':').next().unwrap_or_default();
        let [tried, executed, hurt] = self.sources.entry(kind.to_owned()).or_default();
        one_more(tried);
        let [allowed, asked, denied, bad] =
            self.programs.entry(record.program.clone()).or_default();
        match record.verdict.as_str() {
            "allow" => one_more(allowed),
            "ask" => one_more(asked),
            _ => one_more(denied),
        }
        if record.ran {
            one_more(executed);
            one_more(&mut self.executed);
        }
        if record.confined {
            one_more(&mut self.confined);
        }
        if harmed {
            one_more(hurt);
            one_more(bad);
            self.harmed.push(record.clone());
        }
        if record.timed_out {
            one_more(&mut self.timed_out);
        }
        if record.fault.is_some() {
            one_more(&mut self.faults);
        }
        if record.compared {
            one_more(&mut self.compared);
            self.imprecise = self
                .imprecise
                .saturating_add(usize::from(!record.imprecise.is_empty()));
            if !record.unexpected.is_empty() && self.unexpected.len() < 500 {
                self.unexpected.push(record.clone());
            }
        }
        for (sum, more) in [
            (&mut self.decide_micros, record.decide_micros),
            (&mut self.run_micros, record.run_micros),
            (&mut self.judge_micros, record.judge_micros),
            (&mut self.cpu_micros, record.cpu_micros),
        ] {
            *sum = sum.saturating_add(more);
        }
    }

    /// How often an executed case did harm, with its interval.
    #[must_use]
    pub fn rate(&self) -> Rate {
        let harmed = self.harmed.len().min(self.executed);
        Rate::of((0..self.executed).map(|at| ("", at < harmed)))
    }

    /// The headline: executed, harmed, interval.
    #[must_use]
    pub fn headline(&self) -> String {
        let rate = self.rate();
        format!(
            "allowed commands executed in a canary world: {}, harmed: {} [{:.4}% to {:.4}%]",
            self.executed,
            self.harmed.len(),
            rate.low * 100.0,
            rate.high * 100.0
        )
    }

    #[must_use]
    pub fn text(&self) -> String {
        let mut told = String::new();
        let mut line = |text: String| {
            // Writing to a string does not fail.
            writeln!(told, "{text}").unwrap_or_default();
        };
        line(self.headline());
        let verdicts: Vec<String> = self
            .verdicts
            .iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        line(format!(
            "tried {} with seed {}: {}",
            self.tried,
            self.seed,
            verdicts.join(", ")
        ));
        if self.confined > 0 {
            line(format!("executed confined: {}", self.confined));
        }
        line(format!(
            "compared with what was expected: {}, with something unexpected: {}, expected and not seen: {}",
            self.compared,
            self.unexpected.len(),
            self.imprecise
        ));
        line(format!(
            "took {:.1} s: {:.1} tried a second, {:.1} executed a second, {:.1} ms of CPU an executed case, {} ran out of time, {} faults of the cage",
            self.elapsed.as_secs_f64(),
            per_second(self.tried, self.elapsed),
            per_second(self.executed, self.elapsed),
            millis_each(self.cpu_micros, self.executed),
            self.timed_out,
            self.faults
        ));
        for (source, [tried, executed, harmed]) in &self.sources {
            line(format!(
                "  {source:<12} tried {tried:>7}  executed {executed:>7}  harmed {harmed:>4}"
            ));
        }
        told
    }

    #[must_use]
    pub fn json(&self) -> Value {
        let rate = self.rate();
        json!({
            "seed": self.seed,
            "tried": self.tried,
            "verdicts": self.verdicts,
            "executed": self.executed,
            "confined": self.confined,
            "harmed": self.harmed.len(),
            "rate": { "low": rate.low, "high": rate.high },
            "timed_out": self.timed_out,
            "faults": self.faults,
            "compared": self.compared,
            "unexpected": self.unexpected.len(),
            "imprecise": self.imprecise,
            "seconds": self.elapsed.as_secs_f64(),
            "executed_per_second": per_second(self.executed, self.elapsed),
            "cpu_millis_per_executed": millis_each(self.cpu_micros, self.executed),
            "sources": self.sources,
        })
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of cases are far below 2^52"
)]
pub fn per_second(count: usize, elapsed: Duration) -> f64 {
    count as f64 / elapsed.as_secs_f64().max(0.001)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "times of a run are far below 2^52"
)]
fn millis_each(micros: u64, count: usize) -> f64 {
    micros as f64 / 1000.0 / (count.max(1) as f64)
}
