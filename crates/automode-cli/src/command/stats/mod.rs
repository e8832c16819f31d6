//! `automode stats`: what the decisions came to.

mod kept;
mod sums;

use anyhow::Result;
use serde_json::json;

use self::sums::{StatsCounts, Sums};
use super::log::{self, Filter};
use super::why::dollars;
use crate::output;

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

const WIDTH: usize = 32;
const ROWS: usize = 12;

const EXAMPLES: &str = "\
Examples:
  automode stats --since 7d
  automode stats --agent codex --json";

pub fn run(args: Args) -> Result<u8> {
    let sums = kept::sums(&log::open()?, &args.filter);
    if args.json {
        println!("{}", sums.json());
    } else {
        sums.show();
    }
    Ok(0)
}

impl Sums {
    fn json(&self) -> serde_json::Value {
        json!({
            "decisions": self.total,
            "prompts_saved": self.saved,
            "prompts_added": self.added,
            "questions": {"asked": self.questions(), "said": self.said()},
            "verdicts": self.verdicts,
            "grounds": self.grounds,
            "rules": self.rules,
            "tools": self.tools,
            "days": self.days(),
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
        println!("{} decisions", self.total);
        println!(
            "prompts, against the client's own mode: {} saved, {} added",
            self.saved, self.added
        );
        if self.questions() > 0 {
            let said = self.said();
            let said = |word: &str| said.get(word).copied().unwrap_or_default();
            println!(
                "questions: {}, answered yes {}, no {}",
                self.questions(),
                said("yes"),
                said("no")
            );
        }
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
        let days = self.days();
        println!("by day:  {}", sparkline(&days));
        chart("verdict", &self.verdicts, StatsOrder::Count);
        chart("settled by", &self.grounds, StatsOrder::Count);
        chart("stopped by", &self.rules, StatsOrder::Count);
        chart("promised, or could be", &self.promises, StatsOrder::Count);
        chart("tool", &self.tools, StatsOrder::Count);
        chart("day", &days, StatsOrder::Name);
    }
}

#[derive(Clone, Copy)]
enum StatsOrder {
    Count,
    Name,
}

/// Bars, the longest first or the youngest last.
fn chart(title: &str, counts: &StatsCounts, order: StatsOrder) {
    if counts.is_empty() {
        return;
    }
    let mut rows: Vec<(&String, u64)> = counts.iter().map(|(name, count)| (name, *count)).collect();
    match order {
        StatsOrder::Count => rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count)),
        StatsOrder::Name => {
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

/// The counts of the last days as one line, the youngest last.
fn sparkline(days: &StatsCounts) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let skipped = days.len().saturating_sub(WIDTH);
    let most = days.values().copied().max().unwrap_or(1).max(1);
    let height = |count: u64| {
        let step = count
            .saturating_mul(7)
            .checked_div(most)
            .unwrap_or_default();
        STEPS.get(usize::try_from(step).unwrap_or_default())
    };
    days.values()
        .skip(skipped)
        .filter_map(|count| height(*count))
        .collect()
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
        let days = [("a", 0), ("b", 4), ("c", 8)].map(|(day, count)| (day.to_owned(), count));
        assert_eq!(sparkline(&StatsCounts::from_iter(days)), "▁▄█");
    }
}
