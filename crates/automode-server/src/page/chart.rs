//! Charts, drawn on the server as SVG with the style's classes.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::clock;
use crate::store::{TallyRow, real};

/// Counts of the three verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerdictCounts {
    pub allow: i64,
    pub ask: i64,
    pub deny: i64,
}

impl VerdictCounts {
    pub const fn total(self) -> i64 {
        self.allow
            .saturating_add(self.ask)
            .saturating_add(self.deny)
    }

    pub const fn stops(self) -> i64 {
        self.ask.saturating_add(self.deny)
    }

    fn add(&mut self, row: &TallyRow) {
        let count = match row.verdict.as_str() {
            "allow" => &mut self.allow,
            "ask" => &mut self.ask,
            _ => &mut self.deny,
        };
        *count = count.saturating_add(row.count);
    }
}

/// Counts by the name of the rows.
pub fn by_name(rows: &[TallyRow]) -> BTreeMap<String, VerdictCounts> {
    let mut counts: BTreeMap<String, VerdictCounts> = BTreeMap::new();
    for row in rows {
        counts.entry(row.name.clone()).or_default().add(row);
    }
    counts
}

/// All counts together.
pub fn total(rows: &[TallyRow]) -> VerdictCounts {
    rows.iter().fold(VerdictCounts::default(), |mut sum, row| {
        sum.add(row);
        sum
    })
}

const LEFT: f64 = 46.0;
const BOTTOM: f64 = 24.0;

/// The size of a picture, in which writing keeps its own.
#[derive(Clone, Copy)]
struct ChartSize {
    class: &'static str,
    width: f64,
    height: f64,
    /// Days from one label to the next.
    labels: usize,
}

/// Stacked columns, one a day, without holes; once for wide screens and once for narrow ones.
pub fn days(rows: &[TallyRow], from: i64, to: i64) -> Markup {
    let counts = by_name(rows);
    let long = to.saturating_sub(from) > 20;
    let wide = ChartSize {
        class: "wide-screen",
        width: 1120.0,
        height: 220.0,
        labels: if long { 5 } else { 2 },
    };
    let narrow = ChartSize {
        class: "narrow-screen",
        width: 350.0,
        height: 190.0,
        labels: if long { 10 } else { 4 },
    };
    html! {
        (drawn(&counts, from, to, wide))
        (drawn(&counts, from, to, narrow))
        (key())
    }
}

fn drawn(counts: &BTreeMap<String, VerdictCounts>, from: i64, to: i64, size: ChartSize) -> Markup {
    let at = |day: i64| counts.get(&day.to_string()).copied().unwrap_or_default();
    let most = (from..=to)
        .map(|day| at(day).total())
        .max()
        .unwrap_or(0)
        .max(1);
    let top = nice(most);
    let count = real(to.saturating_sub(from).saturating_add(1));
    let step = (size.width - LEFT) / count;
    let floor = size.height - BOTTOM;
    let height = |number: i64| real(number) / real(top) * (floor - 10.0);
    html! {
        svg class={ "chart " (size.class) } viewBox={ "0 0 " (size.width) " " (size.height) } role="img" aria-label="Decisions by day" {
            @for part in [0_i64, 1, 2] {
                @let value = top * part / 2;
                @let y = floor - height(value);
                line.grid x1=(LEFT) x2=(size.width) y1=(fine(y)) y2=(fine(y)) {}
                text.axis x=(LEFT - 8.0) y=(fine(y + 4.0)) text-anchor="end" { (short(value)) }
            }
            @for (index, day) in (from..=to).enumerate() {
                @let left = usize::try_from(to.saturating_sub(day)).unwrap_or_default();
                @let counts = at(day);
                @let x = LEFT + step * real(i64::try_from(index).unwrap_or_default()) + step * 0.14;
                @let (deny, ask, allow) = (height(counts.deny), height(counts.ask), height(counts.allow));
                g {
                    title { (clock::date(day)) ": " (counts.allow) " allowed, " (counts.ask) " asked, " (counts.deny) " denied" }
                    rect.allow x=(fine(x)) width=(fine(step * 0.72)) y=(fine(floor - allow)) height=(fine(allow)) {}
                    rect.ask x=(fine(x)) width=(fine(step * 0.72)) y=(fine(floor - allow - ask)) height=(fine(ask)) {}
                    rect.deny x=(fine(x)) width=(fine(step * 0.72)) y=(fine(floor - allow - ask - deny)) height=(fine(deny)) {}
                }
                @if left == 0 {
                    text.axis x=(size.width) y=(size.height - 6.0) text-anchor="end" {
                        (clock::date(day).get(5..).unwrap_or_default())
                    }
                } @else if left.is_multiple_of(size.labels) {
                    text.axis x=(fine(x + step * 0.36)) y=(size.height - 6.0) text-anchor="middle" {
                        (clock::date(day).get(5..).unwrap_or_default())
                    }
                }
            }
        }
    }
}

fn key() -> Markup {
    html! {
        p.key { span.swatch.allow {} "allowed" span.swatch.ask {} "asked" span.swatch.deny {} "denied" }
    }
}

/// Bars lying down, largest first; each leads to its decisions.
pub fn bars(
    counts: &BTreeMap<String, VerdictCounts>,
    most: usize,
    link: impl Fn(&str) -> String,
) -> Markup {
    let mut rows: Vec<(&String, VerdictCounts)> = counts
        .iter()
        .map(|(name, counts)| (name, *counts))
        .collect();
    rows.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.total()));
    let top = rows.first().map_or(1, |(_, counts)| counts.total()).max(1);
    let part = |number: i64| fine(real(number) / real(top) * 100.0);
    html! {
        @if rows.is_empty() { p.quiet { "Nothing yet." } }
        ol.bars {
            @for (name, counts) in rows.into_iter().take(most) {
                li {
                    a href=(link(name)) { (if name.is_empty() { "no rule" } else { name }) }
                    svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
                        rect.allow x="0" width=(part(counts.allow)) height="8" {}
                        rect.ask x=(part(counts.allow)) width=(part(counts.ask)) height="8" {}
                        rect.deny x=(part(counts.allow + counts.ask)) width=(part(counts.deny)) height="8" {}
                    }
                    span.n { (grouped(counts.total())) }
                }
            }
        }
    }
}

/// Two digits behind the point are enough for a picture.
pub fn fine(number: f64) -> String {
    format!("{number:.2}")
}

/// The next round number that has a half.
fn nice(most: i64) -> i64 {
    let mut unit = 1_i64;
    loop {
        for factor in [2, 4, 6, 8, 10] {
            let top = unit.saturating_mul(factor);
            if top >= most {
                return top;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

/// `12k`, `3.4M`.
fn short(number: i64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{:.1}M", real(number) / 1e6),
    }
}

/// `1,234,567`.
pub fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        let left = digits.len().saturating_sub(at);
        if at > 0 && left.is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), expected);
        }
        for (most, expected) in [(1, 2), (3, 4), (7, 8), (11, 20), (101, 200), (401, 600)] {
            assert_eq!(nice(most), expected);
        }
        assert_eq!(short(1_250_000), "1.2M");
    }
}
