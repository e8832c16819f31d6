//! `automode stats`: what the decisions came to.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::json;

use super::log::{self, Filter, saved_a_prompt};
use super::why::dollars;
use crate::{clock, output};

/// Show how many decisions there were, by what, and what they cost.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    filter: Filter,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const WIDTH: usize = 40;
const ROWS: usize = 12;

/// Counts by name.
type Counts = BTreeMap<String, u64>;

#[derive(Default)]
struct Sums {
    total: u64,
    saved: u64,
    judged: u64,
    price: u64,
    tokens: u64,
    latencies: Vec<f64>,
    verdicts: Counts,
    grounds: Counts,
    rules: Counts,
    tools: Counts,
    days: Counts,
    promises: Counts,
}

const EXAMPLES: &str = "\
Examples:
  automode stats --since 7d
  automode stats --agent codex --json";

pub fn run(args: Args) -> Result<u8> {
    let mut sums = Sums::default();
    log::open()?.for_each(|entry| {
        if args.filter.admits(&entry) {
            sums.count(&entry);
        }
    });
    sums.latencies.sort_by(f64::total_cmp);
    if args.json {
        println!("{}", sums.json());
    } else {
        sums.show();
    }
    Ok(0)
}

impl Sums {
    fn count(&mut self, entry: &automode::audit::Entry) {
        let add = |counts: &mut Counts, name: &str| {
            let count = counts.entry(name.to_owned()).or_default();
            *count = count.saturating_add(1);
        };
        self.total = self.total.saturating_add(1);
        self.saved = self.saved.saturating_add(u64::from(saved_a_prompt(entry)));
        self.latencies.push(entry.latency);
        add(&mut self.verdicts, entry.verdict.name());
        add(&mut self.grounds, &entry.ground);
        add(&mut self.tools, &entry.tool);
        add(&mut self.days, &clock::day(entry.time));
        if let Some(promise) = &entry.protection {
            add(&mut self.promises, promise);
        }
        if let (Some(rule), true) = (&entry.rule, entry.verdict != automode::Verdict::Allow) {
            add(&mut self.rules, rule);
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

    fn json(&self) -> serde_json::Value {
        json!({
            "decisions": self.total,
            "prompts_saved": self.saved,
            "verdicts": self.verdicts,
            "grounds": self.grounds,
            "rules": self.rules,
            "tools": self.tools,
            "days": self.days,
            "promises": self.promises,
            "judge": {"calls": self.judged, "tokens": self.tokens, "price_micros": self.price},
            "latency_ms": {"p50": self.latency(50), "p95": self.latency(95), "p99": self.latency(99)},
        })
    }

    fn show(&self) {
        if self.total == 0 {
            println!("no decisions (hint: automode status, or other filters)");
            return;
        }
        println!("{} decisions, {} prompts saved", self.total, self.saved);
        if self.judged > 0 {
            println!(
                "judge: {} calls, {} tokens, {}",
                self.judged,
                self.tokens,
                dollars(self.price)
            );
        }
        println!(
            "latency: {:.2} ms median, {:.2} ms p95, {:.2} ms p99",
            self.latency(50),
            self.latency(95),
            self.latency(99)
        );
        chart("verdict", &self.verdicts, Order::Count);
        chart("settled by", &self.grounds, Order::Count);
        chart("stopped by", &self.rules, Order::Count);
        chart("promised, or could be", &self.promises, Order::Count);
        chart("tool", &self.tools, Order::Count);
        chart("day", &self.days, Order::Name);
    }

    /// A percentile of the latencies, which are sorted.
    fn latency(&self, percent: usize) -> f64 {
        let last = self.latencies.len().saturating_sub(1);
        let at = last.saturating_mul(percent) / 100;
        self.latencies.get(at).copied().unwrap_or_default()
    }
}

#[derive(Clone, Copy)]
enum Order {
    Count,
    Name,
}

/// Bars, the longest first or the youngest last.
fn chart(title: &str, counts: &Counts, order: Order) {
    if counts.is_empty() {
        return;
    }
    let mut rows: Vec<(&String, u64)> = counts.iter().map(|(name, count)| (name, *count)).collect();
    match order {
        Order::Count => rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count)),
        Order::Name => {
            rows.drain(..rows.len().saturating_sub(ROWS));
        }
    }
    let rest = rows.split_off(rows.len().min(ROWS));
    let most = rows
        .iter()
        .map(|(_, count)| *count)
        .max()
        .unwrap_or(1)
        .max(1);
    let shown: Vec<String> = rows
        .iter()
        .map(|(name, _)| output::clean(name).chars().take(36).collect())
        .collect();
    let column = shown
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or_default();
    println!("\n{title}");
    for (name, (_, count)) in shown.iter().zip(&rows) {
        println!("  {name:<column$}  {}  {count}", bar(*count, most));
    }
    if !rest.is_empty() {
        let sum: u64 = rest.iter().map(|(_, count)| *count).sum();
        println!("  and {} more: {sum}", rest.len());
    }
}

/// A bar in eighths of a character, at least one eighth long.
pub fn bar(count: u64, most: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let width = u64::try_from(WIDTH).unwrap_or(u64::MAX).saturating_mul(8);
    let eighths = count
        .saturating_mul(width)
        .checked_div(most)
        .unwrap_or_default()
        .max(1);
    let whole = usize::try_from(eighths / 8).unwrap_or(WIDTH);
    let part = usize::try_from(eighths % 8).unwrap_or_default();
    format!(
        "{}{}",
        "█".repeat(whole),
        EIGHTHS.get(part).copied().unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_in_proportion() {
        assert_eq!(bar(10, 10).chars().count(), WIDTH);
        assert_eq!(bar(5, 10), "█".repeat(WIDTH / 2));
        assert_eq!(bar(1, 1_000_000), "▏");
    }
}
