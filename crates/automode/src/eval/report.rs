//! The figures of a run, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use automode_core::Verdict;
use serde_json::{Value, json};

use super::{Label, Outcome, Rate};

/// How many cases of a label got a verdict.
pub type Counts = BTreeMap<(Label, Verdict), usize>;

/// Everything that is counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// One row per file and label, files in the order they were given.
    pub tables: Vec<Table>,
    /// Cases by what settled or marked them, most frequent first: label and verdict counts.
    pub rules: Vec<(String, Counts)>,
    /// Microseconds at the 50th, 90th, 99th percentile and the slowest.
    pub latency: [u64; 4],
    pub cases: usize,
}

/// The verdicts on the cases of one file with one label.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub file: String,
    pub label: Label,
    pub allow: Rate,
    pub ask: Rate,
    pub deny: Rate,
}

impl Report {
    #[must_use]
    pub fn of(outcomes: &[Outcome]) -> Self {
        let mut files: Vec<&str> = Vec::new();
        for outcome in outcomes {
            if !files.contains(&outcome.file.as_str()) {
                files.push(&outcome.file);
            }
        }
        let tables = files
            .iter()
            .flat_map(|file| Label::ALL.map(|label| table(outcomes, file, label)))
            .flatten()
            .collect();
        Self {
            tables,
            rules: rules(outcomes),
            latency: latency(outcomes),
            cases: outcomes.len(),
        }
    }

    /// The figures as aligned text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut rows = vec![["file", "label", "cases", "allow", "ask", "deny"].map(str::to_owned)];
        for table in &self.tables {
            rows.push([
                table.file.clone(),
                table.label.name().to_owned(),
                table.allow.total.to_string(),
                shown(&table.allow),
                shown(&table.ask),
                shown(&table.deny),
            ]);
        }
        let mut text = aligned(&rows);
        let mut rows =
            vec![["rule", "harmful", "deny", "benign", "deny", "dual", "deny"].map(str::to_owned)];
        for (rule, counts) in &self.rules {
            let of = |label, verdict: Option<Verdict>| {
                counts
                    .iter()
                    .filter(|((l, v), _)| *l == label && verdict.is_none_or(|wanted| wanted == *v))
                    .map(|(_, count)| count)
                    .sum::<usize>()
                    .to_string()
            };
            rows.push([
                rule.clone(),
                of(Label::Harmful, None),
                of(Label::Harmful, Some(Verdict::Deny)),
                of(Label::Benign, None),
                of(Label::Benign, Some(Verdict::Deny)),
                of(Label::Dual, None),
                of(Label::Dual, Some(Verdict::Deny)),
            ]);
        }
        text.push('\n');
        text.push_str(&aligned(&rows));
        let [p50, p90, p99, max] = self.latency;
        let _ = writeln!(
            text,
            "\n{} cases; a decision took {p50} µs (median), {p90} µs (90%), {p99} µs (99%), {max} µs (slowest)\nrates with 95% intervals, clustered by group",
            self.cases
        );
        text
    }

    /// The figures as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let rate = |rate: &Rate| json!({"count": rate.hits, "rate": rate.share(), "low": rate.low, "high": rate.high});
        let tables: Vec<Value> = self
            .tables
            .iter()
            .map(|table| {
                json!({
                    "file": table.file, "label": table.label.name(), "cases": table.allow.total,
                    "allow": rate(&table.allow), "ask": rate(&table.ask), "deny": rate(&table.deny),
                })
            })
            .collect();
        let rules: Vec<Value> = self
            .rules
            .iter()
            .map(|(rule, counts)| {
                let counts: Vec<Value> = counts
                    .iter()
                    .map(|((label, verdict), count)| {
                        json!({"label": label.name(), "verdict": verdict.name(), "count": count})
                    })
                    .collect();
                json!({"rule": rule, "counts": counts})
            })
            .collect();
        let [p50, p90, p99, max] = self.latency;
        json!({
            "cases": self.cases, "tables": tables, "rules": rules,
            "latency_us": {"p50": p50, "p90": p90, "p99": p99, "max": max},
        })
    }
}

fn table(outcomes: &[Outcome], file: &str, label: Label) -> Option<Table> {
    let cases: Vec<&Outcome> = outcomes
        .iter()
        .filter(|outcome| outcome.file == file && outcome.label == label)
        .collect();
    let rate = |verdict| {
        Rate::of(
            cases
                .iter()
                .map(|outcome| (outcome.group.as_str(), outcome.verdict == verdict)),
        )
    };
    (!cases.is_empty()).then(|| Table {
        file: file.to_owned(),
        label,
        allow: rate(Verdict::Allow),
        ask: rate(Verdict::Ask),
        deny: rate(Verdict::Deny),
    })
}

fn rules(outcomes: &[Outcome]) -> Vec<(String, Counts)> {
    let mut rules: BTreeMap<&str, Counts> = BTreeMap::new();
    for outcome in outcomes {
        let name = if outcome.rule.is_empty() {
            "(nothing found)"
        } else {
            &outcome.rule
        };
        let count = rules
            .entry(name)
            .or_default()
            .entry((outcome.label, outcome.verdict))
            .or_default();
        *count = count.saturating_add(1);
    }
    let mut rules: Vec<_> = rules
        .into_iter()
        .map(|(rule, counts)| (rule.to_owned(), counts))
        .collect();
    rules.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.values().sum::<usize>()));
    rules
}

fn latency(outcomes: &[Outcome]) -> [u64; 4] {
    let mut micros: Vec<u64> = outcomes.iter().map(|outcome| outcome.micros).collect();
    micros.sort_unstable();
    let at = |percent: usize| {
        // The smallest that so many of them are not above.
        let rank = micros.len().saturating_mul(percent).div_ceil(100);
        micros
            .get(rank.saturating_sub(1))
            .copied()
            .unwrap_or_default()
    };
    [at(50), at(90), at(99), at(100)]
}

/// `68.2% [65.0, 71.3]`.
fn shown(rate: &Rate) -> String {
    format!(
        "{:.1}% [{:.1}, {:.1}]",
        rate.share() * 100.0,
        rate.low * 100.0,
        rate.high * 100.0
    )
}

/// Columns as wide as their widest cell; the first on the left, the rest on the right.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: Vec<usize> = (0..N)
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or_default()
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}
